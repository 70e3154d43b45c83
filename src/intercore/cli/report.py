"""The command `report`: a page of stored runs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from intercore.benchmarks.options import Options
from intercore.cli.options import DEFAULT_STORE, Force, StorePath
from intercore.cli.outcome import write_report
from intercore.cli.report_options import with_report_options
from intercore.cli.stored import existing, named

app = typer.Typer(add_completion=False)


@app.command(epilog="Examples: intercore report 3 -o speedup.html; intercore report 1 host")
@with_report_options
def report(
    names: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[RUN]…", help="Numbers of stored runs, or targets for their newest complete one of each benchmark."
        ),
    ] = None,
    *,
    page: Annotated[Path, typer.Option("-o", "--output", help="Where to write the page.")] = Path("intercore.html"),
    force: Force = False,
    options: Options,
    store_path: StorePath = DEFAULT_STORE,
) -> None:
    """Write one self-contained HTML page with the plots of a run, or of several side by side."""
    with existing(store_path) as store:
        found = named(store, names) if names else [store.run()]
    write_report(found, page, options, force=force)
