"""A profile as the simulated chip recorded it, with the names of what it found."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from itertools import repeat
from typing import TYPE_CHECKING, Literal, TypeAlias, cast

import msgspec

from intercore.profile.names import ROM_BYTES, Names, readable, task
from intercore.sim import Simulator

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from intercore import _native
    from intercore.sim import Chip

Kind: TypeAlias = Literal["task", "handler", "function"]
NodeOf: TypeAlias = tuple[int, int]
"""A core, and the index of one of its nodes."""
Culprit: TypeAlias = Literal["core", "DMA", "itself", "eviction", "nobody"]
"""Who took cycles: the other core, the DMA, an earlier access of the core itself, the other core by replacing a line of
the flash cache, or nobody (a line of the flash cache that was never there, or that the core replaced itself)."""

Master: TypeAlias = Literal["core 0", "core 1", "DMA"]
_BUS_PRIORITY = 0x4003_0000
"""Register with a bit for each master that comes first (RP2040 datasheet 2.1.5)."""


class Sums(msgspec.Struct, frozen=True):
    """Cycles of a core, a function, a task or a handler. They are exact."""

    cycles: int
    """All of them, without those of a core that was off."""
    executing: int
    """Cycles in which instructions were executed that waited for nothing. This and those below add up to all."""
    asleep: int
    """Cycles asleep (WFI, WFE)."""
    switching: int
    """Cycles in which an exception was entered or left, without what was lost to others meanwhile."""
    conflicts: Mapping[str, int]
    """Cycles lost to other masters, by bank or port; only those that are not 0."""
    waits: Mapping[str, int]
    """Cycles lost to wait states, by port: XIP is flash, APB the bridge to peripherals."""

    @property
    def conflicted(self) -> int:
        """Cycles lost to other masters."""
        return sum(self.conflicts.values())

    @property
    def waited(self) -> int:
        """Cycles lost to wait states."""
        return sum(self.waits.values())


def total(parts: Iterable[Sums]) -> Sums:
    """Add sums up."""
    cycles = executing = asleep = switching = 0
    conflicts: Counter[str] = Counter()
    waits: Counter[str] = Counter()
    for one in parts:
        cycles += one.cycles
        executing += one.executing
        asleep += one.asleep
        switching += one.switching
        conflicts.update(one.conflicts)
        waits.update(one.waits)
    return Sums(cycles, executing, asleep, switching, dict(conflicts), dict(waits))


class Costs(msgspec.Struct, frozen=True):
    """What a function cost by itself."""

    calls: int
    """How often it was called; of a handler, how often it was entered."""
    instructions: int
    sums: Sums

    def plus(self, other: Costs) -> Costs:
        """Return both together."""
        return Costs(self.calls + other.calls, self.instructions + other.instructions, total([self.sums, other.sums]))


class Node(msgspec.Struct, frozen=True):
    """A function as it was called by way of its ancestors; a task or handler at the root."""

    parent: int | None
    """Index of the caller, which comes before it."""
    kind: Kind
    address: int
    """Of a function, its first instruction; of a task, its control block or 0; of a handler, its exception's number."""
    name: str
    costs: Costs


class Line(msgspec.Struct, frozen=True, gc=False):
    """What the executions of one instruction cost."""

    address: int
    executed: int
    cycles: int
    conflicts: int
    waits: int
    asleep: int


class CoreProfile(msgspec.Struct, frozen=True):
    """The time of a core."""

    cycles: int
    """All cycles that are accounted for. A core may have gone a little further than the chip."""
    off: int
    """Cycles in which it did nothing: in reset, locked up, or stuck."""
    started: bool
    """Whether it has left the boot ROM, in which core 1 waits to be started, by the end."""
    truncated: bool
    """Whether there were more different calls than are kept; the cycles of the rest are those of their callers."""
    nodes: Sequence[Node]
    lines: Sequence[Line]
    """By rising address."""

    def functions(self) -> Iterator[tuple[int, str, Sequence[Line]]]:
        """Yield address, name and instructions of each function that was executed."""
        names = {node.address: node.name for node in self.nodes if node.kind == "function"}
        starts = sorted(names)
        found: defaultdict[int, list[Line]] = defaultdict(list)
        for line in self.lines if starts else ():
            found[starts[max(bisect_right(starts, line.address) - 1, 0)]].append(line)
        for address, lines in found.items():
            yield address, names[address], lines


