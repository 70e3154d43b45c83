"""The command `compare`: two runs or two targets side by side."""

from __future__ import annotations

from typing import Annotated

import typer

from intercore.cli.number_options import percent_option
from intercore.cli.options import DEFAULT_STORE, Output, StorePath
from intercore.cli.stored import existing, named
from intercore.comparison.analysis import compare as compare_runs
from intercore.comparison.analysis import compare_sides
from intercore.comparison.report import comparison_rows, comparison_section
from intercore.comparison.verdicts import WITHIN
from intercore.target.targets import usual_builds
from intercore.terminal.findings import OfSection
from intercore.terminal.formats import DEFAULT, show

app = typer.Typer(add_completion=False)

_SIDES = 2


@app.command(epilog="Examples: intercore compare 3 4; intercore compare pico-sim pico-amp-sim --within 2%")
def compare(
    names: Annotated[
        list[str],
        typer.Argument(
            metavar="A B",
            help="Numbers of stored runs, before and after a change, or targets, for their newest complete runs. "
            "More numbers are put together by target.",
        ),
    ],
    *,
    within: Annotated[float, percent_option("--within", "A difference up to this does not matter.")] = WITHIN,
    in_full: Annotated[bool, typer.Option("--all", help="Show every quantity of every setting.")] = False,
    store_path: StorePath = DEFAULT_STORE,
    output: Output = DEFAULT,
) -> None:
    """Compare two runs or two targets: what is faster, slower or the same, and by what else the two differ."""
    with existing(store_path) as store:
        sides = [named(store, [name]) for name in names]
    if len(sides) == _SIDES:
        found = compare_sides(sides[0], sides[1], usual_builds(), within=within)
    else:
        runs = {run.id: run for side in sides for run in side}
        found = compare_runs([*runs.values()], usual_builds(), within=within)
    section = comparison_section(found, in_full=in_full)
    warnings, first = found.warnings, found.identities
    show(OfSection(found, comparison_rows(found), section, warnings, first, answer_first=True), output)
