"""Names of settings of `speedup` for people: `created tasks` for `mode=create`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from intercore.benchmarks.speedup.points import TASKS, work_in_words

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from intercore.benchmarks.speedup.points import SpeedupPoint
    from intercore.record.measurement import Level


def differing(points: Iterable[SpeedupPoint]) -> set[str]:
    """Return the factors that distinguish the groups of points, and always the mode."""
    levels: dict[str, set[Level]] = {}
    for point in points:
        for name, level in point.setting.items():
            levels.setdefault(name, set()).add(level)
    return {"mode"} | {name for name, known in levels.items() if len(known) > 1}


def settings_of_groups(points: Iterable[SpeedupPoint]) -> dict[str, dict[str, Level]]:
    """Return what distinguishes each group of points from the others, by group."""
    settings = {point.group: point.setting for point in points}
    return {group: apart(setting, settings.values()) for group, setting in settings.items()}


def apart(setting: Mapping[str, Level], settings: Iterable[Mapping[str, Level]]) -> dict[str, Level]:
    """Return the levels of a setting that another one has not."""
    others = list(settings)
    return {name: level for name, level in setting.items() if any(other.get(name) != level for other in others)}


def called(setting: Mapping[str, Level], named: Collection[str]) -> str:
    """Name a group by the factors named, e.g. `floating point, created tasks, 2 cores, priority 2`."""
    return ", ".join(_word(name, level) for name, level in setting.items() if name in named)


def _word(name: str, level: Level) -> str:
    if name == "mode":
        return TASKS.get(str(level), str(level))
    if name == "workload":
        return work_in_words(str(level))
    if name == "cores":
        return f"{level} cores"
    if name == "n":
        return f"n = {level:,}" if isinstance(level, int) else f"n = {level}"
    return f"{name.replace('_', ' ')} {level}"
