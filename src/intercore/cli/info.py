"""The command `info`: shows the conditions of a target."""

from __future__ import annotations

import typer

from intercore.campaign.open_target import target_conditions
from intercore.cli.connection import connected
from intercore.cli.options import Baud, ImagePath, Output, PortUrl, TargetName, Timeout
from intercore.record.origin import in_heading
from intercore.target.targets import DEFAULT_BAUD, Address, find
from intercore.terminal.findings import PlainRows
from intercore.terminal.formats import DEFAULT, show

app = typer.Typer(add_completion=False)


@app.command(epilog="Example: intercore info host --format json")
def info(
    target: TargetName,
    *,
    port: PortUrl = None,
    baud: Baud = DEFAULT_BAUD,
    image: ImagePath = None,
    timeout: Timeout = None,
    output: Output = DEFAULT,
) -> None:
    """Show the configuration of a target: chip, cores, clocks, compiler, scheduler and more."""
    with connected(find(target), Address(port, baud, image=image), timeout) as (session, opened):
        known = target_conditions(session, opened, target)
    origin = find(target).origin
    if origin == "simulated":
        known["simulated"] = "yes: its numbers are simulated, not measured"
    rows = [{"condition": key, "value": value} for key, value in sorted(known.items())]
    show(PlainRows(in_heading(target, origin), rows), output)
