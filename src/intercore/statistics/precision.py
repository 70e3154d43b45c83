"""How well medians are known: the distance to the bounds of their 95 % intervals."""

from __future__ import annotations

from collections import defaultdict
from decimal import Decimal
from typing import TYPE_CHECKING

import msgspec
import numpy as np

from intercore.record.measurement import Unit
from intercore.record.plan import ENOUGH_REPETITIONS
from intercore.statistics.repetitions import median

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from intercore.record.measurement import Measurement, Series


class Precision(msgspec.Struct, frozen=True):
    """How well the median of a series is known."""

    series: str
    samples: int
    repetitions: int
    distance: float | None
    """Distance of the median from the farther bound of its 95 % interval; None if there are too few samples for one: a
    single repetition of fewer than 6."""
    fraction: float | None
    """The same as a fraction of the median; None also if that is 0 and the interval is not."""
    unit: Unit
    """Of `distance`."""

    @property
    def width(self) -> float:
        """What to compare series by: the fraction, or infinity where there is none."""
        return np.inf if self.fraction is None else self.fraction

    def within(self, until: float) -> bool:
        """Whether that is within the requested precision, or at most a tick or a count, the resolution.

        With fewer than ENOUGH_REPETITIONS an interval may be narrow by chance: they count only if all agree.
        """
        if self.distance is None or (self.repetitions < ENOUGH_REPETITIONS and self.distance > 0):
            return False
        return self.distance <= 1 or (self.fraction is not None and self.fraction <= until)

    def __str__(self) -> str:
        """Return it in words: `tp ±1.8 %`."""
        if self.distance is None:
            return f"{self.series} unknown from {self.samples} sample{'s' * (self.samples != 1)}"
        return (
            f"{self.series} ±{self.distance:g} {self.unit}s"
            if self.fraction is None
            else f"{self.series} ±{percent(self.fraction)} %"
        )


def precisions(repetitions: Iterable[Measurement], counts: Callable[[str, Series], bool]) -> list[Precision]:
    """Return how well the medians are known over all repetitions of one setting, one for each series that counts.

    `counts` is true for a benchmark and a series whose median is a result.
    """
    ticks: dict[tuple[str, Unit], list[np.typing.NDArray[np.int64]]] = defaultdict(list)
    for measurement in repetitions:
        for series in measurement.series:
            if len(series.ticks) and counts(measurement.benchmark, series):
                ticks[series.name, series.unit].append(series.ticks)
    return [_precision(name, unit, parts) for (name, unit), parts in ticks.items()]


def worst(found: Sequence[Precision]) -> Precision | None:
    """Return the series of the lowest precision; None if there is none."""
    return max(found, key=lambda one: one.width, default=None)


def percent(fraction: float, digits: int = 2) -> str:
    """Return a fraction as the number of a percentage, without an exponent: `1.8`."""
    return f"{Decimal(f'{100 * fraction:.{digits}g}'):f}"


def _precision(name: str, unit: Unit, repetitions: Sequence[np.typing.NDArray[np.int64]]) -> Precision:
    samples = sum(map(len, repetitions))
    known = median(repetitions, tick=1.0)
    if known.low is None or known.high is None:
        return Precision(name, samples, len(repetitions), None, None, unit)
    distance = max(known.high - known.value, known.value - known.low)
    if distance == 0:
        return Precision(name, samples, len(repetitions), 0.0, 0.0, unit)
    return Precision(
        name, samples, len(repetitions), distance, distance / abs(known.value) if known.value else None, unit
    )
