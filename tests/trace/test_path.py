"""What a measured time consisted of: what the machine did, part by part; and of what is missing, nothing wrong."""

from __future__ import annotations

from itertools import groupby
from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st

from intercore.record.trace_recording import Cause, Class, Kind
from intercore.trace.history import EventPosition, History
from intercore.trace.path import Part, path_of
from intercore.trace.window import Window, windows
from tests.trace.machine import IDLE, LEADER, WOKEN, Machine

seeds = st.integers(0, 2**32)


def made(seed: int) -> Machine:
    """Return a machine that has woken its task up to eight times, each in its own way."""
    machine, chance = Machine(), Random(seed)  # noqa: S311 - no secret
    for _ in range(chance.randint(1, 8)):
        steps = [chance.randint(1, 50) for _ in range(10)]
        machine.wake(steps, across=chance.random() < 0.6, disturbed=chance.random() < 0.3)
    return machine


def parts(history: History, window: Window) -> tuple[tuple[Part, int], ...]:
    way = [(one.part, one.end - one.begin) for one in path_of(history, window)]
    return tuple((part, sum(length for _, length in same)) for part, same in groupby(way, key=lambda one: one[0]))


def last_place(history: History) -> EventPosition:
    return EventPosition(0, len(history.cores[0].events) - 1)


@given(seeds)
def test_a_wake_up_consists_of_what_the_machine_did(seed: int) -> None:
    machine = made(seed)
    history = History(machine.recording())
    found = windows(history, machine.series)
    assert [window.begin for window in found] == [truth.begin for truth in machine.truth]
    assert [parts(history, window) for window in found] == [truth.parts for truth in machine.truth]


@settings(max_examples=1000, deadline=None)
@given(seeds, st.tuples(st.integers(0, 120), st.integers(0, 60)))
def test_rings_that_lost_their_first_events_give_fewer_times_and_none_that_is_wrong(
    seed: int, kept: tuple[int, int]
) -> None:
    machine = made(seed)
    history = History(machine.recording(kept))
    found = windows(history, machine.series)
    true = {truth.begin: truth.parts for truth in machine.truth}
    for window in found:
        assert window.begin in true
        way = parts(history, window)
        assert sum(length for _, length in way) == window.ticks
        known = way[1:] if way[0][0] is Part.UNKNOWN else way
        whole = true[window.begin]
        assert known[1:] == whole[len(whole) - len(known) + 1 :], "what is told, from its end on, is as it was"
        assert not known or known[0][0] is whole[len(whole) - len(known)][0]


def test_a_ring_without_events_gives_nothing() -> None:
    machine = made(1)
    assert windows(History(machine.recording((0, 0))), machine.series) == []


def test_who_was_ready_all_along_has_waited_for_the_task_before() -> None:
    machine = Machine()
    machine.put(0, Kind.READY, WOKEN)
    machine.pass_time(5)
    machine.put(0, Kind.OUT, LEADER, 1)
    machine.pass_time(1)
    machine.put(0, Kind.IN, IDLE[0])
    begin = machine.now
    machine.put(0, Kind.READ, 0)
    machine.pass_time(30)
    machine.put(0, Kind.OUT, IDLE[0], 1)
    machine.pass_time(4)
    machine.put(0, Kind.IN, WOKEN)
    machine.pass_time(6)
    machine.put(0, Kind.READ, 0)
    history = History(machine.recording())
    end = history.cores[0].events[-1].time
    window = Window("wait", 0, end - begin, begin, end, last_place(history))
    assert parts(history, window) == ((Part.OTHER, 30), (Part.SWITCH, 4), (Part.RETURN, 6))


def test_who_gives_way_to_a_task_that_is_ready_signals_by_that() -> None:
    machine = Machine()
    machine.put(0, Kind.READY, WOKEN)
    machine.pass_time(5)
    begin = machine.put(0, Kind.READ, 0)
    machine.pass_time(30)
    machine.put(0, Kind.OUT, LEADER, 1)
    machine.pass_time(4)
    machine.put(0, Kind.IN, WOKEN)
    machine.pass_time(6)
    machine.put(0, Kind.READ, 0)
    history = History(machine.recording())
    window = Window("yield", 0, machine.now - begin, begin, machine.now, last_place(history), EventPosition(0, 2))
    assert parts(history, window) == ((Part.SIGNAL, 30), (Part.SWITCH, 4), (Part.RETURN, 6))


def test_a_task_that_slept_has_waited_for_the_tick_that_made_it_ready() -> None:
    machine = Machine()
    begin = machine.now
    machine.pass_time(40)
    machine.put(0, Kind.INTERRUPT_IN, 15, Cause.TICK)
    machine.pass_time(3)
    machine.put(0, Kind.READY, WOKEN)
    machine.pass_time(2)
    machine.put(0, Kind.INTERRUPT_OUT, 15, Cause.TICK)
    machine.put(0, Kind.OUT, LEADER, 1)
    machine.pass_time(4)
    machine.put(0, Kind.IN, WOKEN)
    machine.put(0, Kind.TAKEN, WOKEN, Class.NOTIFICATION)
    machine.pass_time(6)
    machine.put(0, Kind.READ, 0)
    history = History(machine.recording())
    window = Window("late", 0, machine.now - begin, begin, machine.now, last_place(history))
    assert parts(history, window) == ((Part.TICK, 40), (Part.KERNEL, 5), (Part.SWITCH, 4), (Part.RETURN, 6))
