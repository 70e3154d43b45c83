"""The page's section on the speed-ups of all its runs, with published ones."""

from __future__ import annotations

from typing import TYPE_CHECKING

from markupsafe import Markup

from intercore.benchmarks.published import published
from intercore.benchmarks.speedup.answers import break_even_findings
from intercore.benchmarks.speedup.groups import groups, published_groups
from intercore.benchmarks.speedup.plots import figures, is_thinned
from intercore.benchmarks.speedup.points import BENCHMARK
from intercore.benchmarks.speedup.printed import literature_tables
from intercore.benchmarks.speedup.publication import SpeedupPublication
from intercore.benchmarks.speedup.report import TITLE, SpeedupResult
from intercore.benchmarks.speedup.results import losses
from intercore.benchmarks.speedup.thresholds import threshold_tables
from intercore.benchmarks.speedup.words import differing
from intercore.record.origin import in_brackets
from intercore.view.html import environment
from intercore.view.section import CombinedReport, label_of_all

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from intercore.benchmarks.speedup.plots import Group
    from intercore.benchmarks.speedup.points import SpeedupPoint
    from intercore.record.measurement import Run
    from intercore.view.section import Report


def combined(reports: Sequence[tuple[Run, Report]]) -> CombinedReport:
    """Draw the speed-ups of all runs in one set of plots, and list them in one set of tables."""
    runs = [run for run, _ in reports]
    analysed = [report.analysis for _, report in reports if isinstance(report.analysis, SpeedupResult)]
    efficiency = analysed[0].efficiency
    named = differing(point for each in analysed for point in each.analysis.points)
    by_run = {
        run.id: tuple(groups(run, each.analysis, named, _prefix(run, runs)))
        for run, each in zip(runs, analysed, strict=True)
    }
    own = [group for some in by_run.values() for group in some]
    tables = published(SpeedupPublication)
    literature = [group for table in tables for group in published_groups(table, efficiency)]
    html = vars(environment(__package__).get_template("combined.html.j2").make_module())
    beside = [
        (run, table)
        for run, each in zip(runs, analysed, strict=True)
        for table in literature_tables(run, each.analysis.points)
    ]
    label = label_of_all(runs)
    stated = list(threshold_tables(efficiency))
    most = max((group.fit.cores for group in own), default=2)
    return CombinedReport(
        title=TITLE,
        heading="Gain of more than one core" if most > 2 else "Gain of the second core",
        label=label,
        nothing={run.id: _nothing(run) for run in runs if not by_run[run.id]},
        leads={
            run.id: html["lead"](
                _who(run, runs), "".join(map(str, break_even_findings(each.analysis, efficiency))), best
            )
            for run, each in zip(runs, analysed, strict=True)
            if by_run[run.id] and (best := _best(by_run[run.id]))
        },
        figures=figures(own, literature, efficiency, analysed[0].view) if own else (),
        reading=Markup().join(html["each"](some, losses) for some in by_run.values() if some)
        + html["reading"](efficiency),
        note=html["thinned"]() if is_thinned(own) else Markup(),
        numbers=html["numbers"](own + literature, stated, beside, tables, label, efficiency),
    )


def _nothing(run: Run) -> str:
    known = sum(measurement.benchmark == BENCHMARK for measurement in run.measurements)
    return f"None of the {known} measurements of run {run.id} gives a speed-up; see the warnings." if known else ""


def _best(groups: Iterable[Group]) -> SpeedupPoint:
    """Return the point of the largest speed-up."""
    return max((group.best for group in groups), key=lambda one: one.speedup.value)


def _who(run: Run, runs: Sequence[Run]) -> str:
    """Name a run among others, and where its numbers come from; empty if it is alone on the page."""
    return in_brackets(_prefix(run, runs).removesuffix(": "), run.plan.origin) if len(runs) > 1 else ""


def _prefix(run: Run, runs: Sequence[Run]) -> str:
    """Tell a run apart from the others on the page: by its target if that is enough."""
    if len(runs) <= 1:
        return ""
    alone = sum(run.plan.target == other.plan.target for other in runs) == 1
    return f"{run.plan.target}: " if alone else f"run {run.id}: "
