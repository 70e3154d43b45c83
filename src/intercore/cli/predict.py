"""The command `predict`: how long a setting will take that was not measured."""

from __future__ import annotations

from typing import Annotated

import typer

from intercore.benchmarks import predictions
from intercore.cli.options import DEFAULT_STORE, Output, StorePath
from intercore.cli.stored import existing
from intercore.target.targets import find
from intercore.terminal.findings import OfSection
from intercore.terminal.formats import DEFAULT, show

app = typer.Typer(add_completion=False)


@app.command(epilog="Example: intercore predict pico-sim message size=300 transport=ring from=0 to=1")
def predict(
    target: Annotated[str, typer.Argument(metavar="TARGET", help="What was measured: see intercore runs.")],
    benchmark: Annotated[str, typer.Argument(metavar="BENCHMARK", help="message.")],
    setting: Annotated[
        list[str] | None, typer.Argument(metavar="NAME=VALUE…", help="The size, and each factor of several levels.")
    ] = None,
    *,
    extrapolate: Annotated[
        bool, typer.Option("--extrapolate", help="Also predict what is outside of all that was measured.")
    ] = False,
    store_path: StorePath = DEFAULT_STORE,
    output: Output = DEFAULT,
) -> None:
    """Predict what a message takes from stored runs, with intervals, and say what that rests on."""
    with existing(store_path) as store:
        found = predictions.predict(store, find(target).name, benchmark, setting or [], extrapolate=extrapolate)
    show(OfSection(found.prediction, [found.row], found.section), output)
