"""Sums of a profile: by function, by task or handler."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING

import msgspec

from intercore.profile.recorded import Sums, total

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from intercore.profile.recorded import CoreProfile, Costs, Node


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


def inclusive(core: CoreProfile, own: Callable[[Costs], int] = lambda costs: costs.sums.cycles) -> list[int]:
    """Return the cycles of each node with its descendants, or what else each has of its `own`."""
    sums = [own(node.costs) for node in core.nodes]
    for number in reversed(range(len(sums))):
        parent = core.nodes[number].parent
        if parent is not None:
            sums[parent] += sums[number]
    return sums


def by_function(core: CoreProfile, whole: Sequence[int]) -> Iterator[tuple[str, list[Costs], int]]:
    """Yield name and costs of each function's nodes, and the sum of `whole` with those that it called."""
    nodes: defaultdict[tuple[int, str], list[Costs]] = defaultdict(list)
    with_callees: Counter[tuple[int, str]] = Counter()
    for at, node in enumerate(core.nodes):
        if node.kind != "function":
            continue
        key = node.address, node.name
        nodes[key].append(node.costs)
        # Of a function that called itself by way of others, the outermost call has the cycles of all.
        ancestors = (core.nodes[other] for other in path(core, at)[:-1])
        if all((other.kind, other.address) != ("function", node.address) for other in ancestors):
            with_callees[key] += whole[at]
    return ((key[1], costs, with_callees[key]) for key, costs in nodes.items())


def by_root(core: CoreProfile) -> Iterator[tuple[Node, list[Costs]]]:
    """Yield each task and handler with the costs of all that it called."""
    members: defaultdict[int, list[Costs]] = defaultdict(list)
    root_of: list[int] = []
    for at, node in enumerate(core.nodes):
        root_of.append(at if node.parent is None else root_of[node.parent])
        members[root_of[at]].append(node.costs)
    return ((core.nodes[root], costs) for root, costs in members.items())


def entered(root: Node) -> int:
    """Return how often a handler was entered; 0 of a task."""
    return root.costs.calls if root.kind == "handler" else 0


def functions(number: int, core: CoreProfile) -> Iterator[FunctionSummary]:
    """Sum up each function of a core."""
    for name, costs, whole in by_function(core, inclusive(core)):
        calls, instructions = sum(one.calls for one in costs), sum(one.instructions for one in costs)
        yield FunctionSummary(number, name, calls, instructions, total(one.sums for one in costs), whole)


def roots(number: int, core: CoreProfile) -> Iterator[RootSummary]:
    """Sum up each task and handler of a core."""
    for root, costs in by_root(core):
        found = total(one.sums for one in costs)
        if found.cycles:
            yield RootSummary(number, root.name, entered(root), found)
