"""What the time of one sample went to: the measurement is repeated, and both cores are followed from cycle to cycle.

A sample begins with a cause (a timer is due, a task rings) and ends with a reading of the clock. The way between them
leads through one or more *legs*: a core, and the time in which it is that core's turn. Each cycle of a leg goes to one
part. Before the awaited handler begins, that is what kept it waiting, by the rule of a hunt
(sim/src/core/profile/hunt.rs): another handler, or masked interrupts. Behind it, it is what has to be executed, or what
came in between.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from msgspec.structs import replace

from intercore.errors import IntercoreError
from intercore.profile.advice import FLASH
from intercore.profile.held_locks import HeldLocks
from intercore.profile.names import short
from intercore.profile.recorded import take
from intercore.record.explanation import ExplainedPart, Explanation, Holder
from intercore.sim.observation import DOORBELLS, PEND_SV, SV_CALL

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import numpy.typing as npt

    from intercore import _native
    from intercore.profile.held_locks import LockWait
    from intercore.profile.recorded import CoreProfile, Node
    from intercore.record.explanation import Cause
    from intercore.record.measurement import Series
    from intercore.sim import Repetition
    from intercore.sim.observation import Answered

MOST_CYCLES = 12_500_000
"""Of a sample that can be explained: what a core does changes every few of them, and all of it is kept for a while."""
_LEAD = 0.05
"""Seconds before a sample from which the calls of tasks are followed, so that it is known who has called a function."""
_PROMPT = 160
"""Cycles that a core may execute before a handler though interrupts are enabled: what it has begun, as in a hunt."""
_FIFO_WRITE = 0xD000_0054
"""By which a core rings the other one's doorbell (RP2040 datasheet 2.3.1.4)."""
_SPINLOCKS = range(32)
_SWITCHING = (SV_CALL, PEND_SV)
"""Exceptions with which the kernel switches tasks."""


class _Stretch(NamedTuple):
    """Cycles in which a core did one thing."""

    begin: int
    end: int
    path: tuple[Node, ...]
    """From the task or handler to the function that was executed."""
    activity: str
    lost: tuple[str, bool] | None
    """The port at which they were lost, and whether to another master; None if they were not."""
    losses: int
    """How many losses began in it."""

    @property
    def cycles(self) -> int:
        return self.end - self.begin

    @property
    def root(self) -> Node:
        return self.path[0]

    @property
    def is_task(self) -> bool:
        return self.root.kind == "task"

    @property
    def is_awake(self) -> bool:
        return self.activity not in {"sleeps", "off"}

    def is_in(self, exception: int | None) -> bool:
        return self.root.kind == "handler" and self.root.address == exception

    def within(self, begin: int, end: int) -> _Stretch:
        """Return the part of it in a time; losses are told where they begin."""
        cut = self._replace(begin=max(begin, self.begin), end=min(end, self.end))
        return cut if cut.begin == self.begin else cut._replace(losses=0)


class _Leg(NamedTuple):
    """A part of the way, on one core."""

    core: int
    begin: int
    end: int
    exception: int | None
    """The awaited one; None where a task or handler goes on that was under way."""
    is_last: bool = False


class _Key(NamedTuple):
    """What belongs to one part."""

    cause: Cause
    context: str
    address: int
    """Tells contexts of one name apart."""
    wait: int | None
    """Number of the wait for a lock, each of which is a part of its own."""


