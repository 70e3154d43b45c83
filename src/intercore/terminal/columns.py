"""How wide the columns of a table are where there is little room: numbers stay whole."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rich.cells import cell_len

if TYPE_CHECKING:
    from collections.abc import Sequence

_LONGEST_NUMBER = 40
"""Characters of what holds a number and is never cut: beyond are lists, which are parted at their commas, and paths."""
_LONGEST_WORD = 16
"""Characters of a word that is never cut."""
_NAME = re.compile(r"[A-Za-z_][\w.]*")
"""A name is a word, also with digits."""
_PARTS = re.compile(r"[^,|/;]*[,|/;]?")


def layout(lines: Sequence[Sequence[str]], right: Sequence[bool], room: int) -> tuple[Sequence[int], bool] | None:
    """Return the columns' widths, and whether they stand close together; None if a number would have to be cut.

    `lines` are the heads and rows, and `right` marks the columns of numbers, which keep their units on the same line if
    possible.
    """
    columns = list(zip(*lines, strict=True))
    loose, tight = room - 3 * len(columns) - 1, room - 2 * len(columns) - 1
    natural = [max(map(_longest_line, column)) for column in columns]
    words = [max(map(_longest_word, column)) for column in columns]
    together = [
        max(longest, min(width, _LONGEST_NUMBER)) if numbers else longest
        for longest, width, numbers in zip(words, natural, right, strict=True)
    ]
    for least, left in ((natural, loose), (together, loose), (together, tight), (words, tight)):
        if sum(least) <= left:
            return _narrowed([min(width, room) for width in natural], least, left), left == tight
    return None


def folded(text: str, width: int) -> str:
    """Return a cell's text with what is wider than its column parted behind commas, bars and slashes."""
    return re.sub(r"\S+", lambda word: word[0] if cell_len(word[0]) <= width else _parted(word[0], width), text)


def _parted(word: str, width: int) -> str:
    lines = [""]
    for part in filter(None, _PARTS.findall(word)):
        if lines[-1] and cell_len(lines[-1] + part) > width:
            lines.append("")
        lines[-1] += part
    return "\n".join(lines)


def _longest_line(text: str) -> int:
    return max((cell_len(line) for line in text.splitlines()), default=0)


def _longest_word(text: str) -> int:
    """Return the width below which a word of the text, or a number, would be cut."""
    return max((min(cell_len(word), _limit(word)) for word in text.split()), default=0)


def _limit(word: str) -> int:
    number = any(character.isdigit() for character in word) and _NAME.fullmatch(word) is None
    return _LONGEST_NUMBER if number else _LONGEST_WORD


def _narrowed(widths: list[int], least: Sequence[int], room: int) -> list[int]:
    """Take from the widest column that can give, again and again."""
    while sum(widths) > room:
        widest = max((index for index, width in enumerate(widths) if width > least[index]), key=widths.__getitem__)
        widths[widest] -= 1
    return widths
