"""Names that have changed: rows and lines stored under an old name are read with the current one.

The one table of them. A store and the file of a baseline keep the names that they were written with; the names change
when a row or a line is read, so everything else knows the current ones only.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from intercore.record.plan import canonical

if TYPE_CHECKING:
    from intercore.record.measurement import Level, Part, Plan, Series


_PER_CORE = {"looking": "timestamp_overhead"}
"""Series of any benchmark, one for each core: before the point."""
_SERIES = {("memory", "beside"): "contended"}
"""Series by benchmark and old name."""
_CHECKS = {
    "asked": "migrations_requested",
    "moved": "migrations_done",
    "retaken": "repeated_turns",
    "rings_lost": "recovered_doorbells",
}
_LEVELS = {
    ("jitter", "wake", "anew"): "reset",
    ("lock", "measure", "hand-over"): "hand-off",
    ("memory", "mark", "beside"): "contended",
}
"""Levels by benchmark, factor and old name."""
_BENCHMARKS = {benchmark for benchmark, _, _ in _LEVELS}
_CONDITIONS = {
    f"desk.{name}": f"host.{name}"
    for name in ("faults", "link", "meter", "meter_path", "mistakes", "platform", "python", "rate", "tool")
}


def series_name(benchmark: str, name: str) -> str:
    """Return the name of a series of that benchmark today."""
    stem, point, core = name.partition(".")
    return f"{_PER_CORE[stem]}.{core}" if point and stem in _PER_CORE else _SERIES.get((benchmark, name), name)


def series(benchmark: str, one: Series) -> Series:
    """Return a series of that benchmark with its name of today."""
    name = series_name(benchmark, one.name)
    return one if name == one.name else msgspec.structs.replace(one, name=name)


def checks(known: dict[str, int]) -> dict[str, int]:
    """Return counters with their names of today, in the order of these, as they are stored."""
    return dict(sorted((_CHECKS.get(name, name), count) for name, count in known.items()))


def levels(benchmark: str, known: dict[str, Level]) -> dict[str, Level]:
    """Return the levels of a setting of that benchmark with their names of today."""
    if benchmark not in _BENCHMARKS:
        return known
    return {factor: _level(benchmark, factor, level) for factor, level in known.items()}


def setting(benchmark: str, text: str) -> str:
    """Return a stored setting of that benchmark, canonical JSON, with the names of today."""
    return text if benchmark not in _BENCHMARKS else canonical(levels(benchmark, msgspec.json.decode(text)))


def plan(known: Plan) -> Plan:
    """Return a plan with the names of today."""
    if not _BENCHMARKS.intersection(known.benchmarks):
        return known
    excluded = (
        msgspec.structs.replace(one, factors=levels(one.benchmark, dict(one.factors))) for one in known.excluded
    )
    return msgspec.structs.replace(known, parts=tuple(map(_part, known.parts)), excluded=tuple(excluded))


def _part(known: Part) -> Part:
    grid = {
        factor: [_level(known.benchmark, factor, level) for level in all_levels]
        for factor, all_levels in known.levels.items()
    }
    skip = tuple(levels(known.benchmark, one) for one in known.skip)
    return msgspec.structs.replace(known, levels=grid, skip=skip)


def _level(benchmark: str, factor: str, level: Level) -> Level:
    return _LEVELS.get((benchmark, factor, str(level)), level)


def condition(name: str) -> str:
    """Return the current name of a condition."""
    return _CONDITIONS.get(name, name)


def conditions(stored: dict[str, str]) -> dict[str, str]:
    """Return conditions under their current names, sorted by these, as they are stored."""
    if _CONDITIONS.keys().isdisjoint(stored):
        return stored
    return dict(sorted((condition(name), value) for name, value in stored.items()))
