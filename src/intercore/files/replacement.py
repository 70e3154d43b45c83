"""Writing an output: whole or not at all, and never over what is not an older output of the same kind.

Each file that a command writes for its user goes through here. What is at its path already is recognised by its first
bytes: an older output of the kind is replaced, an empty file too; for anything else (a store, a plan, a program, the
work of a person) the user must ask by `--force`.
"""

from __future__ import annotations

import contextlib
import os
import re
import secrets
import stat
from typing import IO, TYPE_CHECKING, NamedTuple

from intercore.errors import IntercoreError, UsageError
from intercore.operating_system import keep_owner_and_mode, lock

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_BEGINNING = 64 << 10
_END = 16 << 20
"""Bytes at either end of a file that are looked at."""


class Kind(NamedTuple):
    """A kind of output, and how a file of that kind is recognised."""

    name: str
    beginning: re.Pattern[bytes]
    """What its first bytes match."""
    near_end: bytes = b""
    """What stands besides near its end: where the first bytes say no more than the format."""


def _kind(name: str, beginning: bytes, near_end: bytes = b"") -> Kind:
    return Kind(name, re.compile(beginning, re.DOTALL), near_end)


PAGE = _kind("page of Intercore", rb'\s*<!doctype html>.{0,4096}?<meta name="generator" content="intercore ')
JUNIT = _kind("JUnit report of intercore check", rb'<\?xml [^>]*\?>\s*<testsuites name="intercore check"')
MARKDOWN = _kind(
    "summary of intercore check", rb"### (?:All|A|It|Not all) (?:budget|cannot be told whether all budget)"
)
PERFETTO = _kind("trace of Intercore", rb"\x0a\x04\x50\x01\x68\x01\x0a")  # the first packet of trace/perfetto.py
CSV = _kind("CSV file of intercore export", rb"run,measurement,benchmark,")
PARQUET = _kind("Parquet file of intercore export", rb"PAR1", b"intercore.run")
BASELINE = _kind("baseline", rb'(?:\{"kind":")?intercore baseline[ "]')  # version 1 was no JSON
ARDUINO_LIBRARY = _kind("Arduino library of Intercore", rb"PK\x03\x04.{26}Intercore/")
ELF = _kind("ELF file", rb"\x7fELF")
UF2 = _kind("UF2 file", rb"UF2\n\x57\x51\x5d\x9e")
WHOLE_FLASH = _kind("image of an ESP32's flash", rb"(?:\xff{4096}){0,2}\xe9")  # which begins at 0, 0x1000 or 0x2000


def check_replaceable(path: Path, kind: Kind, *, force: bool = False) -> None:
    """Raise UsageError if a file is at `path` that an output of this kind may not replace; `force` permits any file.

    Raises IntercoreError for what is not a plain file: as root, a rename would take a device away from the whole
    machine. A command that takes long asks before it begins, besides.
    """
    try:
        found = path.stat()
    except OSError:
        return  # nothing is there, or what is in the way has its sentence when the file is written
    if not stat.S_ISREG(found.st_mode):
        raise IntercoreError(f"cannot write {path}: it is not a plain file; choose another name")
    if found.st_size and not force and not _is_of(path, kind):
        raise UsageError(
            f"{path} is there and is no {kind.name}: it was left as it is; choose another name, or add --force to "
            "replace it"
        )


@contextlib.contextmanager
def replacement(path: Path, kind: Kind, *, force: bool = False) -> Iterator[IO[bytes]]:
    """Give a file to write that takes the place of `path` when the context ends without an error.

    It keeps mode and owner of the file that it replaces. Raises what `check_replaceable` raises, and IntercoreError if
    the file cannot be written.
    """
    check_replaceable(path, kind, force=force)
    partial = None
    try:
        _clear_left(path)
        partial, file = _partial(path)
        with file:
            yield file
            file.flush()
            os.fsync(file.fileno())
            check_replaceable(path, kind, force=force)  # it may have come meanwhile
            partial.replace(path)
    except (OSError, ValueError) as error:  # ValueError: a path without a name, such as `.`
        cause = getattr(error, "strerror", None) or error
        raise IntercoreError(f"cannot write {path}: {cause}; free space or choose another place") from error
    finally:
        if partial is not None:
            with contextlib.suppress(OSError):
                partial.unlink(missing_ok=True)


def _is_of(path: Path, kind: Kind) -> bool:
    try:
        # Not to wait for the writer of a pipe that has taken the file's place meanwhile.
        with os.fdopen(os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0)), "rb") as file:
            if not kind.beginning.match(file.read(_BEGINNING)):
                return False
            file.seek(max(os.fstat(file.fileno()).st_size - _END, 0))
            return kind.near_end in file.read(_END) if kind.near_end else True
    except OSError:
        return False  # what nobody may read is somebody's


# ---- temporary names ----


def _partial(path: Path) -> tuple[Path, IO[bytes]]:
    """Make a file beside `path`, where a rename stays in the file system, under a name that nobody can foretell.

    It is locked for as long as it is open, which tells it from what a killed process has left.
    """
    kept = _kept(path)
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)
    while True:
        partial = path.with_name(f".{path.name}.{secrets.token_hex(8)}.partial")
        file = os.fdopen(os.open(partial, flags, 0o666 if kept is None else 0o600), "wb")
        try:
            lock(file.fileno())
            if os.fstat(file.fileno()).st_nlink == 0:  # cleared by another process, before it was locked
                file.close()
                continue
            if kept is not None:
                keep_owner_and_mode(file.fileno(), kept)
        except BaseException:
            file.close()
            partial.unlink(missing_ok=True)
            raise
        return partial, file


def _kept(path: Path) -> os.stat_result | None:
    """Return whose mode and owner are kept: that of the file at `path`; not those of what a link there leads to."""
    with contextlib.suppress(OSError):
        found = path.lstat()
        if stat.S_ISREG(found.st_mode):
            return found
    return None


def _clear_left(path: Path) -> None:
    """Remove what processes that were killed while they wrote `path` have left beside it."""
    ours = re.compile(re.escape(f".{path.name}.") + r"[0-9a-f]+\.partial")
    with contextlib.suppress(OSError):
        for left in [each for each in path.parent.iterdir() if ours.fullmatch(each.name)]:
            with contextlib.suppress(OSError):
                if not stat.S_ISREG(left.lstat().st_mode):
                    continue
                descriptor = os.open(left, os.O_WRONLY | getattr(os, "O_NOFOLLOW", 0))
                try:
                    if lock(descriptor):
                        left.unlink()
                finally:
                    os.close(descriptor)
