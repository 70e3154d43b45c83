"""The sources of the FreeRTOS kernel: a folder of the user, or the crate that the firmware pins, from cargo."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from intercore.board.cmake import Tool
from intercore.errors import IntercoreError, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable

KERNEL_VARIABLE = "FREERTOS_KERNEL_PATH"
"""Environment variable with the folder of a kernel: with tasks.c, include/ and portable/."""
CRATE = "freertos-next"
"""Contains the official sources, unmodified, in its folder FreeRTOS-Kernel."""
LEAST = (11, 2)
"""Oldest version of the kernel that the firmware supports."""

CARGO = Tool("cargo", "Rust's cargo", "cargo")
"""Fetches the crate."""

_TIMEOUT_S = 300.0
_VERSION = re.compile(r'define\s+tskKERNEL_VERSION_NUMBER\s+"(V(\d+)\.(\d+)[^"]*)"')


class Kernel(msgspec.Struct, frozen=True):
    """A FreeRTOS kernel to build with."""

    folder: Path | None
    """Folder of its sources; None for a program that was built elsewhere."""
    version: str
    """Its version, e.g. `V11.2.0`."""
    origin: str
    """Source of the folder: `--kernel`, an environment variable or the cargo package; or `prebuilt image`."""

    def __str__(self) -> str:
        """Return its version and origin: `FreeRTOS V11.2.0 in FOLDER (--kernel)`."""
        where = "" if self.folder is None else f" in {self.folder.absolute()}"
        return f"FreeRTOS {self.version}{where} ({self.origin})"


class _Package(msgspec.Struct):
    name: str
    manifest_path: str


class _Metadata(msgspec.Struct):
    packages: list[_Package]


def freertos_kernel(manifest: Path, say: Callable[[str], None], named: Path | None = None) -> Kernel:
    """Return the kernel: the one `named`, or that of FREERTOS_KERNEL_PATH, or that of the crate that `manifest` pins.

    `manifest` is the folder of a Cargo.toml. `say` reports that the crate is fetched. Raises IntercoreError if the
    kernel is not available, invalid or too old, and UsageError if the one `named` is.
    """
    given = os.environ.get(KERNEL_VARIABLE)
    if named is not None:
        folder, origin, setting = named, "--kernel", "--kernel"
    elif given:
        folder, origin, setting = Path(given), KERNEL_VARIABLE, KERNEL_VARIABLE
    else:
        folder = _crate(manifest / "Cargo.toml", say) / "FreeRTOS-Kernel"
        origin, setting = f"cargo package {CRATE}", KERNEL_VARIABLE
    try:
        found = _VERSION.search((folder / "include" / "task.h").read_text(errors="replace"))
    except OSError:
        found = None
    refused = IntercoreError if named is None else UsageError
    if found is None:
        raise refused(
            f"{folder} ({origin}) is not a FreeRTOS kernel: {setting} must name the folder with "
            "tasks.c, include/ and portable/"
        )
    if (int(found[2]), int(found[3])) < LEAST:
        raise refused(
            f"FreeRTOS V11.2 or later is needed, but {folder} ({origin}) is {found[1]}: name a later one by {setting}"
        )
    return Kernel(folder, found[1], origin)


def _crate(manifest: Path, say: Callable[[str], None]) -> Path:
    """Return the folder of the crate, after fetching it if necessary."""
    cargo = shutil.which("cargo")
    if cargo is None:
        raise _unobtainable("cargo was not found")
    try:
        return _where(cargo, manifest)
    except IntercoreError:
        say(f"fetching the FreeRTOS kernel (crate {CRATE})")
        _cargo(cargo, "fetch", manifest)
    return _where(cargo, manifest)


def _where(cargo: str, manifest: Path) -> Path:
    output = _cargo(cargo, "metadata", manifest, "--format-version", "1", "--offline")
    try:
        packages = msgspec.json.decode(output, type=_Metadata).packages
    except msgspec.MsgspecError as error:
        raise _unobtainable(f"the output of cargo metadata cannot be read: {error}") from error
    for package in packages:
        if package.name == CRATE:
            return Path(package.manifest_path).parent
    raise _unobtainable(f"{manifest} does not name the crate {CRATE}")


def _cargo(cargo: str, command: str, manifest: Path, *words: str) -> bytes:
    whole = [cargo, command, "--locked", "--manifest-path", str(manifest), *words]
    try:
        return subprocess.run(whole, check=True, capture_output=True, timeout=_TIMEOUT_S).stdout
    except subprocess.CalledProcessError as error:
        lines = [line.strip() for line in error.stderr.decode(errors="replace").splitlines() if line.strip()]
        first = next((line for line in lines if line.startswith("error")), "no reason given")
        last = f" ({lines[-1]})" if lines and lines[-1] != first else ""
        raise _unobtainable(f"cargo {command} reports: {first}{last}") from error
    except subprocess.TimeoutExpired as error:
        raise _unobtainable(f"cargo {command} took more than {_TIMEOUT_S:.0f} s") from error
    except OSError as error:
        raise _unobtainable(f"{cargo} cannot be started: {error.strerror or error}") from error


def _unobtainable(why: str) -> IntercoreError:
    return IntercoreError(
        f"the FreeRTOS kernel is not available: {why}. Install Rust's cargo, which fetches the kernel once, or set "
        f"{KERNEL_VARIABLE} to the folder of a FreeRTOS kernel V11.2 or later"
    )
