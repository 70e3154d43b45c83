"""The reports on a run, one for each measured benchmark."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, Any

import msgspec
from msgspec import Meta

from intercore.benchmarks import energy_report, failed, function, other, plausibility, rate_report, registry, stop_rule
from intercore.benchmarks.energy import EnergyAnalysis
from intercore.benchmarks.findings import FewRepetitions
from intercore.benchmarks.options import IDLE, RATE, Options
from intercore.benchmarks.own_work import wrong_units
from intercore.benchmarks.rate_report import RateAnalysis
from intercore.record import conditions
from intercore.record.plan import ENOUGH_REPETITIONS, repetitions_by_setting
from intercore.view.answer import Answer
from intercore.view.section import Section

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from importlib.resources.abc import Traversable

    from intercore.finding import Finding
    from intercore.record.measurement import Run
    from intercore.view.section import Report


@dataclass(frozen=True)
class ReportedRun:
    """A run, and what its benchmarks say about it."""

    run: Run
    analysed: Run
    """The run without what failed: see `intercore.benchmarks.failed`."""
    reports: tuple[Report, ...]
    """In the order of the run's plan."""


class BenchmarkRemarks(msgspec.Struct, frozen=True):
    """What stands out on a target."""

    times: Annotated[float, Meta(gt=0)]
    """Factor by which something exceeds, or falls below, the expectation: above 1. The largest come first."""
    sentence: str


class BenchmarkAnswers(msgspec.Struct, frozen=True):
    """The first answers of one benchmark."""

    benchmark: str
    answers: tuple[Answer, ...]
    remarks: tuple[BenchmarkRemarks, ...]
    """The remarks on the target."""


def benchmark_answers(found: Sequence[Report]) -> tuple[BenchmarkAnswers, ...]:
    """Return the answers of all benchmarks that have some."""
    return tuple(
        BenchmarkAnswers(
            report.benchmark,
            tuple(report.answers),
            tuple(BenchmarkRemarks(remark.times, remark.text) for remark in report.remarks),
        )
        for report in found
        if report.answers
    )


def reports(run: Run, options: Options | None = None) -> ReportedRun:
    """Report on a run, with the user's options.

    Failed measurements are left out, and so is everything computed from times that mean nothing.
    """
    chosen = Options() if options is None else options
    analysed = failed.analysable(run)
    found = tuple(
        function.report(run, benchmark) if run.plan.emulated else _report(run, analysed, benchmark, chosen)
        for benchmark in run.plan.benchmarks
    )
    more = () if run.plan.emulated else _of_all(analysed, found, chosen)
    return ReportedRun(run, analysed, (*found, *(one for one in more if one is not None)))


def _of_all(run: Run, found: Sequence[Report], chosen: Options) -> tuple[Report | None, ...]:
    """Return the reports that are of no one benchmark."""
    return energy_report.report(run, idle=chosen.of(IDLE)), rate_report.report(run, found, chosen.of(RATE))


def run_caveats(run: Run) -> tuple[Finding, ...]:
    """Return the caveats on the all numbers of a run, whatever the benchmark."""
    return (
        *wrong_units(run.measurements),
        *plausibility.caveats(run),
        *conditions.caveats(run),
        *(() if run.plan.emulated else (*_few_repetitions(run), *stop_rule.caveats(run))),
    )


def _few_repetitions(run: Run) -> Iterator[FewRepetitions]:
    """Return the caveats on intervals; on a simulated chip, repetitions differ only by the seed."""
    if run.plan.origin != "measured" or not run.measurements:
        return
    few = min(map(len, repetitions_by_setting(run).values()), default=ENOUGH_REPETITIONS)
    if few < ENOUGH_REPETITIONS:
        yield FewRepetitions(repetitions=few)


def analyses() -> Mapping[str, type]:
    """Return the types of the benchmarks' analyses those of energy and a rate, from which the schema is made."""
    found = {name: document for name, document in _documents().items() if isinstance(document, type)}
    return {**found, "energy": EnergyAnalysis, "rate": RateAnalysis}


def schema_parts() -> Mapping[str, Mapping[str, Any]]:
    """Return the schema parts that benchmarks provide, by benchmark."""
    return {
        name: json.loads(document.read_text("utf-8"))
        for name, document in _documents().items()
        if not isinstance(document, type)
    }


def _documents() -> dict[str, type[msgspec.Struct] | Traversable]:
    """Return the schema of each benchmark's part of the document, for those with an analysis."""
    found = {name: registry.analysis(name) for name in registry.names()}
    return {name: analysis.document for name, analysis in found.items() if analysis is not None}


def _report(run: Run, analysed: Run, benchmark: str, options: Options) -> Report:
    """Report on a benchmark; where all of its measurements failed, only warn."""
    found = _unchecked(analysed, benchmark, options)
    measured, sound = (any(one.benchmark == benchmark for one in of.measurements) for of in (run, analysed))
    if sound or not measured:
        return found
    return replace(
        found,
        section=Section(found.section.title, [], []),
        answers=(),
        remarks=(),
        costs=(),
        exhibits=(),
        core_times=(),
    )


def _unchecked(analysed: Run, benchmark: str, options: Options) -> Report:
    analysis = registry.analysis(benchmark)
    if analysis is None:
        return other.report(analysed, benchmark)
    return analysis.report(analysed) if analysis.report_with is None else analysis.report_with(analysed, options)
