"""The one-line answer of `clock`: the timestamp overhead."""

from __future__ import annotations

from typing import TYPE_CHECKING

from intercore.statistics.intervals import Interval
from intercore.view.answer import Answer

if TYPE_CHECKING:
    from collections.abc import Iterator

    from intercore.benchmarks.clock.analysis import ClockAnalysis


def answers(analysis: ClockAnalysis) -> Iterator[Answer]:
    """Answer the timestamp overhead, which every measured time includes."""
    found = [ticks / one.hz * 1e6 for one in analysis.intervals for ticks in one.overhead.values()]
    if found:
        yield Answer("timestamp overhead", Interval(max(found)), overhead=True)
