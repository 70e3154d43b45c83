"""The firmware sources in the package, and the cache keys of programs built from them."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

import intercore
from intercore.errors import IntercoreError, UsageError
from intercore.record.own_work import OwnWork

if TYPE_CHECKING:
    from collections.abc import Iterable

    from intercore.record.measurement import Plan

_PROJECT = "CMakeLists.txt"
"""A file of the firmware's folder, as of any CMake project; `core` and `board` distinguish it."""


class Sources(msgspec.Struct, frozen=True):
    """The sources of a program, where the user replaces the default ones."""

    firmware: Path | None = None
    """Folder of Intercore's firmware; None for that of the package."""
    kernel: Path | None = None
    """Folder of a FreeRTOS kernel; None for that of FREERTOS_KERNEL_PATH, or else the one that the firmware pins."""
    own: OwnWork | None = None
    """A user's workload, in addition to those of the firmware."""

    def folder(self) -> Path:
        """Return the folder with the firmware's sources. Raises UsageError if the named one has none."""
        if self.firmware is None:
            return firmware_sources()
        if not _is_firmware(self.firmware):
            inside = self.firmware / "firmware"
            hint = f"; did you mean {inside}?" if _is_firmware(inside) else ""
            raise UsageError(
                f"{self.firmware} does not contain the sources of Intercore's firmware ({_PROJECT}, core/, "
                f"board/){hint}"
            )
        return self.firmware


USUAL_SOURCES = Sources()


def sources_of_plan(plan: Plan) -> Sources:
    """Return the sources of a plan's program."""
    firmware, kernel = (None if text is None else Path(text) for text in (plan.firmware, plan.kernel))
    return Sources(firmware, kernel, plan.own)


def _is_firmware(folder: Path) -> bool:
    return (folder / _PROJECT).is_file() and (folder / "core").is_dir() and (folder / "board").is_dir()


def firmware_sources() -> Path:
    """Return the folder with the firmware's sources: in the installed package, or next to it in a checkout."""
    package = Path(intercore.__file__).parent
    for folder in (package / "firmware", package.parent.parent / "firmware"):
        if (folder / _PROJECT).exists():
            return folder
    raise IntercoreError(f"the firmware sources are missing from {package}; install Intercore again")


def digest_of(how: str, folders: Iterable[Path]) -> str:
    """Return the cache key of a program: a digest of its build options and of all its source files."""
    digest = hashlib.sha256(how.encode())
    for folder in folders:
        for path in sorted(folder.rglob("*")):
            if path.is_file():
                digest.update(path.relative_to(folder).as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()[:20]
