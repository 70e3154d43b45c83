"""The one-line answers of `irq`: how long interrupts take, and at worst."""

from __future__ import annotations

from typing import TYPE_CHECKING

from intercore.benchmarks.caveats import disturbed_samples
from intercore.benchmarks.irq import Doing, Path
from intercore.benchmarks.irq.findings import IrqFailedCheck, IrqLargest
from intercore.statistics.intervals import Interval
from intercore.view.answer import Answer, with_varied
from intercore.view.cost import Cost

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from intercore.benchmarks.irq.analysis import IrqAnalysis, Latency
    from intercore.finding import Finding
    from intercore.record.measurement import Level

_CORES: Mapping[Doing, str] = {"idle": "sleeping cores", "busy": "computing cores", "kernel": "cores in kernel calls"}
"""Whose interrupt it was, in few words."""
_OPERATIONS = {
    "doorbell": "interrupt a core",
    "timer-handler": "timer to its handler",
    "timer-task": "timer to a task",
    "gpio-handler": "pin to its handler",
    "gpio-task": "pin to a task",
}


_QUESTIONS: Mapping[Path, str] = {
    "timer-handler": "timer to handler, worst",
    "timer-task": "timer to task, worst",
    "gpio-handler": "pin to handler, worst",
    "gpio-task": "pin to task, worst",
}


def answers(analysis: IrqAnalysis) -> Iterator[Answer]:
    """Answer the maximum latency from a timer, and from a pin, to the handler and to a task."""
    for path, question in _QUESTIONS.items():
        found = [one for one in analysis.budgets if one.path == path]
        if found:
            worst = max(found, key=lambda one: one.largest_us)
            seen = sum(one.samples for one in found)
            about = f"{with_varied(_CORES[worst.largest_while], worst.varied)}; maximum of {seen:,} samples"
            yield Answer(question, Interval(worst.largest_us), about=about, worst=True)


def concerns(finding: Finding, answer: Answer) -> bool:
    """Whether a caveat may concern an answer: unless it is of paths, and not of the one that is asked for."""
    named = {one.levels["path"] for one in disturbed_samples(finding)}
    if isinstance(finding, IrqFailedCheck):
        named = {*finding.levels}
    return not named or any(path in named for path, question in _QUESTIONS.items() if question == answer.question)


def costs(analysis: IrqAnalysis) -> Iterator[Cost]:
    """Yield the interrupt latency while the cores sleep, and its maximum over all activities.

    Across cores that is the slowest direction, with the core where it begins.
    """
    for path, label in _OPERATIONS.items():
        for varied in _settings(one.varied for one in analysis.latencies if one.path == path):
            of_it = [one for one in analysis.latencies if one.path == path and one.varied == varied]
            known = [one for one in of_it if one.interrupted == "idle"] or of_it
            across = [one for one in known if one.is_across]
            slowest = max(across or known, key=_us)
            same = [one for one in known if one.second == one.first == slowest.first] if across else []
            yield Cost(
                "signal" if path == "doorbell" else "deadline",
                with_varied(label, varied),
                _us(slowest),
                max(map(_us, same), default=None),
                max(one.latency_us.max for one in of_it),
            )


def _settings(varied: Iterable[Mapping[str, Level]]) -> Iterator[Mapping[str, Level]]:
    """Yield each setting of the other factors once."""
    seen: list[Mapping[str, Level]] = []
    for one in varied:
        if one not in seen:
            seen.append(one)
            yield one


def _us(one: Latency) -> float:
    return one.latency_us.median.value


def remarks(analysis: IrqAnalysis) -> Iterator[IrqLargest]:
    """Report where the largest latency is farthest from the usual one."""
    found = [one for one in analysis.budgets if 0 < one.typical_us < one.largest_us]
    if found:
        most = max(found, key=lambda one: one.largest_us / one.typical_us)
        yield IrqLargest(
            times=most.largest_us / most.typical_us,
            path=most.path,
            largest_us=most.largest_us,
            largest_while=most.largest_while,
        )
