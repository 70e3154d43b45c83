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
    found = re.search(r" \(at (?:line (\d+), column (\d+)|end of document)\)$", sentence)
    if found is None:
        return f"{name}: {sentence}"
    line = int(found[1]) if found[1] else text.rstrip("\n").count("\n") + 1
    if sentence.startswith(_OPEN_LITERAL):  # the parser has searched for its end to the end of the text
        lines = text.split("\n")[:line]
        line = (
            bisect.bisect_left(range(1, line), True, key=lambda count: _has_open_literal("\n".join(lines[:count]))) + 1
        )
    column = int(found[2]) if found[2] else len(text) + 1
    here = (text.split("\n")[line - 1], column - 1) if found[1] else (text.rstrip(), len(text))
    return f"{name}:{line}: TOML syntax error: {_in_words(sentence[: found.start()], *here)}"


def _has_open_literal(text: str) -> bool:
    try:
        tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        return str(error).startswith(_OPEN_LITERAL)
    return False


def _in_words(problem: str, line: str, column: int) -> str:
    """Return a problem that the parser found in a line, from this column on, with what is meant or missing if known."""
    if re.fullmatch(r"(?:Illegal|Found invalid) character '\\n'", problem):
        return "a string is not closed: a quote is missing on this line"
    if problem == "Invalid value":
        return _of_value(line, column)
    if problem == "Cannot overwrite a value" and (key := re.match(r"""[\s\[]*([\w."'-]+)\s*[=\]]""", line)):
        return f"{key[1]} is given twice: omit one of them"
    if twice := re.fullmatch(r"Duplicate inline table key '(.*)'", problem):
        return f"{twice[1]} is given twice: omit one of them"
    if twice := re.fullmatch(r"Cannot declare \((.*?),?\) twice", problem):
        table = ".".join(re.findall(r"'(.*?)'", twice[1]))
        return f"the table [{table}] is given twice: omit one of them"
    return {
        _OPEN_LITERAL: "a string is not closed: a quote is missing on this line",
        "Unterminated string": "a string is not closed: a quote is missing",
        "Unclosed array": "a list is not closed: a ] is missing on this line or above",
        "Unclosed inline table": "a table is not closed: a } is missing on this line",
        "Invalid statement": "this line is neither NAME = VALUE nor a table's name in brackets, such as [target]",
        "Expected newline or end of document after a statement": "more follows on this line after its end",
        "Expected '=' after a key in a key/value pair": "a = is missing after the name",
        "Expected ']' at the end of a table declaration": "a ] is missing after the table's name",
        "Expected ']]' at the end of an array declaration": "]] is missing after the table's name",
    }.get(problem, problem)


def _of_value(line: str, column: int) -> str:
    """Return what is wrong with the value that should begin in a line at this column."""
    before, rest = line[:column].rstrip(), line[column:]
    is_next = "=" not in before and re.match(r"\s*(?:[\w.-]+\s*=|\[+[\w.-]+\]+\s*$)", line)
    if is_next or not (rest.strip() or before.endswith("=")):
        return "a list is not closed: a ] is missing on this line or above"
    if word := re.match(r"[^\W\d][\w./-]*", rest):
        if word[0].lower() in ("true", "false"):
            return f"write {word[0].lower()} instead of {word[0]}"
        return f'{word[0]} is not a value: text must be in quotes, "{word[0]}"'
    if rest.startswith((",", "]", "}", "#")) or not rest.strip():
        return "a value is missing here"
    return "this is not a value: text must be in quotes, a list in [ ]"
