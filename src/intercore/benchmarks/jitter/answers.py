"""What `jitter` answers on one line: how late a periodic task is released."""

from __future__ import annotations

from statistics import median
from typing import TYPE_CHECKING

from intercore.statistics.intervals import Interval
from intercore.view.answer import Answer, Remark, about_times
from intercore.view.cost import Cost
from intercore.view.quantity import duration

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from intercore.benchmarks.jitter.analysis import JitterAnalysis, Setting


def answers(analysis: JitterAnalysis) -> Iterator[Answer]:
    """Answer how late a release was at most, at rest and under load of lower priority."""
    for question, loaded in (("release late, at rest", False), ("release late, under load", True)):
        found = _settings(analysis, loaded=loaded)
        if found:
            periods = [duration(one) for one in sorted({one.period_us for one in found})]
            about = f"worst of {sum(map(_releases, found)):,} releases, period {' or '.join(periods)}"
            about += f"; median {duration(_typical_us(found))}"
            if loaded:
                about += "; load of lower priority"
            missed = sum(one.missed for one in found)
            if missed:
                about += f"; {missed:,} of {sum(one.late_us.n for one in found):,} a period or more late"
            yield Answer(question, Interval(max(map(_largest_us, found))), about=about)


def costs(analysis: JitterAnalysis) -> Iterator[Cost]:
    """Give how late a release is, at rest and under load."""
    for label, loaded in (("a release, late at rest", False), ("a release, late under load", True)):
        found = _settings(analysis, loaded=loaded)
        if found:
            yield Cost("deadline", label, _typical_us(found), longest_us=max(map(_largest_us, found)))


def remarks(analysis: JitterAnalysis) -> Iterator[Remark]:
    """Tell what load does to the largest lateness."""
    rest, load = (max(map(_largest_us, _settings(analysis, loaded=loaded)), default=0.0) for loaded in (False, True))
    if 0 < rest < load:
        yield Remark(
            load / rest,
            f"Load makes a release up to {duration(load)} late, {about_times(load / rest)} times as much as at rest.",
        )


def _settings(analysis: JitterAnalysis, *, loaded: bool) -> list[Setting]:
    free = [one for one in analysis.settings if one.migrate == "none" and one.load != "same-priority"]
    return [one for one in free if (one.load != "none") == loaded]


def _typical_us(found: Sequence[Setting]) -> float:
    return median(one.late_us.median.value for one in found)


def _releases(one: Setting) -> int:
    return one.late_us.n + (0 if one.counted is None else one.counted.releases)


def _largest_us(one: Setting) -> float:
    return max(one.late_us.max, one.late_us.max if one.counted is None else one.counted.late_max_us)
