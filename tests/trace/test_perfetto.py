"""The file for Perfetto, read by Perfetto's own definitions of its format."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from perfetto.protos.perfetto.trace.perfetto_trace_pb2 import Trace, TrackEvent

from intercore.files.replacement import PERFETTO
from intercore.record.trace_recording import Cause, Class, Event, Kind, Recording, Ring
from intercore.trace.history import History
from intercore.trace.path import path_of
from intercore.trace.perfetto import event_name, interrupt_name, perfetto
from intercore.trace.window import windows
from tests.trace.machine import HZ, WOKEN, Machine

if TYPE_CHECKING:
    from collections.abc import Sequence


class Slice:
    """A slice as it is read."""

    def __init__(self, name: str, begin: int, heads: Sequence[int]) -> None:
        self.name, self.begin, self.end, self.heads = name, begin, -1, tuple(heads)


class Read:
    """A file as a reader of Perfetto's format has it."""

    def __init__(self, content: bytes) -> None:
        assert PERFETTO.beginning.match(content), "a new file replaces it"
        trace = Trace()
        assert trace.ParseFromString(content) == len(content)
        self.tracks: dict[int, str] = {}
        self.slices: defaultdict[str, list[Slice]] = defaultdict(list)
        self.instants: defaultdict[str, list[tuple[str, int, tuple[int, ...]]]] = defaultdict(list)
        self.arrived: dict[int, tuple[str, str, int]] = {}
        """By arrow, the instant to which it leads."""
        groups: dict[int, str] = {}
        opened: defaultdict[int, list[Slice]] = defaultdict(list)
        last = 0
        for packet in trace.packet:
            assert packet.trusted_packet_sequence_id == 1
            if packet.HasField("track_descriptor"):
                track = packet.track_descriptor
                if track.HasField("process"):
                    groups[track.uuid] = track.process.process_name
                else:
                    self.tracks[track.uuid] = f"{groups[track.parent_uuid]}/{track.name}"
            if not packet.HasField("track_event"):
                continue
            event = packet.track_event
            assert packet.timestamp >= last, "in the order of time"
            last = packet.timestamp
            name = self.tracks[event.track_uuid]
            if event.type == TrackEvent.TYPE_SLICE_BEGIN:
                opened[event.track_uuid].append(Slice(event.name, packet.timestamp, event.terminating_flow_ids))
                self.slices[name].append(opened[event.track_uuid][-1])
            elif event.type == TrackEvent.TYPE_SLICE_END:
                opened[event.track_uuid].pop().end = packet.timestamp
            else:
                assert event.type == TrackEvent.TYPE_INSTANT
                self.instants[name].append((event.name, packet.timestamp, tuple(event.flow_ids)))
                self.arrived |= dict.fromkeys(event.terminating_flow_ids, (name, event.name, packet.timestamp))
        assert not any(opened.values()), "each slice has an end"


@pytest.fixture
def machine() -> Machine:
    machine = Machine()
    for n in range(4):
        machine.wake(range(5 + n, 15 + n), across=n % 2 == 0, disturbed=n == 2)
    return machine


def read(machine: Machine) -> tuple[History, Read]:
    history = History(machine.recording())
    ways = {window: path_of(history, window) for window in windows(history, machine.series)}
    return history, Read(perfetto(history, ways, "wake on a machine, SIMULATED"))


def ns(machine: Machine, moment: int) -> int:
    return (moment - machine.events[0][0].time) * 10**9 // HZ


def test_each_core_and_each_task_has_a_track(machine: Machine) -> None:
    _, found = read(machine)
    assert set(found.tracks.values()) == {
        "wake on a machine, SIMULATED/wake",
        "wake on a machine, SIMULATED/wake: where the time goes",
        *(f"core {core}/{what}" for core in (0, 1) for what in ("tasks", "interrupts", "events")),
        "tasks/leader 103",
        "tasks/woken 104",
        "tasks/IDLE 102",
    }


