"""What `lock` answers on one line: what a lock between cores costs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from intercore.statistics.intervals import Interval
from intercore.view.answer import Answer, Remark, about_times, among
from intercore.view.cost import Cost

if TYPE_CHECKING:
    from collections.abc import Iterator

    from intercore.benchmarks.lock.analysis import LockAnalysis, LockHandOver


def answers(analysis: LockAnalysis) -> Iterator[Answer]:
    """Answer what handing over takes at best, and a turn at worst where all cores want one."""
    typical = _typical(analysis)
    if typical:
        name, best = min(typical.items(), key=lambda each: each[1].latency_us.median.value)
        yield Answer("hand a lock over", best.latency_us.median, about=name)
        for name, one in typical.items():
            if one.lock == "mutex" and one is not best:
                yield Answer("a mutex handed over", one.latency_us.median, about=name, brief=False)
    if analysis.contention:
        dearest = max(analysis.contention, key=lambda one: one.each_us)
        about = f"{among(dearest.lock, dearest.varied)}, hold and pause included"
        yield Answer("a turn, fought over", Interval(dearest.each_us), about=about)


def costs(analysis: LockAnalysis) -> Iterator[Cost]:
    """Give what handing each lock over costs, and at most."""
    for name, one in _typical(analysis).items():
        longest = max(each.latency_us.max for each in analysis.hand_over if among(each.lock, each.varied) == name)
        yield Cost("lock", f"hand over, {name}", one.latency_us.median.value, longest_us=longest)


def _typical(analysis: LockAnalysis) -> dict[str, LockHandOver]:
    """Return for each lock the hand-over whose median is in the middle of those between all cores."""
    found: dict[str, list[LockHandOver]] = {}
    for one in analysis.hand_over:
        found.setdefault(among(one.lock, one.varied), []).append(one)
    return {
        name: sorted(of_it, key=lambda one: one.latency_us.median.value)[(len(of_it) - 1) // 2]
        for name, of_it in found.items()
    }


def remarks(analysis: LockAnalysis) -> Iterator[Remark]:
    """Tell of the lock that is shared least evenly."""
    found = [one for one in analysis.contention if min(one.acquisitions) > 0]
    if found:
        worst = max(found, key=lambda one: max(one.acquisitions) / min(one.acquisitions))
        times = max(worst.acquisitions) / min(worst.acquisitions)
        yield Remark(
            times,
            f"Fought over, one core gets the {among(worst.lock, worst.varied)} {about_times(times)} times as often as "
            "another.",
        )
