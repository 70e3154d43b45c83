"""What was wrong with a workload of the user's own, whichever benchmark did it: the first unit, where one was found."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from intercore.record.own_work import PREFIX

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from intercore.record.measurement import Measurement

_SEEKS = "speedup"
"""The benchmark that looks for the unit of a sum that is wrong."""
_WRONG = {
    "beyond": "writes beyond its part: unit {unit}, by itself, changes what is not its own.",
    "around": (
        "writes around its buffer, in a window or part that begins with unit {unit}; none of its units does so by "
        "itself."
    ),
    "unexpected": "is not what its file says is right: the first unit that differs is {unit}.",
    "depends": (
        "gives another sum than its parts: the first unit that differs is {unit}. It adds something else behind others "
        "than by itself, so it depends on the order, on the split, or on what a call leaves behind."
    ),
    "differs": (
        "gives another result than on one core: the first unit that differs is {unit}. State that parts share, or the "
        "order of units, comes into it."
    ),
}
"""By series of a measurement (firmware/workload/own/own.c), what its first unit tells; what is told before others."""


def wrong_units(measurements: Sequence[Measurement]) -> Iterator[str]:
    """Say which unit of the user's own work was wrong first, or that none was found; nothing if all was right."""
    wrong = [one for one in measurements if one.checks.get("wrong") and own_level(one)]
    for one in wrong:
        first = {series.name: int(series.ticks[0]) for series in one.series if len(series.ticks)}
        for name in (name for name in _WRONG if name in first):
            yield f"{_where(one)} {_WRONG[name].format(unit=first[name])}"
            return
    for one in wrong:
        if one.benchmark == _SEEKS:
            yield (
                f"{_where(one)} gives another sum than its parts, and no unit by itself does: it depends on the order, "
                "on the split, or on state that parts share."
            )
        else:
            yield (
                f"{_where(one)} has not passed what is checked, and {one.benchmark} does not look for the unit: "
                f"{_SEEKS} workload={own_level(one)} does."
            )
        return


def without_own_wrong(measurements: Iterable[Measurement]) -> list[Measurement]:
    """Return the measurements, without the count of wrong results of the user's own work: `wrong_units` tells of those.

    What else is said of wrong results names causes that are not his.
    """
    return [_without(one, "wrong") if own_level(one) else one for one in measurements]


def _without(measurement: Measurement, check: str) -> Measurement:
    kept = {name: count for name, count in measurement.checks.items() if name != check}
    return msgspec.structs.replace(measurement, checks=kept)


def own_level(measurement: Measurement) -> str:
    """Return the level of a measurement that is a workload of the user's own; empty if there is none."""
    levels = (str(level) for level in measurement.factors.values())
    return next((level for level in levels if level.startswith(PREFIX)), "")


def _where(measurement: Measurement) -> str:
    factors, name = measurement.factors, own_level(measurement).removeprefix(PREFIX)
    if measurement.benchmark == _SEEKS:
        return f"{name} with n={factors.get('n')} on {factors.get('cores')} cores"
    return f"{name} in {measurement.benchmark}"
