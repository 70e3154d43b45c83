"""Calls of one function: how long they took, and what the longest one spent its time on beyond the mean of all."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import msgspec

from intercore.profile.recorded import Sums
from intercore.record.origin import in_heading
from intercore.text import listed
from intercore.view.quantity import duration
from intercore.view.table import Column, Table

if TYPE_CHECKING:
    from collections.abc import Iterator

    from intercore.profile.recorded import Costs, NodeOf, Profile, TimedCalls

_NAMED = 3
_ROWS = 12
_PERCENTILE = 0.99


class PartOfCall(msgspec.Struct, frozen=True):
    """What a function, task or handler cost by itself during calls of the timed function."""

    core: int
    path: Sequence[str]
    """Names from the task or handler to it."""
    calls: int
    """Of the longest call."""
    longest: Sums
    """Cycles of the longest call."""
    mean_cycles: float
    """Cycles of the mean call."""
    longer: Mapping[str, float]
    """Cycles of the longest call beyond those of the mean call, by what they were spent on."""


class CallsOf(msgspec.Struct, frozen=True):
    """The calls of one function. Times are cycles from a call's first instruction up to the first one behind it."""

    function: str
    count: int
    """Calls that returned."""
    unfinished: int
    """Calls that had not returned when the profile ended, or whose core was reset."""
    shortest: int
    median: int
    p99: int
    longest: int
    mean: float
    longest_begun: int
    """Cycle of clk_sys since power-on in which the longest call began."""
    longest_away: int
    """Cycles of the longest call in which its task was on no core."""
    mean_away: float
    parts: Sequence[PartOfCall]
    """What the longest call was made of, callers before those that they called."""
    kept: int
    """Calls whose times are kept, the first ones: `shortest`, `median` and `p99` are of these, all else is of all."""


def calls_of(profile: Profile) -> CallsOf | None:
    """Sum up the calls of the function that was timed, if one was."""
    timed = profile.timed
    if timed is None:
        return None
    cycles, count = sorted(timed.cycles), len(timed.cycles) + timed.more
    longest = timed.longest
    if longest is None:
        return CallsOf(timed.function, 0, timed.unfinished, 0, 0, 0, 0, 0.0, 0, 0, 0.0, [], 0)
    return CallsOf(
        timed.function,
        count,
        timed.unfinished,
        cycles[0],
        _ranked(cycles, 1 / 2),
        _ranked(cycles, _PERCENTILE),
        longest.cycles,
        (sum(costs.sums.cycles for costs in timed.costs.values()) + timed.away) / count,
        longest.begun,
        longest.away,
        timed.away / count,
        list(_parts(profile, timed, longest.costs)),
        len(cycles),
    )


def sentences(calls: CallsOf, us: float) -> list[str]:
    """Say how long the calls took; a cycle has so many microseconds."""
    unfinished = f" {calls.unfinished:,} had not returned at the end." if calls.unfinished else ""
    if not calls.count:
        return [f"No call of {calls.function} returned.{unfinished}"]
    times = "once" if calls.count == 1 else f"{calls.count:,} times"
    spread = (
        f", {duration(calls.p99 * us)} at the 99th percentile and {duration(calls.longest * us)} at most "
        f"({calls.shortest:,} to {calls.longest:,} cycles)"
        if calls.longest > calls.shortest
        else f" ({calls.longest:,} cycles)"
    )
    median = duration(calls.median * us) + (" at the median" if calls.count > 1 else "")
    first = f" (of the first {calls.kept:,} calls)" if calls.kept < calls.count else ""
    found = [f"{calls.function} returned {times}, after {median}{spread}{first}.{unfinished}"]
    longer = calls.longest - calls.mean
    if calls.longest > calls.shortest:
        causes = [f"{duration(cycles * us)} {cause}" for cause, cycles in _causes(calls).most_common(_NAMED)]
        found.append(
            f"Its longest call, which began in cycle {calls.longest_begun:,}, took {duration(longer * us)} longer than "
            f"the mean: {listed(causes)}."
        )
    return found


