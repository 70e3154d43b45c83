"""The sources of the firmware, which the package carries, and what a program that was built from them is kept under."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import TYPE_CHECKING

import intercore
from intercore.errors import IntercoreError

if TYPE_CHECKING:
    from collections.abc import Iterable


def firmware_sources() -> Path:
    """Return the folder with the firmware's sources: inside the installed package, or beside it in a checkout."""
    package = Path(intercore.__file__).parent
    for folder in (package / "firmware", package.parent.parent / "firmware"):
        if (folder / "CMakeLists.txt").exists():
            return folder
    raise IntercoreError(f"the firmware sources are missing from {package}; install Intercore again")


def digest_of(how: str, folders: Iterable[Path]) -> str:
    """Return what a program is kept under: a digest of how it is built and of all files that it is built from."""
    digest = hashlib.sha256(how.encode())
    for folder in folders:
        for path in sorted(folder.rglob("*")):
            if path.is_file():
                digest.update(path.relative_to(folder).as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()[:20]
