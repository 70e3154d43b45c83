"""Levels as words that a user types: `n=1000,10000 mode=pool`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from intercore.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable


def parse_levels(words: Iterable[str]) -> dict[str, list[str]]:
    """Split `name=value,value` words. Raises UsageError for a word of another form or a name given twice."""
    levels: dict[str, list[str]] = {}
    for word in words:
        name, equals, values = word.partition("=")
        if not equals or not name or not all(values.split(",")):
            raise UsageError(
                f"'{word}' is not a level of a factor: write name=value or name=value,value, e.g. n=1000,10000 "
                "mode=pool"
            )
        if name in levels:
            raise UsageError(f"the factor {name} is given twice: put all its levels in one list, {name}=…,…")
        levels[name] = values.split(",")
    return levels
