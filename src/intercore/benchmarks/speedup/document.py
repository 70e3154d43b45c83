"""Speed-ups in the shape of the JSON document: their types, with intervals laid flat, so that rows suit CSV."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypedDict

import msgspec

from intercore.statistics.intervals import Interval
from intercore.view.table import interval_cells

if TYPE_CHECKING:
    from intercore.benchmarks.speedup.analysis import SpeedupAnalysis
    from intercore.benchmarks.speedup.break_even import BreakEven
    from intercore.benchmarks.speedup.fit import ForkJoinFit
    from intercore.benchmarks.speedup.isoefficiency import Isoefficiency
    from intercore.benchmarks.speedup.points import SpeedupPoint


class SpeedupJson(TypedDict):
    """The documented JSON; all but the first are by group."""

    speedup: list[dict[str, object]]
    overhead_us: dict[str, dict[str, object]]
    break_even: dict[str, dict[str, object]]
    """The break-even, S = 1."""
    isoefficiency: dict[str, dict[str, object]]
    """Where the wanted efficiency is reached: readers of schema 1 know that by this name."""
    quantised: dict[str, dict[str, object] | None]


def to_json(analysis: SpeedupAnalysis) -> SpeedupJson:
    """Return the analysis in the documented shape, made of what JSON knows; unknown values are None."""
    return {
        "speedup": [_point(point) for point in analysis.points],
        "overhead_us": {fit.group: _overhead(fit) for fit in analysis.fits},
        "break_even": {fit.group: _work(fit.break_even) for fit in analysis.fits},
        "isoefficiency": {fit.group: _work(fit.isoefficiency) for fit in analysis.fits},
        "quantised": {fit.group: msgspec.to_builtins(fit.quantisation) for fit in analysis.fits},
    }


def _point(point: SpeedupPoint) -> dict[str, object]:
    return {**point.varied, **_flat(point, "varied")}


def _overhead(fit: ForkJoinFit) -> dict[str, object]:
    rest = _flat(fit, "group", "cores", "overhead_us", "break_even", "isoefficiency", "quantisation")
    return {**msgspec.to_builtins(fit.overhead_us), **rest}


def _work(found: BreakEven | Isoefficiency) -> dict[str, object]:
    sizes = ("n", "n_low", "n_high")
    return {
        name: int(value) if name in sizes and isinstance(value, float) else value
        for name, value in _flat(found).items()
    }


def _flat(one: msgspec.Struct, *without: str) -> dict[str, object]:
    """Return the fields of a struct by name. An interval becomes three: `loss`, `loss_low` and `loss_high`."""
    found: dict[str, object] = {}
    for field in msgspec.structs.fields(one):
        value = getattr(one, field.name)
        if field.name in without:
            continue
        if field.type in (Interval, Interval | None):
            found |= interval_cells(field.name, value)
        else:
            found[field.name] = value
    return found
