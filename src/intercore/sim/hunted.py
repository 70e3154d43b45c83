"""What a hunt for faults has recorded, as the native part gives it: addresses, cycles and paths of calls."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

    from intercore import _native
    from intercore._native import Done, Step


class HuntedStack(NamedTuple):
    """The stack of a core or task."""

    limit: int
    """Its lowest address."""
    top: int
    """The address behind it."""
    low: int
    """The lowest word that was stored to."""
    deepest: Done | None
    """Who did so."""
    overflow: tuple[Done, int] | None
    """Who was the first to store below it, and where."""


class HuntedTask(NamedTuple):
    """A task of FreeRTOS that a core has had."""

    block: int
    """Address of its control block."""
    name: str
    away_since: int
    """The cycle in which it was last taken off a core; 0 if it is on one."""
    stack: HuntedStack | None
    functions: Sequence[int]
    """First addresses of those that it is in if it is on no core, the outermost one first."""


class HuntedInterrupt(NamedTuple):
    """The handler of an exception on a core; times in cycles."""

    core: int
    number: int
    name: str
    sums: Sequence[int]
    """How often, in total, the longest, and the most from where it became pending to its vector."""
    why: str
    """Of what that was spent with: `handler`, `masked`, or empty."""
    function: int
    other: str | None


class HuntedTrouble(NamedTuple):
    """Resets of a core, and handlers that leave it no time."""

    reset: tuple[int, Done] | None
    """How many, and where it was before the first."""
    storm: tuple[str, int, int] | None
    """The last exception, since which cycle, and how many."""


class Hunted(NamedTuple):
    """All of a hunt, up to now."""

    paths: Sequence[Sequence[Sequence[Step]]]
    """By core: the calls of the task or handler that is executed, last, and of those that it has interrupted."""
    interrupts: Sequence[HuntedInterrupt]
    suspicions: Sequence[tuple[str, int, Done]]
    """What, how often, and where first."""
    writers: Sequence[tuple[int, Done | None]]
    """Words, and who wrote them last."""
    holders: Sequence[tuple[int, int, int, Sequence[Step]]]
    """Spinlock, core, since which cycle, calls."""
    waiting: Sequence[tuple[int, int, int, int]]
    """Spinlock, core, since which cycle, and how often the other core got it meanwhile."""
    launches: Sequence[tuple[int, int] | None]
    """By the core that started the other one: stack pointer and entry."""
    stacks: Sequence[HuntedStack | None]
    """By core."""
    intrusions: Sequence[tuple[Done, int]]
    """Stores of a core into the stack of the other one."""
    tasks: Sequence[HuntedTask]
    troubles: Sequence[HuntedTrouble]
    """By core."""


def hunted(found: _native.Hunted) -> Hunted:
    """Give names to what the native part has recorded."""
    paths, interrupts, suspicions, writers, holders, waiting, launches, (stacks, intrusions, tasks), troubles = found
    return Hunted(
        paths,
        [HuntedInterrupt(*one) for one in interrupts],
        suspicions,
        writers,
        holders,
        waiting,
        launches,
        [stack and HuntedStack(*stack) for stack in stacks],
        intrusions,
        [
            HuntedTask(block, name, since, stack and HuntedStack(*stack), functions)
            for block, name, since, stack, functions in tasks
        ],
        [HuntedTrouble(*one) for one in troubles],
    )
