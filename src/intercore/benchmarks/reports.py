"""What there is to say about a run: a report of each benchmark that it measured."""

from __future__ import annotations

import importlib.resources
import json
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import msgspec

from intercore import benchmarks
from intercore.benchmarks import energy_report, failed, function, other, possible, registry, stop_rule
from intercore.benchmarks.energy import ANALYSIS as ENERGY_ANALYSIS
from intercore.benchmarks.options import ENERGY, Options
from intercore.benchmarks.own_work import wrong_units
from intercore.record import conditions
from intercore.record.plan import ENOUGH_REPETITIONS, repetitions_by_setting
from intercore.view.answer import Answer, Remark
from intercore.view.section import Section

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from intercore.record.measurement import Run
    from intercore.view.section import Report


@dataclass(frozen=True)
class Reported:
    """A run, and what its benchmarks say about it."""

    run: Run
    analysed: Run
    """The run without what failed: see `intercore.benchmarks.failed`."""
    reports: tuple[Report, ...]
    """In the order of the run's plan."""


class Answered(msgspec.Struct, frozen=True):
    """What one benchmark answers first."""

    benchmark: str
    answers: tuple[Answer, ...]
    remarks: tuple[Remark, ...]
    """What may stand out on the target."""


def answered(found: Sequence[Report]) -> tuple[Answered, ...]:
    """Return the answers of all benchmarks that have some."""
    return tuple(
        Answered(report.benchmark, tuple(report.answers), tuple(report.remarks)) for report in found if report.answers
    )


def reports(run: Run, options: Options | None = None) -> Reported:
    """Report on a run, with what the user chose of that.

    Here it is decided what is not reported at all: measurements that failed, and all that is made of times that mean
    nothing.
    """
    chosen = Options() if options is None else options
    analysed = failed.analysable(run)
    found = tuple(
        function.report(run, benchmark) if run.plan.emulated else _report(run, analysed, benchmark, chosen)
        for benchmark in run.plan.benchmarks
    )
    energy = None if run.plan.emulated else energy_report.report(analysed, **chosen.of(ENERGY))
    return Reported(run, analysed, found if energy is None else (*found, energy))


def run_warnings(run: Run) -> tuple[str, ...]:
    """Say in sentences what makes all numbers of a run doubtful, whatever the benchmark, and what to do about it."""
    of_times = () if run.plan.emulated else (*_few_repetitions(run), *stop_rule.warnings(run))
    return (*wrong_units(run.measurements), *possible.warnings(run), *conditions.warnings(run), *of_times)


def _few_repetitions(run: Run) -> Iterator[str]:
    """Say what intervals do not know; where a program stands for the chip, repetitions differ by the seed alone."""
    if run.plan.origin != "measured" or not run.measurements:
        return
    few = min(map(len, repetitions_by_setting(run).values()), default=ENOUGH_REPETITIONS)
    advice = f"Measure with --repetitions {ENOUGH_REPETITIONS} or more."
    if few == 1:
        yield (
            "Settings were measured once: their intervals describe this run only, and do not include the differences "
            f"between two runs. {advice}"
        )
    elif few < ENOUGH_REPETITIONS:
        yield f"Settings were measured only {few} times: their intervals are rough. {advice}"


def analyses() -> Mapping[str, type]:
    """Return the types of the benchmarks' analyses and of energy's, from which the document's schema is made."""
    found = {name: getattr(registry.module(name, "analysis"), "ANALYSIS", None) for name in registry.names()}
    return {**{name: kind for name, kind in found.items() if kind is not None}, ENERGY: ENERGY_ANALYSIS}


def schema_parts() -> Mapping[str, Mapping[str, Any]]:
    """Return what benchmarks write themselves of the document's schema, by benchmark: their `schema.json`."""
    files = {name: importlib.resources.files(benchmarks) / name / "schema.json" for name in registry.names()}
    return {name: json.loads(file.read_text("utf-8")) for name, file in files.items() if file.is_file()}


def _report(run: Run, analysed: Run, benchmark: str, options: Options) -> Report:
    """Report on a benchmark; where all of its measurements failed, only warn."""
    module = registry.module(benchmark, "report")
    found: Report = (
        other.report(analysed, benchmark) if module is None else module.report(analysed, **options.of(benchmark))
    )
    measured, sound = (any(one.benchmark == benchmark for one in of.measurements) for of in (run, analysed))
    if sound or not measured:
        return found
    return replace(found, section=Section(found.section.title, [], []), answers=(), remarks=(), costs=())
