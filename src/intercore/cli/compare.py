"""The command `compare`: two targets side by side."""

from __future__ import annotations

from typing import Annotated

import typer

from intercore.cli.options import DEFAULT_STORE, Output, StorePath
from intercore.cli.stored import existing, named
from intercore.comparison.analysis import compare as compare_runs
from intercore.comparison.report import comparison_rows, comparison_section
from intercore.target.targets import usual_builds
from intercore.terminal.findings import OfSection
from intercore.terminal.formats import DEFAULT, show

app = typer.Typer(add_completion=False)


@app.command(epilog="Example: intercore compare pico-sim pico-amp-sim")
def compare(
    names: Annotated[
        list[str],
        typer.Argument(metavar="RUN…", help="Two targets, for their newest complete runs, or numbers of stored runs."),
    ],
    *,
    store_path: StorePath = DEFAULT_STORE,
    output: Output = DEFAULT,
) -> None:
    """Compare two targets: the same settings side by side, their ratio, and by what else the two differ."""
    with existing(store_path) as store:
        runs = named(store, names)
    found = compare_runs(runs, usual_builds())
    first = found.identities
    show(OfSection(found, comparison_rows(found), comparison_section(found), found.warnings, first), output)
