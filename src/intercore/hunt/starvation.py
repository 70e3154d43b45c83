"""Cores that get a spinlock too late, and tasks that get no core."""

from __future__ import annotations

from typing import TYPE_CHECKING

from intercore.hunt.finding import Finding
from intercore.sim import CoreState
from intercore.text import capitalised, listed
from intercore.view.quantity import duration

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from intercore.hunt.calls import Calls
    from intercore.hunt.kernel import Task
    from intercore.profile.recorded import Profile
    from intercore.sim import Simulator
    from intercore.sim.hunted import Hunted

_HELD = 0.01
"""Seconds that a wait for a spinlock has to last: whoever has it is to give it back within some microseconds."""
_STARVED = 1000
"""How often the other core has to get a lock during one wait."""
_UNSERVED = 0.5
"""Seconds that a task has to be ready without getting a core."""


def spinlocks(simulator: Simulator, calls: Calls, hunted: Hunted) -> Iterator[Finding]:
    """Yield who waits for a spinlock now, for too long."""
    for lock, core, since, overtaken in hunted.waiting:
        seconds = (simulator.now - since) / simulator.hz
        if (overtaken < _STARVED and seconds < _HELD) or simulator.registers(core).state is not CoreState.RUNNING:
            continue
        place = calls.place(core, hunted.paths[core][-1])
        holder = next((calls.place(by, path, at) for one, by, at, path in hunted.holders if one == lock), None)
        while_ = (
            f"while core {1 - core} got it {overtaken:,} times: whoever gives it back must leave the other core time"
            if overtaken
            else f"which core {holder.core} has had all that time, since it was {holder.text}"
            if holder
            else "which is free now"
        )
        yield Finding(
            "starvation",
            f"Core {core} has waited for spinlock {lock} for {duration(seconds * 1e6)}, {place.text}, {while_}.",
            [place],
            since,
        )


def spinlocks_before(recorded: Profile) -> Iterator[Finding]:
    """Yield who has waited for a spinlock for too long, and got it in the end."""
    for use in recorded.locks:
        seconds = use.longest_wait / recorded.hz
        if seconds < _HELD and use.overtaken < _STARVED:
            continue
        waits = [one for one in recorded.lock_waits if (one.lock, one.core) == (use.lock, use.core)]
        worst = max(waits, key=lambda one: one.cycles, default=None)
        holder = f" in {worst.holder_function}" if worst and worst.holder_function else ""
        by = f", and core {1 - use.core} got it {use.overtaken:,} times meanwhile" if use.overtaken else ""
        yield Finding(
            "starvation",
            f"Core {use.core} has waited for spinlock {use.lock} in {use.function} for "
            f"{duration(seconds * 1e6)} at a time, which core {1 - use.core} had got{holder}{by}: a spinlock is to be "
            "held for some microseconds only.",
        )


def unserved(simulator: Simulator, all_tasks: Sequence[Task], ready_since: Mapping[int, int]) -> Iterator[Finding]:
    """Yield tasks that are ready, and do not get a core; `ready_since` has the cycle since when."""
    running = [one.clause for one in all_tasks if one.state == "running" and not one.of_kernel]
    for one in all_tasks:
        since = max(ready_since.get(one.block, simulator.now), one.away_since or 0)
        seconds = (simulator.now - since) / simulator.hz
        if one.state != "ready" or one.of_kernel or seconds < _UNSERVED:
            continue
        suffers = [other.clause for other in all_tasks if other.kind == "semaphore" and other.priority > one.priority]
        waiting = f". Meanwhile {listed(suffers)}" if suffers else ""
        ran = "has not run since" if one.away_since else "has never run"
        yield Finding(
            "starvation",
            f"{capitalised(one.name)} (priority {one.priority}) has been ready for {duration(seconds * 1e6)} and "
            f"{ran}{one.place}: {listed(running) or 'no other task runs'}{waiting}.",
            (),
            since,
        )