class Loss(msgspec.Struct, frozen=True, gc=False):
    """Cycles that a core lost in one way."""

    core: int
    port: str
    """The bank or port that it asked for."""
    function: str
    object: str
    """What it accessed: data, or code by its function."""
    to: Culprit
    other_function: str
    """What the other core executed; empty unless `to` is core or eviction."""
    other_object: str
    """What the other core accessed; empty if it is not known."""
    times: int
    cycles: int


class LockUse(msgspec.Struct, frozen=True, gc=False):
    """What a core did with a hardware spinlock in a function; times are in cycles."""

    lock: int
    core: int
    function: str
    claims: int
    waits: int
    """How often it had to wait for it."""
    held: int
    longest_held: int
    waited: int
    longest_wait: int
    overtaken: int
    """How often the other core got it during one wait, at most."""


class LockWait(msgspec.Struct, frozen=True, gc=False):
    """Waits of a function for a hardware spinlock that another function held when they began."""

    lock: int
    core: int
    function: str
    holder: int
    """The core that held it."""
    holder_function: str
    """Where it had claimed it; empty if that was before the profile began."""
    times: int
    cycles: int


class LongestCall(msgspec.Struct, frozen=True):
    """The longest call of the function that was timed."""

    begun: int
    """Cycle of clk_sys since power-on."""
    cycles: int
    away: int
    """Cycles in which its task was on no core. Costs and these add up to all of its cycles."""
    costs: Mapping[NodeOf, Costs]
    """What cores did meanwhile, also in interrupts."""


class TimedCalls(msgspec.Struct, frozen=True):
    """Calls of one function."""

    function: str
    cycles: Sequence[int]
    """Of each call that returned."""
    more: int
    """How many more there were than are kept."""
    unfinished: int
    """Calls that had not returned at the end, or whose core was reset."""
    away: int
    """Cycles in which the tasks of calls were on no core, of all calls."""
    costs: Mapping[NodeOf, Costs]
    """Of all calls."""
    longest: LongestCall | None


class Frame(msgspec.Struct, frozen=True, gc=False):
    """A function, compiled or inlined, and the line of it that an instruction belongs to, as far as they are known."""

    function: str | None
    file: str | None
    line: int | None


class Profile(msgspec.Struct, frozen=True):
    """Where the cycles of each core went."""

    image: str
    begun: int
    """Cycle of clk_sys since power-on."""
    ended: int
    seconds: float
    """Of the chip's time, through all changes of its clock."""
    stop: str
    """Why the run ended, a clause."""
    cores: Sequence[CoreProfile]
    losses: Sequence[Loss]
    locks: Sequence[LockUse]
    lock_waits: Sequence[LockWait]
    untold: int
    """Lost cycles that are not among the losses, since these were of too many kinds."""
    sources: Mapping[int, Sequence[Frame]]
    """By address of an instruction: the functions that it is in, the innermost inlined one first. Only where known."""
    timed: TimedCalls | None
    """The calls of the function that was timed, if one was."""
    first: Sequence[Master]
    """Masters that come before the others on the bus, when the profile ends."""
    hz: int
    """Cycles per second, when the profile ends."""
    tasks: Sequence[tuple[int, str]]
    """Control block and name of each task that a core had; a block may be that of several, one after the other."""


