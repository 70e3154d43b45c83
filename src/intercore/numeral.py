"""Numbers as people type them: in the digits 0 to 9, without blanks, underscores or a plus sign, and finite.

Python's own `int` and `float` also read `1_000`, `१२` and `nan`: what was meant for a mistake would be measured.
"""

from __future__ import annotations

import re
from decimal import Decimal

_WHOLE = re.compile(r"-?[0-9]{1,4000}")  # Python refuses to read more than 4,300 digits
_PERCENTAGE = re.compile(r"\s*([0-9]+(?:\.[0-9]+)?|\.[0-9]+)\s*%\s*")
_DECIMAL = re.compile(r"-?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][-+]?[0-9]+)?")


def whole_number(text: str) -> int | None:
    """Return the whole number that a text is; None if it is none."""
    return int(text) if _WHOLE.fullmatch(text) else None


def decimal_number(text: str) -> float | None:
    """Return the number that a text is, such as `0.5` or `1e3`, infinite if it is too large; None if it is none."""
    return float(text) if _DECIMAL.fullmatch(text) else None


def percentage(text: str) -> float | None:
    """Return the share that a text such as `1%` or `0.5 %` is, in 1; None if it is none."""
    found = _PERCENTAGE.fullmatch(text)
    return None if found is None else float(Decimal(found[1]) / 100)
