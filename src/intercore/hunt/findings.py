"""What a hunt finds, each with its cause in a sentence or two. docs/hunt.md has the rules."""

from __future__ import annotations

from typing import TYPE_CHECKING

from intercore.hunt.finding import Finding
from intercore.hunt.kernel import quiet, tasks
from intercore.hunt.starvation import spinlocks, unserved
from intercore.hunt.task_waits import task_waits
from intercore.hunt.uses import uses
from intercore.hunt.waits import HANDED_OVER
from intercore.sim import Reason
from intercore.text import capitalised, listed

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from intercore.hunt.calls import Calls, Place
    from intercore.hunt.hunting import Run
    from intercore.hunt.kernel import Task
    from intercore.hunt.waits import Wait
    from intercore.sim import Simulator

_NVIC_ISER, _NVIC_ISPR = 0xE000E100, 0xE000E200
"""Enabled and pending interrupts (ARMv6-M B3.4)."""
_LASTING = 0.5
"""Seconds of the chip's time that a wait has to last if the run does not end by it."""


def findings(simulator: Simulator, calls: Calls, run: Run, writers: Mapping[int, Place]) -> list[Finding]:
    """Return all findings of a run; `writers` has the last writers of words that cores wait for."""
    hunted = simulator.hunted()
    all_tasks = tasks(simulator, calls, hunted)
    of_tasks = list(task_waits(all_tasks, quiet=quiet(simulator), wanted=not run.reached))
    return [
        *uses(simulator, calls, hunted),
        *(spinlocks(simulator, calls, hunted) if not run.stuck else ()),
        *unserved(simulator, all_tasks, run.ready_since),
        *of_tasks,
        *(_waits(simulator, run, writers) if not of_tasks else ()),
        *_crashes(simulator, run),
        *_not_reached(run, all_tasks),
    ]


def _crashes(simulator: Simulator, run: Run) -> Iterator[Finding]:
    for wait in run.last.waits:
        if wait.kind == "crashed" and (crash := simulator.crash(wait.core)):
            yield Finding("crash", f"{capitalised(crash)}.", [wait.place])


def _not_reached(run: Run, all_tasks: Sequence[Task]) -> Iterator[Finding]:
    if not run.reached:
        waits = [one.clause for one in all_tasks if not one.of_kernel] or [wait.clause for wait in run.last.waits]
        yield Finding("not-reached", f"The program has not come to where it was expected: {listed(waits)}.")


def _waits(simulator: Simulator, run: Run, writers: Mapping[int, Place]) -> Iterator[Finding]:
    zero, one = run.last.waits
    waits = [zero, one]
    wanted = not run.reached
    stuck = [wait for wait in waits if wait.is_for_others]
    for wait in stuck:
        vain = wanted or wait.core == 0 or waits[1 - wait.core].is_for_others
        if wait.kind == "woken" and run.stuck and run.certain and vain:
            yield Finding("lost-wake-up", f"{capitalised(_with_writers(wait, writers))}.", [wait.place])
            return
    if run.stop.reason is Reason.EXIT and not wanted:
        return
    lasting = [wait for wait in stuck if run.stuck or (wait.repeats and run.lasting[wait.core] >= _LASTING)]
    for wait in lasting:
        if wait.holder == wait.core:
            yield Finding("deadlock", f"{capitalised(_with_writers(wait, writers))}: it will never end.", [wait.place])
            return
    if not run.certain and not (len(lasting) == len(waits) and all(wait.kind in HANDED_OVER for wait in waits)):
        return
    if len(stuck) == len(waits):
        clauses = "; ".join(_with_writers(wait, writers) for wait in waits)
        yield Finding("deadlock", f"Both cores wait for each other: {clauses}.", [wait.place for wait in waits])
        return
    for wait in stuck:
        other = waits[1 - wait.core]
        if not wanted and (wait.kind == "woken" or _is_served(wait, other)):
            continue
        others = other.clause
        yield Finding(
            "no-progress",
            f"{capitalised(_with_writers(wait, writers))}, and nothing will end this: {others}.",
            [wait.place, other.place],
        )
    for wait in waits:
        other = waits[1 - wait.core]
        if wait.kind == "time" and run.certain:
            yield Finding("no-progress", f"{capitalised(wait.clause)}, {_no_alarm(simulator, wait)}: {other.clause}.")


def _no_alarm(simulator: Simulator, wait: Wait) -> str:
    """Return why a wait for a time does not end."""
    enabled, pending = (simulator.peek_private(register, wait.core) for register in (_NVIC_ISER, _NVIC_ISPR))
    kept_out = [f"IRQ {one}" for one in range(32) if (enabled & pending) >> one & 1]
    if not kept_out or not wait.place.handler:
        return "which no alarm will end"
    are = "is" if len(kept_out) == 1 else "are"
    return f"and nothing wakes it: {listed(kept_out)} {are} pending, and cannot come before this handler has ended"


def _is_served(wait: Wait, other: Wait) -> bool:
    """Return whether a core has nothing to do, rather than waits in vain: core 1, if core 0 has no more work for it."""
    asks = wait.kind in {"receives", "queue", "semaphore", "word", "woken"}
    return wait.core == 1 and asks and not wait.place.handler and other.kind in {"ended", "idle", "off"}


def _with_writers(wait: Wait, writers: Mapping[int, Place]) -> str:
    """Return the clause of a wait, with who wrote last what it waits for."""
    found = [writers[word & ~3] for word in wait.words if word & ~3 in writers]
    if not found or wait.holder_place is not None:
        return wait.clause
    last = found[0]
    did = "took" if wait.kind == "mutex" else "changed"
    return f"{wait.clause} (core {last.core} {did} it last, {last.text})"
