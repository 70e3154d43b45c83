"""Axes of a picture that is drawn without a script: where a value stands, and which ticks there are.

They understand of the layout that plotly.js takes what the figures of `intercore.view` use.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from intercore.view.section import Figure

_PREFIXES = {-12: "p", -9: "n", -6: "µ", -3: "m", 0: "", 3: "k", 6: "M", 9: "G"}
_MARGIN = 0.08  # of an axis whose ends follow from its values, on either side
_EQUAL = 1e-9  # part of the values by which those differ that an axis cannot tell apart
_TICKS = 5  # of a linear axis, about
_FEW_DECADES = 2.2  # up to which a logarithmic axis also has ticks at 2 and 5
_LINEAR_DECADES = 0.7  # up to which a logarithmic axis has the ticks of a linear one
_MANY_DECADES = 5  # from which on every other decade has no label
_LEAST_LABELS = 3  # of a logarithmic axis: two do not tell that it is one
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


class Scale:
    """How values become places from 0, the left or the bottom, to 1."""

    def __init__(self, axis: Figure, values: Sequence[object]) -> None:
        """Take an axis of a layout and all values that it has to show."""
        self.axis = axis
        self.reversed = axis.get("autorange") == "reversed"
        self.log = axis.get("type") == "log"
        self.categories: list[str] | None = None
        numbers = [float(value) for value in values if isinstance(value, int | float) and math.isfinite(value)]
        if axis.get("type") == "category" or any(isinstance(value, str) for value in values):
            known = [str(value) for value in values if value is not None]
            self.categories = list(dict.fromkeys([*map(str, axis.get("categoryarray", ())), *known]))
            self.low, self.high = -0.5, len(self.categories) - 0.5
        elif "range" in axis:
            self.low, self.high = map(float, axis["range"])
            if self.low > self.high:
                self.low, self.high, self.reversed = self.high, self.low, True
        else:
            self.low, self.high = self._ends([math.log10(one) for one in numbers if one > 0] if self.log else numbers)

    def _ends(self, values: Sequence[float]) -> tuple[float, float]:
        if not values:
            return 0.0, 1.0
        low, high = min(values), max(values)
        if self.axis.get("rangemode") == "tozero":
            low, high = min(low, 0.0), max(high, 0.0)
        margin = _MARGIN * (high - low)
        if high - low <= _EQUAL * (1 if self.log else max(abs(low), abs(high))):
            margin = 0.3 if self.log else abs(low) / 2 or 1.0  # equal values stand in the middle
        to_zero = self.axis.get("rangemode") == "tozero" and low == 0
        return (low if to_zero else low - margin), high + margin

    def at(self, value: object) -> float | None:
        """Return the place of a value; None if it has none."""
        if self.categories is not None and isinstance(value, str):
            number = float(self.categories.index(value)) if value in self.categories else math.nan
        elif not isinstance(value, int | float):
            return None
        elif self.log:
            number = math.log10(value) if value > 0 else math.nan
        else:
            number = float(value)
        place = (number - self.low) / (self.high - self.low)
        if not math.isfinite(place):
            return None
        return 1 - place if self.reversed else place

    def within(self, value: object) -> float | None:
        """Return the place of a value, or the nearest end of the axis if it is beyond; None if it has none."""
        place = self.at(value)
        return None if place is None else min(max(place, 0.0), 1.0)

    def ticks(self) -> list[Tick]:
        """Return where lines are, with labels as far as there is room for them."""
        if "tickvals" in self.axis:
            values = self.axis["tickvals"]
            pairs = zip(values, self.axis.get("ticktext") or values, strict=True)
            known = [(self.at(value), str(text), True) for value, text in pairs]
        elif self.categories is not None:
            known = [(self.at(name), name, True) for name in self.categories]
        elif self.log:
            return self._logarithmic()
        else:
            known = self._steps(int(self.axis.get("nticks", _TICKS)))
        return _inside(known)

    def _logarithmic(self) -> list[Tick]:
        """Return the fewest ticks that have labels enough: decades, these and others between them, or equal steps."""
        span = self.high - self.low
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
        kept = {tick.at for tick in chosen[:: -(-len(chosen) // _NARROW_LABELS)]}
        return [tick._replace(main=tick.at in kept) for tick in found]

    def _decades(self, digits: Sequence[int], *, bare: bool) -> list[Tick]:
        """Return ticks at so many times each power of ten, of which every other one is `bare` if there are many."""
        decades = range(math.floor(self.low), math.ceil(self.high) + 1)
        known = [(digit * 10.0**decade, digit == 1, bare and decade % 2) for decade in decades for digit in digits]
        return _inside((self.at(value), "" if no_label else self.text(value), main) for value, main, no_label in known)

    def _steps(self, wanted: int) -> list[tuple[float | None, str, bool]]:
        low, high = (10.0**self.low, 10.0**self.high) if self.log else (self.low, self.high)
        rough = (high - low) / max(wanted, 1)
        power = 10.0 ** math.floor(math.log10(rough))
        step = next(power * digit for digit in (1, 2, 5, 10) if power * digit >= rough)
        first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
        values = [number * step for number in range(first, last + 1)]
        return [(self.at(value), self.text(value, step), number % 2 == 0) for number, value in enumerate(values)]

    def text(self, value: float, step: float = 0.0) -> str:
        """Write a value as the axis does: with a prefix of the SI, as a percentage, or plainly.

        Multiples of `step`, which is 1, 2 or 5 of a power of ten, get the digits that tell them apart.
        """
        form, suffix = str(self.axis.get("tickformat", "")), str(self.axis.get("ticksuffix", ""))
        last = math.floor(math.log10(step) + 1e-9) if step else 0
        if form.endswith("%"):
            return f"{100 * value:.{max(0, -2 - last)}f}%"
        digits = 1 + math.floor(math.log10(abs(value)) + 1e-9) - last if value and step else 0
        if value and (form == "~s" or suffix):
            power = min(max(3 * math.floor(math.log10(abs(value) * (1 + 1e-12)) / 3), -12), 9)
            space = " " if suffix else ""
            return f"{value / 10.0**power:.{max(4, digits)}g}{space}{_PREFIXES[power]}{suffix}"
        return f"{value:.{max(6, digits)}g}" + (f" {suffix}" if suffix and value else "")
