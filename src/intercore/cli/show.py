"""The command `show`: the analysis of a stored run."""

from __future__ import annotations

import typer

from intercore.cli.options import DEFAULT_STORE, Output, StorePath
from intercore.cli.outcome import DEFAULT_EFFICIENCY, Efficiency, check_efficiency, findings
from intercore.cli.stored import RunId, stored
from intercore.terminal import formats

app = typer.Typer(add_completion=False)


@app.command(epilog="Examples: intercore show; intercore show 3 --format json")
def show(
    run_id: RunId = None,
    *,
    efficiency: Efficiency = DEFAULT_EFFICIENCY,
    store_path: StorePath = DEFAULT_STORE,
    output: Output = formats.DEFAULT,
) -> None:
    """Print the analysis of a stored run."""
    check_efficiency(efficiency)
    formats.show(findings(stored(store_path, run_id), store_path, efficiency), output)
