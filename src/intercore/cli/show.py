"""The command `show`: the analysis of a stored run."""

from __future__ import annotations

import typer

from intercore.benchmarks.options import Options
from intercore.cli.options import DEFAULT_STORE, Output, StorePath
from intercore.cli.outcome import findings
from intercore.cli.report_options import with_report_options
from intercore.cli.stored import RunId, stored
from intercore.terminal import formats

app = typer.Typer(add_completion=False)


@app.command(epilog="Examples: intercore show; intercore show 3 --format json")
@with_report_options
def show(
    run_id: RunId = None,
    *,
    options: Options,
    store_path: StorePath = DEFAULT_STORE,
    output: Output = formats.DEFAULT,
) -> None:
    """Print the analysis of a stored run."""
    formats.show(findings(stored(store_path, run_id), store_path, options), output)
