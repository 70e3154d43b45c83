"""Numbers as people type them: in the digits 0 to 9, without blanks, underscores or a plus sign, and finite.

Python's own `int` and `float` also read `1_000`, `१२` and `nan`: what was meant for a mistake would be measured.
"""

from __future__ import annotations

import re

_WHOLE = re.compile(r"-?[0-9]{1,4000}")  # Python refuses to read more than 4,300 digits
_DECIMAL = re.compile(r"-?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][-+]?[0-9]+)?")


def whole_number(text: str) -> int | None:
    """Return the whole number that a text is; None if it is none."""
    return int(text) if _WHOLE.fullmatch(text) else None


def decimal_number(text: str) -> float | None:
    """Return the number that a text is, such as `0.5` or `1e3`, infinite if it is too large; None if it is none."""
    return float(text) if _DECIMAL.fullmatch(text) else None
