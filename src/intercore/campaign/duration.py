"""Durations as people write and read them: `1 h 30 min`."""

from __future__ import annotations

import re

from intercore.errors import UsageError

_UNITS = {"s": 1.0, "min": 60.0, "h": 3600.0, "d": 86400.0}


def parse_duration(text: str) -> float:
    """Return a time such as `90 s`, `30 min` or `1 h 30 min` in seconds. UsageError if it is none, or 0."""
    parts = re.findall(r"\s*(\d+(?:\.\d+)?|\.\d+)\s*(s|min|h|d)(?![a-z])", text)
    if not parts or re.sub(r"\s*(\d+(?:\.\d+)?|\.\d+)\s*(s|min|h|d)(?![a-z])", "", text).strip():
        raise UsageError(f"'{text}' is no time, such as '90 s', '30 min' or '1 h 30 min'")
    seconds = sum(float(number) * _UNITS[unit] for number, unit in parts)
    if not 0 < seconds < 1e9:
        raise UsageError(f"'{text}' is out of range: nothing can be measured in no time, and 30 years are enough")
    return seconds


def in_words(seconds: float) -> str:
    """Return a time in words that claim no more than an estimate can: `40 s`, `3 min`, `2.5 h`, `3 days`."""
    for size, unit in ((86400.0, "days"), (3600.0, "h"), (60.0, "min")):
        if seconds >= 1.5 * size:
            number = seconds / size
            return f"{number:.1f} {unit}" if number < 10 else f"{number:.0f} {unit}"
    return f"{seconds:.0f} s"
