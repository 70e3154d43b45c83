"""A workload of a user's own: files outside of this project that the program of a target is built with."""

from __future__ import annotations

from pathlib import Path

import msgspec

PREFIX = "own:"
"""What the names of such workloads begin with in a target's lists (firmware/workload/own/own.h)."""
LIBRARY = ".a"
C_SUFFIX = ".c"
SUFFIXES = (C_SUFFIX, ".cc", ".cpp", ".cxx", LIBRARY)
"""Of C, C++ and static libraries."""


class OwnWork(msgspec.Struct, frozen=True):
    """A workload of a user's own."""

    files: tuple[str, ...]
    """Paths; the first one bears its name."""
    folders: tuple[str, ...] = ()
    """Folders of headers, in addition to those of the files."""
    flags: tuple[str, ...] = ()
    """Of the compiler, behind the tool's own."""

    @property
    def name(self) -> str:
        """What it is called: as its first file, without the `lib` of a library."""
        first = Path(self.files[0])
        return first.stem.removeprefix("lib") if first.suffix == LIBRARY else first.stem

    @property
    def level(self) -> str:
        """What it is called among the workloads of a target."""
        return f"{PREFIX}{self.name}"


def is_file(level: str) -> bool:
    """Whether a level that a user names is a file of a workload of his own."""
    before, colon, _ = level.partition(":")  # of a transport: rpmsg-char:/dev/rpmsg0
    return "/" in before or (not colon and level.endswith(SUFFIXES))