def explain(repetition: Repetition, series: Series, sample: int, answered: Answered) -> Explanation:
    """Repeat a measurement up to the end of one of its samples, and return what that sample's time went to.

    Raises IntercoreError if the sample is not in cycles, or if the repetition goes another way.
    """
    simulator = repetition.simulator
    if series.hz != simulator.hz:
        raise IntercoreError(
            f"the samples of {series.name} have {series.hz} ticks per second, and the chip {simulator.hz} cycles: only "
            "samples in cycles can be explained"
        )
    cycles = int(series.ticks[sample])
    begin, end = answered.cycle - cycles, answered.cycle
    if not 0 < cycles <= MOST_CYCLES or begin < repetition.begin:
        raise IntercoreError(
            f"sample {sample} of {series.name} has {cycles:,} cycles: up to {MOST_CYCLES:,} can be explained"
        )
    repetition.rewind()
    repetition.run_to(max(repetition.begin, begin - round(_LEAD * simulator.hz)))
    simulator.start_profile()
    begun = simulator.seconds
    locks, rings = HeldLocks(simulator, _SPINLOCKS), simulator.watch_writes(_FIFO_WRITE, 4)
    repetition.run_to(begin)
    followed = simulator.follow(end)
    profile = take(simulator, "", "", simulator.seconds - begun)
    cores = [_stretches(core, mine, end) for core, mine in zip(profile.cores, followed, strict=True)]
    hits = rings.hits()
    rung = [hits["cycle"][hits["core"] == core].astype(np.int64) for core in (0, 1)]
    legs = list(_legs(answered, begin, end, cores, rung))
    waits = locks.waits(begin, end)
    parts = [part for leg in legs for part in _parts(leg, cores, waits)]
    found = sum(part.cycles for part in parts)
    if found != cycles:
        raise IntercoreError(
            f"{found} of the {cycles} cycles of sample {sample} of {series.name} are explained: this is a bug of "
            "Intercore, please report it"
        )
    return Explanation(series.name, sample, cycles, series.hz, tuple(_added(parts)))


def _added(parts: Sequence[ExplainedPart]) -> list[ExplainedPart]:
    """Make one part of those that differ in nothing but their cycles, as several waits for a lock, and sort them."""
    cycles: Counter[ExplainedPart] = Counter()
    misses: Counter[ExplainedPart] = Counter()
    for part in parts:
        alike = replace(part, cycles=1, misses=0)
        cycles[alike] += part.cycles
        misses[alike] += part.misses
    return [replace(alike, cycles=count, misses=misses[alike]) for alike, count in cycles.most_common()]


def _stretches(core: CoreProfile, followed: Sequence[_native.Followed], end: int) -> list[_Stretch]:
    paths: dict[int, tuple[Node, ...]] = {}
    found: list[_Stretch] = []
    for begin, cycles, node, activity, lost, losses in reversed(followed):
        if node not in paths:
            paths[node] = _path(core.nodes, node)
        path = paths[node]
        if path[0].kind == "handler" and not path[0].address and found:
            path = found[-1].path[:1]  # a core that enters a handler has not chosen it yet
        found.append(_Stretch(begin, min(begin + cycles, end), path, activity, lost, losses))
    return found[::-1]


def _path(nodes: Sequence[Node], number: int) -> tuple[Node, ...]:
    path = [nodes[number]]
    while (parent := path[-1].parent) is not None:
        path.append(nodes[parent])
    return tuple(reversed(path))


def _legs(
    answered: Answered, begin: int, end: int, cores: Sequence[Sequence[_Stretch]], rung: Sequence[npt.NDArray[np.int64]]
) -> Iterator[_Leg]:
    """Return the legs of a way: each but the last one ends where its core rings the next one."""
    exception = answered.exception
    for core, following in pairwise(answered.cores):
        until = _handed_over(_Leg(core, begin, end, exception), cores[core], rung[core])
        yield _Leg(core, begin, until, exception)
        begin, exception = until, DOORBELLS[following]
    yield _Leg(answered.cores[-1], begin, end, exception, is_last=True)


def _handed_over(leg: _Leg, stretches: Sequence[_Stretch], rung: npt.NDArray[np.int64]) -> int:
    """Return when a core rings the next one, or ends its handler without, since the next one was rung before."""
    entered = _entered(leg, stretches)
    later = rung[(rung >= entered) & (rung < leg.end)]
    if len(later):
        return int(later[0])
    left = (one.begin for one in stretches if one.begin > entered and not one.is_in(leg.exception))
    return min(next(left, leg.end), leg.end)


def _entered(leg: _Leg, stretches: Sequence[_Stretch]) -> int:
    """Return when the awaited handler begins: at the end of the leg if it does not."""
    if leg.exception is None:
        return leg.begin
    begins = (one.begin for one in stretches if one.end > leg.begin and one.is_in(leg.exception))
    return min(max(next(begins, leg.end), leg.begin), leg.end)


