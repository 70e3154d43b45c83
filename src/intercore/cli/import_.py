"""The command `import`: shows a file that somebody's `validate` has written."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from intercore.cli.options import Force, Output
from intercore.cli.outcome import check_page
from intercore.cli.validation import ValidationPage, show_validation
from intercore.terminal.formats import DEFAULT
from intercore.validate.report import ValidationFindings
from intercore.validate.result import read

app = typer.Typer(add_completion=False)


@app.command("import", epilog="Example: intercore import pico-validation.json")
def import_(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="File of intercore validate, e.g. from an issue.")],
    *,
    page: ValidationPage = None,
    force: Force = False,
    output: Output = DEFAULT,
) -> None:
    """Check a file that intercore validate has written elsewhere, and show what it says."""
    check_page(page, force=force)
    found = read(file)
    if found.origin == "board":
        first = f"{file} says of itself that it is of a board; that cannot be checked here."
    else:
        first = f"{file} is of a simulated board: nothing in it was measured."
    show_validation(ValidationFindings(found, first), page, output, force=force)
