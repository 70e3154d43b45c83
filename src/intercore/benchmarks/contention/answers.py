"""The one-line answers of `contention`: the throughput of all cores, and the share of a task."""

from __future__ import annotations

from typing import TYPE_CHECKING

from intercore.benchmarks.contention.findings import ContentionLeastShare
from intercore.statistics.intervals import Interval
from intercore.view.answer import Answer, equality_verdict
from intercore.view.quantity import percent

if TYPE_CHECKING:
    from collections.abc import Iterator

    from intercore.benchmarks.contention.analysis import ContentionAnalysis


def answers(analysis: ContentionAnalysis, work: str) -> Iterator[Answer]:
    """Answer what cores get done together against one, of work that is called so: a task on each, where that was tried.

    Otherwise it is the most that tasks did on several cores.
    """
    found = [one for one in analysis.contests if len(one.cores) > 1]
    if found:
        pairs = [one for one in found if one.is_one_on_each]
        most = pairs[0] if pairs else max(found, key=lambda one: one.of_a_core)
        cores = len(most.cores)
        about = f"that of one core, {work}; ideal: {cores}, other work differs"
        if most.of_a_core > cores:
            about = f"that of one core, {work} (above {cores}: a core was slower alone)"
        yield Answer("throughput on all cores", Interval(most.of_a_core), "times", about)
    if len(analysis.alone) > 1:
        first, *others = analysis.alone
        slowest = max(others, key=lambda one: one.times_first)
        question = f"core {slowest.core} against core {first.core}"
        varied = slowest.explains(first)
        times = Interval(slowest.times_first)
        verdict = equality_verdict(times)
        about = f"{'' if verdict else 'as long '}for the same work, alone"
        if varied:
            about = f"for the same work, alone; one core's own time varied by {percent(varied)}, likely with its clock"
            verdict = "no difference"
        yield Answer(question, times, "times", about, verdict=verdict, brief=False)


def remarks(analysis: ContentionAnalysis) -> Iterator[ContentionLeastShare]:
    """Report how a competitor without work slows down a task on its core."""
    found = [
        (worker.of_a_core, one.label)
        for one in analysis.contests
        if len(one.workers) == 1 and not one.sleeps
        for worker in one.workers
        if 0 < worker.of_a_core < 1
    ]
    if found:
        part, label = min(found)
        yield ContentionLeastShare(times=1 / part, contest=label, part_percent=100 * part)
