"""Two profiles compared by function: what got slower or faster, and by which kind of cost. All numbers are exact."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING, Literal, TypeAlias

import msgspec

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from intercore.profile.recorded import Loss, Sums
    from intercore.profile.summary import ProfileAnalysis

Kind: TypeAlias = Literal["executing", "lost to the other core", "lost to others", "flash", "peripherals", "exceptions"]
"""A kind of cost; `lost to others` is to the DMA or to the core itself, `exceptions` is their entry and exit."""

_FLASH = "XIP"


class Cost(msgspec.Struct, frozen=True):
    """What a function or a core cost, in cycles. Sleep is none of it."""

    calls: int
    awake: int
    """The sum of all kinds."""
    kinds: dict[Kind, int]


class Reason(msgspec.Struct, frozen=True):
    """A part of a change."""

    kind: Kind
    cycles: int
    """More, or fewer if below 0."""
    most: str
    """Of what is lost to the other core: at which bank and in which function of it that changed most; else empty."""


class Change(msgspec.Struct, frozen=True):
    """A function on a core, or all of a core, in two profiles."""

    core: int
    function: str
    """Empty for all of the core."""
    before: Cost
    after: Cost
    cycles: int
    """More time awake, or less if below 0."""
    reasons: tuple[Reason, ...]
    """Its parts, the largest first. They add up to it."""


class Side(msgspec.Struct, frozen=True):
    """A profile that was compared."""

    name: str
    """The file."""
    image: str
    cycles: int
    seconds: float
    stop: str


class ProfileComparison(msgspec.Struct, frozen=True):
    """Two profiles compared, as `intercore compare --format json` prints it."""

    first: Side
    second: Side
    origin: Literal["simulated"]
    cores: tuple[Change, ...]
    functions: tuple[Change, ...]
    """Those that changed, the largest changes first."""
    unchanged: int
    """Number of the other functions."""
    schema: int = 1
    """Version of this shape. 1: the first."""


def compared(names: tuple[str, str], first: ProfileAnalysis, second: ProfileAnalysis) -> ProfileComparison:
    """Compare two profiles from files of these names."""
    before, after = _Costs(first), _Costs(second)
    keys = sorted(before.functions.keys() | after.functions.keys())
    functions = [_change(core, name, before, after) for core, name in keys]
    changed = [one for one in functions if one.before != one.after]
    cores = sorted({core for core, _ in keys})
    return ProfileComparison(
        _side(names[0], first),
        _side(names[1], second),
        "simulated",
        tuple(_change(core, "", before, after) for core in cores),
        tuple(sorted(changed, key=lambda one: (-abs(one.cycles), one.core, one.function))),
        len(functions) - len(changed),
    )


class _Costs:
    """The costs of a profile."""

    def __init__(self, analysis: ProfileAnalysis) -> None:
        self._losses: defaultdict[tuple[int, str], list[Loss]] = defaultdict(list)
        for loss in analysis.losses:
            if loss.to == "core":
                for name in (loss.function, ""):
                    self._losses[loss.core, name].append(loss)
        calls = Counter[tuple[int, str]]()
        sums: defaultdict[tuple[int, str], list[Sums]] = defaultdict(list)
        for one in analysis.functions:  # of several static functions with one name, the losses are those of all
            calls[one.core, one.function] += one.calls
            sums[one.core, one.function].append(one.own)
        self.functions = {key: self._cost(key, calls[key], some) for key, some in sums.items()}
        self.cores = {one.core: self._cost((one.core, ""), 0, [one.sums]) for one in analysis.cores}

    def _cost(self, key: tuple[int, str], calls: int, sums: Iterable[Sums]) -> Cost:
        kinds = Counter[Kind]()
        for one in sums:
            flash = one.waits.get(_FLASH, 0)
            kinds["executing"] += one.executing
            kinds["lost to others"] += one.conflicted
            kinds["flash"] += flash
            kinds["peripherals"] += one.waited - flash
            kinds["exceptions"] += one.switching
        to_other = sum(loss.cycles for loss in self._losses[key])
        kinds["lost to the other core"] += to_other
        kinds["lost to others"] -= to_other
        return Cost(calls, sum(kinds.values()), {kind: cycles for kind, cycles in kinds.items() if cycles})

    def of(self, core: int, function: str) -> Cost:
        known = self.functions.get((core, function)) if function else self.cores.get(core)
        return known or Cost(0, 0, {})

    def places(self, core: int, function: str) -> Mapping[str, int]:
        """Return what was lost to the other core, by bank and function of that one."""
        found = Counter[str]()
        for loss in self._losses[core, function]:
            found[f"at {loss.port} while core {1 - core} is in {loss.other_function}"] += loss.cycles
        return found


def _change(core: int, function: str, before: _Costs, after: _Costs) -> Change:
    first, second = before.of(core, function), after.of(core, function)
    reasons = sorted(_reasons(core, function, before, after), key=lambda one: -abs(one.cycles))
    return Change(core, function, first, second, second.awake - first.awake, tuple(reasons))


def _reasons(core: int, function: str, before: _Costs, after: _Costs) -> Iterator[Reason]:
    first, second = before.of(core, function).kinds, after.of(core, function).kinds
    for kind in dict.fromkeys((*first, *second)):
        cycles = second.get(kind, 0) - first.get(kind, 0)
        if cycles:
            most = _most(cycles, before.places(core, function), after.places(core, function))
            yield Reason(kind, cycles, most if kind == "lost to the other core" else "")


def _most(cycles: int, before: Mapping[str, int], after: Mapping[str, int]) -> str:
    """Return the place that changed most in the same direction."""
    sign = 1 if cycles > 0 else -1
    changes = {place: sign * (after.get(place, 0) - before.get(place, 0)) for place in sorted({*before, *after})}
    return max(changes, key=lambda place: changes[place], default="")


def _side(name: str, analysis: ProfileAnalysis) -> Side:
    return Side(name, analysis.image, analysis.ended - analysis.begun, analysis.seconds, analysis.stop)