def test_a_task_runs_there_when_it_ran(machine: Machine) -> None:
    history, found = read(machine)
    true = [one for core in history.cores for one in core.slices() if one.task == WOKEN]
    told = found.slices["tasks/woken 104"]
    assert [(one.begin, one.end) for one in told] == [
        (ns(machine, one.begin), ns(machine, one.end)) for one in sorted(true, key=lambda one: one.begin)
    ]
    assert [one.name for one in told] == ["on core 1", "on core 0", "on core 1", "on core 0"]


def test_what_was_measured_stands_above_its_parts(machine: Machine) -> None:
    _, found = read(machine)
    whole = found.slices["wake on a machine, SIMULATED/wake"]
    parts = found.slices["wake on a machine, SIMULATED/wake: where the time goes"]
    assert [one.begin for one in whole] == [ns(machine, truth.begin) for truth in machine.truth]
    assert sum(one.end - one.begin for one in whole) == sum(one.end - one.begin for one in parts)
    assert {one.name for one in parts} >= {"signal", "kernel", "switch", "return", "inter-core interrupt"}


def test_arrows_lead_from_who_wakes_to_who_was_woken(machine: Machine) -> None:
    history, found = read(machine)
    tails = {arrow: (name, time) for name, time, arrows in found.instants["core 0/events"] for arrow in arrows}
    heads = {arrow: one for one in found.slices["tasks/woken 104"] for arrow in one.heads}
    ready = [event.time for event in history.cores[0].events if event.kind is Kind.READY]
    assert len(heads) == len(ready) == 4
    assert sorted(tails) == sorted(heads)
    assert sorted(time for _, time in tails.values()) == [ns(machine, time) for time in ready]
    for arrow, (name, time) in tails.items():
        assert name == "makes ready woken 104"
        assert heads[arrow].begin > time


@given(st.lists(st.tuples(st.integers(0, 1), st.integers(0, 1), st.integers(1, 50), st.booleans()), max_size=12))
def test_arrows_lead_from_where_a_message_was_sent_to_where_it_was_received(
    messages: list[tuple[int, int, int, bool]],
) -> None:
    """Numbers come again after three, and some messages are lost."""
    machine = Machine()
    true = []
    for count, (sender, receiver, length, arrives) in enumerate(messages):
        sent = machine.put(sender, Kind.SENT, count % 3, 16)
        machine.pass_time(length)
        if arrives:
            true.append((sender, sent, receiver, machine.put(receiver, Kind.RECEIVED, count % 3, 16), count % 3))
        machine.pass_time(1)
    found = Read(perfetto(History(machine.recording()), {}, "messages"))
    tails = {
        arrow: (track, name, time)
        for track, known in found.instants.items()
        for name, time, arrows in known
        for arrow in arrows
    }
    assert tails.keys() == found.arrived.keys()
    assert sorted((tails[arrow], found.arrived[arrow]) for arrow in tails) == sorted(
        (
            (f"core {sender}/events", f"sends message {number}, 16 bytes", ns(machine, sent)),
            (f"core {receiver}/events", f"receives message {number}, 16 bytes", ns(machine, received)),
        )
        for sender, sent, receiver, received, number in true
    )


def test_what_is_missing_is_said_where_it_is_missing(machine: Machine) -> None:
    history = History(machine.recording((20, 1000)))
    found = Read(perfetto(history, {}, "wake"))
    missing = len(machine.events[0]) - 20
    assert found.instants["core 0/events"][0][0] == f"{missing} events before this are missing"


def test_every_kind_of_event_has_words() -> None:
    recording = Recording(HZ, (Ring(0, 0, (), (1,)),), {2: "dma done"})
    history = History(recording)
    names = {event_name(history, Event(0, kind, 0, 2)) for kind in Kind}
    assert len(names) == len(Kind)
    assert "dma done" in names
    assert event_name(history, Event(0, Kind.TAKEN, Class.MUTEX, 0x20001000)) == "takes mutex 0x20001000"
    assert event_name(history, Event(0, Kind.AWAITED, 99, 16)) == "waits for object 0x10"
    assert event_name(history, Event(0, Kind.READ, 12, 0)) == "reads the clock, and 12 before it"
    assert {interrupt_name(cause, 26) for cause in Cause} == {"tick", "timer", "inter-core interrupt", "interrupt 26"}
