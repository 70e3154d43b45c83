"""The source of the functions with the most time awake, and what each of its lines cost."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from intercore.files import bounds

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from intercore.profile.recorded import Line, Profile

_AROUND = 3
"""Lines that are shown before and behind those with costs."""
_APART = 2 * _AROUND + 4
"""Lines without costs from which on they are left out."""
_LONGEST = 400
"""Lines of a listing."""
_SUFFIXES = frozenset(
    (".c", ".h", ".cc", ".hh", ".cpp", ".hpp", ".cxx", ".hxx", ".c++", ".inc", ".inl", ".ino", ".s", ".asm", ".rs")
)
"""Only such files are read: an image may name any file of this computer, and pages are given to others."""


class Row(NamedTuple):
    """A line of source, and what it cost the function, with what is inlined there; None where lines are left out."""

    number: int | None
    text: str
    cycles: int
    conflicts: int
    waits: int
    asleep: int


class Listing(NamedTuple):
    """The source of a function on a core."""

    core: int
    function: str
    file: str
    cycles: int
    """Of the function by itself."""
    rows: Sequence[Row]
    """Empty if the file cannot be read here."""


def listings(profile: Profile, most: int, least: float) -> Iterator[Listing]:
    """Yield those of at most so many functions of each core, which take at least this part of its time awake."""
    files: dict[str, Sequence[str]] = {}
    for number, core in enumerate(profile.cores):
        for _, name, lines in sorted(core.functions(), key=lambda one: -_awake(one[2]))[:most]:
            if _awake(lines) >= least * core.cycles:
                yield from _listing(profile, number, name, lines, files)


def _listing(
    profile: Profile, core: int, function: str, lines: Sequence[Line], files: dict[str, Sequence[str]]
) -> Iterator[Listing]:
    costs: defaultdict[str, defaultdict[int, list[Line]]] = defaultdict(lambda: defaultdict(list))
    for one in lines:
        frames = profile.sources.get(one.address, ())
        if frames and frames[-1].file and frames[-1].line:
            costs[frames[-1].file][frames[-1].line].append(one)
    if not costs:
        return
    file = max(costs, key=lambda name: sum(_awake(some) for some in costs[name].values()))
    if file not in files:
        files[file] = _text(Path(file))
    cycles = sum(one.cycles for one in lines)
    yield Listing(core, function, file, cycles, _rows(files[file], costs[file]))


def _rows(text: Sequence[str], costs: dict[int, list[Line]]) -> list[Row]:
    if not text or max(costs) > len(text):  # it is not there, or not the one that was compiled
        return []
    rows: list[Row] = []
    shown = sorted({near for line in costs for near in range(line - _AROUND, line + _AROUND + 1)})
    last = None
    for number in (one for one in shown if 1 <= one <= len(text)):
        if last is not None and number > last + 1:
            if number - last <= _APART:
                rows += [Row(one, text[one - 1], 0, 0, 0, 0) for one in range(last + 1, number)]
            else:
                rows.append(Row(None, "", 0, 0, 0, 0))
        some = costs.get(number, ())
        sums = [sum(getattr(one, name) for one in some) for name in ("cycles", "conflicts", "waits", "asleep")]
        rows.append(Row(number, text[number - 1], *sums))
        last = number
    return rows[:_LONGEST]


def _text(file: Path) -> Sequence[str]:
    if file.suffix.lower() not in _SUFFIXES:
        return ()
    try:
        text = bounds.contents(file, bounds.SOURCE).decode("utf-8", "replace")
    except (OSError, ValueError):
        return ()
    return text.expandtabs(4).replace("\r\n", "\n").split("\n")


def _awake(lines: Sequence[Line]) -> int:
    return sum(one.cycles - one.asleep for one in lines)
