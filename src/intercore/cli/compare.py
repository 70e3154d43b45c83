"""The command `compare`: two runs, targets or baselines side by side."""

from __future__ import annotations

from typing import Annotated

import typer

from intercore.cli.number_options import percent_option
from intercore.cli.options import DEFAULT_STORE, Output, StorePath
from intercore.cli.stored import is_baseline, sides_named
from intercore.comparison.analysis import compare as compare_runs
from intercore.comparison.analysis import compare_sides
from intercore.comparison.report import comparison_rows, comparison_section
from intercore.comparison.verdicts import WITHIN
from intercore.errors import UsageError
from intercore.target.targets import usual_builds
from intercore.terminal.findings import OfSection
from intercore.terminal.formats import DEFAULT, show

app = typer.Typer(add_completion=False)

_SIDES = 2


@app.command(
    epilog="Examples: intercore compare 3 4; intercore compare baseline.txt 4; "
    "intercore compare pico-sim pico-amp-sim --within 2%"
)
def compare(
    names: Annotated[
        list[str],
        typer.Argument(
            metavar="A B",
            help="Numbers of stored runs, before and after a change, targets, for their newest complete runs, or files "
            "of baselines. More numbers are put together by target.",
        ),
    ],
    *,
    within: Annotated[float, percent_option("--within", "A difference up to this does not matter.")] = WITHIN,
    in_full: Annotated[bool, typer.Option("--all", help="Show every quantity of every setting.")] = False,
    store_path: StorePath = DEFAULT_STORE,
    output: Output = DEFAULT,
) -> None:
    """Compare two runs, targets or baselines: what is faster, slower or the same, and by what else they differ."""
    if len(names) != _SIDES and (files := [name for name in names if is_baseline(name)]):
        raise UsageError(f"{files[0]} is a baseline, which is compared with one other side: give two names")
    sides = sides_named(names, store_path)
    if len(sides) == _SIDES:
        found = compare_sides(sides[0], sides[1], usual_builds(), within=within)
    else:
        runs = {run.id: run for side in sides for run in side}
        found = compare_runs([*runs.values()], usual_builds(), within=within)
    section = comparison_section(found, in_full=in_full)
    warnings, first = found.warnings, (*found.identities, *found.deciding)
    show(OfSection(found, comparison_rows(found), section, warnings, first, answer_first=True), output)
