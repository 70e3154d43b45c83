"""What to choose for messages between cores: rankings at a small and a large size, and the gain of each alternative.

A designer chooses the transport, how ends wait, the memory, and how the program is built. The direction and what else
the cores do are given (`GIVEN`). A choice is ranked by its slowest direction, if all alternatives were measured in the
same ones: across cores and without load, if measured.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from typing import TYPE_CHECKING, Annotated

import msgspec
import numpy as np
from msgspec import Meta

from intercore.benchmarks.message.curve import MEASURES, Measure
from intercore.record.measurement import Level
from intercore.statistics.factors import Candidate, log_interval, ranking
from intercore.statistics.intervals import CONFIDENCE, Interval
from intercore.statistics.probability import student_quantile

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from typing import TypeAlias

    from intercore.benchmarks.message.curve import Curve

    Levels: TypeAlias = tuple[tuple[str, Level], ...]

GIVEN = ("from", "to", "load")
ZERO_COPY = "-zero-copy"
"""How the name of a transport ends that is like the one named by the rest, but does not copy."""
_BY_ADDRESS = "notification"
_TELLING = 4
"""Fewest pairs for an interval of their differences; that of two would span decades."""


def copies(transport: Level) -> bool:
    """Whether a transport copies the bytes of a message instead of passing their address."""
    return str(transport) != _BY_ADDRESS and not str(transport).endswith(ZERO_COPY)


class MessageRank(msgspec.Struct, frozen=True):
    """One choice in its place among all, at one size."""

    measure: Measure
    bytes: Annotated[int, Meta(ge=1)]
    rank: Annotated[int, Meta(ge=1)]
    """1 is the best."""
    choice: dict[str, Level]
    """The factors that a designer chooses and that have several levels in the run; all of them if none has."""
    settings: Annotated[int, Meta(ge=1)]
    """Directions and loads of which it is the slowest: the same for all of one size."""
    slowest: str
    """The direction of that, such as `1 → 0`, and the load if there is one."""
    time_us: Interval
    """Median time per message: its latency, or its share of the time of a stream."""
    bytes_per_s: float | None
    """The size through that, of a stream."""
    times_best: Interval
    """How many times as long that is as by the best choice."""


class MessageAdvantage(msgspec.Struct, frozen=True):
    """The gain of one level of a factor over another, other factors equal."""

    measure: Measure
    bytes: Annotated[int, Meta(ge=1)]
    factor: str
    better: Level
    """The level that is compared, whether it turned out better or not."""
    than: Level
    pairs: Annotated[int, Meta(ge=1)]
    """Pairs of settings that differ in nothing else."""
    times: Interval
    """How many times as fast it is: the geometric mean over the pairs. Its interval is by how much they differ, and
    there is none of two or three; of a single pair, it is by how well the two medians are known."""
    least: Annotated[float, Meta(ge=0)]
    """The same of the pair where it buys least."""
    most: Annotated[float, Meta(ge=0)]


# Sizes


def compared_sizes(curves: Sequence[Curve]) -> list[int]:
    """Return the smallest and the largest size that at least half of the curves were measured at; perhaps the same."""
    counts = Counter(size for curve in curves for size in curve.measurements)
    common = [size for size, count in counts.items() if 2 * count >= len(curves)]
    return sorted({min(common), max(common)}) if common else []


def _value(curve: Curve, size: int) -> tuple[float, float] | None:
    """Return the median of a size and the standard error of its logarithm; None if unknown."""
    if size not in curve.measurements:
        return None
    place = int(np.searchsorted(curve.points.x, size))
    median, error = float(curve.points.y[place]), float(curve.points.error[place])
    return (median, error / median) if median > 0 else None


# Ranking


def rankings(curves: Sequence[Curve]) -> tuple[MessageRank, ...]:
    """Return the alternatives, by measure and size; nothing without an alternative."""
    return tuple(
        one for measure in MEASURES for one in _of_measure(_plain([c for c in curves if c.measure == measure]))
    )


def _plain(curves: Sequence[Curve]) -> Sequence[Curve]:
    """Return the curves across cores, or all if there is none; of these those without load, or all."""
    across = [one for one in curves if one.setting["from"] != one.setting["to"]] or curves
    return [one for one in across if one.setting["load"] == "none"] or across


def _of_measure(curves: Sequence[Curve]) -> Iterator[MessageRank]:
    names = chosen_names(curves)
    for size in compared_sizes(curves):
        cells: dict[Levels, dict[Levels, tuple[float, float]]] = defaultdict(dict)
        for curve in curves:
            value = _value(curve, size)
            if value is not None:
                given = tuple((name, curve.setting[name]) for name in GIVEN)
                cells[tuple((name, curve.setting[name]) for name in names)][given] = value
        shared = _shared([set(cell) for cell in cells.values()])
        slowest = {choice: _slowest(cell, shared) for choice, cell in cells.items() if shared <= set(cell)}
        if len(slowest) > 1:
            yield from _ranks(curves[0].measure, size, cells, slowest, len(shared))


def chosen_names(curves: Sequence[Curve]) -> list[str]:
    """Return the factors that a designer chooses and that have several levels; the transport if there is none."""
    names = [name for name in (curves[0].setting if curves else ()) if name not in GIVEN]
    varied = [name for name in names if len({curve.setting[name] for curve in curves}) > 1]
    return varied or ["transport"]


def _shared(known: Sequence[set[Levels]]) -> set[Levels]:
    """Return the directions and loads under which most choices were measured."""
    counts = Counter(given for each in known for given in each)
    most = max(counts.values(), default=0)
    return {given for given, count in counts.items() if count == most}


def _slowest(cell: Mapping[Levels, tuple[float, float]], shared: set[Levels]) -> Levels:
    return max(sorted(shared, key=str), key=lambda given: cell[given])


def _ranks(
    measure: Measure,
    size: int,
    cells: Mapping[Levels, Mapping[Levels, tuple[float, float]]],
    slowest: Mapping[Levels, Levels],
    settings: int,
) -> Iterator[MessageRank]:
    candidates = [Candidate(dict(choice), *cells[choice][given]) for choice, given in slowest.items()]
    for place, one in enumerate(ranking(candidates), start=1):
        yield MessageRank(
            measure=measure,
            bytes=size,
            rank=place,
            choice=dict(one.candidate.levels),
            settings=settings,
            slowest=_in_words(dict(slowest[tuple(one.candidate.levels.items())])),
            time_us=one.value,
            bytes_per_s=size / one.value.value * 1e6 if measure == "throughput" else None,
            times_best=one.behind,
        )


def _in_words(given: Mapping[str, Level]) -> str:
    load = "" if given["load"] == "none" else f", load={given['load']}"
    return f"{given['from']} → {given['to']}{load}"


# Advantages


def advantages(curves: Sequence[Curve]) -> tuple[MessageAdvantage, ...]:
    """Return the gain of polling over blocking, and of zero-copy over copying, if both were measured."""
    found = []
    for measure in MEASURES:
        ours = [curve for curve in curves if curve.measure == measure]
        transports = dict.fromkeys(str(curve.setting["transport"]) for curve in ours)
        alternatives = [("receiver", "polling", "blocked")] + [
            ("transport", name, name.removesuffix(ZERO_COPY)) for name in transports if name.endswith(ZERO_COPY)
        ]
        for factor, better, than in alternatives:
            both = [curve for curve in ours if curve.setting[factor] in (better, than)]
            found += [_advantage(measure, size, factor, better, than, both) for size in compared_sizes(both)]
    return tuple(one for one in found if one is not None)


def _advantage(
    measure: Measure, size: int, factor: str, better: str, than: str, curves: Iterable[Curve]
) -> MessageAdvantage | None:
    cells: dict[Levels, dict[Level, tuple[float, float]]] = defaultdict(dict)
    for curve in curves:
        value = _value(curve, size)
        if value is not None:
            rest = tuple((name, level) for name, level in curve.setting.items() if name != factor)
            cells[rest][curve.setting[factor]] = value
    pairs = [(cell[than], cell[better]) for cell in cells.values() if {better, than} <= set(cell)]
    if not pairs:
        return None
    logs = np.array([math.log(slow[0] / fast[0]) for slow, fast in pairs])
    if len(pairs) == 1:
        times = log_interval(float(logs[0]), math.hypot(pairs[0][0][1], pairs[0][1][1]))
    else:
        times = _mean_interval(logs)
    ends = math.exp(float(logs.min())), math.exp(float(logs.max()))
    return MessageAdvantage(measure, size, factor, better, than, len(pairs), times, *ends)


def _mean_interval(logs: np.ndarray[tuple[int], np.dtype[np.float64]]) -> Interval:
    mean = float(logs.mean())
    if len(logs) < _TELLING:
        return Interval(math.exp(mean))
    reach = float(student_quantile((1 + CONFIDENCE) / 2, len(logs) - 1) * logs.std(ddof=1) / math.sqrt(len(logs)))
    return Interval(*(math.exp(min(end, 700.0)) for end in (mean, mean - reach, mean + reach)))
