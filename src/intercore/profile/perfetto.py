"""The timeline of a profile as a file for Perfetto (https://ui.perfetto.dev)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from intercore.trace.perfetto_file import PerfettoFile

if TYPE_CHECKING:
    from collections.abc import Callable

    from intercore.profile.timeline import CoreTimeline, Loss, Timeline

_NS_PER_S = 1_000_000_000
_COUNTERS: dict[str, Callable[[Loss], int]] = {
    "instructions": lambda one: one.instructions,
    "lost to other masters": lambda one: one.conflicts,
    "waits for flash": lambda one: one.flash,
    "waits for peripherals": lambda one: one.peripherals,
    "asleep": lambda one: one.asleep,
}
"""Tracks of each core, in percent of the cycles."""


def perfetto(found: Timeline, image: str) -> bytes:
    """Return the file: for each core its tasks, interrupts and calls, and what it lost over time; held spinlocks."""
    file = PerfettoFile(_NS_PER_S, 0)
    for number, core in enumerate(found.cores):
        _core(file, file.group(f"core {number} of {image}, SIMULATED"), core, found.clock.ns)
    held = {lock: holds for lock, holds in found.locks.items() if holds}
    group = file.group(f"spinlocks of {image}, SIMULATED") if held else 0
    for lock, holds in held.items():
        track = file.track(group, f"spinlock {lock}")
        for hold in holds:
            where = f" in {hold.function}" if hold.function else ""
            file.slice(track, found.clock.ns(hold.begin), found.clock.ns(hold.end), f"core {hold.core}{where}")
    return file.content()


def _core(file: PerfettoFile, group: int, core: CoreTimeline, ns: Callable[[int], int]) -> None:
    for title, runs in ("tasks", core.tasks), ("interrupts", core.interrupts):
        if runs:
            track = file.track(group, title)
            for run in runs:
                file.slice(track, ns(run.begin), ns(run.end), run.name)
    if core.calls:
        track = file.track(group, "calls")
        for cycle, name in core.calls:
            file.instant(track, ns(cycle), name)
    for title, counted in _COUNTERS.items():
        if any(counted(loss) for loss in core.losses):
            counter = file.counter(group, title, "%")
            for loss in core.losses:
                file.count(counter, ns(loss.begin), 100 * counted(loss) / (loss.end - loss.begin))
    if any(loss.misses for loss in core.losses):
        counter = file.counter(group, "misses of the flash cache", "per ms")
        for loss in core.losses:
            file.count(counter, ns(loss.begin), 1e6 * loss.misses / max(1, ns(loss.end) - ns(loss.begin)))
