"""How far simulated times can be trusted, in numbers: the figures from boards that the model was compared with."""

from __future__ import annotations

from statistics import median
from typing import TYPE_CHECKING, NamedTuple

from intercore.accuracy.figures import CATEGORIES, compared

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from intercore.accuracy.figures import Category, Compared

PAGE = "docs/accuracy.md"
CHIP = "RP2040"
"""The chip that the figures are of."""
_SHORT: Mapping[Category, str] = {
    "computing from SRAM": "code in SRAM",
    "computing from flash": "code in flash",
    "floating point in ROM": "ROM's floats",
    "two cores at once": "two cores",
    "interrupt latency": "interrupts",
    "flash-cache misses": "flash misses",
    "DMA": "DMA",
    "pins by SIO": "pins",
    "pins by PIO": "PIO's pins",
    "registers on APB": "APB",
    "UART and I2C": "UART, I2C",
    "SIO FIFO and spinlocks": "FIFO, spinlocks",
    "start of core 1": "core 1's start",
    "memcpy in ROM": "memcpy",
    "the divider": "divider",
    "flash that is written": "flash writes",
    "the kernel (RTOS)": "kernel",
}


class Agreement(NamedTuple):
    """How well the figures of a category agree."""

    category: Category
    figures: int
    typical: float
    """Median difference, without its sign."""
    worst: float
    """Largest difference, without its sign."""


def agreements(figures: Sequence[Compared]) -> list[Agreement]:
    """Return the agreement of each category that has figures which no constant was taken from, in their order."""
    checks = [one for one in figures if not one.figure.decided]
    found = []
    for category in CATEGORIES:
        off = [abs(one.difference) for one in checks if one.figure.category == category]
        if off:
            found.append(Agreement(category, len(off), median(off), max(off)))
    return found


def in_percent(part: float) -> str:
    """Return a difference as people read it: two digits, and none behind the point from 10 % on."""
    return f"{100 * part:.0f} %" if part >= 0.0995 else f"{100 * part:.1f} %"


def sentence(categories: Iterable[Category]) -> str:
    """Return what is known of the model where it makes times of such categories: one sentence, without a full stop."""
    known, unknown = _known(categories)
    parts = [_in_words(one) for one in known]
    if unknown:
        parts.append(f"nothing known of {', '.join(unknown)}")
    return f"Beside figures from boards ({PAGE}), {'; '.join(parts)}"


def short_sentence(categories: Iterable[Category]) -> str:
    """Return the same in two lines of a terminal: the largest difference of each category, by a short name."""
    known, unknown = _known(categories)
    parts = [", ".join(f"{_SHORT[one.category]} {in_percent(one.worst)}" for one in known)] * bool(known)
    if unknown:
        parts.append(f"not known: {', '.join(_SHORT[one] for one in unknown)}")
    return f"Off from boards ({PAGE}){' at most' * bool(known)}: {'; '.join(parts)}"


def _known(categories: Iterable[Category]) -> tuple[list[Agreement], list[Category]]:
    """Return what is known of such categories, and of which ones nothing is."""
    asked = set(categories)
    known = [one for one in agreements(compared()) if one.category in asked]
    return known, [one for one in CATEGORIES if one in asked and one not in {each.category for each in known}]


def _in_words(one: Agreement) -> str:
    figures = f"{one.figures} figure{'s' * (one.figures > 1)}"
    return f"{one.category} within {in_percent(one.worst)} of {figures}"
