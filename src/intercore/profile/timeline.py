"""What happened when in the window of a profile: tasks, interrupts, calls, locks, what each core lost.

The window is run once more, since only the profile tells which functions matter; the simulator does the same again.
Tasks, interrupts, calls and locks have exact cycles. Losses are sums of short slices of the window.
"""

from __future__ import annotations

import itertools
from bisect import bisect_left
from collections import Counter, defaultdict
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from intercore.profile.advice import FLASH
from intercore.profile.held_locks import HeldLocks

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from intercore.profile.held_locks import Hold
    from intercore.profile.recorded import Node, Profile
    from intercore.sim import Probe, Simulator, Snapshot, Statistics

SLICES = 2000
"""Slices of a window, at most."""
_LEAST_SLICE = 1000
"""Cycles of a slice."""
MOST_CALLS = 100_000
"""Calls that are shown: those of the functions with the most time, as long as they are no more."""
_MOST_WAITED = 16_000_000
"""Cycles of waits for a lock of which it is shown: a load in vain is kept, too, and takes some 4 of them."""
_CORES = (0, 1)
_CURRENT_TASKS = ("pxCurrentTCBs", "pxCurrentTCB")
"""Variables of FreeRTOS: control blocks of the tasks that cores have."""

T = TypeVar("T", int, str)


class Run(NamedTuple):
    """Time in which a core had a task, or was in an interrupt."""

    begin: int
    """Cycle."""
    end: int
    name: str


class Loss(NamedTuple):
    """A slice of the window, and the cycles of a core in it."""

    begin: int
    end: int
    instructions: int
    asleep: int
    conflicts: int
    flash: int
    peripherals: int
    misses: int
    """Of the flash cache."""


class CoreTimeline(NamedTuple):
    """The time of a core."""

    tasks: Sequence[Run]
    """Empty without a kernel."""
    interrupts: Sequence[Run]
    """From the fetch of the vector to the return; one that interrupts another one is within it."""
    calls: Sequence[tuple[int, str]]
    """Cycle and function."""
    losses: Sequence[Loss]


class Clock:
    """The chip's time by cycle: exact at the ends of slices, and between them as if the clock did not change."""

    def __init__(self) -> None:
        """Know no moment yet."""
        self._cycles: list[int] = []
        self._seconds: list[float] = []

    def add(self, cycle: int, seconds: float) -> None:
        """Add a moment later than those before."""
        self._cycles.append(cycle)
        self._seconds.append(seconds)

    def ns(self, cycle: int) -> int:
        """Return the time since the first moment."""
        at = min(max(bisect_left(self._cycles, cycle), 1), len(self._cycles) - 1)
        (first, second), (begin, end) = self._cycles[at - 1 : at + 1], self._seconds[at - 1 : at + 1]
        part = (cycle - first) / max(1, second - first)
        return max(0, round(1e9 * (begin + part * (end - begin) - self._seconds[0])))


class Timeline(NamedTuple):
    """The window over time."""

    cores: Sequence[CoreTimeline]
    locks: Mapping[int, Sequence[Hold]]
    """When each spinlock was held."""
    clock: Clock
    left_out: Sequence[str]
    """Functions with more calls than are shown, interrupts that came more often, and spinlocks with more claims."""


def timeline(simulator: Simulator, start: Snapshot, profile: Profile, tell: Callable[[float], object]) -> Timeline:
    """Run the window of a profile once more, from the snapshot at its beginning; `tell` gets the part that is done."""
    simulator.restore(start)
    functions, left_out = _functions(profile)
    handlers, often = _handlers(profile)
    calls = [(name, simulator.watch_execution(address)) for address, name in functions.items()]
    switches = _switches(simulator, profile)
    shown, busy = _locks(profile)
    locks = HeldLocks(simulator, shown)
    interrupts = [Interrupts(handlers) for _ in _CORES]
    clock, losses = _run(simulator, profile, interrupts, tell)
    cores = [
        CoreTimeline(
            switches(core, profile.ended),
            interrupts[core].runs(profile.ended),
            _hits(calls, core),
            losses[core],
        )
        for core in _CORES
    ]
    return Timeline(cores, locks.holds(profile.ended), clock, [*left_out, *often, *busy])


def _locks(profile: Profile) -> tuple[list[int], list[str]]:
    """Return the spinlocks that are shown, and those with too many claims, or loads in vain."""
    claims, waited = Counter[int](), Counter[int]()
    for use in profile.locks:
        claims[use.lock] += use.claims
        waited[use.lock] += use.waited
    shown = [lock for lock in sorted(claims) if claims[lock] <= MOST_CALLS and waited[lock] <= _MOST_WAITED]
    return shown, [f"spinlock {lock}" for lock in sorted(claims) if lock not in shown]


def _functions(profile: Profile) -> tuple[dict[int, str], list[str]]:
    """Return the functions whose calls are shown, those with the most time awake first, and those with too many."""
    nodes = [node for core in profile.cores for node in core.nodes if node.kind == "function" and node.address]
    shown, left_out = _affordable(nodes, lambda node: node.address)
    names = {node.address: node.name for node in nodes}
    return {address: names[address] for address in shown}, [names[address] for address in left_out]


