"""The flame graphs of a profile: boxes whose width is time, each below the function that called it."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

from intercore.profile.sums import inclusive
from intercore.view.quantity import percent

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from intercore.profile.recorded import CoreProfile, Kind, Sums

Look: TypeAlias = "Kind | Literal['lost', 'flash', 'peripherals', 'asleep', 'switching', 'off']"

LEAST = 1 / 2000
"""Part of a core's time below which a box is not drawn."""
_MOST_DEPTH = 200


class Box(NamedTuple):
    """A box: a task or interrupt, a function, or what a function lost."""

    depth: int
    left: float
    """Part of the core's time, from 0 to 1."""
    width: float
    name: str
    look: Look
    title: str
    """A sentence with the numbers."""


class Flame(NamedTuple):
    """The flame graph of a core."""

    core: int
    boxes: Sequence[Box]
    depth: int
    """Number of rows."""


def flame(number: int, core: CoreProfile) -> Flame:
    """Return the flame graph of a core."""
    whole = inclusive(core)
    children: defaultdict[int | None, list[int]] = defaultdict(list)
    for at, node in enumerate(core.nodes):
        if whole[at]:
            children[node.parent].append(at)
    for some in children.values():
        some.sort(key=lambda at: (-whole[at], core.nodes[at].name))
    boxes = list(_boxes(core, whole, children))
    if core.off:
        part = core.off / core.cycles
        boxes.append(Box(0, 1 - part, part, "off", "off", _title("off", core.off, core)))
    drawn = [box for box in boxes if box.width >= LEAST and box.depth < _MOST_DEPTH]
    return Flame(number, drawn, max((box.depth for box in drawn), default=-1) + 1)


def _boxes(core: CoreProfile, whole: Sequence[int], children: Mapping[int | None, Sequence[int]]) -> Iterator[Box]:
    """Yield the boxes of a core, each after that above it."""
    waiting: list[tuple[int | None, int, int]] = [(None, 0, 0)]  # whose children come next, their depth and first cycle
    while waiting:
        above, depth, cycle = waiting.pop()
        for at in children.get(above, ()):
            node = core.nodes[at]
            title = _title(node.name, whole[at], core)
            if node.costs.calls:
                what = "entered" if node.kind == "handler" else "called"
                title += f", {what} {node.costs.calls:,} times" if node.costs.calls > 1 else f", {what} once"
            yield Box(depth, cycle / core.cycles, whole[at] / core.cycles, node.name, node.kind, title)
            waiting.append((at, depth + 1, cycle))
            end = cycle + whole[at]
            for name, look, cycles, where in _losses(node.costs.sums):
                if cycles:
                    end -= cycles
                    title = f"{node.name}: {_title(name, cycles, core)}{where}"
                    yield Box(depth + 1, end / core.cycles, cycles / core.cycles, name, look, title)
            cycle += whole[at]


def _losses(sums: Sums) -> Iterator[tuple[str, Look, int, str]]:
    """Yield what a function lost by itself: name, look, cycles, and at which banks or ports."""
    flash = sums.waits.get("XIP", 0)
    others = {port: cycles for port, cycles in sums.waits.items() if port != "XIP"}
    yield "asleep", "asleep", sums.asleep, ""
    yield "lost to other masters", "lost", sums.conflicted, _ports(sums.conflicts)
    yield "waits for flash", "flash", flash, ""
    yield "waits for peripherals", "peripherals", sums.waited - flash, _ports(others)
    yield "enters and leaves exceptions", "switching", sums.switching, ""


def _ports(cycles: Mapping[str, int]) -> str:
    return ": " + ", ".join(f"{port} {lost:,}" for port, lost in sorted(cycles.items(), key=lambda one: -one[1]))


def _title(name: str, cycles: int, core: CoreProfile) -> str:
    return f"{name}, {percent(cycles / core.cycles)}, {cycles:,} cycles"
