"""Limits for reading untrusted input: files, stores, instruments, targets.

Malicious input could exhaust the memory, or never end. Each limit is far above useful sizes; beyond it, an error names
the file or target, and nothing is kept. docs/security.md has the table.
"""

from __future__ import annotations

import errno
import os
import stat
import tomllib
from typing import IO, TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from pathlib import Path


class Bound(NamedTuple):
    """A limit for reading."""

    of: str
    """The input, in the plural."""
    most: int
    unit: str = "bytes"

    def __str__(self) -> str:
        """Return it for display: `16 MiB`, `1,000 lines`."""
        for size, name in ((1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")):
            if self.unit == "bytes" and self.most % size == 0:
                return f"{self.most // size} {name}"
        return f"{self.most:,} {self.unit}"


PLAN = Bound("plan files and budget files", 128 << 10)
TOML_DEPTH = Bound("lists and tables within each other in these and in files of currents", 100, "levels")
BUDGETS = Bound("budgets of a file", 500, "budgets")
CURRENTS = Bound("files of currents", 64 << 10)
BASELINE = Bound("baselines", 16 << 20)
CAPTURE = Bound("files exported by a meter's software", 2 << 30)
CAPTURE_SAMPLES = Bound("samples in it", 1 << 25, "samples")
CAPTURE_LINE = Bound("a line of it", 64 << 10)
ELF = Bound("ELF files", 256 << 20)
UF2 = Bound("UF2 files", 64 << 20)
PROFILE = Bound("files of profiles", 64 << 20)
VALIDATION = Bound("files of validate", 256 << 10)
SOURCE = Bound("source files of a profile's page", 4 << 20)
WHOLE_FLASH = Bound("images of an ESP32's flash", 16 << 20)
CALIBRATION = Bound("calibration of a Power Profiler Kit", 64 << 10)
SCPI_ANSWER = Bound("answers of an instrument (SCPI)", 64 << 10)

SERIES_SAMPLES = Bound("samples of a series in a store", 1 << 25, "samples")
RUN_SAMPLES = Bound("samples of a run in a store", 1 << 27, "samples")
STORE_VALUE = Bound("a text or a blob in a store", 272 << 20)  # incompressible samples of the longest series
CONDITIONS_TEXT = Bound("conditions of a measurement in a store", 1 << 20)

INFO_LINES = Bound("conditions of a target, in lines", 1000, "conditions")
LIST_LINES = Bound("benchmarks and parameters of a target", 20_000, "benchmarks and parameters")
OTHER_LINES = Bound("factors and series of a measurement", 5000, "factors and series")


def opened(path: Path) -> IO[bytes]:
    """Open a plain file for reading. Raises OSError, also for a pipe or a device, without waiting for a writer."""
    file = os.fdopen(os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0)), "rb")
    try:
        check_plain(file.fileno())
    except BaseException:
        file.close()
        raise
    return file


def check_plain(file: int | Path) -> None:
    """Raise OSError if it is not a plain file: a pipe may never end, and reading a device may have side effects."""
    mode = (os.fstat(file) if isinstance(file, int) else file.stat()).st_mode
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    if not stat.S_ISREG(mode):
        kind = "pipe" if stat.S_ISFIFO(mode) else "socket" if stat.S_ISSOCK(mode) else "device"
        raise OSError(errno.EINVAL, f"the path is a {kind}, not a plain file: copy the content to a plain file")


def contents(path: Path, bound: Bound) -> bytes:
    """Return the content of a plain file. Raises OSError, also if it is larger than the limit."""
    with opened(path) as file:
        size = os.fstat(file.fileno()).st_size
        data = file.read(bound.most + 1) if size <= bound.most else b""
    if max(size, len(data)) > bound.most:  # it may have grown
        raise OSError(errno.EFBIG, f"the file is larger than {bound}, the limit for {bound.of}")
    return data


def toml(text: str) -> dict[str, Any]:
    """Parse a TOML text. Raises TOMLDecodeError, or ValueError with a clause if it exceeds a limit."""
    too_deep = f"the lists and tables in the file are nested deeper than {TOML_DEPTH}"
    try:
        found = tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        raise
    except ValueError:  # Python reads at most 4,300 digits
        raise ValueError("the file contains a number with thousands of digits") from None
    except RecursionError:
        raise ValueError(too_deep) from None
    level: list[Any] = [found]
    for _ in range(TOML_DEPTH.most):
        inside = [one.values() if isinstance(one, dict) else one for one in level if isinstance(one, dict | list)]
        level = [each for values in inside for each in values]
    if level:
        raise ValueError(too_deep)
    return found
