"""What there is to say about a run: a report of each benchmark that it measured."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from intercore.benchmarks import function, other, possible, registry, stop_rule
from intercore.benchmarks.options import Options
from intercore.record import conditions

if TYPE_CHECKING:
    from collections.abc import Mapping

    from intercore.record.measurement import Run
    from intercore.view.section import Report


@dataclass(frozen=True)
class Reported:
    """A run, and what its benchmarks say about it."""

    run: Run
    analysed: Run
    """The run without what failed because its samples cannot be: see `intercore.benchmarks.possible`."""
    reports: tuple[Report, ...]
    """In the order of the run's plan."""


def reports(run: Run, options: Options | None = None) -> Reported:
    """Report on a run, with what the user chose of that.

    Here it is decided what is not reported at all: samples that cannot be, and all that is made of times that mean
    nothing.
    """
    chosen = Options() if options is None else options
    analysed = possible.analysable(run)
    found = tuple(
        function.report(analysed, benchmark) if run.plan.emulated else _report(analysed, benchmark, chosen)
        for benchmark in run.plan.benchmarks
    )
    return Reported(run, analysed, found)


def warnings(run: Run) -> list[str]:
    """Say what makes a run doubtful as a whole; the reports have what does so of each benchmark."""
    of_times = () if run.plan.emulated else stop_rule.warnings(run)
    return [*conditions.warnings(run), *possible.warnings(run), *of_times]


def analyses() -> Mapping[str, type]:
    """Return the types of the benchmarks' analyses, from which the document's schema is made."""
    found = {name: getattr(registry.module(name, "analysis"), "ANALYSIS", None) for name in registry.names()}
    return {name: kind for name, kind in found.items() if kind is not None}


def _report(run: Run, benchmark: str, options: Options) -> Report:
    module = registry.module(benchmark, "report")
    found: Report = other.report(run, benchmark) if module is None else module.report(run, **options.of(benchmark))
    return found