def _parts(leg: _Leg, cores: Sequence[Sequence[_Stretch]], waits: Sequence[LockWait]) -> Iterator[ExplainedPart]:
    """Divide the cycles of a leg."""
    stretches = _during(cores[leg.core], leg.begin, leg.end)
    entered = _entered(leg, stretches)
    mine = sorted(wait for wait in waits if wait.core == leg.core)
    ends = (at for wait in mine for at in (wait.begin, wait.end) if leg.begin < at < leg.end)
    bounds = sorted({leg.begin, entered, leg.end, *ends})
    cut = [part for begin, end in pairwise(bounds) for part in _during(stretches, begin, end)]
    before = sum(one.cycles for one in cut if one.end <= entered and one.is_task and one.is_awake)
    own = cut[-1].root if leg.is_last else None
    found: defaultdict[_Key, list[_Stretch]] = defaultdict(list)
    for one in cut:
        last = bisect_right(mine, one.begin, key=lambda wait: wait.begin) - 1
        waits_for = last if last >= 0 and one.begin < mine[last].end else None
        cause = "lock" if waits_for is not None else _cause(leg, one, own, entered, is_masked=before > _PROMPT)
        context = ("", 0) if cause == "bus" else (one.root.name, one.root.address)
        found[_Key(cause, *context, waits_for)].append(one)
    for key, some in found.items():
        wait = None if key.wait is None else mine[key.wait]
        yield ExplainedPart(
            sum(one.cycles for one in some),
            key.cause,
            leg.core,
            key.context,
            _most_executed(some) if key.cause in _IN_PLACES else _common(some),
            None if wait is None else wait.lock,
            None if wait is None else _holder(1 - leg.core, cores, wait),
            _most_waited(some) if key.cause == "bus" else "",
            sum(one.losses for one in some) if key.cause == "flash" else 0,
        )


_IN_PLACES = frozenset({"way", "flash", "bus"})
"""Causes whose cycles are in one place and another, so that they are told by the function with the most of them."""


def _cause(leg: _Leg, one: _Stretch, own: Node | None, entered: int, *, is_masked: bool) -> Cause:
    """Return what a stretch, which is before or behind the beginning of the awaited handler, was spent with."""
    is_awaited = one.is_in(leg.exception)
    if not one.is_awake:
        return "asleep"
    if one.end <= entered and one.is_task:
        return "masked" if is_masked else "way"
    if one.end <= entered:
        return "way" if is_awaited else "interrupt"
    if one.lost is not None and (one.lost[1] or one.lost[0] == FLASH):
        return "bus" if one.lost[1] else "flash"
    if is_awaited or one.root == own or leg.exception is None or (one.root.address in _SWITCHING and not one.is_task):
        return "way"
    return "task" if one.is_task else "interrupt"


def _during(stretches: Sequence[_Stretch], begin: int, end: int) -> list[_Stretch]:
    """Return what a core did in a time, of stretches in the order of time."""
    first = bisect_right(stretches, begin, key=lambda one: one.end)
    last = bisect_left(stretches, end, key=lambda one: one.begin)
    return [one.within(begin, end) for one in stretches[first:last]]


def _holder(core: int, cores: Sequence[Sequence[_Stretch]], wait: LockWait) -> Holder:
    """Return what the other core did while a core waited for a lock that it held."""
    during = _during(cores[core], wait.begin, wait.end)
    if not during:
        return Holder(core, "", "")  # it began before the sample did
    times: Counter[tuple[str, int]] = Counter()
    for one in during:
        times[_context(one)] += one.cycles
    most = times.most_common(1)[0][0]
    return Holder(core, _common([one for one in during if _context(one) == most]), most[0])


def _context(one: _Stretch) -> tuple[str, int]:
    return one.root.name, one.root.address


def _common(stretches: Sequence[_Stretch]) -> str:
    """Return the innermost function that a core was in all the time; empty if there was none."""
    common = ""
    for frames in zip(*(one.path[1:] for one in stretches), strict=False):
        if len({frame.address for frame in frames}) > 1:
            break
        common = short(frames[0].name)
    return common


def _most_waited(stretches: Sequence[_Stretch]) -> str:
    """Return the bank or port with the most cycles that were lost."""
    times: Counter[str] = Counter()
    for one in stretches:
        times[one.lost[0] if one.lost else ""] += one.cycles
    return times.most_common(1)[0][0]


def _most_executed(stretches: Sequence[_Stretch]) -> str:
    """Return the function with the most cycles by itself; empty if there was none."""
    times: Counter[str] = Counter()
    for one in stretches:
        if one.path[1:]:
            times[short(one.path[-1].name)] += one.cycles
    return times.most_common(1)[0][0] if times else ""
