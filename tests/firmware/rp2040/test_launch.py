"""The benchmark `launch` on the simulated chip: is a launch what the chip shows from the request to core 1?"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from intercore.sim.observation import Passages
from tests.firmware.rp2040.conftest import Board, built_with, checks_of, series

if TYPE_CHECKING:
    pass

SPREAD = 2
"""Cycles by which measured and true times may differ."""
SAMPLES = 5
PSM_FRCE_OFF = 0x4001_0004 | 0x2000
XIP_FLUSH = 0x1400_0004
US = 125
MISS = 44
"""Cycles: docs/simulator.md."""


def check(board: Board, what: str, cache: str = "warm", most: int = US // 2) -> list[int]:
    """Return what was measured, once it is what probes see: of the reading before, that on core 1, and that after.

    `most` are the cycles from the first instruction to its reading, with what it fetches for that.
    """
    reads = Passages(board.chip, "port_clock_reads")
    begins = Passages(board.chip, {"task": "launch_task", "core": "launch_lands"}[what])
    answer = board.ask(f"run launch what={what} cache={cache} samples={SAMPLES} dither_us=300")
    checks = checks_of(answer)
    assert [checks[name] for name in ("done", "checked", "wrong", "migrated")] == [SAMPLES, SAMPLES + 1, 0, 0]
    here, there, begun = reads.cycles(0), reads.cycles(1), begins.cycles(1)[1:]
    first = np.array([there[there > cycle][0] for cycle in begun])
    for name in ("launch", "call"):
        measured = series(answer, name)
        for sample, ticks in enumerate(measured):
            before = first[sample] - series(answer, "launch")[sample]
            assert np.abs(here - before).min() <= SPREAD, "it begins with a reading of core 0"
            assert name == "launch" or np.abs(here - (before + ticks)).min() <= SPREAD, "and ends with one"
    assert np.all(first - begun < most), "the first instruction reads the clock"
    return series(answer, "launch")


@pytest.mark.parametrize(("what", "least_us"), [("task", 25), ("core", 3)])
def test_a_launch_ends_with_the_first_instruction_on_core_1(board: Board, what: str, least_us: int) -> None:
    assert all(least_us * US < ticks < 2 * least_us * US for ticks in check(board, what))


def test_core_1_is_launched_out_of_its_reset_each_time_and_goes_on(board: Board) -> None:
    resets = board.chip.watch_writes(PSM_FRCE_OFF)
    board.ask(f"run launch what=core samples={SAMPLES}")
    assert len(resets.hits()) == SAMPLES + 1
    woken = board.ask("run switch from=0 to=1 samples=20")
    assert checks_of(woken)["checked"] == 21
    assert board.ask("run irq path=doorbell to=1 samples=20")[-1]["status"] == "ok"


def test_where_code_is_in_ram_there_is_no_cache_to_empty(board: Board) -> None:
    assert board.ask("run launch cache=cold")[-1]["code"] == "bad-value"


def fetches_waited(board: Board, what: str, cache: str) -> tuple[int, int]:
    """Return the median time of a launch, and how long the cores waited in it for code from flash."""
    reads = board.chip.tally("port_clock_reads")
    launches = check(board, what, cache, 4 * US)
    hits = reads.take()
    pairs = [
        (before, after)
        for after in hits
        for before in hits
        if (before.core, after.core) == (0, 1)
        and min(abs(after.cycle - before.cycle - ticks) for ticks in launches) <= SPREAD
    ]
    assert SAMPLES <= len(pairs) <= SAMPLES + 1, "each launch once, and perhaps the first, which is not recorded"
    waited = [
        sum(last.statistics[core].waits["XIP"] - first.statistics[core].waits["XIP"] for core in (0, 1))
        for first, last in pairs
    ]
    return int(np.median(launches)), int(np.median(waited))


def test_from_flash_an_empty_cache_makes_a_launch_longer_by_its_misses() -> None:
    board = Board(built_with(code="flash"))
    board.run(0.65)
    flushes = board.chip.watch_writes(XIP_FLUSH)
    for what in ("core", "task"):
        before = len(flushes.hits())
        (warm, warm_waits), (cold, cold_waits) = (fetches_waited(board, what, cache) for cache in ("warm", "cold"))
        assert len(flushes.hits()) > before + SAMPLES
        if what == "core":  # then one core waits for the other, and all misses lie on the way
            assert cold - warm == pytest.approx(cold_waits - warm_waits, abs=SPREAD)
            assert cold_waits > warm_waits + 10 * MISS
        else:
            assert cold > 3 * warm
    assert board.chip.take_diagnostics() == []
