"""Where something stands in a TOML text: the reader of the standard library does not say."""

from __future__ import annotations

import bisect
import re
import tomllib
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    pass

Location: TypeAlias = tuple[str | int, ...]
"""Keys of tables and positions in lists, from the outermost in; empty for the whole text."""

_WORK, _WORK_FOR_ALL = 4 << 20, 16 << 20
"""Characters that are read again and again for the line of one value, and for those of a list. In a longer file a line
is found by halving, which a text of several lines can mislead, and all of a list stands where the list begins."""
_CLOSINGS = ("", "\n]", "\n]}", "\n]]", "\n]}]", "\n]}}", "\n]}}]")
"""What may be missing behind a line in the middle of a list, so that what is above can be read."""


def line_of(text: str, location: Location) -> int:
    """Return the number, from 1, of the line of a TOML text in which the key or value at a location stands.

    What is not there counts as being where its table is.
    """
    for kept in range(len(location), 0, -1):
        if _has(text, location[:kept]):
            return _first(text, location[:kept])
    return 1


def lines_of_list(text: str, location: Location) -> list[int]:
    """Return the number, from 1, of the line of each value of a list, which is there: in one go."""
    lines, candidates = _candidates(text)
    found: list[int] = []
    if len(candidates) * len(text) > _WORK_FOR_ALL:
        return [_first(text, location)] * len(_at(text, location))
    for count in candidates:
        above = "\n".join(lines[:count])
        known = (_at(above + closing, location) for closing in _CLOSINGS)
        values = next((value for value in known if isinstance(value, list)), [])
        found += [count] * (len(values) - len(found))
    return found


def _first(text: str, location: Location) -> int:
    """Return the number of the line from which on a location is there, which is somewhere."""
    lines, candidates = _candidates(text)

    def is_above(count: int) -> bool:
        above = "\n".join(lines[:count])
        return any(_has(above + closing, location) for closing in _CLOSINGS)

    if len(candidates) * len(text) <= _WORK:
        return next(filter(is_above, candidates))
    return candidates[bisect.bisect_left(candidates, True, hi=len(candidates) - 1, key=is_above)]


def _candidates(text: str) -> tuple[list[str], list[int]]:
    """Return the lines of a text, and the numbers of those that are more than a blank or a comment."""
    lines = text.split("\n")
    return lines, [count for count, line in enumerate(lines, 1) if line.strip() and not line.lstrip().startswith("#")]


def _has(text: str, location: Location) -> bool:
    return _at(text, location) is not None


def _at(text: str, location: Location) -> Any:  # noqa: ANN401 - whatever TOML has
    """Return what stands at a location; None if nothing does, which no value of TOML is."""
    try:
        found: Any = tomllib.loads(text)
        for step in location:
            found = found[step]
    except (ValueError, RecursionError, KeyError, IndexError, TypeError):
        return None
    return found


def syntax_error(error: tomllib.TOMLDecodeError, name: str, text: str) -> str:
    """Return what a TOML reader complains of in the text of a file, with name and line in front.

    Only its sentence says where that is, before Python 3.14.
    """
    sentence = str(error)
    found = re.search(r" \(at (?:line (\d+), column \d+|end of document)\)$", sentence)
    if found is None:
        return f"{name}: {sentence}"
    line = int(found[1]) if found[1] else text.rstrip("\n").count("\n") + 1
    return f"{name}:{line}: this is not TOML: {sentence[: found.start()]}"
