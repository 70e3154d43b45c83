"""What the recorder on Linux makes of its own events and the scheduler's, of which some are lost, against the truth."""

from __future__ import annotations

import ctypes
import subprocess
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from intercore.board.sources import firmware_sources
from intercore.record.trace_recording import Kind
from tests.built_once import ROOT, alone_in
from tests.firmware.host.conftest import SANITIZED
from tests.firmware.ring_events import RingEvent, Seen, kept

if TYPE_CHECKING:
    from collections.abc import Sequence

pytestmark = pytest.mark.skipif(SANITIZED, reason="its library is built without a sanitizer")

HERE = Path(__file__).parent
RING = 64
NAMES, NAMELESS = 24, 255
"""firmware/core/trace.h, `IC_TRACE_NAMES` and `IC_TRACE_NAMELESS`."""
OWN = (101, 102, 103)
STRANGERS = (201, 202)
IDLE = 0


class Step(NamedTuple):
    """What the core does next."""

    after: int
    """Nanoseconds since what it did last."""
    does: str
    """`goes on` with a thread, `wakes` one, or has an `event` of the task that it has."""
    thread: int
    flag: bool
    """Whether who leaves could have run on; whether it wakes in an interrupt."""
    is_lost: bool
    """Whether Linux tells nothing of it."""


@cache
def recorder() -> ctypes.CDLL:
    """The recorder's own files, with a stand-in for Linux."""
    sources = firmware_sources()
    posix = sources / "port" / "posix"
    files = [
        posix / "trace_scheduler_posix.c",
        *(sources / "trace" / name for name in ("names.c", "recording.c", "ring.c")),
        HERE / "trace_points_standin.c",
    ]
    includes = [f"-I{sources / folder}" for folder in ("core", "port", "port/posix", "trace", "include")]
    flags = ["-std=c11", "-O1", "-g", "-D_GNU_SOURCE", f"-DIC_TRACE={RING}", "-Dgettid=standin_gettid", "-fPIC"]
    flags += [f"-Wl,--wrap={name}" for name in ("ic_trace_begin", "ic_trace_end")]
    with alone_in(ROOT / "build" / "test-trace-joined"):
        library = ROOT / "build" / "test-trace-joined" / "joined.so"
        subprocess.run(["cc", *flags, "-Wall", "-Werror", "-shared", *includes, *files, "-o", library], check=True)
        loaded = ctypes.CDLL(str(library))
    loaded.ic_trace_event.restype = ctypes.POINTER(RingEvent)
    loaded.ic_trace_name.restype = ctypes.c_char_p
    loaded.standin_task.restype = ctypes.c_uint32
    return loaded


@cache
def tasks() -> dict[int, int]:
    """The tasks of the program's own threads, by the system's numbers."""
    return {thread: recorder().standin_task(thread, b"own %d" % thread) for thread in OWN}


STEPS = st.lists(
    st.builds(
        Step,
        st.integers(1, 50),
        st.sampled_from(["goes on", "goes on", "wakes", "event", "event"]),
        st.sampled_from([*OWN, *STRANGERS, IDLE]),
        st.booleans(),
        st.integers(0, 5).map(lambda n: n == 0),
    ),
    max_size=120,
)


class Truth:
    """What a core did, and what of it was told."""

    def __init__(self, steps: Sequence[Step]) -> None:
        self.told: list[Seen] = []
        """In the order of time, without who has the core."""
        self.tasks: dict[int, int] = {}
        """Who had the core at each event of a task's own, by its time."""
        self.records = 0
        self.own = 0
        own, time, thread = tasks(), 1000, IDLE
        c = recorder()
        c.standin_begin()
        c.__getattr__("__wrap_ic_trace_begin")()
        for step in steps:
            time += step.after
            if step.does == "event" and thread in OWN:
                c.standin_event(ctypes.c_uint64(time), self.own, own[thread])
                self.told.append(Seen(time, Kind.MARK, 0, self.own))
                self.tasks[time] = own[thread]
                self.own += 1
            elif step.does == "goes on" and step.thread != thread:
                if not step.is_lost:
                    c.standin_switch(ctypes.c_uint64(time), thread, step.thread, step.flag)
                    self.records += 1
                    if thread != IDLE:
                        self.told.append(Seen(time, Kind.OUT, int(step.flag), own.get(thread, -thread)))
                    if step.thread != IDLE:
                        self.told.append(Seen(time, Kind.IN, 0, own.get(step.thread, -step.thread)))
                thread = step.thread
            elif step.does == "wakes" and not step.is_lost and step.thread != IDLE:
                c.standin_waking(ctypes.c_uint64(time), step.thread, step.flag)
                self.records += 1
                if step.thread in OWN:
                    ready = Seen(time, Kind.READY, 0, own[step.thread])
                    around = [Seen(time, kind, 2, 0) for kind in (Kind.INTERRUPT_IN, Kind.INTERRUPT_OUT)]
                    self.told += [around[0], ready, around[1]] if step.flag else [ready]

    def joined(self, left: int) -> tuple[int, list[Seen]]:
        """Return how many events are missing, and those that are there, if the last records are still there."""
        c = recorder()
        c.standin_keep(left)
        c.__getattr__("__wrap_ic_trace_end")()
        return c.ic_trace_first(0), kept(c, 0)


