"""How long each core waited for flash: the misses of its cache, by function and by handler. Both are exact."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING

import msgspec

from intercore.profile.names import ROM_BYTES, short
from intercore.profile.sums import path

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from intercore.profile.recorded import CoreProfile, Profile

_PORT = "XIP"
_FUNCTIONS = 3
"""Functions that are named, those that waited most."""


class FlashFunction(msgspec.Struct, frozen=True):
    """A function that waited for flash, without the functions that it called."""

    name: str
    waited: int
    cycles: int
    """All of its cycles, without sleep."""
    misses: int
    """Words that were not in the cache."""
    object: str
    """What most of them are of: data by its symbol, or code by its function."""
    of_object: int
    """How many of them are of that."""


class FlashWait(msgspec.Struct, frozen=True):
    """What a core waited for flash, without the boot ROM's part, which each program has."""

    core: int
    waited: int
    cycles: int
    """All of its cycles, without sleep."""
    functions: Sequence[FlashFunction]
    """Those that waited most."""


class HandlerWait(msgspec.Struct, frozen=True):
    """What all runs of a handler waited for flash."""

    waited: int
    functions: Sequence[tuple[str, int]]
    """Those that waited most, and how long."""


def flash_waits(recorded: Profile) -> list[FlashWait]:
    """Return what each core waited for flash, if it did."""
    every = (_of_core(recorded, number, core) for number, core in enumerate(recorded.cores))
    return [one for one in every if one.waited]


def handler_waits(recorded: Profile) -> dict[tuple[int, int], HandlerWait]:
    """Return what handlers waited for flash, by their core and exception."""
    found: defaultdict[tuple[int, int], Counter[str]] = defaultdict(Counter)
    for number, core in enumerate(recorded.cores):
        for at, node in enumerate(core.nodes):
            root = core.nodes[path(core, at)[0]]
            waited = node.costs.sums.waits.get(_PORT, 0)
            if root.kind == "handler" and waited:
                found[number, root.address][short(node.name) if node.kind == "function" else ""] += waited
    return {
        key: HandlerWait(waits.total(), [one for one in waits.most_common() if one[0]][:_FUNCTIONS])
        for key, waits in found.items()
    }


def _of_core(recorded: Profile, number: int, core: CoreProfile) -> FlashWait:
    waited: Counter[str] = Counter()
    cycles: Counter[str] = Counter()
    for name, awake, lost in _own(core):
        cycles[name] += awake
        waited[name] += lost
    words: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for loss in recorded.losses:
        if (loss.core, loss.port) == (number, _PORT) and loss.to in {"nobody", "eviction"}:
            words[loss.function][loss.object] += loss.times
    functions = [
        FlashFunction(short(name), lost, cycles[name], words[name].total(), *_most(words[name]))
        for name, lost in waited.most_common(_FUNCTIONS)
        if lost
    ]
    return FlashWait(number, waited.total(), cycles.total(), functions)


def _own(core: CoreProfile) -> Iterator[tuple[str, int, int]]:
    """Yield name, cycles without sleep, and cycles of waiting for flash of all but the boot ROM's functions."""
    for node in core.nodes:
        if node.kind != "function" or node.address >= ROM_BYTES:
            sums = node.costs.sums
            yield node.name, sums.cycles - sums.asleep, sums.waits.get(_PORT, 0)


def _most(words: Counter[str]) -> tuple[str, int]:
    return next(((short(name), count) for name, count in words.most_common(1)), ("", 0))
