"""What makes the counts of `contention` doubtful, in plain sentences with the likely cause."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from intercore.benchmarks.own_work import without_own_wrong

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from intercore.benchmarks.contention.contest import Contest
    from intercore.record.measurement import Measurement

_UNSTEADY = 1.1  # median over shortest time of a tower alone from which on it is no measure of a core
_FEW = 10  # towers per window, below which the one under way is more than a tenth
_TURNS = 4  # of the scheduler that a window should hold at least
_FASTER = 1.01  # of what a core can do by the time of a tower alone
_LONG_SLEEP = 0.1  # of the time of a task alone


def disturbances(measurements: Sequence[Measurement]) -> Iterator[str]:
    """Say what of the firmware's own checks failed."""
    known = without_own_wrong(measurements)
    counts = {
        name: sum(one.checks.get(name, 0) for one in known) for name in ("wrong", "migrated", "lost", "preempted")
    }
    if counts["wrong"]:
        yield f"{counts['wrong']} towers had a wrong checksum: the target computes wrongly or its stacks are too small."
    if counts["migrated"]:
        yield (
            f"{counts['migrated']} towers ended on a core other than the one their task is pinned to: allow the "
            "affinity."
        )
    if counts["lost"]:
        yield (
            f"{counts['lost']} towers found no room in the target's memory and are not counted: take more discs or a "
            "shorter window."
        )
    if counts["preempted"]:
        yield (
            "Other programs interrupted a tower that was timed alone, or delayed the start of a competitor, "
            f"{counts['preempted']} times. So parts of a core are wrong: close these programs and measure again."
        )


def unsteady(times: Iterable[tuple[int, NDArray[np.float64]]]) -> Iterator[str]:
    """Say where the time of a tower alone is no measure of a core; `times` are those of a core in a measurement."""
    found = [(core, *np.percentile(each, (0, 50))) for core, each in times]
    if not found:
        return
    core, shortest, median = max(found, key=lambda one: one[2] / one[1])
    if median > _UNSTEADY * shortest:
        yield (
            f"On core {core} the median time of a tower alone varied from {shortest:.4g} µs to {median:.4g} µs, so "
            "parts of this core are no more exact than that. Frequency scaling and other programs are likely causes."
        )


def doubts(contests: Sequence[Contest]) -> Iterator[str]:
    """Say what makes contests doubtful."""
    for one in contests:
        yield from _too_few(one)
    yield from _long_sleeps(contests)


def _too_few(contest: Contest) -> Iterator[str]:
    few = [one for one in contest.workers if one.per_window < _FEW]
    if few:
        least = min(few, key=lambda one: one.per_window)
        yield (
            f"{contest.label}: {least.name} did {least.per_window:.3g} towers in a window, so the unfinished tower at "
            "its end weighs much: take fewer discs or a longer window."
        )


def faster(contests: Sequence[Contest]) -> Iterator[str]:
    """Say where a core did more in the windows than it can by what it did before them."""
    uses = [
        (use.towers * use.tower_us / (one.windows * one.window_us), use.core, one.label)
        for one in contests
        for use in one.cores
    ]
    part, core, label = max(uses, default=(0.0, 0, ""))
    if part > _FASTER:
        yield (
            f"Core {core} did {part:.1%} of the work that its own speed just before allows (at work: {label}). It was "
            "faster in the windows than before them, and parts of a core are too large by that. Frequency scaling is a "
            "likely cause."
        )


def _long_sleeps(contests: Sequence[Contest]) -> Iterator[str]:
    """Say where towers are so short that a sleep to the next tick after each decides what competitors come to."""
    if any(one.sleeps and not one.alone_sleeps for one in contests):
        yield (
            "A tower alone was timed without the sleep that competitors make (yield=tick), as in older programs. So "
            "parts of a core lack the cost of the tick, and cannot be compared with published ones. Measure again."
        )
    sleep, tower_us, label = max(
        ((use.sleep, use.tower_us, one.label) for one in contests if one.alone_sleeps for use in one.cores),
        default=(0.0, 0.0, ""),
    )
    if sleep > _LONG_SLEEP:
        yield (
            f"With yield=tick a task alone sleeps {sleep:.0%} of the time, because a tower takes only {tower_us:.4g} "
            f"µs. So the results of the competitors ({label}) depend on the tick. Take more discs: each one doubles a "
            "tower."
        )


def too_few_turns(measurements: Sequence[Measurement]) -> Iterator[str]:
    """Say where windows are too short for shares between those who take turns."""
    for one in measurements:
        turn = one.conditions.get("scheduler.timeslice_ms", one.conditions.get("scheduler.rr_timeslice_ms", ""))
        window = int(one.factors.get("window_ms", 0))
        if one.conditions.get("scheduler.policy") == "SCHED_FIFO" and turn.isdecimal() and window < _TURNS * int(turn):
            yield (
                f"This system lets a real-time task run for {turn} ms before another task has its turn. A window of "
                f"{window} ms holds fewer than {_TURNS} such turns, so shares are too coarse. Take a longer window."
            )
            return
