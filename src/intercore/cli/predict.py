"""The command `predict`: predicts times from stored runs."""

from __future__ import annotations

from typing import Annotated

import typer

from intercore.benchmarks import predictions
from intercore.cli.options import DEFAULT_STORE, Output, StorePath
from intercore.cli.stored import open_existing
from intercore.target.targets import find
from intercore.terminal.findings import OfSection
from intercore.terminal.formats import DEFAULT, show

app = typer.Typer(add_completion=False)


@app.command(epilog="Example: intercore predict pico-sim message size=300")
def predict(
    target: Annotated[
        str, typer.Argument(metavar="TARGET", help="Target with stored runs, e.g. pico-sim; intercore runs lists them.")
    ],
    benchmark: Annotated[str, typer.Argument(metavar="BENCHMARK", help=f"One of {', '.join(predictions.names())}.")],
    setting: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="NAME=VALUE…",
            help=(
                "What to predict: size=300 for message; for speedup the time of the work on one core, duration=3ms; "
                "other benchmarks need nothing. Factors such as from=0 select what was measured; all levels of a "
                "factor that you leave out are compared and ranked."
            ),
        ),
    ] = None,
    *,
    extrapolate: Annotated[
        bool,
        typer.Option(
            "--extrapolate",
            help="Also predict values outside the measured range, and combinations of levels that were not measured.",
        ),
    ] = False,
    store_path: StorePath = DEFAULT_STORE,
    output: Output = DEFAULT,
) -> None:
    """Predict times from stored runs. If you give no level of a factor, its measured levels are compared and ranked."""
    with open_existing(store_path) as store:
        found = predictions.predict(store, find(target).name, benchmark, setting or [], extrapolate=extrapolate)
    show(OfSection(found.prediction, found.rows, found.section), output)
