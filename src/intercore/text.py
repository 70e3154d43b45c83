"""Text for display: text of unknown origin made safe, parts of a sentence joined, typed numbers parsed."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

CONTROLS = (
    r"\x00-\x1f\x7f-\x9f"  # C0 and C1, with the escape sequences of terminals
    r"\xad\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2\u180e\U000110bd\U000110cd\U00013430-\U0001343f"
    r"\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"  # direction of writing
    r"\u200b-\u200d\u2060-\u2065\ufeff"  # zero width
    r"\u2028\u2029"  # ends of lines and paragraphs
    r"\u206a-\u206f\ufff9-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e007f"
    r"\ud800-\udfff"  # surrogates, as of undecodable bytes of a command line
)
"""Characters that change how others are shown, or are invisible, as a class of a regular expression.

They are those of the categories Cc, Cf, Cs, Zl and Zp of Unicode 16."""

_NEVER_SHOWN = re.compile(f"(?!\n)[{CONTROLS}]")
_NOT_IN_ASCII = re.compile(f"(?!\n)[{CONTROLS}]|[^\x00-\x7f]")
MOST_SHOWN = 1800
"""Characters of a text that `shortened` keeps. A screen of 24 lines has 1,920."""


def printable(text: str) -> str:
    """Return text of unknown origin with its control characters, except line ends, replaced by U+FFFD.

    So it cannot control a terminal or disguise itself as another text.
    """
    return text if text.isascii() and text.isprintable() else _NEVER_SHOWN.sub("\N{REPLACEMENT CHARACTER}", text)


def escaped(json: str, *, in_ascii: bool = False) -> str:
    """Return an equivalent JSON text with control characters, except line ends, as escapes.

    `in_ascii` also escapes characters outside of ASCII.
    """
    if json.isascii() and "\x7f" not in json:
        return json
    return (_NOT_IN_ASCII if in_ascii else _NEVER_SHOWN).sub(_as_escape, json)


def _as_escape(found: re.Match[str]) -> str:
    units = found[0].encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[at : at + 2].hex()}" for at in range(0, len(units), 2))


def shortened(text: str) -> str:
    """Return a text of at most MOST_SHOWN characters: of a longer one, the beginning and the end."""
    if len(text) <= MOST_SHOWN:
        return text
    kept = MOST_SHOWN // 2
    return f"{text[:kept]} … {text[-kept:]}"


def capitalised(text: str) -> str:
    """Return a text with its first letter capitalised."""
    return text[:1].upper() + text[1:]


def plural(count: int, noun: str) -> str:
    """Return a count with its regular noun: `1 sample`, `3 samples`."""
    return f"{count} {noun}{'' if count == 1 else 's'}"


def listed(parts: Sequence[str]) -> str:
    """Return the parts as a list in a sentence: `a, b and c`."""
    return " and ".join(part for part in (", ".join(parts[:-1]), *parts[-1:]) if part)


# Typed numbers: in the digits 0 to 9, without blanks, underscores or a plus sign, and finite.
# Python's `int` and `float` also accept `1_000`, `१२` and `nan`, which here are mistakes.

_WHOLE = re.compile(r"-?[0-9]{1,4000}")  # Python reads at most 4,300 digits
_PERCENTAGE = re.compile(r"\s*([0-9]+(?:\.[0-9]+)?|\.[0-9]+)\s*%\s*")
_DECIMAL = re.compile(r"-?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][-+]?[0-9]+)?")


def whole_number(text: str) -> int | None:
    """Parse a whole number; None if the text is not one."""
    return int(text) if _WHOLE.fullmatch(text) else None


def decimal_number(text: str) -> float | None:
    """Parse a number such as `0.5` or `1e3`, infinite if it is too large; None if the text is not one."""
    return float(text) if _DECIMAL.fullmatch(text) else None


def percentage(text: str) -> float | None:
    """Parse a percentage such as `1%` or `0.5 %` as a fraction of 1; None if the text is not one."""
    found = _PERCENTAGE.fullmatch(text)
    return None if found is None else float(Decimal(found[1]) / 100)
