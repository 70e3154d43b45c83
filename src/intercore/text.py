"""Text of unknown origin, made fit to be shown."""

from __future__ import annotations


def printable(text: str) -> str:
    """Return text of unknown origin with its control characters, but for line ends, replaced."""
    return "".join(c if c.isprintable() or c == "\n" else "\N{REPLACEMENT CHARACTER}" for c in text)
