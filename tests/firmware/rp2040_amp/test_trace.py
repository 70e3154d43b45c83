"""The recorder with a kernel on each core: two programs, two rings, one clock."""

from __future__ import annotations

import os
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
import pytest

from intercore.board.boards import PICO_AMP
from intercore.record.trace_recording import Cause, Kind
from intercore.sim.observation import first_after
from intercore.trace.path import Part, path_of
from intercore.trace.shares import costs, traced
from intercore.trace.window import windows
from tests.firmware.rp2040.recorded import FIFO_WRITE, Target, Watch, cycles, measured, times, with_recorder
from tests.firmware.rp2040.truths import LINK, TRUTHS, followed

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = [
    pytest.mark.measures("switch"),
    pytest.mark.skipif("INTERCORE_SLOW" not in os.environ, reason="builds a program of its own: set INTERCORE_SLOW=1"),
]


@pytest.fixture(scope="module")
def program() -> Path:
    return with_recorder(PICO_AMP, 256)


def test_every_event_is_within_the_cost_that_is_told_of_when_it_truly_was(program: Path) -> None:
    target = Target(program)
    with target.session() as session:
        session.measure("switch", {"samples": 1})
        sim = target.simulator
        called = Watch(sim, "ic_trace_clock")
        readings = [sim.watch_execution(name) for name in sim.symbols if name.endswith("port_clock_reads")]
        assert len(readings) == 2, "one in each program"
        sent, handled = sim.watch_writes(FIFO_WRITE, 4), Watch(sim, "rung")
        _, recording = session.record("switch", {"samples": 3, "dither_us": 100})
        cost = max(max(ring.costs) for ring in recording.rings)
        last = first_after(cycles(readings, 0), called.on(0)[-1:])[0]
        offset = times(recording, 0, Kind.READ)[-1] - last
        for core in (0, 1):
            read = times(recording, core, Kind.READ) - offset
            assert len(read) > 3
            assert np.isin(read, cycles(readings, core)).all(), "a reading is to the cycle, on one clock for both cores"
            rung = times(recording, core, Kind.RUNG) - offset
            followed = cycles([sent], core)
            assert len(rung) > 3
            assert (followed[np.searchsorted(followed, rung)] - rung).max() <= cost, "who rings is recorded, then rings"
            come = np.array(
                [
                    event.time - offset
                    for event in recording.rings[core].events
                    if event.kind is Kind.INTERRUPT_IN and event.detail == Cause.CORE
                ]
            )
            began = handled.on(core)
            assert len(come) > 3
            assert (began[np.searchsorted(began, come)] - come).max() <= cost, "a handler begins right behind its event"


@pytest.mark.measures("message")
def test_every_kind_of_event_is_within_the_cost_that_is_told_of_what_the_probes_see(program: Path) -> None:
    runs = [
        ("switch", {"samples": 2, "dither_us": 50}),
        ("message", {"transport": "ring", "samples": 1, "dither_us": 50}),
    ]
    found = followed(Target(program), [*TRUTHS, *LINK], runs)
    assert found.too_far == {}
    assert {Kind.SENT, Kind.RECEIVED, Kind.RUNG, Kind.IN, Kind.READY} <= {kind for kind, _ in found.met}


def test_the_parts_of_a_wake_up_between_kernels_are_the_measured_time_to_the_tick(program: Path) -> None:
    with Target(program).session() as session:
        found = measured(session, "switch", {"samples": 4, "dither_us": 100})
    wakes = [window for window in windows(found.history, found.answer.series) if window.series == "switch"]
    assert len(wakes) >= 3
    for window in wakes:
        way = path_of(found.history, window)
        assert sum(one.end - one.begin for one in way) == window.ticks
        assert all(one.end == after.begin for one, after in pairwise(way))
        cores = {one.part: one.core for one in way}
        assert (cores[Part.SIGNAL], cores[Part.KERNEL], cores[Part.RETURN]) == (0, 1, 1)
        assert [one.part for one in way[:3]] == [Part.SIGNAL, Part.RING, Part.KERNEL]
    event_us = max(costs(found.history)) * 1e6 / found.recording.hz
    plain = {one.name: one for one in found.plain.series}
    for one in traced(found.history, found.answer.series, plain):
        assert one.plain_us is not None
        assert sum(share.own_us for share in one.shares) == pytest.approx(one.plain_us, abs=event_us)


def test_tasks_have_their_names_on_both_kernels(program: Path) -> None:
    with Target(program).session() as session:
        recording = measured(session, "switch", {"samples": 1}).recording
    for ring in recording.rings:
        ran = {recording.task(event.object).partition(" ")[0] for event in ring.events if event.kind is Kind.IN}
        assert {"IDLE", "switch"} <= ran
