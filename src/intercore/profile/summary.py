"""Sums of a profile: by core, by function, by task or handler."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING

import msgspec

from intercore.profile.recorded import LockUse, LockWait, Loss, Sums, total
from intercore.profile.source_lines import LineSummary, source_lines
from intercore.profile.timed import CallsOf, calls_of
from intercore.record.origin import Origin

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from intercore.profile.recorded import CoreProfile, Costs, Profile


class CoreSummary(msgspec.Struct, frozen=True):
    """The time of a core."""

    core: int
    cycles: int
    """All cycles of the run."""
    off: int
    """Cycles in which it was in reset, locked up, or stuck."""
    sums: Sums


class FunctionSummary(msgspec.Struct, frozen=True):
    """A function, on a core, wherever it was called from."""

    core: int
    function: str
    calls: int
    instructions: int
    own: Sums
    """Without the functions that it called."""
    inclusive: int
    """Cycles with the functions that it called, and without interrupts meanwhile."""


class RootSummary(msgspec.Struct, frozen=True):
    """A task or an exception handler, on a core, with all that it called."""

    core: int
    name: str
    entered: int
    """How often a handler was entered; 0 for a task."""
    sums: Sums


class ProfileAnalysis(msgspec.Struct, frozen=True):
    """The analysis of a profile, as `intercore profile --format json` prints it. Cycles are those of clk_sys."""

    image: str
    names: str
    """The file that the names of functions are from, if that is another one; else empty."""
    origin: Origin
    begun: int
    ended: int
    seconds: float
    """Of the chip's time."""
    stop: str
    """Why the run ended."""
    cores: Sequence[CoreSummary]
    roots: Sequence[RootSummary]
    functions: Sequence[FunctionSummary]
    """Those with the most cycles awake first."""
    losses: Sequence[Loss]
    """The largest first."""
    locks: Sequence[LockUse]
    """Those that were waited for longest first."""
    lock_waits: Sequence[LockWait]
    calls: CallsOf | None
    """Of the function that was timed, if one was."""
    lines: Sequence[LineSummary]
    """Source lines, as far as the debug information tells them: those with the most cycles awake first."""
    schema: int = 1
    """Version of this shape. 1: the first."""


def analysed(profile: Profile, names: str = "") -> ProfileAnalysis:
    """Sum a profile up; `names` is the file that the names of functions are from, if that is not the image."""
    functions = [one for number, core in enumerate(profile.cores) for one in _functions(number, core)]
    return ProfileAnalysis(
        profile.image,
        names,
        "simulated",
        profile.begun,
        profile.ended,
        profile.seconds,
        profile.stop,
        [
            CoreSummary(number, core.cycles, core.off, total(node.costs.sums for node in core.nodes))
            for number, core in enumerate(profile.cores)
        ],
        [one for number, core in enumerate(profile.cores) for one in _roots(number, core)],
        sorted(functions, key=lambda one: (one.own.asleep - one.own.cycles, one.core, one.function)),
        sorted(profile.losses, key=lambda one: -one.cycles),
        sorted(profile.locks, key=lambda one: (-one.waited, -one.held)),
        sorted(profile.lock_waits, key=lambda one: -one.cycles),
        calls_of(profile),
        source_lines(profile),
    )


def path(core: CoreProfile, number: int) -> list[int]:
    """Return the indices of a node and its ancestors, from the root to the node."""
    found = [number]
    while (parent := core.nodes[found[-1]].parent) is not None:
        found.append(parent)
    return found[::-1]


def inclusive(core: CoreProfile) -> list[int]:
    """Return the cycles of each node with its descendants."""
    cycles = [node.costs.sums.cycles for node in core.nodes]
    for number in reversed(range(len(cycles))):
        parent = core.nodes[number].parent
        if parent is not None:
            cycles[parent] += cycles[number]
    return cycles


def _functions(number: int, core: CoreProfile) -> Iterator[FunctionSummary]:
    nodes: defaultdict[tuple[int, str], list[int]] = defaultdict(list)
    with_callees: Counter[tuple[int, str]] = Counter()
    whole = inclusive(core)
    for at, node in enumerate(core.nodes):
        if node.kind != "function":
            continue
        key = node.address, node.name
        nodes[key].append(at)
        # Of a function that called itself by way of others, the outermost call has the cycles of all.
        ancestors = (core.nodes[other] for other in path(core, at)[:-1])
        if all((other.kind, other.address) != ("function", node.address) for other in ancestors):
            with_callees[key] += whole[at]
    for key, found in nodes.items():
        costs = [core.nodes[at].costs for at in found]
        calls, instructions = sum(one.calls for one in costs), sum(one.instructions for one in costs)
        yield FunctionSummary(number, key[1], calls, instructions, total(one.sums for one in costs), with_callees[key])


def _roots(number: int, core: CoreProfile) -> Iterator[RootSummary]:
    members: defaultdict[int, list[Costs]] = defaultdict(list)
    roots: list[int] = []
    for at, node in enumerate(core.nodes):
        roots.append(at if node.parent is None else roots[node.parent])
        members[roots[at]].append(node.costs)
    for root, costs in members.items():
        node = core.nodes[root]
        found = total(one.sums for one in costs)
        if found.cycles:
            yield RootSummary(number, node.name, node.costs.calls if node.kind == "handler" else 0, found)
