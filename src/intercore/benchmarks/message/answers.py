"""The one-line answers of `message`: which way of moving messages is the quickest."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from intercore.benchmarks.caveats import disturbed_samples
from intercore.benchmarks.message.choice import copies
from intercore.benchmarks.message.findings import MessageBestGain
from intercore.benchmarks.message.rows import rate
from intercore.statistics.intervals import Interval
from intercore.view.answer import Answer, and_other_way, with_varied
from intercore.view.cost import CoreTime, Cost
from intercore.view.quantity import duration, significant

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from intercore.benchmarks.message.analysis import MessageAnalysis
    from intercore.benchmarks.message.choice import MessageRank
    from intercore.benchmarks.message.rows import MessageLatency
    from intercore.finding import Finding
    from intercore.record.measurement import Level


_COPIED, _NOT_COPIED = "copied", "zero-copy"
_BLOCKED = "blocked"
"""The level of `receiver` at which it has to be woken."""
_EXAMPLE = 300
"""Bytes of an example message, a size that is not measured by default."""
_NO_MATTER = 0.01
"""Largest effect of the size, relative to the time of the smallest messages, that counts as none."""
_KNOWN = 0.1
"""Largest half-width of the interval of alpha, relative to alpha, with which the line is used."""


def answers(analysis: MessageAnalysis) -> Iterator[Answer]:
    """Answer the lowest latency of small and large messages, and the highest throughput.

    Zero-copy comes first, then copying. Latency and throughput are those across cores, in the slowest direction.
    """
    sizes = sorted({one.bytes for one in analysis.ranking if one.measure == "latency"})
    for size in sizes:
        if size == next((known for known in sizes if known > _EXAMPLE), None):
            yield from _of_example(analysis, sizes)
        found = [one for one in analysis.ranking if (one.measure, one.bytes) == ("latency", size)]
        for number, (one, how) in enumerate(_best(found, lambda one: -one.rank)):
            time, ways = _time(analysis, one)
            yield Answer(_of_bytes(size, how), time, about=_choice(one) + ways, brief=number == 0)
    streams = [one for one in analysis.ranking if one.measure == "throughput" and one.bytes_per_s is not None]
    for number, (one, how) in enumerate(_best(streams, lambda one: one.bytes_per_s or 0.0)):
        question = f"throughput, {how}" if how else "throughput of a stream"
        about = f"{_choice(one)}, {one.bytes:,} bytes"
        about += f"; {one.slowest}, the slowest direction" if one.settings > 1 else ""
        is_largest = one.bytes == max(other.bytes for other in streams)
        about += "; the largest streamed" * is_largest
        yield Answer(
            question, rate(one.bytes, one.time_us), "bytes/s", about, bound="≥" if is_largest else "", brief=number == 0
        )


def _of_bytes(size: int, how: str) -> str:
    """Return the question on a size; `how` is `copied` or `zero-copy` if there are both."""
    return f"{size:,} bytes, {how}" if how else f"message of {size:,} bytes"


class _Direction(NamedTuple):
    """The latency of a message in one direction."""

    first: int
    """Core of the sender."""
    second: int
    """Core of the receiver."""
    median_us: Interval

    @property
    def named(self) -> tuple[str, float]:
        """Its name and its median in µs."""
        return f"{self.first} → {self.second}", self.median_us.value


def _rows(analysis: MessageAnalysis, one: MessageRank) -> list[MessageLatency]:
    """Return the rows of a choice in each direction; without load, if measured."""
    rows = [row for row in analysis.latency if all(row.setting.get(name) == at for name, at in one.choice.items())]
    return [row for row in rows if row.load == "none"] or rows


def _ways(analysis: MessageAnalysis, one: MessageRank) -> list[_Direction]:
    """Return the directions of a choice at its size, the quickest first."""
    ways = [
        _Direction(row.first, row.second, size.latency_us.median)
        for row in _rows(analysis, one)
        for size in row.sizes
        if size.bytes == one.bytes
    ]
    return sorted(ways, key=lambda way: way.median_us.value)


def _across(ways: Sequence[_Direction]) -> Sequence[_Direction]:
    """Return those between two cores; all, if none is."""
    return [way for way in ways if way.first != way.second] or ways


def _time(analysis: MessageAnalysis, one: MessageRank) -> tuple[Interval, str]:
    """Return the latency of a message in the slowest direction across cores, and its direction if it matters."""
    ways = _across(_ways(analysis, one))
    if one.settings == 1 or not ways:
        return one.time_us, ""
    return ways[-1].median_us, and_other_way(ways[-1].named, ways[0].named)


def _of_example(analysis: MessageAnalysis, sizes: Sequence[int]) -> Iterator[Answer]:
    """Answer the latency of a message of a size between those measured, by the lines through all sizes."""
    several = len({_is_copied(one) for one in analysis.ranking if one.measure == "latency"}) > 1
    for copying in (False, True):
        how = (_COPIED if copying else _NOT_COPIED) if several else ""
        yield from _of_any_size(analysis, sizes, copying=copying, how=how)


def _of_any_size(analysis: MessageAnalysis, sizes: Sequence[int], *, copying: bool, how: str) -> Iterator[Answer]:
    """Answer the same by the transport that takes least for it, of those that copy or not, in its slowest direction."""
    found = [one for one in analysis.ranking if (one.measure, one.bytes) == ("latency", sizes[0])]
    alike = [one for one in found if _is_copied(one) == copying]
    if sizes[0] > _EXAMPLE:
        return
    known = []
    for one in alike:
        rows = _rows(analysis, one)
        across = [row for row in rows if row.first != row.second] or rows
        predicted = [line for line in map(_by_line, across) if line is not None]
        if predicted:
            time_us, by = max(predicted, key=lambda way: way[0].value)
            wakes = "includes waking the receiver; " * any(row.receiver == _BLOCKED for row in across)
            known.append((time_us, f"{_choice(one)}; {wakes}{by}"))
    if known:
        time_us, about = min(known, key=lambda way: way[0].value)
        yield Answer(_of_bytes(_EXAMPLE, how), time_us, about=about, brief=False)


def _by_line(one: MessageLatency) -> tuple[Interval, str] | None:
    """Return the latency of a message of a size between those measured, in µs, and its basis; None without a line.

    If the effect of the size is not significant, or alpha is uncertain, the answer is interpolated between the
    neighbouring sizes.
    """
    slope = one.beta_ns_per_byte
    if one.alpha_us is None or slope is None:
        return None
    first, each = one.alpha_us.value, slope.value
    low, high = (each if end is None else end for end in (slope.low, slope.high))
    most_us = max(abs(low), abs(high)) * one.sizes[-1].bytes / 1e3
    is_known = _reach(one.alpha_us) <= _KNOWN * abs(first)
    if is_known and most_us < _NO_MATTER * first:
        return one.alpha_us, "independent of size"
    if not is_known or low <= 0:
        beside = {size.bytes: size.latency_us.median for size in one.sizes}
        below = max((size for size in beside if size <= _EXAMPLE), default=min(beside))
        above = min((size for size in beside if size > _EXAMPLE), default=max(beside))
        share = (_EXAMPLE - below) / (above - below) if below < _EXAMPLE < above else 0.0
        ends = f"{duration(beside[below].value)} at {below:,} and {duration(beside[above].value)} at {above:,} bytes"
        between_sizes = f"between {ends}" + ", a difference that may be chance" * (low <= 0)
        return _between(beside[below], beside[above], share), between_sizes
    through = f"estimated from {len(one.sizes)} sizes: {duration(first)} + {significant(each, 3)} ns per byte"
    return Interval(first + each * _EXAMPLE / 1e3), through


def _between(first: Interval, second: Interval, share: float) -> Interval:
    """Return the interpolation of two medians. Its bounds lie between theirs."""

    def at(one: float, other: float) -> float:
        return one + share * (other - one)

    ends = [
        None if one is None or other is None else at(one, other)
        for one, other in ((first.low, second.low), (first.high, second.high))
    ]
    return Interval(at(first.value, second.value), *ends)


def _reach(interval: Interval) -> float:
    """Return how far an interval reaches from its value at most, if known."""
    ends = (interval.value if end is None else end for end in (interval.low, interval.high))
    return max(abs(end - interval.value) for end in ends)


def concerns(finding: Finding, answer: Answer) -> bool:
    """Whether a caveat may concern an answer: what disturbed latencies at some sizes, only these; and no rate.

    What a message of a size between those measured takes is by what all of them take.
    """
    samples = disturbed_samples(finding)
    if not samples:
        return True
    sizes = {one.levels["size"] for one in samples if _is_of(answer, one.levels)}
    asked = re.match(r"(?:message of )?([\d,]+) bytes", answer.question)
    return asked is not None and bool(sizes) and int(asked[1].replace(",", "")) in {*sizes, _EXAMPLE}


def _is_of(answer: Answer, curve: Mapping[str, Level]) -> bool:
    """Whether a curve is of the choice that an answer names: by its transport, or by what varies in its place."""
    return answer.choice in (_level(name, level) for name, level in curve.items())


def costs(analysis: MessageAnalysis) -> Iterator[Cost]:
    """Yield the latency of a message by the fastest transport, by size: in the slowest direction across cores."""
    for one in analysis.ranking:
        if one.rank == 1 and one.measure == "latency":
            ways = _ways(analysis, one)
            slowest = _across(ways)[-1] if ways else None
            time = one.time_us.value if slowest is None else slowest.median_us.value
            same = [
                way.median_us.value
                for way in ways
                if slowest is not None and slowest.first != slowest.second and way.first == way.second == slowest.first
            ]
            yield Cost("message", f"{one.bytes:,} bytes, {_choice(one)}", time, max(same, default=None))


def core_times(analysis: MessageAnalysis) -> Iterator[CoreTime]:
    """Yield the processor time of each message; one by notification, which moves no bytes, is a wake-up."""
    for one in analysis.overheads:
        cores = [one.sender, *([one.receiver] if one.receiver else [])]
        size = "" if one.transport == "notification" else f", {one.bytes:,} bytes"
        kind = "message" if size else "wake-up"
        yield CoreTime(
            with_varied(f"{kind} by {one.transport}{size}, {one.cores}", one.varied),
            {each.core: each.us.value for each in cores},
        )


def _best(found: Sequence[MessageRank], worth: Callable[[MessageRank], float]) -> Iterator[tuple[MessageRank, str]]:
    """Yield the best choice; where some copy and others do not, the best one of either and which that is."""
    kinds: dict[bool, list[MessageRank]] = {}
    for one in found:
        kinds.setdefault(_is_copied(one), []).append(one)
    for copying, alike in sorted(kinds.items()):
        yield max(alike, key=worth), (_COPIED if copying else _NOT_COPIED) if len(kinds) > 1 else ""


def remarks(analysis: MessageAnalysis) -> Iterator[MessageBestGain]:
    """Report the largest gain of a choice."""
    most = max(analysis.advantages, key=lambda one: one.times.value, default=None)
    if most is not None:
        yield MessageBestGain(
            times=most.times.value,
            better=str(most.better),
            than=str(most.than),
            measure=most.measure,
            bytes=most.bytes,
        )


def _is_copied(one: MessageRank) -> bool:
    return copies(one.choice.get("transport", ""))


def _level(name: str, level: Level) -> str:
    return str(level) if name == "transport" else f"{name}={level}"


def _choice(one: MessageRank) -> str:
    words = " ".join(_level(name, level) for name, level in one.choice.items())
    by_address = "transport" in one.choice and not copies(one.choice["transport"])
    return f"{words} (by address)" if by_address and "zero-copy" not in words else words
