"""Energy of several cores compared with one, for the same work.

Per operation, so that windows of equal length and of equal work compare alike: e joules and t seconds for each.

    E(1) / E(2)            above 1: two cores take less energy for the same work
    energy × delay         e · t: minimal where both count
    race to idle           two cores work and then rest until one core would have been done:
                           e2 + power at rest · (t1 - t2), against e1
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

import msgspec

from intercore.statistics.intervals import Interval
from intercore.statistics.repetitions import ratio_of_intervals

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from intercore.energy.pooled import Pooled


class Economy(msgspec.Struct, frozen=True):
    """One core against several, at the same work."""

    work: str
    one: str
    """The work on one core."""
    several: str
    cores: int
    """The number of cores."""
    energy_ratio: Interval
    """E(1) / E(P): above 1, several cores save energy."""
    time_ratio: float
    """T(1) / T(P): the speed-up."""
    energy_delay_ratio: float
    """(e · t) of one core over that of several."""
    race_to_idle: float | None
    """E(1) over the energy of several cores followed by rest; None if the power at rest is unknown."""
    race_to_idle_ratio: Interval | None
    """The same with its interval: the saving of a product that rests after its work."""


def economies(rows: Iterable[Pooled]) -> Iterator[Economy]:
    """Compare one core with several for each work, each at its best measurement."""
    by_work: dict[str, list[Pooled]] = defaultdict(list)
    for row in rows:
        if row.joules_each is not None and row.joules_each.value > 0:
            by_work[row.work].append(row)
    for work, known in by_work.items():
        ones = [row for row in known if row.cores == 1]
        if not ones:
            continue
        one = min(ones, key=_energy)
        for cores in sorted({row.cores for row in known if row.cores > 1}):
            several = min((row for row in known if row.cores == cores), key=_energy)
            found = _compared(work, one, several)
            if found is not None:
                yield found


def _energy(row: Pooled) -> float:
    return row.joules_each.value if row.joules_each is not None else float("inf")


def _compared(work: str, one: Pooled, several: Pooled) -> Economy | None:
    if one.joules_each is None or several.joules_each is None or not one.seconds_each or not several.seconds_each:
        return None
    ratio = ratio_of_intervals(one.joules_each, several.joules_each)
    if ratio is None:
        return None
    time = one.seconds_each / several.seconds_each
    raced = None
    if several.rest_watts is not None:
        spared = max(one.seconds_each - several.seconds_each, 0.0)
        raced = ratio_of_intervals(one.joules_each, _with_rest(several.joules_each, several.rest_watts, spared))
    return Economy(
        work,
        one.label,
        several.label,
        several.cores,
        ratio,
        time,
        ratio.value * time,
        None if raced is None else raced.value,
        raced,
    )


def _with_rest(joules: Interval, rest_watts: Interval, seconds: float) -> Interval:
    """Return the energy of work and the following rest; its bounds combine those of both."""
    value, low, high = (
        None if energy is None or watts is None else energy + max(watts, 0.0) * seconds
        for energy, watts in zip(
            (joules.value, joules.low, joules.high), (rest_watts.value, rest_watts.low, rest_watts.high), strict=True
        )
    )
    return Interval(value or 0.0, low, high)
