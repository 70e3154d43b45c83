"""The command `report`: writes a page of stored runs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from intercore.benchmarks import published, registry
from intercore.benchmarks.benchmark import View
from intercore.benchmarks.options import Options
from intercore.cli.options import DEFAULT_STORE, Force, StorePath
from intercore.cli.outcome import write_report
from intercore.cli.report_options import with_report_options
from intercore.cli.stored import named_runs, open_existing
from intercore.errors import UsageError, unknown
from intercore.record.selection import parse_condition, selected

if TYPE_CHECKING:
    from collections.abc import Sequence

    from intercore.record.measurement import Run

app = typer.Typer(add_completion=False)


@app.command(
    epilog="Examples: intercore report 3 -o speedup.html; intercore report 1 host; intercore report 3 --where from=0"
)
@with_report_options
def report(
    names: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[RUN]…",
            help="Stored runs (numbers, e.g. 3) or targets (e.g. host, which means the newest complete run of each "
            "benchmark). Default: the newest run.",
        ),
    ] = None,
    *,
    page: Annotated[Path, typer.Option("-o", "--output", help="HTML file to write, e.g. speedup.html.")] = Path(
        "intercore.html"
    ),
    force: Force = False,
    lines: Annotated[
        list[str] | None, typer.Option(metavar="FACTOR", help="Draw one line for each level of this factor, e.g. mode.")
    ] = None,
    panels: Annotated[
        list[str] | None,
        typer.Option(metavar="FACTOR", help="Draw one panel for each level of this factor, e.g. workload."),
    ] = None,
    axis: Annotated[
        str,
        typer.Option(
            metavar="NAME", help="Horizontal axis of speed-up curves: t1 (time on one core) or n (amount of work)."
        ),
    ] = "",
    where: Annotated[
        list[str] | None,
        typer.Option(
            metavar="CONDITION",
            help="Include only measurements whose factor meets this condition, e.g. opt=O0 or 'size<=256' (in quotes, "
            "because of the <). May be repeated.",
        ),
    ] = None,
    exhibits: Annotated[
        list[str] | None,
        typer.Option(
            "--exhibit",
            metavar="NAME",
            help="Begin with this table or figure of a paper that the run reproduces, e.g. seed-000-figure-2; "
            "docs/published.md lists their names. May be repeated.",
        ),
    ] = None,
    options: Options,
    store_path: StorePath = DEFAULT_STORE,
) -> None:
    """Write one self-contained HTML page with the plots of a run, or of several runs side by side."""
    conditions = [parse_condition(one) for one in where or ()]
    for name in exhibits or ():
        if name not in published.exhibits():
            raise UsageError(f"--exhibit: {unknown('published table or figure', name, published.exhibits())}")
    with open_existing(store_path) as store:
        found = named_runs(store, names) if names else [store.run()]
    found = [selected(run, conditions) for run in found]
    view = View(tuple(lines or ()), tuple(panels or ()), axis)
    _check(view, found)
    write_report(found, page, options.viewed(view), exhibits=exhibits or (), force=force)


def _check(view: View, runs: Sequence[Run]) -> None:
    """Raise UsageError for a factor that no curve has, or an axis that no benchmark of the runs has."""
    analyses = {name: registry.analysis(name) for run in runs for name in run.plan.benchmarks}
    axes = {name: one.axes for name, one in analyses.items() if one is not None and one.axes}
    known = sorted({name for run in runs for one in run.measurements if one.benchmark in axes for name in one.factors})
    if view != View() and not axes:
        raise UsageError(
            "--lines, --panels and --axis apply to curves, and the benchmarks of these runs have none: omit them"
        )
    for option, names in {"--lines": view.lines, "--panels": view.panels}.items():
        for name in names:
            if name not in known:
                raise UsageError(f"{option}: {unknown('factor', name, known, 'these runs have')}")
    if both := set(view.lines) & set(view.panels):
        raise UsageError(
            f"{', '.join(sorted(both))} cannot have both lines and panels: omit that factor from --lines or from "
            "--panels"
        )
    possible = list(dict.fromkeys(axis for one in axes.values() for axis in one))
    if view.axis and view.axis not in possible:
        raise UsageError(f"--axis: {unknown('axis', view.axis, possible, 'these runs have')}")
