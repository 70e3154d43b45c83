"""Axes of figures: from where to where they go, where a value stands on them, and which ticks they have."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_PREFIXES = {-12: "p", -9: "n", -6: "µ", -3: "m", 0: "", 3: "k", 6: "M", 9: "G"}
_MARGIN = 0.08  # of an axis whose ends follow from its values, on either side
_EQUAL = 1e-9  # relative difference below which an axis shows values as equal
_LEAST = 1e-300  # difference that leaves room for ticks in between
_TICKS = 5  # of a linear axis, about
_FEW_DECADES = 2.2  # up to which a logarithmic axis also has ticks at 2 and 5
_LINEAR_DECADES = 0.7  # up to which a logarithmic axis has the ticks of a linear one
_MANY_DECADES = 5  # from which on every other decade has no label
_LEAST_LABELS = 3  # of a logarithmic axis: with two it is not recognisable
_NARROW_LABELS = 4  # that there is room for on a telephone


class Tick(NamedTuple):
    """A place on an axis."""

    at: float
    """From 0, its beginning, to 1."""
    label: str
    """Empty for a line alone."""
    main: bool = True
    """Whether it keeps its label where there is little room."""


def _inside(known: Iterable[tuple[float | None, str, bool]]) -> list[Tick]:
    """Return the ticks that lie on the axis; of those that have labels, one keeps it where there is little room."""
    placed = [Tick(place, text, main) for place, text, main in known if place is not None]
    inside = [tick for tick in placed if -1e-9 <= tick.at <= 1 + 1e-9]
    some = any(tick.main and tick.label for tick in inside)
    return inside if some else [tick._replace(main=True) for tick in inside]


def _labels(ticks: Iterable[Tick]) -> int:
    return sum(bool(tick.label) for tick in ticks)


@dataclass(frozen=True)
class Axis:
    """One direction of a plot. Places on it go from 0, the left or the bottom, to 1."""

    title: str = ""
    low: float = 0.0
    """The value at place 0; above 0 on a logarithmic axis."""
    high: float = 1.0
    """The value at place 1; below `low` on an axis that goes down."""
    log: bool = False
    unit: str = ""
    """Of its values, which are written with a prefix of the SI if it is given: seconds as ns, µs or ms."""
    form: Literal["plain", "si", "percent"] = "plain"
    """How values without a unit are written; `si` writes 20,000 as 20k."""
    names: tuple[tuple[float, str], ...] = ()
    """What stands in place of numbers, and at which values."""
    steps: int = _TICKS
    """How many ticks a linear axis has, about."""
    grid: bool = True
    """Whether lines go across the plot at its ticks."""
    narrow: int = _NARROW_LABELS
    """How many labels a logarithmic axis has room for on a telephone."""

    def around(self, values: Iterable[float | None], *, from_zero: bool = False) -> Axis:
        """Return the axis with ends that have room for values; the others, and what has no place, count nothing."""
        numbers = [value for value in values if value is not None and math.isfinite(value)]
        if self.log:
            low, high = _ends([math.log10(value) for value in numbers if value > 0], log=True)
            return replace(self, low=10**low, high=10**high)
        low, high = _ends(numbers, from_zero=from_zero)
        return replace(self, low=low, high=high)

    def of_names(self, names: Sequence[str], *, down: bool = False) -> Axis:
        """Return the axis with names at 0, 1, 2 and so on; with `down` the first one is on top."""
        ends = (-0.5, max(len(names), 1) - 0.5)
        low, high = ends[::-1] if down else ends
        return replace(self, low=low, high=high, names=tuple(enumerate(names)), grid=False)

    def at(self, value: float | None) -> float | None:
        """Return the place of a value; None if it has none."""
        if value is None or (self.log and value <= 0):
            return None
        number, low, high = (math.log10(one) if self.log else one for one in (value, self.low, self.high))
        place = (number - low) / (high - low)
        return place if math.isfinite(place) else None

    def within(self, value: float | None) -> float | None:
        """Return the place of a value, or the nearest end of the axis if it is beyond; None if it has none."""
        place = self.at(value)
        return None if place is None else min(max(place, 0.0), 1.0)

    def ticks(self) -> list[Tick]:
        """Return where lines are, with labels as far as there is room for them."""
        if self.names:
            return _inside((self.at(value), name, True) for value, name in self.names)
        return self._logarithmic() if self.log else _inside(self._steps(self.steps))

    def _logarithmic(self) -> list[Tick]:
        """Return the fewest ticks that have labels enough: decades, these and others between them, or equal steps."""
        span = abs(math.log10(self.high) - math.log10(self.low))
        found: list[Tick] = []
        if span > _LINEAR_DECADES:
            found = self._decades((1, 2, 5) if span < _FEW_DECADES else (1,), bare=span > _MANY_DECADES)
            for digits in ((1, 3), (1, 2, 5)):
                found = found if _labels(found) >= _LEAST_LABELS else self._decades(digits, bare=False)
        wanted = _TICKS
        while _labels(found) < _LEAST_LABELS and wanted <= 4 * _TICKS:
            found = _inside(self._steps(wanted))
            wanted += 1
        named = [tick for tick in found if tick.label]
        powers = [tick for tick in named if tick.main]
        chosen = powers if len(powers) >= _LEAST_LABELS else named
        kept = {tick.at for tick in chosen[:: -(-len(chosen) // self.narrow)]}
        return [tick._replace(main=tick.at in kept) for tick in found]

    def _decades(self, digits: Sequence[int], *, bare: bool) -> list[Tick]:
        """Return ticks at so many times each power of ten, of which every other one is `bare` if there are many."""
        low, high = sorted((math.log10(self.low), math.log10(self.high)))
        decades = range(math.floor(low), math.ceil(high) + 1)
        known = [(digit * 10.0**decade, digit == 1, bare and decade % 2) for decade in decades for digit in digits]
        return _inside((self.at(value), "" if no_label else self.text(value), main) for value, main, no_label in known)

    def _steps(self, wanted: int) -> list[tuple[float | None, str, bool]]:
        low, high = sorted((self.low, self.high))
        rough = (high - low) / max(wanted, 1)
        power = 10.0 ** math.floor(math.log10(rough))
        step = next(power * digit for digit in (1, 2, 5, 10) if power * digit >= rough)
        first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
        values = [number * step for number in range(first, last + 1)]
        return [(self.at(value), self.text(value, step), number % 2 == 0) for number, value in enumerate(values)]

    def text(self, value: float, step: float = 0.0) -> str:
        """Write a value as the axis does: with a prefix of the SI, as a percentage, or plainly.

        Multiples of `step`, which is 1, 2 or 5 of a power of ten, get the digits that distinguishes them.
        """
        last = math.floor(math.log10(step) + 1e-9) if step else 0
        if self.form == "percent":
            return f"{100 * value:.{max(0, -2 - last)}f}%"
        digits = 1 + math.floor(math.log10(abs(value)) + 1e-9) - last if value and step else 0
        if value and (self.form == "si" or self.unit):
            power = min(max(3 * math.floor(math.log10(abs(value) * (1 + 1e-12)) / 3), -12), 9)
            space = " " if self.unit else ""
            return f"{value / 10.0**power:.{max(4, digits)}g}{space}{_PREFIXES[power]}{self.unit}"
        return f"{value:.{max(6, digits)}g}"


def _ends(values: Sequence[float], *, log: bool = False, from_zero: bool = False) -> tuple[float, float]:
    if not values:
        return 0.0, 1.0
    low, high = min(values), max(values)
    if from_zero:
        low, high = min(low, 0.0), max(high, 0.0)
    margin = _MARGIN * (high - low)
    if high - low <= max(_EQUAL * (1 if log else max(abs(low), abs(high))), _LEAST):
        margin = 0.3 if log else abs(low) / 2 or 1.0  # equal values stand in the middle
    return (low if from_zero and low == 0 else low - margin), high + margin