def _handlers(profile: Profile) -> tuple[list[str], list[str]]:
    """Return the interrupts that are shown, and those that came too often."""
    nodes = [node for core in profile.cores for node in core.nodes if node.kind == "handler"]
    return _affordable(nodes, lambda node: node.name)


def _affordable(nodes: Iterable[Node], key: Callable[[Node], T]) -> tuple[list[T], list[T]]:
    """Return what is called no more often than is shown, by time awake, and the rest."""
    awake: defaultdict[T, int] = defaultdict(int)
    calls: defaultdict[T, int] = defaultdict(int)
    for node in nodes:
        awake[key(node)] += node.costs.sums.cycles - node.costs.sums.asleep
        calls[key(node)] += node.costs.calls
    shown: list[T] = []
    left, left_out = MOST_CALLS, []
    for one in sorted(awake, key=lambda one: -awake[one]):
        if calls[one] > left:
            left_out.append(one)
        else:
            left -= calls[one]
            shown.append(one)
    return shown, left_out


class Interrupts:
    """Interrupts of a core, as they come."""

    def __init__(self, shown: Iterable[str]) -> None:
        """Keep those of these names."""
        self._shown = frozenset(shown)
        self._runs: list[Run] = []
        self._open: list[tuple[int, str]] = []

    def enter(self, cycle: int, name: str) -> None:
        """Take note that one is entered."""
        self._open.append((cycle, name))

    def leave(self, cycle: int, name: str | None) -> None:
        """Take note that one is left, with those within it; or all, by a reset."""
        if name is not None and all(name != one for _, one in self._open):
            return  # it was entered before the window
        while self._open:
            begin, top = self._open.pop()
            if top in self._shown:
                self._runs.append(Run(begin, max(begin, cycle), top))
            if top == name:
                break

    def runs(self, end: int) -> Sequence[Run]:
        """Return all up to a cycle, in which the window ends."""
        self.leave(end, None)
        return self._runs


def _hits(probes: Iterable[tuple[str, Probe]], core: int) -> list[tuple[int, str]]:
    found: list[tuple[int, str]] = []
    for name, probe in probes:
        hits = probe.hits()
        found += [(int(cycle), name) for cycle in hits[hits["core"] == core]["cycle"]]
    return sorted(found)


def _switches(simulator: Simulator, profile: Profile) -> Callable[[int, int], list[Run]]:
    """Watch the kernel's variables for the tasks of the cores; return what tells the runs of a core up to a cycle."""
    variable = next((name for name in _CURRENT_TASKS if name in simulator.symbols), None)
    if variable is None:
        return lambda _core, _end: []
    known: defaultdict[int, list[str]] = defaultdict(list)
    for block, name in profile.tasks:
        known[block].append(name)
    address, words = simulator.symbols[variable].address, max(1, simulator.symbols[variable].size // 4)
    watched = [
        (simulator.now, simulator.read_word(address + 4 * word), simulator.watch_writes(address + 4 * word, 4))
        for word in range(min(words, len(_CORES)))
    ]

    def runs(core: int, end: int) -> list[Run]:
        if core >= len(watched):
            return []
        begin, block, probe = watched[core]
        moments = [(begin, block), *((int(hit["cycle"]), int(hit["value"])) for hit in probe.hits())]
        changes = [moments[0], *(two for one, two in itertools.pairwise(moments) if one[1] != two[1])]
        return [
            Run(begin, until, " or ".join(known[block]))
            for (begin, block), (until, _) in itertools.pairwise([*changes, (max(end, changes[-1][0]), 0)])
            if block
        ]

    return runs


def _run(
    simulator: Simulator, profile: Profile, interrupts: Sequence[Interrupts], tell: Callable[[float], object]
) -> tuple[Clock, list[list[Loss]]]:
    whole = profile.ended - profile.begun
    size = max(_LEAST_SLICE, -(-whole // SLICES))
    clock = Clock()
    losses: list[list[Loss]] = [[] for _ in _CORES]
    clock.add(simulator.now, simulator.seconds)
    before = [simulator.statistics(core) for core in _CORES]
    simulator.record_events()
    while simulator.now < profile.ended:
        begun = simulator.now
        simulator.run(min(size, profile.ended - begun))
        simulator.take_uart()
        if simulator.now == begun:
            break
        clock.add(simulator.now, simulator.seconds)
        exceptions, misses = simulator.take_events()
        for cycle, core, enters, name in exceptions:
            if enters and name is not None:
                interrupts[core].enter(cycle, name)
            else:
                interrupts[core].leave(cycle, name)
        after = [simulator.statistics(core) for core in _CORES]
        for core in _CORES:
            losses[core].append(_loss(begun, simulator.now, before[core], after[core], misses[core]))
        before = after
        tell((simulator.now - profile.begun) / whole)
    return clock, losses


def _loss(begin: int, end: int, before: Statistics, after: Statistics, misses: int) -> Loss:
    waits = {port: cycles - before.waits.get(port, 0) for port, cycles in after.waits.items()}
    flash = waits.pop(FLASH, 0)
    return Loss(
        begin,
        end,
        after.instructions - before.instructions,
        after.asleep - before.asleep,
        sum(after.conflicts.values()) - sum(before.conflicts.values()),
        flash,
        sum(waits.values()),
        misses,
    )
