"""How far simulated times can be trusted, in numbers: the figures from boards that the model was compared with."""

from __future__ import annotations

from statistics import median
from typing import TYPE_CHECKING, NamedTuple

from intercore.accuracy.figures import CATEGORIES, compared

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from intercore.accuracy.figures import Category, Compared

PAGE = "docs/accuracy.md"
CHIP = "RP2040"
"""The chip that the figures are of."""


class Agreement(NamedTuple):
    """How well the figures of a category agree."""

    category: Category
    figures: int
    typical: float
    """Median difference, without its sign."""
    worst: float
    """Largest difference, without its sign."""


def agreements(figures: Sequence[Compared]) -> list[Agreement]:
    """Return the agreement of each category that has figures, in their order."""
    found = []
    for category in CATEGORIES:
        off = [abs(one.difference) for one in figures if one.figure.category == category]
        if off:
            found.append(Agreement(category, len(off), median(off), max(off)))
    return found


def in_percent(part: float) -> str:
    """Return a difference as people read it: two digits, and none behind the point from 10 % on."""
    return f"{100 * part:.0f} %" if part >= 0.0995 else f"{100 * part:.1f} %"


def sentence(categories: Iterable[Category]) -> str:
    """Return what is known of the model where it makes times of such categories: one sentence, without a full stop."""
    asked = set(categories)
    known = [one for one in agreements(compared()) if one.category in asked]
    unknown = [one for one in CATEGORIES if one in asked and one not in {each.category for each in known}]
    parts = [_in_words(one) for one in known]
    if unknown:
        parts.append(f"nothing known of {', '.join(unknown)}")
    return f"Beside figures from boards ({PAGE}), {'; '.join(parts)}"


def _in_words(one: Agreement) -> str:
    figures = f"{one.figures} figure{'s' * (one.figures > 1)}"
    return f"{one.category} within {in_percent(one.worst)} of {figures}"