def table(calls: CallsOf, us: float) -> Table[PartOfCall]:
    """Return what the longest call was made of, the largest parts only."""
    largest = sorted(calls.parts, key=lambda one: -one.longest.cycles)[:_ROWS]
    shown = [one for one in calls.parts if one in largest]
    outermost = min(len(one.path) for one in shown)

    def time(cycles: float) -> str:
        return duration(cycles * us) if cycles else ""

    def name(one: PartOfCall) -> str:
        return "  " * (len(one.path) - outermost) + one.path[-1]

    return Table(
        in_heading(f"Longest call of {calls.function} ({duration(calls.longest * us)})", "simulated"),
        shown,
        [
            Column("core", lambda one: str(one.core)),
            Column("in", name),
            Column("calls", lambda one: f"{one.calls:,}" if one.calls else "", right=True),
            Column("own", lambda one: time(one.longest.cycles), right=True),
            Column("lost", lambda one: time(one.longest.conflicted), right=True),
            Column("waits", lambda one: time(one.longest.waited), right=True),
            Column("mean call", lambda one: time(one.mean_cycles), right=True),
        ],
    )


def _ranked(ordered: Sequence[int], fraction: float) -> int:
    """Return the smallest of ordered values that at least this part of them does not exceed."""
    return ordered[max(0, math.ceil(fraction * len(ordered)) - 1)]


def _parts(profile: Profile, timed: TimedCalls, own: Mapping[NodeOf, Costs]) -> Iterator[PartOfCall]:
    nothing = Sums(0, 0, 0, 0, {}, {})
    count = len(timed.cycles) + timed.more
    for (core, at), total in sorted(timed.costs.items(), key=lambda one: _order(profile, one[0])):
        path = _names(profile, core, at)
        mine = own.get((core, at))
        sums = mine.sums if mine else nothing
        mean = {what: cycles / count for what, cycles in _classes(total.sums).items()}
        spent = _classes(sums)
        longer = {what: spent.get(what, 0) - mean.get(what, 0.0) for what in spent.keys() | mean.keys()}
        if sums.cycles or total.sums.cycles:
            yield PartOfCall(
                core,
                path,
                mine.calls if mine else 0,
                sums,
                total.sums.cycles / count,
                {what: cycles for what, cycles in sorted(longer.items()) if cycles},
            )


def _order(profile: Profile, node: NodeOf) -> tuple[int, list[int]]:
    core, at = node
    path = [at]
    while (parent := profile.cores[core].nodes[path[-1]].parent) is not None:
        path.append(parent)
    return core, path[::-1]


def _names(profile: Profile, core: int, at: int) -> list[str]:
    return [profile.cores[core].nodes[one].name for one in _order(profile, (core, at))[1]]


def _classes(sums: Sums) -> dict[str, int]:
    """Return the cycles of a sum by what they were spent on."""
    return {
        "executing": sums.executing,
        "asleep": sums.asleep,
        "entering and leaving exceptions": sums.switching,
        **{f"lost to other masters at {port}": cycles for port, cycles in sums.conflicts.items()},
        **{f"waiting for {_PORTS.get(port, port)}": cycles for port, cycles in sums.waits.items()},
    }


_PORTS = {"XIP": "flash", "APB": "registers of peripherals"}


def _causes(calls: CallsOf) -> Counter[str]:
    """Return the cycles of the longest call beyond the mean, by cause: interrupts and other tasks as a whole."""
    causes = Counter[str]()
    home = next((one.path[0] for one in calls.parts if calls.function in one.path), "")
    for one in calls.parts:
        for what, cycles in one.longer.items():
            cause = f"{what} in {one.path[-1]}" if one.path[0] == home else f"in {one.path[0]}"
            causes[cause] += round(cycles)
    causes["while its task was on no core"] = round(calls.longest_away - calls.mean_away)
    return +causes
