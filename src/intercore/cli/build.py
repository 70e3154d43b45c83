"""The command `build`: builds the program of a board."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from intercore.board.boards import find
from intercore.board.build import board_image
from intercore.board.image_files import check_folder, write_image
from intercore.cli.board_options import BoardName, levels_of, with_factors
from intercore.cli.options import Force, Output
from intercore.terminal.console import messages
from intercore.terminal.formats import DEFAULT, show
from intercore.terminal.image import ImageFindings

app = typer.Typer(add_completion=False)


@app.command(epilog="Example: intercore build pico --opt O3 -o firmware")
@with_factors
def build(
    board: BoardName,
    *,
    folder: Annotated[Path, typer.Option("-o", "--output", help="Folder for the files, e.g. firmware.")] = Path(),
    force: Force = False,
    output: Output = DEFAULT,
    **levels: str | None,
) -> None:
    """Build the firmware for a board: ELF files, and a UF2 file or a complete flash image."""
    chosen = find(board)
    check_folder(folder)
    wanted = levels_of(chosen, levels)
    with messages().status(f"building the program for {board}") as status:
        files = write_image(board_image(chosen, wanted, status.update), folder, force=force)
    show(ImageFindings(files), output)
