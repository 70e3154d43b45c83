"""The recorder on the simulated Pico, one kernel on both cores: is what it says what the chip's probes see?"""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from statistics import median
from typing import TYPE_CHECKING

import numpy as np
import pytest

from intercore.board.boards import PICO
from intercore.board.build import board_image
from intercore.link.exchange import UnknownCommandError
from intercore.record.trace_recording import Cause, Kind
from intercore.sim import Simulator
from intercore.sim.observation import first_after
from intercore.trace.path import Part, path_of
from intercore.trace.shares import costs, traced
from intercore.trace.window import windows
from tests.firmware.rp2040.recorded import (
    FIFO_WRITE,
    Recorded,
    Target,
    Watch,
    cycles,
    lag,
    measured,
    times,
    with_recorder,
)

if TYPE_CHECKING:
    from pathlib import Path

    from intercore.record.trace_recording import Event
    from tests.firmware.rp2040.recorded import Cycles

CYCLES_OF_A_LOOK = 20
"""What a place of the recorder's costs, at most, while nothing is recorded."""

pytestmark = pytest.mark.measures("switch", "jitter")


@pytest.fixture(scope="module")
def program() -> Path:
    return with_recorder(PICO, 1024)


@pytest.fixture(scope="module")
def switch(program: Path) -> Recorded:
    with Target(program).session() as session:
        return measured(session, "switch", {"samples": 8, "dither_us": 100})


def test_every_event_is_within_the_cost_that_is_told_of_when_it_truly_was(program: Path) -> None:
    target = Target(program)
    with target.session() as session:
        session.measure("switch", {"samples": 1})
        sim = target.simulator
        called, readings = Watch(sim, "ic_trace_clock"), sim.watch_execution("port_clock_reads")
        handled = Watch(sim, "prvFIFOInterruptHandler")
        sent = sim.watch_writes(FIFO_WRITE, 4)
        chosen = [sim.watch_writes(sim.symbols["pxCurrentTCBs"].address + 4 * core, 4) for core in (0, 1)]
        _, recording = session.record("switch", {"samples": 8, "dither_us": 100})
        cost = max(max(ring.costs) for ring in recording.rings)
        # The clock counts cycles: what it is apart from the simulator's own count is one number for all readings.
        last = first_after(cycles([readings], 0), called.on(0)[-1:])[0]
        offset = times(recording, 0, Kind.READ)[-1] - last
        for core in (0, 1):
            read = times(recording, core, Kind.READ) - offset
            assert len(read) > 8
            assert np.isin(read, cycles([readings], core)).all(), "a reading is to the cycle, on one clock for both"
        for core in (0, 1):
            rung = times(recording, core, Kind.RUNG) - offset
            followed = cycles([sent], core)
            behind = followed[np.searchsorted(followed, rung)] - rung
            assert len(rung) > (8 if core == 0 else 0)
            assert behind.max() <= cost, "who rings is recorded, then rings"
            come = _others_come(recording.rings[core].events) - offset
            assert len(come) > 8
            assert lag(come, cycles([chosen[core]], core)).max() <= cost, "a task has come in, then is recorded"
        begun = _interrupts(recording.rings[1].events, offset)
        began = handled.on(1)
        assert len(begun) > 8
        assert (began[np.searchsorted(began, begun)] - begun).max() <= cost, "a handler begins right behind its event"


def _others_come(events: tuple[Event, ...]) -> Cycles:
    """When another task came in than the one that left before; the kernel does not write down the same one again."""
    switches = [one for one in events if one.kind in (Kind.OUT, Kind.IN)]
    return np.array(
        [come.time for left, come in pairwise(switches) if come.kind is Kind.IN and come.object != left.object],
        np.int64,
    )


def _interrupts(events: tuple[Event, ...], offset: int) -> Cycles:
    return np.array(
        [one.time - offset for one in events if one.kind is Kind.INTERRUPT_IN and one.detail == Cause.CORE], np.int64
    )


def test_the_parts_of_a_wake_up_are_the_measured_time_to_the_tick(switch: Recorded) -> None:
    found = windows(switch.history, switch.answer.series)
    assert [window.ticks for window in found if window.series == "switch"] == [
        int(ticks) for one in switch.answer.series if one.name == "switch" for ticks in one.ticks
    ]
    for window in found:
        way = path_of(switch.history, window)
        assert way[0].begin == window.begin
        assert way[-1].end == window.end
        assert all(one.end == after.begin for one, after in pairwise(way))
        assert sum(one.end - one.begin for one in way) == window.ticks
        assert all(one.part is not Part.UNKNOWN for one in way)


def test_a_wake_up_on_the_other_core_is_signal_kernel_interrupt_switch_and_return(switch: Recorded) -> None:
    for window in windows(switch.history, switch.answer.series):
        if window.series == "switch":
            parts = list(dict.fromkeys(one.part for one in path_of(switch.history, window)))
            assert parts == [Part.SIGNAL, Part.KERNEL, Part.RING, Part.SWITCH, Part.RETURN]


