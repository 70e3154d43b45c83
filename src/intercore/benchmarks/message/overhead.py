"""The processor time of a message on each core: the loss of a load of lower priority per message (`measure=overhead`).

A load counts iterations while messages arrive, and for the same time without messages; the time of an iteration alone
is measured separately. So a message takes (turns without - turns with) / messages turns of that time: the overhead o of
LogP (Culler et al., LogP: towards a realistic model of parallel computation, PPoPP 1993), with the switches between
tasks in it.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Annotated, Literal, TypeAlias

import msgspec
import numpy as np
from msgspec import Meta

from intercore.benchmarks.grouping import by_level, by_run, cycles_per_us, pools, ticks
from intercore.benchmarks.message import TRUE, TURNS
from intercore.benchmarks.message.curve import BENCHMARK
from intercore.benchmarks.message.overhead_findings import (
    CoreTimes,
    MessageCpuTime,
    MessageCpuTimeExactness,
    MessageNoPriorities,
)
from intercore.record.measurement import Level
from intercore.statistics.intervals import Interval
from intercore.statistics.repetitions import median
from intercore.view.quantity import FORMATS, duration, duration_bounds
from intercore.view.table import Column, Table

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from intercore.finding import Finding
    from intercore.record.measurement import Measurement

    Floats: TypeAlias = NDArray[np.float64]

End: TypeAlias = Literal["from", "to"]
ENDS: tuple[End, ...] = ("from", "to")
BLOCK_TURNS = 128
"""Turns that are timed together: as in firmware/bench/message/message.h."""

_POLICY = "scheduler.policy"  # condition of Linux
_NO_PRIORITY = "SCHED_OTHER"
_OWN = ("transport", "from", "to", "region", "size")
_NO_SETTING = (*_OWN, "messages", "measure")


class MessageTaken(msgspec.Struct, frozen=True):
    """The processor time of a message on one core."""

    core: Annotated[int, Meta(ge=0)]
    us: Interval
    """Median over the pairs of windows, in µs. Where it is next to nothing, chance may make it negative."""
    cycles: float | None
    """The same in cycles of that core; None where these have no one length."""
    error_cycles: Annotated[float, Meta(ge=0)] | None
    """The largest difference to what the simulator saw the load lose, in cycles per message; None where none saw it."""


class MessageOverhead(msgspec.Struct, frozen=True):
    """The processor time of messages of one size at one setting."""

    transport: str
    region: str
    """Memory that the transport gets, if it uses any."""
    varied: dict[str, Level]
    """The other factors that take more than one level in the run, by name."""
    bytes: Annotated[int, Meta(ge=1)]
    messages: Annotated[int, Meta(ge=1)]
    """In a window; the most of several measurements."""
    windows: Annotated[int, Meta(ge=1)]
    """Pairs of them: one with messages, one without."""
    sender: MessageTaken
    """From the core of the sender; of two ends on one core, by both."""
    receiver: MessageTaken | None
    """From the core of the receiver; None if that is the same one."""

    @property
    def total_us(self) -> float:
        """What is taken from both."""
        return self.sender.us.value + (self.receiver.us.value if self.receiver else 0.0)

    @property
    def setting(self) -> dict[str, Level]:
        """The levels that distinguish it from others, without region and size."""
        return {"transport": self.transport, "from": self.sender.core, "to": self._to, **self.varied}

    @property
    def cores(self) -> str:
        """From which to which."""
        return f"{self.sender.core} → {self._to}"

    @property
    def _to(self) -> int:
        return (self.receiver or self.sender).core


def overheads(measurements: Iterable[Measurement]) -> tuple[MessageOverhead, ...]:
    """Return the processor time of messages by transport, setting and size; implausible data is skipped."""
    ours = [one for one in measurements if _is_usable(one)]
    found = pools(ours, BENCHMARK, f"{TURNS}from", lambda factors: tuple(factors[name] for name in _OWN), _NO_SETTING)
    rows = [
        _row(dict(zip(_OWN, setting, strict=True)), dict(varied), pool) for (setting, varied), pool in found.items()
    ]

    def order(row: MessageOverhead) -> tuple[object, ...]:
        return row.transport, by_level({**row.varied, "region": row.region}), row.cores, row.bytes

    return tuple(sorted(rows, key=order))


def taken_us(one: Measurement, end: End) -> Floats:
    """Return the processor time of a message on the core of one end in each pair of windows, in µs; none if unknown."""
    turns, idle, block = (ticks(one, f"{name}{end}") for name in (TURNS, "idle_turns_", "block_"))
    if not len(turns) or len(turns) != len(idle) or not len(block):
        return np.zeros(0)
    # The quickest block of all: least was in its way.
    turn_us = float(one.samples(f"block_{end}").ns.min()) / 1e3 / BLOCK_TURNS
    lost: Floats = (idle - turns) * turn_us / max(int(one.factors["messages"]), 1)
    return lost


def _is_usable(one: Measurement) -> bool:
    """Whether its levels and series are valid: a target may send anything."""
    known = one.factors
    if one.benchmark != BENCHMARK or known.get("measure") != "overhead" or not set(_OWN) <= set(known):
        return False
    numbers = [known["from"], known["to"], known["size"], known.get("messages", 0)]
    if not all(isinstance(number, int) and number >= 0 for number in numbers) or 0 in numbers[2:]:
        return False
    ends = ENDS[:1] if known["from"] == known["to"] else ENDS
    return all(len(taken_us(one, end)) > 0 and one.samples(f"block_{end}").is_time for end in ends)


def _row(setting: Mapping[str, Level], varied: dict[str, Level], pool: Sequence[Measurement]) -> MessageOverhead:
    first, second = int(setting["from"]), int(setting["to"])
    return MessageOverhead(
        str(setting["transport"]),
        str(setting["region"]),
        varied,
        int(setting["size"]),
        max(int(one.factors["messages"]) for one in pool),
        sum(len(ticks(one, f"{TURNS}from")) for one in pool),
        _taken(pool, "from", first),
        _taken(pool, "to", second) if first != second else None,
    )


def _taken(pool: Sequence[Measurement], end: End, core: int) -> MessageTaken:
    us = median(by_run(pool, (taken_us(one, end) for one in pool)))
    rate = cycles_per_us(pool)
    off = [difference for one in pool for difference in _differences(one, end)]
    return MessageTaken(core, us, None if rate is None else us.value * rate, max(off) if off else None)


def _differences(one: Measurement, end: End) -> list[float]:
    """Return how far measured and true cycles per message are apart in each pair of windows; none without a truth."""
    measured, true = taken_us(one, end), ticks(one, f"{TRUE}{end}")
    if not len(true) or len(true) != len(measured):
        return []
    cycles = measured * one.samples(f"{TRUE}{end}").hz / 1e6
    differences: list[float] = np.abs(cycles - true / int(one.factors["messages"])).tolist()
    return differences


# What is found, and a table


def overhead_results(found: Sequence[MessageOverhead]) -> Iterator[Finding]:
    """Return which transport takes least from both cores, and which most, of the smallest and the largest messages."""
    apart = [one for one in found if one.receiver is not None]
    sizes = {one.bytes for one in apart}
    for size in sorted({min(sizes), max(sizes)} if sizes else ()):
        ranked = sorted((one for one in apart if one.bytes == size), key=lambda one: one.total_us)
        least, most = ranked[0], ranked[-1]
        yield MessageCpuTime(
            bytes=size, least=_taken_of(least), most=None if least.setting == most.setting else _taken_of(most)
        )
    off = [end.error_cycles for one in found for end in (one.sender, one.receiver) if end]
    known = [cycles for cycles in off if cycles is not None]
    if known:
        yield MessageCpuTimeExactness(cycles=max(known))


def _taken_of(one: MessageOverhead) -> CoreTimes:
    receiver = one.receiver or one.sender
    return CoreTimes(one.setting, one.sender.us.value, receiver.us.value)


def without_priority(measurements: Iterable[Measurement]) -> Iterator[Finding]:
    """Return whether the load was not of lower priority: then the kernel divided the processor as it liked."""
    policies = {one.conditions.get(_POLICY) for one in measurements if _is_usable(one)}
    if _NO_PRIORITY in policies:
        yield MessageNoPriorities(policy=_NO_PRIORITY)


def overhead_table(found: Sequence[MessageOverhead], where: str) -> Table[MessageOverhead]:
    """Show them, a row for each setting and size."""
    regions = len({one.region for one in found}) > 1
    return Table(
        f"Processor time of a message on each core on {where}",
        found,
        [
            Column("transport", lambda one: one.transport),
            Column("cores", lambda one: one.cores),
            *([Column[MessageOverhead]("region", lambda one: one.region)] if regions else []),
            *(Column[MessageOverhead](name, partial(_level, name)) for name in found[0].varied),
            Column("bytes", lambda one: f"{one.bytes:,}", right=True),
            Column("sender's core", lambda one: _time(one.sender), right=True),
            Column("95 %", lambda one: _bounds(one.sender), right=True),
            Column("receiver's core", lambda one: _time(one.receiver), right=True),
            Column("95 %", lambda one: _bounds(one.receiver), right=True),
        ],
    )


def _level(name: str, row: MessageOverhead) -> str:
    return str(row.varied.get(name, ""))


def _time(taken: MessageTaken | None) -> str:
    if taken is None:
        return "–"
    return duration(taken.us.value) + ("" if taken.cycles is None else f"\n{FORMATS['cycles'](taken.cycles)}")


def _bounds(taken: MessageTaken | None) -> str:
    return "–" if taken is None else duration_bounds(taken.us) or "–"
