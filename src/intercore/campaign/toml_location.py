"""Locations in a TOML text, which the standard library's parser does not provide."""

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
"""Bounds on the characters parsed to locate one value, and all values of a list. In longer files a line is found by
bisection, which multi-line strings can mislead, and all values of a list are located at its beginning."""
_CLOSINGS = ("", "\n]", "\n]}", "\n]]", "\n]}]", "\n]}}", "\n]}}]")
"""Closing brackets that complete a text cut in the middle of a list."""
_OPEN_LITERAL = 'Expected "\'"'
"""The parser's problem with a string in single quotes that is not closed."""


def line_of(text: str, location: Location) -> int:
    """Return the line number, from 1, of the key or value at a location of a TOML text.

    A missing key is located at its table.
    """
    for kept in range(len(location), 0, -1):
        if _has(text, location[:kept]):
            return _first(text, location[:kept])
    return 1


def lines_of_list(text: str, location: Location) -> list[int]:
    """Return the line numbers, from 1, of all values of an existing list."""
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
    """Return the first line at which an existing location is complete."""
    lines, candidates = _candidates(text)

    def is_above(count: int) -> bool:
        above = "\n".join(lines[:count])
        return any(_has(above + closing, location) for closing in _CLOSINGS)

    if len(candidates) * len(text) <= _WORK:
        return next(filter(is_above, candidates))
    return candidates[bisect.bisect_left(candidates, True, hi=len(candidates) - 1, key=is_above)]


def _candidates(text: str) -> tuple[list[str], list[int]]:
    """Return the lines of a text, and the numbers of those that are not blank or comments."""
    lines = text.split("\n")
    return lines, [count for count, line in enumerate(lines, 1) if line.strip() and not line.lstrip().startswith("#")]


def _has(text: str, location: Location) -> bool:
    return _at(text, location) is not None


def _at(text: str, location: Location) -> Any:  # noqa: ANN401 - whatever TOML has
    """Return the value at a location; None, which is not a TOML value, if there is none."""
    try:
        found: Any = tomllib.loads(text)
        for step in location:
            found = found[step]
    except (ValueError, RecursionError, KeyError, IndexError, TypeError):
        return None
    return found


def syntax_error(error: tomllib.TOMLDecodeError, name: str, text: str) -> str:
    """Return the message of a TOML syntax error, with file name and line in front.

    Before Python 3.14, only the message has the location.
    """
    sentence = str(error)
    found = re.search(r" \(at (?:line (\d+), column \d+|end of document)\)$", sentence)
    if found is None:
        return f"{name}: {sentence}"
    line = int(found[1]) if found[1] else text.rstrip("\n").count("\n") + 1
    if sentence.startswith(_OPEN_LITERAL):  # the parser has searched for its end to the end of the text
        lines = text.split("\n")[:line]
        line = (
            bisect.bisect_left(range(1, line), True, key=lambda count: _has_open_literal("\n".join(lines[:count]))) + 1
        )
    return f"{name}:{line}: TOML syntax error: {_in_words(sentence[: found.start()])}"


def _has_open_literal(text: str) -> bool:
    try:
        tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        return str(error).startswith(_OPEN_LITERAL)
    return False


def _in_words(problem: str) -> str:
    """Return a problem of the parser; for a string or a list that is not closed, with what is missing."""
    if re.fullmatch(r"(?:Illegal|Found invalid) character '\\n'", problem):
        return "a string is not closed: a quote is missing on this line"
    return {
        _OPEN_LITERAL: "a string is not closed: a quote is missing on this line",
        "Unterminated string": "a string is not closed: a quote is missing",
        "Unclosed array": "a list is not closed: a ] is missing on this line or above",
        "Unclosed inline table": "a table is not closed: a } is missing on this line",
    }.get(problem, problem)
