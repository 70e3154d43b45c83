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


@app.command(
    epilog="Examples: intercore predict pico-sim message size=300; "
    "intercore predict pico-sim speedup duration=3ms mode=pool"
)
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
                "What to predict: for message, the size, e.g. size=300; for speedup, the time of the work on one core, "
                "e.g. duration=3ms; the other benchmarks need no value. Factors (parameters) such as from=0 select "
                "what was measured; intercore list TARGET BENCHMARK lists them."
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
    """Predict times from stored runs. For each factor that you do not set, compare and rank its measured levels."""
    with open_existing(store_path) as store:
        found = predictions.predict(store, find(target).name, benchmark, setting or [], extrapolate=extrapolate)
    show(OfSection(found.prediction, found.rows, found.section), output)
