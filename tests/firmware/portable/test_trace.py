"""The recorder's rings: the last events of each core, in order, and how many there were; of readings in a row three."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from intercore.board.sources import firmware_sources
from intercore.record.trace_recording import Kind
from tests.firmware.portable.conftest import DEFINES, HERE, TRAPS, compile_objects, link, sources_of
from tests.firmware.ring_events import RingEvent, Seen, kept

if TYPE_CHECKING:
    from pathlib import Path

SIZE = 64
NAMES = 24


@pytest.fixture(scope="session")
def recorder(tmp_path_factory: pytest.TempPathFactory) -> ctypes.CDLL:
    folder = tmp_path_factory.mktemp("trace")
    files = [source for source in sources_of("trace") if not source.name.startswith("traced")]
    flags = ["-O2", *TRAPS, f"-DIC_TRACE={SIZE}", f"-I{firmware_sources() / 'trace'}"]
    library = link("cc", compile_objects("cc", flags, [*files, HERE / "trace_port.c"], folder), folder)
    library.ic_trace_event.restype = ctypes.POINTER(RingEvent)
    library.ic_trace_name.restype = ctypes.c_char_p
    library.ic_trace_clock.restype = ctypes.c_uint64
    library.ic_trace_cycles.restype = ctypes.c_uint64
    library.ic_trace_begin.restype = ctypes.c_bool
    library.ic_trace_costs.restype = ctypes.POINTER(ctypes.c_uint32)
    return library


def begin(recorder: ctypes.CDLL) -> None:
    ctypes.c_uint64.in_dll(recorder, "given_time").value = 0
    recorder.ic_trace_arm(True)
    assert recorder.ic_trace_begin()
    recorder.ic_trace_arm(False)


def at(recorder: ctypes.CDLL, time: int, core: int) -> None:
    ctypes.c_uint64.in_dll(recorder, "given_time").value = time
    ctypes.c_uint32.in_dll(recorder, "given_core").value = core


class Model:
    """What a core's ring should hold: a list that never ends."""

    def __init__(self) -> None:
        self.events: list[Seen] = []
        self.readings = 0

    def put(self, event: Seen, *, reading: bool) -> None:
        if reading and self.readings == 3:
            before, last = self.events[-2:]
            self.events[-2:] = [last._replace(detail=before.detail + 1), event]
            return
        self.readings = self.readings + 1 if reading else 0
        self.events.append(event)


steps = st.lists(st.tuples(st.sampled_from(["event", "read", "read", "count"]), st.integers(0, 1)), max_size=300)


@given(steps)
def test_ring_keeps_last_events_and_ends_of_a_row_of_readings(
    recorder: ctypes.CDLL, steps: list[tuple[str, int]]
) -> None:
    begin(recorder)
    models = Model(), Model()
    for time, (what, core) in enumerate(steps, start=10):
        at(recorder, time, core)
        if what == "event":
            recorder.ic_trace_put(Kind.TICK | 5 << 8, time)
            models[core].put(Seen(time, Kind.TICK, 5, time), reading=False)
        elif what == "read":
            assert recorder.ic_trace_clock() == time
            models[core].put(Seen(time, Kind.READ, 0, 0), reading=True)
        else:
            assert recorder.ic_trace_cycles() == time + 1000
            models[core].put(Seen(time, Kind.COUNTED, 0, time + 1000), reading=True)
    for core, model in enumerate(models):
        assert recorder.ic_trace_count(core) == len(model.events)
        assert kept(recorder, core) == model.events[-SIZE:]
    assert ctypes.c_uint32.in_dll(recorder, "seen_masks").value == 0, "interrupts are as they were"


def test_nothing_is_recorded_unless_a_recording_is_asked_for(recorder: ctypes.CDLL) -> None:
    begin(recorder)
    recorder.ic_trace_end()
    at(recorder, 5, 0)
    assert (recorder.ic_trace_clock(), recorder.ic_trace_cycles()) == (5, 1005)
    recorder.intercore_mark(b"not seen")
    assert recorder.ic_trace_begin(), "which nobody has asked for"
    recorder.ic_trace_clock()
    assert recorder.ic_trace_count(0) == 0


def test_each_core_tells_what_an_event_costs(recorder: ctypes.CDLL) -> None:
    begin(recorder)
    assert [recorder.ic_trace_costs(core)[n] for core in (0, 1) for n in range(16)] == [0] * 32, (
        "this clock stands still"
    )
    assert (recorder.ic_trace_count(0), recorder.ic_trace_count(1)) == (0, 0), "which is no part of the recording"


def test_a_mark_has_its_name_and_each_core_keeps_as_many_as_it_has_room_for(recorder: ctypes.CDLL) -> None:
    begin(recorder)
    at(recorder, 7, 1)
    for n in range(NAMES + 2):
        recorder.intercore_mark(b"mark %d and more letters" % n)
    recorder.intercore_mark(b"mark 3 and more letters")
    names = [recorder.ic_trace_name(1, n) for n in range(NAMES)]
    assert names[3] == b"mark 3 and more"
    assert recorder.ic_trace_name(1, NAMES) is None
    objects = [event.object for event in kept(recorder, 1)]
    assert objects == [*(NAMES + n for n in range(NAMES)), 255, 255, NAMES + 3]


def test_no_two_tasks_have_one_number_and_those_of_a_name_share_its(recorder: ctypes.CDLL) -> None:
    numbers = []
    for core in (0, 1, 0, 1):
        at(recorder, 0, core)
        recorder.ic_trace_task.restype = ctypes.c_uint32
        numbers.append(recorder.ic_trace_task(b"worker"))
    assert len({number & 0xFFFFFF for number in numbers}) == 4
    assert numbers[0] >> 24 == numbers[2] >> 24
    assert recorder.ic_trace_name(0, numbers[0] >> 24) == b"worker"


def test_the_rings_need_a_power_of_two(tmp_path: Path) -> None:
    source = tmp_path / "size.c"
    source.write_text('#include "ring.c"\n')
    flags = ["-DIC_TRACE=100", f"-I{firmware_sources() / 'trace'}"]
    assert DEFINES
    with pytest.raises(Exception, match="non-zero exit status"):
        compile_objects("cc", flags, [source], tmp_path)
