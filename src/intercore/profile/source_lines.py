"""Costs of a profile by source line."""

from __future__ import annotations

from collections import defaultdict
from pathlib import PurePath
from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from collections.abc import Iterable

    from intercore.profile.recorded import Line, Profile


class LineSummary(msgspec.Struct, frozen=True):
    """A source line on a core. An inlined function has lines of its own in each function that contains it."""

    core: int
    file: str
    line: int
    function: str
    """The function in whose source it is."""
    inlined_into: str
    """The compiled function, if that is another one."""
    executed: int
    """Instructions that were executed."""
    cycles: int
    conflicts: int
    """Cycles lost to other masters."""
    waits: int
    """Cycles lost to wait states."""
    asleep: int

    @property
    def awake(self) -> int:
        """Cycles that were not slept."""
        return self.cycles - self.asleep


def source_lines(profile: Profile) -> list[LineSummary]:
    """Return the lines with the most cycles awake first."""
    found: defaultdict[tuple[int, str, int, str, str], list[Line]] = defaultdict(list)
    for number, core in enumerate(profile.cores):
        for line, name in ((line, name) for _, name, lines in core.functions() for line in lines):
            frames = profile.sources.get(line.address, ())
            if frames and frames[0].file is not None and frames[0].line:
                inner, outer = frames[0].function or name, frames[-1].function or name
                into = outer if len(frames) > 1 and outer != inner else ""
                found[number, frames[0].file, frames[0].line, inner, into].append(line)
    lines = [
        LineSummary(
            *place,
            sum(one.executed for one in some),
            sum(one.cycles for one in some),
            sum(one.conflicts for one in some),
            sum(one.waits for one in some),
            sum(one.asleep for one in some),
        )
        for place, some in found.items()
    ]
    return sorted(lines, key=lambda one: (-one.awake, one.core, one.file, one.line, one.inlined_into))


def short_names(files: Iterable[str]) -> dict[str, str]:
    """Return for each file as much of the end of its path as tells it from the others."""
    every = set(files)
    parts = {file: PurePath(file.replace("\\", "/")).parts for file in every}
    depth = dict.fromkeys(every, 1)
    while True:
        found = {file: "/".join(parts[file][-depth[file] :]) for file in every}
        same = defaultdict(list)
        for file, name in found.items():
            same[name].append(file)
        longer = [file for some in same.values() if len(some) > 1 for file in some if depth[file] < len(parts[file])]
        if not longer:
            return found
        for file in longer:
            depth[file] += 1
