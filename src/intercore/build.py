"""Builds the benchmark program for this machine from the firmware sources that the package carries.

Built once per sources, flags and compiler: the program is kept in the user's cache under a hash of all three.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import platformdirs

from intercore.errors import IntercoreError

if TYPE_CHECKING:
    from collections.abc import Callable

OPT_LEVELS = ("O0", "O1", "O2", "O3", "Os", "Ofast")
"""Optimisation levels of the compiler: the levels of the factor `opt`."""

DEFAULT_OPT = "O2"

SANITIZE_VARIABLE = "INTERCORE_SANITIZE"
"""Environment variable that adds `-fsanitize=<value>` to the build: for testing the firmware, not for measuring."""

_PROGRAM = "intercore-target"
_TIMEOUT_S = 300.0


def host_program(opt: str, say: Callable[[str], None]) -> Path:
    """Return the benchmark program for this machine at optimisation level `opt`, building it if there is none yet.

    `say` is told in a few words what takes time. Raises IntercoreError if this is not Linux, or if the compiler or
    CMake is missing or fails.
    """
    if sys.platform != "linux":
        raise IntercoreError(
            f"the target 'host' needs Linux, and this is {sys.platform}; to measure a board, name its port: "
            "intercore run serial --port COM3 …"
        )
    compiler = _find(os.environ.get("CC", "cc"), "a C compiler", "gcc")
    cmake = _find("cmake", "CMake", "cmake")
    sanitize = os.environ.get(SANITIZE_VARIABLE, "")
    try:
        sources = firmware_sources()
        kept = platformdirs.user_cache_path("intercore") / "host" / _key(sources, compiler, opt, sanitize) / _PROGRAM
        if not kept.exists():
            say(f"building the host program (-{opt})")
            factors = [f"-DCMAKE_C_COMPILER={compiler}", f"-DIC_OPT={opt}", f"-DIC_SANITIZE={sanitize}"]
            _build(sources, kept, [cmake, *factors])
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        raise IntercoreError(f"the host program cannot be built: {where}{error.strerror or error}") from error
    return kept


def firmware_sources() -> Path:
    """Return the folder with the firmware's sources: inside the installed package, or beside it in a checkout."""
    package = Path(__file__).parent
    for folder in (package / "firmware", package.parent.parent / "firmware"):
        if (folder / "CMakeLists.txt").exists():
            return folder
    raise IntercoreError(f"the firmware sources are missing from {package}; install Intercore again")


def _find(program: str, what: str, package: str) -> str:
    path = shutil.which(program)
    if path is None:
        raise IntercoreError(
            f"the host program cannot be built: {what} ({program}) was not found; "
            f"on Debian or Ubuntu: apt install {package}"
        )
    return path


def _key(sources: Path, compiler: str, opt: str, sanitize: str) -> str:
    version = subprocess.run([compiler, "--version"], capture_output=True, check=False, timeout=_TIMEOUT_S).stdout
    digest = hashlib.sha256(repr((compiler, version, opt, sanitize)).encode())
    for path in sorted(sources.rglob("*")):
        if path.is_file():
            digest.update(path.relative_to(sources).as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()[:20]


def _build(sources: Path, kept: Path, configure: list[str]) -> None:
    """Build in a scratch folder and move the program into place at the end, so that two builds cannot mix."""
    kept.parent.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=kept.parent.parent) as scratch:
        _run([*configure, "-S", str(sources), "-B", scratch])
        _run([configure[0], "--build", scratch, "--target", _PROGRAM, "--parallel"])
        kept.parent.mkdir(exist_ok=True)
        Path(scratch, _PROGRAM).replace(kept)


def _run(command: list[str]) -> None:
    try:
        subprocess.run(command, check=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=_TIMEOUT_S)
    except subprocess.CalledProcessError as error:
        output = error.stdout.decode(errors="replace").strip().splitlines()
        told = next((line for line in output if "error" in line.lower()), output[-1] if output else "no output")
        raise IntercoreError(f"the host program could not be built; {Path(command[0]).name} says: {told}") from error
    except subprocess.TimeoutExpired as error:
        raise IntercoreError(f"the host program could not be built in {_TIMEOUT_S:.0f} s") from error
