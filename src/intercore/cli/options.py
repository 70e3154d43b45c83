"""Arguments and options of several commands."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, TypeAlias

import typer

from intercore.cli.number_options import seconds_option, whole_option
from intercore.link.port import DEFAULT_TIMEOUT
from intercore.target.targets import TARGETS, EmulatedTarget
from intercore.terminal.formats import formats

if TYPE_CHECKING:
    from collections.abc import Iterable

    from intercore.target.targets import Target

    FormatName: TypeAlias = str
else:
    FormatName = Literal[tuple(formats())]  # typer takes the choices from it

DEFAULT_STORE = Path("intercore.db")
MOST_BAUD = 10**9
"""Bits per second, above those of any serial line."""


def alternatives(names: Iterable[str]) -> str:
    """Return names as a list in a sentence: `openocd, stm32cubeprogrammer or pyocd`."""
    *first, last = names
    return f"{', '.join(first)} or {last}" if first else last


def _names(targets: Iterable[Target]) -> list[str]:
    return [target.name for target in targets]


def _longest_silences() -> str:
    by_timeout: dict[float, list[Target]] = {}
    for target in TARGETS:
        if target.timeout != DEFAULT_TIMEOUT:
            by_timeout.setdefault(target.timeout, []).append(target)
    described = [f"{seconds:.0f} for {alternatives(_names(targets))}" for seconds, targets in by_timeout.items()]
    return "; ".join([*described, f"otherwise {DEFAULT_TIMEOUT:.0f}"])


_HERE = _names(target for target in TARGETS if target.built_here)
_AT_A_PORT = _names(target for target in TARGETS if not target.built_here)
_OF_IMAGES = _names(target for target in TARGETS if isinstance(target, EmulatedTarget))
TARGET_HELP = f"One of {', '.join(_HERE)}; with --port: {', '.join(_AT_A_PORT)} (serial: any other board)."
TargetName = Annotated[str, typer.Argument(metavar="TARGET", help=TARGET_HELP)]
PortUrl = Annotated[
    str | None,
    typer.Option(
        "--port",
        help="Port of the target, e.g. /dev/ttyACM0, COM3, a pyserial URL or labgrid://PLACE. A simulated Pico: usb.",
    ),
]
KernelPath = Annotated[
    Path | None,
    typer.Option("--kernel", help="FreeRTOS kernel folder to build the target's program with, e.g. ~/FreeRTOS-Kernel."),
]
FirmwarePath = Annotated[
    Path | None,
    typer.Option(
        "--firmware",
        help="Firmware source folder to build the target's program from, e.g. ~/intercore/firmware.",
    ),
]
OwnSources = Annotated[
    list[Path] | None,
    typer.Option(
        "--source",
        help="Additional file of your own workload (C, C++ or a static library), e.g. table.c. May be repeated.",
    ),
]
OwnFolders = Annotated[
    list[Path] | None,
    typer.Option("--include", help="Folder with header files of your own workload, e.g. ./include. May be repeated."),
]
OwnFlags = Annotated[
    list[str] | None,
    typer.Option("--flag", help="Compiler flag for your own workload, e.g. --flag=-funroll-loops. May be repeated."),
]
Baud = Annotated[int, whole_option("--baud", 1, MOST_BAUD, "Bit rate of the serial port, e.g. 921600.")]
ImagePath = Annotated[
    Path | None,
    typer.Option(
        "--image",
        help=f"For {alternatives(_OF_IMAGES)}: complete flash image to run instead of building one, e.g. esp32.bin.",
    ),
]
Timeout = Annotated[
    float | None,
    seconds_option(
        "--timeout",
        0.1,
        f"Seconds of silence after which a target is considered lost, e.g. 60. Default: {_longest_silences()}.",
    ),
]
StorePath = Annotated[
    Path,
    typer.Option("--store", envvar="INTERCORE_STORE", help="File that holds the runs (the store), e.g. results.db."),
]
Force = Annotated[
    bool,
    typer.Option(
        "--force",
        help=(
            "Overwrite existing output files, whatever they contain. Without --force, a file is replaced only if it "
            "is an earlier output of the same kind."
        ),
    ),
]
Output = Annotated[FormatName, typer.Option("--format", help="Output format, e.g. json.")]
