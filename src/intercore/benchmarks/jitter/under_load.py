"""Lateness without migration: without load, and under load of lower priority."""

from __future__ import annotations

from statistics import median
from typing import TYPE_CHECKING

from intercore.benchmarks.jitter.findings import MissedActivations, WorseWithoutLoad

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from intercore.benchmarks.jitter.analysis import JitterSetting


def settings_under(settings: Iterable[JitterSetting], *, loaded: bool) -> list[JitterSetting]:
    """Return those of a task that is not moved, with load of lower priority or with none."""
    free = [one for one in settings if one.migrate == "none" and one.load != "same-priority"]
    return [one for one in free if (one.load != "none") == loaded]


def typical_us(found: Iterable[JitterSetting]) -> float:
    """Return the median of the settings' medians; there is at least one."""
    return median(one.lateness_us.median.value for one in found)


def largest_us(found: Iterable[JitterSetting]) -> float:
    """Return the largest lateness of all activations; 0 of no setting."""
    return max((one.largest_us for one in found), default=0.0)


def is_worse_without_load(rest: Sequence[JitterSetting], load: Sequence[JitterSetting]) -> bool:
    """Whether the latest activation without load is later than the latest under load, which load does not do."""
    return bool(rest and load) and largest_us(rest) > largest_us(load)


def missed(found: Sequence[JitterSetting]) -> MissedActivations:
    """Return the activations that came a period or more late."""
    return MissedActivations(
        sum(one.missed for one in found),
        sum(one.missed_in for one in found),
        sum(one.lateness_us.repetitions for one in found),
    )


def worse_without_load(rest: Sequence[JitterSetting], load: Sequence[JitterSetting]) -> WorseWithoutLoad | None:
    """Return the caveat on the largest lateness without load; None if it is not larger than under load."""
    if not is_worse_without_load(rest, load):
        return None
    at_rest, loaded = typical_us(rest), typical_us(load)
    return WorseWithoutLoad(largest_us(load), missed(rest), loaded if at_rest > loaded else None)
