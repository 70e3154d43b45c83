"""Builds with a user's workload: its CMake variables, and its conditions."""

from __future__ import annotations

import hashlib
import re
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

from intercore.board.digest import DIGITS
from intercore.errors import IntercoreError, UsageError
from intercore.record.own_work import C_SUFFIX, LIBRARY, SUFFIXES, OwnWork
from intercore.text import listed

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

HEADERS = "include"
"""Folder of the firmware with the header that such a file includes."""
TARGET = "own-workload"
"""CMake target of the user's files alone (firmware/own.cmake)."""

NAME = re.compile(r"[a-z_][a-z0-9_]{0,15}")
"""Valid names of a workload, which is also a function."""
NAME_RULE = (
    "begin with a lower-case letter or an underscore, and use at most 16 lower-case letters, digits and underscores"
)
_CHATTER = re.compile(r"\[ *\d+%\]|g?make(\[\d+\])?:|ninja:|FAILED:|\[\d+/\d+\]|-- ")
"""Prefixes of lines of the build tools, which are not from the compiler."""
_TIMEOUT_S = 60.0


def own_work(files: Sequence[Path], folders: Iterable[Path], flags: Iterable[str]) -> OwnWork:
    """Return the workload of these files. Raises UsageError if they cannot be one."""
    for file in files:
        if file.is_dir():
            raise UsageError(f"{file} is a folder: name one file of the workload, and its other files by --source")
        if file.suffix not in SUFFIXES:
            raise UsageError(
                f"{file} cannot be a file of a workload: the suffixes of such files are {listed(SUFFIXES)}"
            )
        if not file.is_file():
            raise UsageError(f"there is no file {file}. To create it: intercore new workload {file.stem}")
    folders = [*folders]
    for folder in folders:
        if not folder.is_dir():
            raise UsageError(f"--include: there is no folder {folder}")
    whole = [*files, *folders]
    for path in whole:
        if found := re.search(r'[;|"\\$]', str(path.absolute())):
            kind = "folder" if path.is_dir() else "file"
            raise UsageError(
                f"the path of the {kind} {path.absolute()} contains the character {found[0]}, which the build does not "
                f"support: rename or move the {kind}"
            )
    work = OwnWork(
        tuple(str(file.absolute()) for file in files), tuple(str(one.absolute()) for one in folders), tuple(flags)
    )
    if not NAME.fullmatch(work.name):
        raise UsageError(
            f"the name of a workload is that of its file, but '{work.name}' is not a valid name: {NAME_RULE}, e.g. "
            "fft.c"
        )
    for flag in work.flags:
        if not flag.startswith("-"):
            raise UsageError(
                f"--flag={flag} is not a compiler flag: a flag begins with -, such as --flag=-funroll-loops"
            )
        if found := re.search(r"[;|]", flag):
            raise UsageError(f"--flag={flag} contains the character {found[0]}, which the build does not support")
    return work


def in_cpp(work: OwnWork) -> bool:
    """Whether any of its files is in C++."""
    return any(Path(file).suffix not in {C_SUFFIX, LIBRARY} for file in work.files)


def defines(work: OwnWork, compiler: str, firmware: Path) -> dict[str, str]:
    """Return the CMake variables, with the digest, so that a changed header causes a new build.

    Raises IntercoreError if a file cannot be read, or if an included file is missing.
    """
    return {
        "IC_OWN": work.name,
        "IC_OWN_FILES": ";".join(work.files),
        "IC_OWN_FOLDERS": ";".join(work.folders),
        "IC_OWN_FLAGS": ";".join(work.flags),
        "IC_OWN_DIGEST": digest(work, compiler, firmware),
    }


def conditions(work: OwnWork, compiler: str, firmware: Path) -> dict[str, str]:
    """Return its conditions for measurements."""
    return {
        "workload.name": work.name,
        "workload.digest": digest(work, compiler, firmware),
        "workload.flags": " ".join(work.flags) or "none of its own",
    }


def digest(work: OwnWork, compiler: str, firmware: Path) -> str:
    """Return the digest of its files and all included files, except headers of the system and the firmware."""
    found = hashlib.sha256()
    try:
        for path in _read_by(work, compiler, firmware):
            found.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    except OSError as error:
        raise IntercoreError(f"cannot read {error.filename}: {error.strerror or error}") from error
    return found.hexdigest()[:DIGITS]


def _read_by(work: OwnWork, compiler: str, firmware: Path) -> list[Path]:
    """Return all files that a build reads, as listed by the compiler."""
    sources = [file for file in work.files if not file.endswith(LIBRARY)]
    libraries = [Path(file) for file in work.files if file.endswith(LIBRARY)]
    ours = firmware / HEADERS
    if not sources:
        return libraries
    folders = [f"-I{folder}" for folder in (*work.folders, str(ours))]
    try:
        done = subprocess.run(
            [compiler, *work.flags, *folders, "-MM", *sources], capture_output=True, check=False, timeout=_TIMEOUT_S
        )
    except subprocess.TimeoutExpired as error:
        raise IntercoreError(
            f"the workload was not built, because the compiler took more than {_TIMEOUT_S:.0f} s to preprocess "
            f"{listed(sources)}: check their #include lines"
        ) from error
    if done.returncode:
        raise broken(work, done.stderr.decode(errors="replace"))
    rules = done.stdout.decode(errors="replace").replace("\\\n", " ")
    words = [word for rule in rules.splitlines() for word in re.split(r"(?<!\\)\s+", rule.partition(":")[2]) if word]
    paths = [Path(re.sub(r"\\([ #])", r"\1", word)) for word in words]
    return [path for path in dict.fromkeys(paths) if ours not in path.parents] + libraries


def broken(work: OwnWork, output: str) -> IntercoreError:
    """Return the error for files that do not compile, with the compiler's messages."""
    said = [line for line in output.splitlines() if line.strip() and not _CHATTER.match(line)]
    return IntercoreError("\n".join([f"the workload {work.name} does not compile:", *said]))
