"""What `irq` answers on one line: how long interrupts take, and at worst."""

from __future__ import annotations

from statistics import median
from typing import TYPE_CHECKING

from intercore.benchmarks.irq.analysis import DOING
from intercore.statistics.intervals import Interval
from intercore.view.answer import Answer, Remark, about_times, among
from intercore.view.cost import Cost
from intercore.view.quantity import duration

if TYPE_CHECKING:
    from collections.abc import Iterator

    from intercore.benchmarks.irq.analysis import IrqAnalysis

_OPERATIONS = {"doorbell": "interrupt a core", "timer-handler": "timer to its handler", "timer-task": "timer to a task"}


def answers(analysis: IrqAnalysis) -> Iterator[Answer]:
    """Answer what the longest way from a timer to its handler was, and to a task."""
    for question, path in (
        ("worst, timer to handler", "timer-handler"),
        ("worst, timer to task", "timer-task"),
    ):
        found = [one for one in analysis.budgets if one.path == path]
        if found:
            worst = max(found, key=lambda one: one.largest_us)
            about = among(f"while {DOING[worst.largest_while]}", worst.varied)
            yield Answer(question, Interval(worst.largest_us), about=about)


def costs(analysis: IrqAnalysis) -> Iterator[Cost]:
    """Give what interrupts cost while the cores sleep, and the longest that was seen whatever they did."""
    for path, label in _OPERATIONS.items():
        across, same = (
            [one for one in analysis.budgets if (one.path, one.across) == (path, apart)] for apart in (True, False)
        )
        if across or same:
            yield Cost(
                "signal" if path == "doorbell" else "deadline",
                label,
                median(one.usual_us for one in across or same),
                median(one.usual_us for one in same) if across and same else None,
                max(one.largest_us for one in (*across, *same)),
            )


def remarks(analysis: IrqAnalysis) -> Iterator[Remark]:
    """Tell where the largest latency is farthest from the usual one."""
    found = [one for one in analysis.budgets if 0 < one.usual_us < one.largest_us]
    if found:
        most = max(found, key=lambda one: one.largest_us / one.usual_us)
        times = most.largest_us / most.usual_us
        yield Remark(
            times,
            f"{most.path} takes up to {duration(most.largest_us)}, {about_times(times)} times as long as usual "
            f"({DOING[most.largest_while]}).",
        )
