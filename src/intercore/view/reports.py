"""What there is to say about a run: a report of each benchmark that it measured."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from intercore.analysis.api import ApiAnalysis
from intercore.analysis.contention import ContentionAnalysis
from intercore.analysis.irq import IrqAnalysis
from intercore.analysis.jitter import JitterAnalysis
from intercore.analysis.lock import LockAnalysis
from intercore.analysis.memory import MemoryAnalysis
from intercore.analysis.message import MessageAnalysis
from intercore.analysis.rhealstone import RhealstoneAnalysis
from intercore.analysis.switch import SwitchAnalysis
from intercore.analysis.threadmetric import ThreadMetricAnalysis
from intercore.view import (
    api,
    clock,
    contention,
    irq,
    jitter,
    lock,
    memory,
    message,
    other,
    rhealstone,
    speedup,
    switch,
    threadmetric,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from intercore.measurement import Run
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
"""The type of each benchmark's analysis, from which the document's schema is made (see `intercore.schema`)."""


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