def take(
    simulator: Chip, image: str, stop: str, seconds: float, timed: str | None = None, *, sources: bool = True
) -> Profile:
    """Return what was recorded since `Simulator.start_profile`, which is so many seconds of the chip's time ago.

    `timed` is the name of the function whose calls were timed. Without `sources`, that part of the profile is empty.
    """
    begun, ended, cores, ports, losses, locks, lock_waits, untold, blocks = simulator.take_profile()
    names = Names(simulator)
    tasks = [(block, task(block, name)) for block, name in blocks]

    def by_port(cycles: Sequence[int]) -> dict[str, int]:
        return {port: lost for port, lost in zip(ports, cycles, strict=True) if lost}

    def costs(recorded: _native.Spent) -> Costs:
        (calls, instructions, cycles, asleep, switching), conflicts, waits = recorded
        sums = Sums(
            cycles,
            cycles - asleep - switching - sum(conflicts) - sum(waits),
            asleep,
            switching,
            by_port(conflicts),
            by_port(waits),
        )
        return Costs(calls, instructions, sums)

    def node(recorded: _native.Node) -> Node:
        parent, kind, value, handler, spent = recorded
        address, name = tasks[value] if kind == "task" else (value, handler or names.function(value))
        return Node(None if parent < 0 else parent, cast("Kind", kind), address, name, costs(spent))

    def spent_in(recorded: list[tuple[int, int, _native.Spent]]) -> dict[NodeOf, Costs]:
        return {(core, at): costs(spent) for core, at, spent in recorded}

    def core_profile(number: int, recorded: _native.CoreProfile) -> CoreProfile:
        until, off, truncated, nodes, lines, _ = recorded
        return CoreProfile(
            until - begun,
            off,
            simulator.registers(number).pc >= ROM_BYTES or any(address >= ROM_BYTES for address, _ in lines),
            truncated,
            [node(one) for one in nodes],
            [Line(address, *sums) for address, sums in lines],
        )

    profiles = [core_profile(number, one) for number, one in enumerate(cores)]
    addresses = sorted({line.address for one in profiles for line in one.lines}) if sources else []
    frames = simulator.source_frames(addresses)
    return Profile(
        image,
        begun,
        ended,
        seconds,
        stop,
        profiles,
        [
            Loss(
                core,
                port,
                names.function(function),
                names.object(what),
                cast("Culprit", to),
                names.function(other) if to in {"core", "eviction"} else "",
                names.object(other_what) if other_what else "",
                times,
                cycles,
            )
            for core, port, function, what, to, other, other_what, times, cycles in losses
        ],
        [LockUse(lock, core, names.function(function), *sums) for lock, core, function, sums in locks],
        [
            LockWait(
                lock, core, names.function(function), holder, names.function(other) if other else "", times, cycles
            )
            for lock, core, function, holder, other, times, cycles in lock_waits
        ],
        untold,
        {
            address: [Frame(readable(name) if name else None, file, line) for name, file, line in found]
            for address, found in zip(addresses, map(_named, addresses, frames, repeat(simulator)), strict=True)
            if found
        },
        None if timed is None else _timed(timed, [core[-1] for core in cores], spent_in),
        _first_on_bus(simulator),
        simulator.hz,
        tasks,
    )


def _named(address: int, frames: Sequence[_native.SourceFrame], simulator: Chip) -> Sequence[_native.SourceFrame]:
    """Take the symbol's name where debug information has lines without functions (`-gline-tables-only`)."""
    if not frames or frames[-1][0] is not None:
        return frames
    *inlined, (_, file, line) = frames
    found = simulator.function_at(address)
    return [*inlined, (found and found[0], file, line)]


def _first_on_bus(simulator: Chip) -> list[Master]:
    if not isinstance(simulator, Simulator):
        return []
    priorities = simulator.peek_register(_BUS_PRIORITY)
    bits: tuple[tuple[Master, int], ...] = (("core 0", 1 << 0), ("core 1", 1 << 4), ("DMA", 1 << 8 | 1 << 12))
    return [master for master, mask in bits if priorities & mask]


def _timed(
    function: str,
    by_core: Sequence[_native.TimedCalls],
    spent_in: Callable[[list[tuple[int, int, _native.Spent]]], dict[NodeOf, Costs]],
) -> TimedCalls:
    """Join what both cores recorded of the calls of a function; a call may begin on one and return on the other."""
    sums: dict[NodeOf, Costs] = {}
    longest: list[LongestCall] = []
    for _, _, _, _, spent, call in by_core:
        for node, costs in spent_in(spent).items():
            sums[node] = costs if node not in sums else sums[node].plus(costs)
        if call is not None:
            begun, cycles, away, of_call = call
            longest.append(LongestCall(begun, cycles, away, spent_in(of_call)))
    return TimedCalls(
        function,
        [cycles for calls, *_ in by_core for cycles in calls],
        sum(more for _, more, *_ in by_core),
        sum(unfinished for _, _, unfinished, *_ in by_core),
        sum(away for _, _, _, away, *_ in by_core),
        sums,
        max(longest, key=lambda one: one.cycles, default=None),
    )
