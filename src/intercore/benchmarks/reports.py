"""What there is to say about a run: a report of each benchmark that it measured."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from intercore.benchmarks import other
from intercore.benchmarks.api import report as api
from intercore.benchmarks.api.analysis import ApiAnalysis
from intercore.benchmarks.clock import report as clock
from intercore.benchmarks.contention import report as contention
from intercore.benchmarks.contention.analysis import ContentionAnalysis
from intercore.benchmarks.irq import report as irq
from intercore.benchmarks.irq.analysis import IrqAnalysis
from intercore.benchmarks.jitter import report as jitter
from intercore.benchmarks.jitter.analysis import JitterAnalysis
from intercore.benchmarks.lock import report as lock
from intercore.benchmarks.lock.analysis import LockAnalysis
from intercore.benchmarks.memory import report as memory
from intercore.benchmarks.memory.analysis import MemoryAnalysis
from intercore.benchmarks.message import report as message
from intercore.benchmarks.message.analysis import MessageAnalysis
from intercore.benchmarks.rhealstone import report as rhealstone
from intercore.benchmarks.rhealstone.analysis import RhealstoneAnalysis
from intercore.benchmarks.speedup import report as speedup
from intercore.benchmarks.switch import report as switch
from intercore.benchmarks.switch.analysis import SwitchAnalysis
from intercore.benchmarks.threadmetric import report as threadmetric
from intercore.benchmarks.threadmetric.analysis import ThreadMetricAnalysis

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from intercore.record.measurement import Run
    from intercore.view.section import Report

_REPORTS: Mapping[str, Callable[[Run], Report]] = {
    "contention": contention.report,
    "switch": switch.report,
    "jitter": jitter.report,
    "irq": irq.report,
    "api": api.report,
    "rhealstone": rhealstone.report,
    "threadmetric": threadmetric.report,
    "lock": lock.report,
    "memory": memory.report,
    "message": message.report,
    "clock": clock.report,
}
"""By benchmark, one line for each module here. `speedup` takes an option more and stands below."""

ANALYSES: Mapping[str, type] = {
    "contention": ContentionAnalysis,
    "switch": SwitchAnalysis,
    "jitter": JitterAnalysis,
    "irq": IrqAnalysis,
    "api": ApiAnalysis,
    "rhealstone": RhealstoneAnalysis,
    "threadmetric": ThreadMetricAnalysis,
    "lock": LockAnalysis,
    "memory": MemoryAnalysis,
    "message": MessageAnalysis,
}
"""The type of each benchmark's analysis, from which the document's schema is made (see `intercore.document.schema`)."""


def reports(run: Run, efficiency: float) -> list[Report]:
    """Return the reports of a run, in the order of its plan; `efficiency` is the one wanted at break-even."""
    makers: dict[str, Callable[[Run], Report]] = {
        **_REPORTS,
        "speedup": partial(speedup.report, efficiency=efficiency),
    }
    found = [
        makers.get(benchmark, partial(other.report, benchmark=benchmark))(run) for benchmark in run.plan.benchmarks
    ]
    return [_without_conclusions(report) for report in found] if run.plan.emulated else found


def _without_conclusions(report: Report) -> Report:
    """Return a report without what it concludes from times, where these mean nothing; the run's warnings say so."""
    return replace(report, section=replace(report.section, sentences=()))
