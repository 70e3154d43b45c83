"""Flashes a Raspberry Pi Pico or Pico 2: through the drive of its boot ROM, or by picotool."""

from __future__ import annotations

import os
import re
import shutil
import string
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from intercore.errors import IntercoreError, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable

RP2040 = 0xE48B_FF56
RP2350_RISCV = 0xE48B_FF5A
"""Family IDs in the UF2 specification: of a chip, or of one of its kinds of cores."""


class BootDrive(NamedTuple):
    """The drive that a boot ROM offers."""

    board_id: str
    """Its Board-ID, which is also the label of the drive."""
    title: str
    """Whose it is, in messages."""
    family: int
    """Family ID of the UF2 files that it accepts for the program (`uf2`)."""


PICO = BootDrive("RPI-RP2", "Pico", RP2040)
"""RP2040 datasheet 2.8.4."""
PICO2_RISCV = BootDrive("RP2350", "Pico 2", RP2350_RISCV)
"""RP2350 datasheet 5.7.6; for a program for the RISC-V cores."""

INFO = "INFO_UF2.TXT"
"""The file on every UF2 drive that identifies the board (UF2 specification)."""
_BOARD_ID = re.compile(r"^Board-ID:\s*(\S+)", re.MULTILINE)
_PICOTOOL_TIMEOUT_S = 60.0


def _steps(kind: BootDrive) -> str:
    return (
        f"Hold the BOOTSEL button while you connect the board, so that a drive named {kind.board_id} appears. Then try "
        "again. If the drive is mounted but not found, give its mount point with --drive PATH. If there is no drive, "
        "Intercore uses picotool if it is installed"
    )


def flash_drive(
    uf2: Path, drive: Path | None = None, say: Callable[[str], object] = lambda _: None, kind: BootDrive = PICO
) -> str:
    """Flash a UF2 image to a board, which starts it immediately; return a few words on how.

    `drive` is the folder of the boot drive; without it, a boot drive is searched for, and then picotool. `say` reports
    that copying begins. Raises IntercoreError if there is neither, or if flashing fails.
    """
    copying = f"copying {uf2.name}"
    if drive is not None:
        check_drive(drive, kind)
        say(copying)
        return _copy(uf2, drive, kind)
    found = [folder for folder in mounted() if board_id(folder) == kind.board_id]
    if len(found) > 1:
        raise UsageError(
            f"{len(found)} boot drives of a {kind.title} were found ({', '.join(map(str, found))}): choose one by "
            "--drive"
        )
    if found:
        say(copying)
        return _copy(uf2, found[0], kind)
    picotool = shutil.which("picotool")
    if picotool is None:
        raise IntercoreError(f"no {kind.title} in BOOTSEL mode was found. {_steps(kind)}")
    say(copying)
    return _load(picotool, uf2, kind)


def check_drive(drive: Path | None, kind: BootDrive = PICO) -> None:
    """Raise UsageError if a folder is not the boot drive of such a board."""
    if drive is not None and board_id(drive) != kind.board_id:
        raise UsageError(
            f"{drive} is not the boot drive of a {kind.title} (no {INFO} with Board-ID {kind.board_id}). {_steps(kind)}"
        )


def board_id(drive: Path) -> str | None:
    """Return the Board-ID of a UF2 drive; None if the folder is not one."""
    try:
        found = _BOARD_ID.search((drive / INFO).read_text(encoding="ascii", errors="replace"))
    except OSError:
        return None
    return found[1] if found else None


def mounted() -> list[Path]:
    """Return the folders where a drive may be mounted on this system."""
    if sys.platform == "win32":
        return [Path(f"{letter}:/") for letter in string.ascii_uppercase]
    if sys.platform == "darwin":
        return _folders(Path("/Volumes"))
    return _mounts(Path("/proc/self/mounts"))


def _folders(parent: Path) -> list[Path]:
    try:
        return sorted(parent.iterdir())
    except OSError:
        return []


def _mounts(table: Path) -> list[Path]:
    """Read the mounted vfat drives of Linux. Blanks separate fields; within a field they are octal escapes."""
    try:
        lines = [line.split() for line in table.read_text(errors="surrogateescape").splitlines()]
    except OSError:
        return []
    escape = re.compile(r"\\([0-7]{3})")
    return [Path(escape.sub(lambda octal: chr(int(octal[1], 8)), line[1])) for line in lines if line[2:3] == ["vfat"]]


def _copy(uf2: Path, drive: Path, kind: BootDrive) -> str:
    try:
        with uf2.open("rb") as source, (drive / uf2.name).open("wb") as copy:
            shutil.copyfileobj(source, copy)
            copy.flush()
            # The board restarts, and its drive disappears, as soon as the last block has arrived.
            with suppress(OSError):
                os.fsync(copy.fileno())
    except OSError as error:
        raise IntercoreError(f"cannot copy {uf2.name} to {drive}: {error.strerror or error}. {_steps(kind)}") from error
    return f"copied to {drive}"


def _load(picotool: str, uf2: Path, kind: BootDrive) -> str:
    try:
        result = subprocess.run(
            [picotool, "load", "-x", str(uf2)], capture_output=True, check=False, timeout=_PICOTOOL_TIMEOUT_S
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise IntercoreError(f"picotool failed: {error}. {_steps(kind)}") from error
    if result.returncode:
        output = (result.stderr or result.stdout).decode(errors="replace").strip().splitlines()
        said = f" ({output[0]})" if output else ""
        raise IntercoreError(f"picotool did not load the program{said}. {_steps(kind)}")
    return "loaded by picotool"
