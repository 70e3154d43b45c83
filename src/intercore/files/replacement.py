"""Atomic writing of output files, which never replaces a file other than an earlier output of the same kind.

All output files of commands are written here. An existing file is identified by its first bytes: an earlier output of
the kind, or an empty file, is replaced; any other file (a store, a plan, a program, a user's work) only with `--force`.
"""

from __future__ import annotations

import contextlib
import errno
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
"""Bytes at either end of a file that are examined."""


class Kind(NamedTuple):
    """A kind of output, and how a file of that kind is recognised."""

    name: str
    beginning: re.Pattern[bytes]
    """Pattern of its first bytes."""
    near_end: bytes = b""
    """Further text near its end, if the first bytes only identify the format."""


def _kind(name: str, beginning: bytes, near_end: bytes = b"") -> Kind:
    return Kind(name, re.compile(beginning, re.DOTALL), near_end)


PAGE = _kind("page of Intercore", rb'\s*<!doctype html>.{0,4096}?<meta name="generator" content="intercore ')
JUNIT = _kind("JUnit report of Intercore", rb'<\?xml [^>]*\?>\s*<testsuites name="intercore (?:check|hunt)"')
MARKDOWN = _kind(
    "summary of intercore check", rb"### (?:All|A|It|Not all) (?:budget|cannot be told whether all budget)"
)
PERFETTO = _kind("trace of Intercore", rb"\x0a\x04\x50\x01\x68\x01\x0a")  # the first packet of trace/perfetto.py
CALLGRIND = _kind("callgrind file of Intercore", rb"# callgrind format\nversion: 1\ncreator: intercore ")
SPEEDSCOPE = _kind(
    "speedscope file of Intercore", rb'\{"\$schema":"https://www\.speedscope\.app/.{0,4096}?"exporter":"intercore '
)
CSV = _kind("CSV file of intercore export", rb"run,measurement,benchmark,")
PARQUET = _kind("Parquet file of intercore export", rb"PAR1", b"intercore.run")
BASELINE = _kind("baseline", rb'(?:\{"kind":")?intercore baseline[ "]')  # version 1 was no JSON
VALIDATION = _kind("file of intercore validate", rb'\{\s*"kind": ?"intercore validation"')
ARDUINO_LIBRARY = _kind("Arduino library of Intercore", rb"PK\x03\x04.{26}Intercore/")
ELF = _kind("ELF file", rb"\x7fELF")
UF2 = _kind("UF2 file", rb"UF2\n\x57\x51\x5d\x9e")
WHOLE_FLASH = _kind("image of an ESP32's flash", rb"(?:\xff{4096}){0,2}\xe9")  # which begins at 0, 0x1000 or 0x2000


def check_replaceable(path: Path, kind: Kind, *, force: bool = False) -> None:
    """Raise UsageError if `path` has a file that an output of this kind must not replace; `force` permits any file.

    Raises IntercoreError if it is not a plain file: as root, a rename would remove a device for the whole machine. Slow
    commands also call this at their beginning.
    """
    try:
        found = path.stat()
    except OSError as error:
        if not path.parent.is_dir():
            raise unwritable(path, error) from error
        return  # nothing exists, or writing the file reports the obstacle
    if not stat.S_ISREG(found.st_mode):
        what = "a folder" if stat.S_ISDIR(found.st_mode) else "not a plain file"
        raise IntercoreError(f"cannot write {path}: it is {what}. Choose another name")
    if found.st_size and not force and not _is_of(path, kind):
        raise UsageError(
            f"{path} already exists and is not a {kind.name}, so it is not overwritten: choose another name, or add "
            "--force"
        )


@contextlib.contextmanager
def replacement(path: Path, kind: Kind, *, force: bool = False) -> Iterator[IO[bytes]]:
    """Yield a file that replaces `path` when the context ends without an error.

    It keeps mode and owner of the replaced file. Raises the errors of `check_replaceable`, and IntercoreError if the
    file cannot be written.
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
            check_replaceable(path, kind, force=force)  # it may have been created since
            partial.replace(path)
    except (OSError, ValueError) as error:  # ValueError: a path without a name, such as `.`
        raise unwritable(path, error) from error
    finally:
        if partial is not None:
            with contextlib.suppress(OSError):
                partial.unlink(missing_ok=True)


def unwritable(path: Path, error: Exception) -> IntercoreError:
    """Return the error for an output that could not be written, with what to do."""
    if not path.absolute().parent.is_dir():
        return IntercoreError(
            f"cannot write {path}: there is no folder {path.parent}. Create it, or choose another path"
        )
    cause = getattr(error, "strerror", None) or error
    full = getattr(error, "errno", None) in (errno.ENOSPC, errno.EDQUOT)
    remedy = "Delete files on this disk, or choose another path" if full else "Choose another path"
    return IntercoreError(f"cannot write {path}: {cause}. {remedy}")


def _is_of(path: Path, kind: Kind) -> bool:
    try:
        # Do not wait for the writer of a pipe that may have replaced the file.
        with os.fdopen(os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0)), "rb") as file:
            if not kind.beginning.match(file.read(_BEGINNING)):
                return False
            file.seek(max(os.fstat(file.fileno()).st_size - _END, 0))
            return kind.near_end in file.read(_END) if kind.near_end else True
    except OSError:
        return False  # an unreadable file belongs to someone


# ---- temporary names ----


def _partial(path: Path) -> tuple[Path, IO[bytes]]:
    """Create a file next to `path`, in the same file system, with an unpredictable name.

    It is locked while it is open, which distinguishes it from files left by a killed process.
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
    """Return the status of the file at `path`, whose mode and owner are kept; links are not followed."""
    with contextlib.suppress(OSError):
        found = path.lstat()
        if stat.S_ISREG(found.st_mode):
            return found
    return None


def _clear_left(path: Path) -> None:
    """Remove partial files that killed processes have left next to `path`."""
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
