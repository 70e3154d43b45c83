"""The command `meters`: lists the connected power meters and the supported kinds."""

from __future__ import annotations

import typer

from intercore.cli.options import Output
from intercore.meter.registry import known
from intercore.terminal.console import messages
from intercore.terminal.findings import PlainRows
from intercore.terminal.formats import DEFAULT, show

app = typer.Typer(add_completion=False)


@app.command(epilog="Examples: intercore meters; intercore meters --format json")
def meters(*, output: Output = DEFAULT) -> None:
    """List the connected power meters and the supported kinds of meters."""
    with messages().status("searching"):
        connected = [(driver, list(driver.find())) for driver in known().values()]
    rows = [{"--meter": url, "connected": "yes", "description": what} for _, found in connected for url, what in found]
    rows += [{"--meter": driver.form, "connected": "", "description": driver.summary} for driver, _ in connected]
    show(PlainRows("Power meters", rows), output)
