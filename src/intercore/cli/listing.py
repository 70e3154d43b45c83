"""The command `list`: lists the targets, or the benchmarks of a target."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from intercore.cli.connection import connected
from intercore.cli.options import Baud, ImagePath, Output, PortUrl, Timeout
from intercore.errors import UsageError, unknown
from intercore.target.offers import remember
from intercore.target.targets import DEFAULT_BAUD, TARGETS, Address, find
from intercore.terminal.findings import PlainRows
from intercore.terminal.formats import DEFAULT, show
from intercore.terminal.parameters import ParametersFindings

if TYPE_CHECKING:
    from collections.abc import Sequence

    from intercore.link.session import BenchmarkInfo

app = typer.Typer(add_completion=False)


@app.command("list", epilog="Examples: intercore list; intercore list host; intercore list host message")
def list_(
    target: Annotated[
        str | None,
        typer.Argument(
            metavar="[TARGET]",
            help="Target whose benchmarks to list, e.g. host. A board must be connected and is asked through --port. "
            "Default: list the targets.",
        ),
    ] = None,
    wanted: Annotated[
        list[str] | None,
        typer.Argument(metavar="[BENCHMARK...]", help="Benchmarks to list, e.g. message. Default: all."),
    ] = None,
    *,
    port: PortUrl = None,
    baud: Baud = DEFAULT_BAUD,
    image: ImagePath = None,
    timeout: Timeout = None,
    output: Output = DEFAULT,
) -> None:
    """List the targets, or the benchmarks of a target and their factors (parameters)."""
    if target is None:
        rows = [{"target": known.name, "description": known.summary} for known in TARGETS]
        show(PlainRows("Targets", rows), output, paged=True)
        return
    chosen = find(target)
    with connected(chosen, Address(port, baud, image=image), timeout) as (session, _):
        offered = session.benchmarks()
    remember(chosen.name, offered)
    benchmarks = _wanted(offered, wanted or [], target)
    factors = chosen.factors if chosen.built_here and image is None else ()
    show(ParametersFindings(target, benchmarks, factors), output, paged=True)


def _wanted(offered: Sequence[BenchmarkInfo], names: Sequence[str], target: str) -> Sequence[BenchmarkInfo]:
    known = [one.name for one in offered]
    for name in names:
        if name not in known:
            raise UsageError(unknown("benchmark", name, known, f"{target} has"))
    return [one for one in offered if not names or one.name in names]
