"""Where something stands in a TOML text: the reader of the standard library does not say."""

from __future__ import annotations

import re
import tomllib
from typing import Any, TypeAlias

Location: TypeAlias = tuple[str | int, ...]
"""Keys of tables and positions in lists, from the outermost in; empty for the whole text."""

_CLOSINGS = ("", "\n]", "\n]}", "\n]]", "\n]}]", "\n]}}", "\n]}}]")
"""What may be missing behind a line in the middle of a list, so that what is above can be read."""


def line_of(text: str, location: Location) -> int:
    """Return the number, from 1, of the line of a TOML text in which the key or value at a location stands.

    What is not there counts as being where its table is.
    """
    lines = text.split("\n")
    for kept in range(len(location), 0, -1):
        for count in range(1, len(lines) + 1):
            above = "\n".join(lines[:count])
            if any(_has(above + closing, location[:kept]) for closing in _CLOSINGS):
                return count
    return 1


def lines_of_list(text: str, location: Location) -> list[int]:
    """Return the number, from 1, of the line of each value of a list, which is there: in one go."""
    lines = text.split("\n")
    found: list[int] = []
    for count in range(1, len(lines) + 1):
        above = "\n".join(lines[:count])
        known = (_at(above + closing, location) for closing in _CLOSINGS)
        values = next((value for value in known if isinstance(value, list)), [])
        found += [count] * (len(values) - len(found))
    return found


def _has(text: str, location: Location) -> bool:
    return _at(text, location) is not None


def _at(text: str, location: Location) -> Any:  # noqa: ANN401 - whatever TOML has
    """Return what stands at a location; None if nothing does, which no value of TOML is."""
    try:
        found: Any = tomllib.loads(text)
        for step in location:
            found = found[step]
    except (tomllib.TOMLDecodeError, KeyError, IndexError, TypeError):
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
