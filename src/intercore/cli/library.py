"""The command `library`: writes the firmware of a board as a library for another tool."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from intercore.board.arduino_library import write_arduino_library
from intercore.cli.group import Group
from intercore.terminal.console import results

app = typer.Typer(cls=Group, no_args_is_help=True, add_completion=False)


@app.callback(epilog="Example: intercore library arduino --output Intercore")
def library() -> None:
    """Write the ESP32 firmware as a library for another build tool: Arduino."""


@app.command(epilog="Examples: intercore library arduino; intercore library arduino --output Intercore")
def arduino(
    *,
    output: Annotated[
        Path, typer.Option("-o", "--output", help="Folder to write, e.g. Intercore, or a file ending in .zip.")
    ] = Path("Intercore.zip"),
    force: Annotated[
        bool,
        typer.Option(
            "--force",
            help="Overwrite an existing .zip file, whatever it contains. A folder is replaced only if it is an earlier "
            "Intercore library.",
        ),
    ] = False,
) -> None:
    """Write the ESP32 firmware as an Arduino library, from the firmware sources."""
    written = write_arduino_library(output, force=force)
    how = (
        "add it with Sketch > Include Library > Add .ZIP Library"
        if output.suffix == ".zip"
        else "move it into the folder libraries of the sketchbook"
    )
    results().print(
        f"{written}: {how}, then open File > Examples > Intercore > Benchmark", markup=False, soft_wrap=True
    )
