"""The one-line answers of `threadmetric`: what two cores at once get done."""

from __future__ import annotations

from typing import TYPE_CHECKING

from intercore.benchmarks.threadmetric.analysis import AT_ONCE
from intercore.benchmarks.threadmetric.findings import ThreadmetricSlowerTogether
from intercore.statistics.intervals import Interval
from intercore.view.answer import Answer, with_varied

if TYPE_CHECKING:
    from collections.abc import Iterator

    from intercore.benchmarks.threadmetric.analysis import ThreadMetricAnalysis, ThreadMetricCount


def answers(analysis: ThreadMetricAnalysis) -> Iterator[Answer]:
    """Answer how much of one core's count is left at worst: of two cores at once, and of rounds from core to core."""
    for at_once, question in ((True, "Thread-Metric, all cores"), (False, "cross-core Thread-Metric")):
        worst = _worst(analysis, at_once=at_once)
        if worst is not None and worst.factor is not None:
            about = f"one core's count, {with_varied(worst.test, worst.varied)}"
            yield Answer(question, Interval(worst.factor), "times", about, brief=at_once)


def remarks(analysis: ThreadMetricAnalysis) -> Iterator[ThreadmetricSlowerTogether]:
    """Tell of what two cores at once do less often than one."""
    worst = _worst(analysis, at_once=True)
    if worst is not None and worst.factor and worst.factor < 1:
        yield ThreadmetricSlowerTogether(setting=worst.varied, times=1 / worst.factor, test=worst.test)


def _worst(analysis: ThreadMetricAnalysis, *, at_once: bool) -> ThreadMetricCount | None:
    across = [one for one in analysis.counts if (one.test in AT_ONCE) == at_once]
    found = [(one.factor, one) for one in across if one.factor is not None]
    return min(found, key=lambda each: each[0])[1] if found else None