def known(events: Sequence[Seen]) -> list[Seen]:
    """Strangers have numbers that the recorder gives: here a stranger is one, whoever it is."""
    own = {*tasks().values()}
    of_tasks = (Kind.IN, Kind.OUT)
    return [one if one.kind not in of_tasks or one.object in own else one._replace(object=-1) for one in events]


def without_in(events: Sequence[Seen]) -> list[Seen]:
    """Those who come may have been put there for others to be right."""
    return [one for one in events if one.kind != Kind.IN]


@settings(max_examples=300)
@given(STEPS, st.integers(0, 200))
def test_whatever_is_lost_no_event_is_told_of_a_task_that_it_is_not_of(steps: list[Step], left: int) -> None:
    truth = Truth(steps)
    missing, found = truth.joined(left)
    assert [one.time for one in found] == sorted(one.time for one in found)
    running: int | None = None
    for event in found:
        if event.kind == Kind.OUT:
            assert running in (event.object, None)
            running = None
        elif event.kind == Kind.IN:
            assert running is None or event.detail == 1, "two come, and the first has not left"
            running = event.object
        elif event.kind == Kind.MARK and running is not None:
            assert running == truth.tasks[event.time]
    as_told, whole = without_in(known(found)), without_in(known(truth.told))
    assert as_told == whole[len(whole) - len(as_told) :], "all since the first, and nothing that was not"
    if missing == 0:
        assert as_told == whole
    if left < truth.records or truth.own > RING:
        assert missing > 0


@settings(max_examples=100)
@given(STEPS)
def test_where_nothing_is_lost_all_is_there_and_who_comes_is_seen_to_come(steps: list[Step]) -> None:
    truth = Truth([step._replace(is_lost=False) for step in steps[:20]])
    missing, found = truth.joined(1000)
    assert (missing, known(found)) == (0, known(truth.told))
    assert recorder().ic_trace_others_cost(0) == 640, "as the stand-in says"


@pytest.mark.parametrize(("others", "numbers"), [(20, 20), (200, 1)])
def test_other_programs_have_a_number_each_and_beyond_so_many_one_together(others: int, numbers: int) -> None:
    c = recorder()
    c.standin_begin()
    c.__getattr__("__wrap_ic_trace_begin")()
    for n in range(others):
        c.standin_switch(ctypes.c_uint64(1000 + n), IDLE if n == 0 else 299 + n, 300 + n, False)
    c.standin_keep(others)
    c.__getattr__("__wrap_ic_trace_end")()
    found = kept(c, 0)
    assert len(found) == min(2 * others - 1, RING)
    assert len({one.object for one in found}) == numbers


def name_of(task: int) -> bytes | None:
    """Return the name of a task of core 0's; None if there was no room for it."""
    index = task >> 24
    name: bytes | None = recorder().ic_trace_name(0, index) if index != NAMELESS else None
    return name


def test_new_recording_drops_foreign_names_and_keeps_own_tasks() -> None:
    c = recorder()
    before = tasks()
    recorded_others = 0
    for number in range(3):
        c.standin_begin()
        c.__getattr__("__wrap_ic_trace_begin")()
        born = c.standin_task(104, b"born in %d" % number)
        for n in range(60):
            c.standin_switch(ctypes.c_uint64(1000 + n), IDLE, 1000 * (number + 1) + n, False)
        c.standin_keep(60)
        c.__getattr__("__wrap_ic_trace_end")()
        assert name_of(born) == b"born in %d" % number
        assert {thread: name_of(task) for thread, task in before.items()} == {n: b"own %d" % n for n in OWN}
        names = [c.ic_trace_name(0, index) for index in range(NAMES)]
        assert None not in names, "it was full"
        recorded_others = sum(name.startswith(b"program %d" % (number + 1)) for name in names)
        assert recorded_others == sum(name.startswith(b"program") for name in names), "only those of this recording"
    assert recorded_others > NAMES // 2