def test_without_the_recorders_cost_the_parts_come_to_what_is_measured_without_it(switch: Recorded) -> None:
    plain = {one.name: one for one in switch.plain.series}
    event_us = max(costs(switch.history)) * 1e6 / switch.recording.hz
    for one in traced(switch.history, switch.answer.series, plain):
        assert one.plain_us is not None
        assert one.median_us > one.plain_us + event_us, "it does cost something"
        assert sum(share.own_us for share in one.shares) == pytest.approx(one.plain_us, abs=event_us)


def test_a_periodic_task_has_waited_for_a_tick(program: Path) -> None:
    with Target(program).session() as session:
        found = measured(session, "jitter", {"samples": 8, "period_us": 2000})
    late = [window for window in windows(found.history, found.answer.series) if window.series == "late"]
    assert len(late) == 8
    for window in late:
        way = path_of(found.history, window)
        assert [way[0].part, way[-1].part] == [Part.TICK, Part.RETURN]
        assert sum(one.end - one.begin for one in way) == window.ticks


def test_two_counters_that_are_taken_for_one_are_seen_beside_the_common_clock(program: Path) -> None:
    with Target(program).session() as session:
        found = measured(session, "switch", {"time": "raw-counter", "samples": 4})
    wrong = [one for one in windows(found.history, found.answer.series) if one.series == "switch"]
    assert len(wrong) == 4
    for window in wrong:
        assert window.counted
        assert abs(window.ticks) > 10 * (window.end - window.begin), "the counters are far apart"
        assert window.begin < window.end
        assert sum(one.end - one.begin for one in path_of(found.history, window)) == window.end - window.begin


def test_a_period_of_two_counters_that_wrap_is_seen_to_be_a_wait_for_a_tick(program: Path) -> None:
    """As a paper takes it: the page of docs/benchmarks/jitter.md, "Two counters that wrap"."""
    levels: dict[str, str | int] = {"migrate": "published", "time": "raw-counter", "period_us": 10_000, "samples": 4}
    with Target(program).session() as session:
        bits = int(session.info().conditions["clock.counter_bits"])
        found = measured(session, "jitter", levels)
    raw = [one for one in windows(found.history, found.answer.series, bits) if one.series == "raw"]
    assert len(raw) == 4
    period = found.recording.hz // 100
    for window in raw:
        assert window.counted
        assert abs(window.ticks) < period // 10, "what the counters say is far below the period"
        assert window.end - window.begin == pytest.approx(period, rel=0.02)
        parts = Counter[Part]()
        for one in path_of(found.history, window):
            parts[one.part] += one.end - one.begin
        assert sum(parts.values()) == window.end - window.begin
        assert parts[Part.TICK] > 0.95 * period


def test_a_ring_that_overflows_says_how_much_is_missing_and_leaves_no_wrong_window(program: Path) -> None:
    with Target(program).session() as session:
        found = measured(session, "switch", {"samples": 60, "dither_us": 50})
    ring = found.recording.rings[0]
    assert (len(ring.events), ring.missing) == (1024, ring.recorded - 1024)
    assert ring.missing > 0
    true = {one.name: [int(ticks) for ticks in one.ticks] for one in found.answer.series}
    kept = windows(found.history, found.answer.series)
    assert 0 < len(kept) < 120
    for window in kept:
        assert true[window.series][window.number] == window.ticks
        assert all(one.part is not Part.UNKNOWN for one in path_of(found.history, window))


def test_the_same_is_recorded_over_a_line_that_damages_it(program: Path, switch: Recorded) -> None:
    noisy = Target(program, ["uart-out:flip=1e-4,lose=1e-4,double=1e-4,seed=3"])
    with noisy.session() as session:
        recorded = measured(session, "switch", {"samples": 8, "dither_us": 100})
        assert session.statistics.bad_lines > 0
    assert [ring.recorded for ring in recorded.recording.rings] == [ring.recorded for ring in switch.recording.rings]
    assert [[event.kind for event in ring.events] for ring in recorded.recording.rings] == [
        [event.kind for event in ring.events] for ring in switch.recording.rings
    ]


def test_while_nothing_is_recorded_a_place_costs_a_look(switch: Recorded) -> None:
    usual = Target(board_image(PICO, {}, lambda _: None).elf)
    with usual.session() as session:
        without = session.measure("switch", {"samples": 8, "dither_us": 100})
    medians = [
        median(int(ticks) for one in answer.series if one.name == "switch" for ticks in one.ticks)
        for answer in (without, switch.plain)
    ]
    places = _places(switch)
    assert 0 <= medians[1] - medians[0] <= CYCLES_OF_A_LOOK * places


def _places(found: Recorded) -> int:
    window = next(one for one in windows(found.history, found.answer.series) if one.series == "switch")
    return sum(core.at(window.end + 1) - core.at(window.begin) for core in found.history.cores)  # a reading is one, too


def test_a_program_without_the_recorder_has_nothing_of_it() -> None:
    usual = board_image(PICO, {}, lambda _: None).elf
    assert not [name for name in Simulator(usual).symbols if "trace" in name.lower() and not name.startswith("trace")]
    with Target(usual).session() as session, pytest.raises(UnknownCommandError):
        session.record("switch", {"samples": 1})
