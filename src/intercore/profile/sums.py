"""Sums of a profile: by function, by task or handler."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING

import msgspec

from intercore.profile.recorded import Sums, total

if TYPE_CHECKING:
    from collections.abc import Iterator

    from intercore.profile.recorded import CoreProfile, Costs


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


def functions(number: int, core: CoreProfile) -> Iterator[FunctionSummary]:
    """Sum up each function of a core."""
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


def roots(number: int, core: CoreProfile) -> Iterator[RootSummary]:
    """Sum up each task and handler of a core."""
    members: defaultdict[int, list[Costs]] = defaultdict(list)
    root_of: list[int] = []
    for at, node in enumerate(core.nodes):
        root_of.append(at if node.parent is None else root_of[node.parent])
        members[root_of[at]].append(node.costs)
    for root, costs in members.items():
        node = core.nodes[root]
        found = total(one.sums for one in costs)
        if found.cycles:
            yield RootSummary(number, node.name, node.costs.calls if node.kind == "handler" else 0, found)
