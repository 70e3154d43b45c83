"""The command `baseline`: the results of a run in a small file, to be kept under version control."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from intercore.cli.group import Group
from intercore.cli.number_options import run_number
from intercore.cli.options import DEFAULT_STORE, Force, StorePath
from intercore.cli.stored import stored_runs
from intercore.comparison import baseline_file
from intercore.comparison.baseline import of_runs
from intercore.terminal.console import messages
from intercore.text import listed

app = typer.Typer(cls=Group, add_completion=False, no_args_is_help=True)


@app.callback(
    epilog="Examples: intercore baseline save baselines/pico-sim.jsonl 3; "
    "intercore compare baselines/pico-sim.jsonl 4; "
    "intercore baseline save baselines/host.jsonl 5 6 7 8 9"
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
    run_ids: Annotated[
        list[int] | None,
        typer.Argument(
            metavar="[RUN…]",
            parser=run_number,
            help="Numbers of stored runs of one program, e.g. 3 4 5, whose differences the baseline then carries. "
            "Default: the newest run.",
        ),
    ] = None,
    *,
    force: Force = False,
    store_path: StorePath = DEFAULT_STORE,
) -> None:
    """Write the medians, percentiles and conditions of runs, one line for each measured quantity of each setting."""
    runs = stored_runs(store_path, run_ids or [None])
    made = of_runs(runs)
    baseline_file.write(made, file, force=force)
    settings = len(made.measurements)
    measured = f"{listed([one.title for one in runs])} on {runs[0].plan.target}"
    text = f"wrote {file.absolute()}: {settings} setting{'s' * (settings != 1)} of {measured}"
    messages().print(text, markup=False, soft_wrap=True)
