"""What `switch` answers on one line: what it takes to wake a task."""

from __future__ import annotations

from typing import TYPE_CHECKING

from intercore.benchmarks.switch.names import named
from intercore.view.answer import Answer, Remark, about_times
from intercore.view.cost import Cost
from intercore.view.quantity import duration

if TYPE_CHECKING:
    from collections.abc import Iterator

    from intercore.benchmarks.switch.analysis import SwitchAnalysis
    from intercore.statistics.intervals import Interval

_MOST_PRIMITIVES = 4
_DEPENDS = 1.25  # times the shortest, from which on the longest way is told as well


def answers(analysis: SwitchAnalysis) -> Iterator[Answer]:
    """Answer what waking takes by the best primitive, on the same core and on another one, which was asleep."""
    for question, apart in (("wake a task, same core", False), ("wake a task, other core", True)):
        found = _typical(analysis, apart=apart)
        if found:
            name = min(found, key=lambda name: found[name].value)
            yield Answer(question, found[name], about=name + (_by_direction(analysis, name) if apart else ""))


def _by_direction(analysis: SwitchAnalysis, name: str) -> str:
    """Say of a primitive between which medians it depends on who wakes whom; nothing where it hardly does."""
    ways = [
        one.wake_up_us.median.value
        for one in analysis.wake_ups
        if one.time == "common" and one.first != one.second and one.target != "busy" and named(one) == name
    ]
    if not ways or max(ways) < _DEPENDS * min(ways):
        return ""
    return f": {duration(min(ways))} or {duration(max(ways))} by direction"


def costs(analysis: SwitchAnalysis) -> Iterator[Cost]:
    """Give what waking costs by the four primitives that are the quickest across cores."""
    same, across = (_typical(analysis, apart=apart) for apart in (False, True))
    for name in sorted(across, key=lambda name: across[name].value)[:_MOST_PRIMITIVES]:
        longest = max(one.wake_up_us.max for one in analysis.wake_ups if one.time == "common" and named(one) == name)
        on_one = same[name].value if name in same else None
        yield Cost("signal", f"wake a task, {name}", across[name].value, on_one, longest)


def _typical(analysis: SwitchAnalysis, *, apart: bool) -> dict[str, Interval]:
    """Return for each primitive the median of all wake-ups across cores, or on one core, as the sentences have it.

    Where only one of the two was measured, that of the pair of cores in the middle.
    """
    ratios = sorted((one for one in analysis.ratios if one.time == "common"), key=lambda one: one.target != "idle")
    found: dict[str, Interval] = {}
    for one in ratios:
        found.setdefault(named(one), one.cross_us if apart else one.same_us)
    if found:
        return found
    alone: dict[str, list[Interval]] = {}
    for wake_up in analysis.wake_ups:
        if wake_up.time == "common" and (wake_up.first != wake_up.second) == apart:
            alone.setdefault(named(wake_up), []).append(wake_up.wake_up_us.median)
    return {name: sorted(of_it, key=lambda one: one.value)[len(of_it) // 2] for name, of_it in alone.items()}


def remarks(analysis: SwitchAnalysis) -> Iterator[Remark]:
    """Tell how far apart both are for one primitive."""
    found = [one for one in analysis.ratios if one.time == "common" and one.ratio.value > 1]
    if found:
        most = max(found, key=lambda one: one.ratio.value)
        yield Remark(
            most.ratio.value,
            f"Waking a task on another core takes {about_times(most.ratio.value)} times as long ({named(most)}).",
        )
