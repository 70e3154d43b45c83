"""The command `flash`: builds the program of a board and writes it to the board."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from intercore.board.boards import Flashing, find
from intercore.board.debug_probe import TOOLS
from intercore.board.flash import flash as flash_board
from intercore.cli.board_options import BoardName, boards_flashed_by, levels_of, with_factors
from intercore.cli.options import alternatives
from intercore.errors import UsageError
from intercore.target.targets import option_of
from intercore.terminal.console import say

app = typer.Typer(add_completion=False)

_BY_BOOT_DRIVE = boards_flashed_by("boot drive")
_BY_SERIAL_PORT = boards_flashed_by("esptool")
_DRIVERS = alternatives(tool.name for tool in TOOLS)


@app.command(
    epilog="Examples: intercore flash pico --opt O3; intercore flash stm32h745 --m7-mhz 240; "
    "intercore flash esp32 --port /dev/ttyUSB0",
)
@with_factors
def flash(
    board: BoardName,
    *,
    drive: Annotated[
        Path | None,
        typer.Option(
            help=(
                f"For {_BY_BOOT_DRIVE}: mount point of the boot drive, e.g. /media/me/RPI-RP2. Needed only if the "
                "tool does not find the drive."
            )
        ),
    ] = None,
    probe: Annotated[
        str | None,
        typer.Option(help="Serial number of the debug probe, if several are connected, e.g. 0669FF303430484257."),
    ] = None,
    tool: Annotated[
        str | None,
        typer.Option(
            "--with",
            help=(f"Tool that drives the debug probe: {_DRIVERS}. Default: the first of these that is installed."),
        ),
    ] = None,
    port: Annotated[
        str | None, typer.Option(help=f"For {_BY_SERIAL_PORT}: serial port, e.g. /dev/ttyUSB0 or COM3.")
    ] = None,
    image: Annotated[
        Path | None,
        typer.Option(
            help=f"For {_BY_SERIAL_PORT}: complete flash image to write instead of building one, e.g. from intercore "
            "build."
        ),
    ] = None,
    **levels: str | None,
) -> None:
    """Build the firmware for a board and flash it via its boot drive, picotool, a debug probe or esptool."""
    chosen = find(board)
    wanted = levels_of(chosen, levels)
    if image is not None and wanted:
        raise UsageError(
            f"{option_of(next(iter(wanted)))} has no effect on an image that is already built: omit that option, or "
            "omit --image"
        )
    way = Flashing(drive, probe, tool, port, image)
    flashed = flash_board(chosen, wanted, way, say)
    if flashed.kernel:
        say(f"kernel: {flashed.kernel}")
    say(f"{flashed.words}; the program starts immediately{chosen.console and f'; {chosen.console}'}")
