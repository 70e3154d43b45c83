"""Arguments and options that several commands have."""

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
    FormatName = Literal[tuple(formats())]  # which typer makes the choices of, for help and completion

DEFAULT_STORE = Path("intercore.db")
MOST_BAUD = 10**9
"""Bits per second: more than any serial line carries."""


def alternatives(names: Iterable[str]) -> str:
    """Return names as a help text has them: `openocd, stm32cubeprogrammer or pyocd`."""
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
    return ", ".join([*described, f"else {DEFAULT_TIMEOUT:.0f}"])


_HERE = _names(target for target in TARGETS if target.built_here)
_AT_A_PORT = _names(target for target in TARGETS if not target.built_here)
_OF_IMAGES = _names(target for target in TARGETS if isinstance(target, EmulatedTarget))
TARGET_HELP = f"{', '.join(_HERE)}, or with --port {', '.join(_AT_A_PORT)}."
TargetName = Annotated[str, typer.Argument(metavar="TARGET", help=TARGET_HELP)]
PortUrl = Annotated[
    str | None,
    typer.Option("--port", help="Device, pyserial URL or labgrid place: /dev/ttyACM0, COM3, labgrid://PLACE."),
]
KernelPath = Annotated[
    Path | None,
    typer.Option("--kernel", help="Folder of the FreeRTOS kernel to build with, where it is built here."),
]
OwnSources = Annotated[
    list[Path] | None,
    typer.Option("--source", help="Further file of a workload of your own: C, C++ or a static library; repeat."),
]
OwnFolders = Annotated[
    list[Path] | None, typer.Option("--include", help="Folder of headers for a workload of your own; repeat.")
]
OwnFlags = Annotated[
    list[str] | None, typer.Option("--flag", help="Compiler's flag for it, e.g. --flag=-funroll-loops; repeat.")
]
Baud = Annotated[int, whole_option("--baud", 1, MOST_BAUD, "Bits per second of a serial port, at first.")]
ImagePath = Annotated[
    Path | None,
    typer.Option(
        "--image",
        help=f"For {alternatives(_OF_IMAGES)}: an existing image of its whole flash, instead of building one.",
    ),
]
Timeout = Annotated[
    float | None,
    seconds_option("--timeout", 0.1, f"Longest silence of a target, in seconds: {_longest_silences()}."),
]
StorePath = Annotated[Path, typer.Option("--store", envvar="INTERCORE_STORE", help="File that holds the runs.")]
Force = Annotated[
    bool,
    typer.Option("--force", help="Replace what is at an output's path, even if it is no older output of its kind."),
]
Output = Annotated[FormatName, typer.Option("--format", help="How to print.")]
