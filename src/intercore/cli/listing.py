"""The command `list`: the targets, or what one can measure."""

from __future__ import annotations

from typing import Annotated

import typer

from intercore.cli.connection import connected
from intercore.cli.options import Baud, ImagePath, Output, PortUrl, Timeout
from intercore.target.targets import DEFAULT_BAUD, TARGETS, Address, find
from intercore.terminal.findings import PlainRows
from intercore.terminal.formats import DEFAULT, show
from intercore.terminal.parameters import ParametersFindings

app = typer.Typer(add_completion=False)


@app.command("list", epilog="Examples: intercore list; intercore list host")
def list_(
    target: Annotated[str | None, typer.Argument(metavar="[TARGET]", help="Whose benchmarks to list.")] = None,
    *,
    port: PortUrl = None,
    baud: Baud = DEFAULT_BAUD,
    image: ImagePath = None,
    timeout: Timeout = None,
    output: Output = DEFAULT,
) -> None:
    """List the targets, or the benchmarks of a target with their parameters."""
    if target is None:
        rows = [{"target": known.name, "what it is": known.summary} for known in TARGETS]
        show(PlainRows("Targets", rows), output)
        return
    chosen = find(target)
    with connected(chosen, Address(port, baud, image=image), timeout) as (session, _):
        benchmarks = session.benchmarks()
    factors = chosen.factors if chosen.built_here and image is None else ()
    show(ParametersFindings(target, benchmarks, factors), output)
