"""The command `baseline`: the results of a run in a small file, to be kept under version control."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from intercore.cli.group import Group
from intercore.cli.options import DEFAULT_STORE, Force, StorePath
from intercore.cli.stored import RunId, stored_run
from intercore.comparison import baseline_file
from intercore.comparison.baseline import of_run
from intercore.terminal.console import messages

app = typer.Typer(cls=Group, add_completion=False, no_args_is_help=True)


@app.callback(
    epilog="Examples: intercore baseline save baselines/pico-sim.jsonl 3; intercore compare baselines/pico-sim.jsonl 4"
)
def baseline() -> None:
    """Save the results of a run in a small file (save FILE [RUN]), so that later runs can be compared with them."""


@app.command(epilog="Example: intercore baseline save baselines/pico-sim.jsonl 3")
def save(
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE", help="File to write, e.g. baselines/pico-sim.jsonl; an existing baseline is replaced."
        ),
    ],
    run_id: RunId = None,
    *,
    force: Force = False,
    store_path: StorePath = DEFAULT_STORE,
) -> None:
    """Write the medians, percentiles and conditions of a run, one line for each measured quantity of each setting."""
    run = stored_run(store_path, run_id)
    made = of_run(run)
    baseline_file.write(made, file, force=force)
    settings = len(made.measurements)
    text = f"wrote {file.absolute()}: {settings} setting{'s' * (settings != 1)} of run {run.id} on {run.plan.target}"
    messages().print(text, markup=False, soft_wrap=True)
