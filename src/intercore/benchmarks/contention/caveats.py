"""Caveats on the counts of `contention`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from intercore.benchmarks.contention.findings import (
    ContentionAloneWithoutSleep,
    ContentionFaster,
    ContentionFewTowers,
    ContentionFewTurns,
    ContentionLongSleep,
    ContentionUnsteady,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from intercore.benchmarks.contention.contest import Contest
    from intercore.finding import Finding
    from intercore.record.measurement import Measurement

_UNSTEADY = 1.1  # median over shortest time of a tower alone from which on it is no measure of a core
_FEW = 10  # towers per window, below which the one under way is more than a tenth
_TURNS = 4  # of the scheduler that a window should hold at least
_FASTER = 1.01  # of what a core can do by the time of a tower alone
_LONG_SLEEP = 0.1  # of the time of a task alone


def unsteady(times: Iterable[tuple[int, NDArray[np.float64]]]) -> Iterator[ContentionUnsteady]:
    """Report where the time of a tower alone does not measure a core; `times` are those of a core in a measurement."""
    found = [(core, *np.percentile(each, (0, 50))) for core, each in times]
    if not found:
        return
    core, shortest, median = max(found, key=lambda one: one[2] / one[1])
    if median > _UNSTEADY * shortest:
        yield ContentionUnsteady(core=core, shortest_us=float(shortest), median_us=float(median))


def contest_caveats(contests: Sequence[Contest]) -> Iterator[Finding]:
    """Report the caveats of contests."""
    for one in contests:
        yield from _too_few(one)
    yield from _long_sleeps(contests)


def _too_few(contest: Contest) -> Iterator[ContentionFewTowers]:
    few = [one for one in contest.workers if one.per_window < _FEW]
    if few:
        least = min(few, key=lambda one: one.per_window)
        yield ContentionFewTowers(contest=contest.label, competitor=least.name, towers=least.per_window)


def faster(contests: Sequence[Contest]) -> Iterator[ContentionFaster]:
    """Report cores that did more in the windows than their speed before them allows."""
    uses = [
        (use.towers * use.tower_us / (one.windows * one.window_us), use.core, one.label)
        for one in contests
        for use in one.cores
    ]
    part, core, label = max(uses, default=(0.0, 0, ""))
    if part > _FASTER:
        yield ContentionFaster(core=core, contest=label, part_percent=100 * part)


def _long_sleeps(contests: Sequence[Contest]) -> Iterator[Finding]:
    """Report towers so short that the sleep to the next tick dominates the results."""
    if any(one.sleeps and not one.alone_sleeps for one in contests):
        yield ContentionAloneWithoutSleep()
    sleep, tower_us, label = max(
        ((use.sleep, use.tower_us, one.label) for one in contests if one.alone_sleeps for use in one.cores),
        default=(0.0, 0.0, ""),
    )
    if sleep > _LONG_SLEEP:
        yield ContentionLongSleep(contest=label, sleep_percent=100 * sleep, tower_us=tower_us)


def too_few_turns(measurements: Sequence[Measurement]) -> Iterator[ContentionFewTurns]:
    """Report windows that are too short for shares under time slicing."""
    for one in measurements:
        turn = one.conditions.get("scheduler.timeslice_ms", one.conditions.get("scheduler.rr_timeslice_ms", ""))
        window = int(one.factors.get("window_ms", 0))
        if one.conditions.get("scheduler.policy") == "SCHED_FIFO" and turn.isdecimal() and window < _TURNS * int(turn):
            yield ContentionFewTurns(turn_ms=int(turn), window_ms=window, fewest=_TURNS)
            return
