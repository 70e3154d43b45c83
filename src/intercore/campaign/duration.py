"""Typed durations, such as `1 h 30 min`."""

from __future__ import annotations

import re

from intercore.errors import UsageError

_PART = re.compile(r"\s*(\d+(?:\.\d+)?|\.\d+)\s*(s|min|h|d)(?![a-z])", re.ASCII)
_UNITS = {"s": 1.0, "min": 60.0, "h": 3600.0, "d": 86400.0}


def parse_duration(text: str) -> float:
    """Return a duration such as `90 s`, `30 min` or `1 h 30 min` in seconds.

    Raises UsageError if it is invalid or 0.
    """
    parts = _PART.findall(text)
    if not parts or _PART.sub("", text).strip():
        raise UsageError(f"'{text}' is not a duration: write '90 s', '30 min' or '1 h 30 min'")
    seconds = sum(float(number) * _UNITS[unit] for number, unit in parts)
    if not 0 < seconds < 1e9:
        raise UsageError(f"'{text}' is out of range: a duration must be above 0 and at most 30 years")
    return seconds
