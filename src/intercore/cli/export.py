"""The command `export`: raw samples for other programs."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from intercore.benchmarks.failed import failed_by
from intercore.cli.number_options import run_number
from intercore.cli.options import DEFAULT_STORE, Force, StorePath
from intercore.cli.stored import open_existing
from intercore.record.export.format import known_formats
from intercore.record.export.samples import export as export_samples
from intercore.terminal.console import messages

app = typer.Typer(add_completion=False)


@app.command(epilog="Example: intercore export 3 --to samples.parquet")
def export(
    run_id: Annotated[
        int,
        typer.Argument(
            metavar="RUN", parser=run_number, help="Number of a stored run, e.g. 3; intercore runs lists them."
        ),
    ],
    *,
    to: Annotated[
        Path,
        typer.Option(
            "--to",
            "-o",
            "--output",
            help=f"File to write, e.g. samples.parquet. Its suffix selects the format: {' or '.join(known_formats())}.",
        ),
    ],
    force: Force = False,
    store_path: StorePath = DEFAULT_STORE,
) -> None:
    """Write every raw sample of a run to a file, one sample per row."""
    with open_existing(store_path) as store:
        export_samples(partial(store.read_in_parts, run_id), to, failed_by, force=force)
    messages().print(f"wrote {to}", markup=False, soft_wrap=True)
