"""False periods, made on purpose: the cores' counters are taken for one clock. The true periods are known.

The target reads the counter of its core at each activation, behind the common clock, and sends what it reads more than
at the previous activation, as an unsigned number of the counter's bits. So the same activations have true periods, too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal, NamedTuple

import msgspec
import numpy as np
from msgspec import Meta

from intercore.benchmarks.grouping import ticks
from intercore.benchmarks.jitter.activations import activations, in_us, pools, varied_factors, wake_of
from intercore.benchmarks.jitter.findings import FalseWay, JitterFalsePeriods, JitterSynchronisedCounters
from intercore.benchmarks.jitter.two_counters import TwoCounters, wrap_us
from intercore.record.measurement import Level

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from intercore.finding import Finding
    from intercore.record.measurement import Measurement

    Floats = NDArray[np.float64]

BITS = "clock.counter_bits"
"""The condition with the number of bits of a core's counter."""
READ_BITS = "counter_bits"
"""The factor with the number of bits read: `own`, all that it has, or a number."""
_MOST_BITS = 64
_SPREADS = 3  # of the true periods, from which on a raw period is plainly false
_RATE = 1e-4  # of a period: how well the rate of a counter is known
_HALF = 0.01  # of a wrap, by which the mean may differ from half of one

Count = Annotated[int, Meta(ge=0)]


class PeriodsOneWay(msgspec.Struct, frozen=True):
    """The periods from one core to another, or on one."""

    first: Count = msgspec.field(name="from")
    """The core of the previous activation."""
    second: Count = msgspec.field(name="to")
    """The core of the release at their end."""
    periods: Count
    median_us: float
    """On the counter's circle: of what lies on both sides of a wrap it is between them."""
    least_us: float
    largest_us: float


class FalsePeriods(msgspec.Struct, frozen=True):
    """The false periods of one setting by the cores' counters."""

    label: str
    core: str
    load: str
    migrate: str
    wake: str
    period_us: Annotated[float, Meta(gt=0)]
    varied: dict[str, Level]
    bits: Annotated[int, Meta(ge=1, le=64)] | None
    """Read of each core's counter; None if the target does not say."""
    hz: Annotated[int, Meta(ge=1)]
    """Counts per second."""
    periods: Count
    mean_us: float
    least_us: float
    largest_us: float
    standard_error_us: float | None
    """Of the mean: s/√n; None for a single period."""
    ways: tuple[PeriodsOneWay, ...]
    """Where the core before is known, by the two cores."""
    apart_us: float | None
    """By how much the counter of the second core is ahead of that of the first, less whole wraps: half a wrap behind to
    half a wrap ahead. Of two cores that the task was moved between; else None."""
    implied_us: float | None
    """The mean that follows from width and rate of the counters, the period asked for and how many periods went which
    way, by a model of two counters (`two_counters.py`); None where `apart_us` is."""
    true_us: float
    """Mean of the same periods by the common clock."""
    true_spread_us: float
    """Largest deviation of these from the period asked for, without its sign."""

    @property
    def wrap_us(self) -> float | None:
        """After how long a counter is back where it was."""
        return None if self.bits is None else wrap_us(self.bits, self.hz)

    @property
    def is_plain(self) -> bool:
        """Whether they are far from the truth."""
        leeway = _SPREADS * self.true_spread_us + _RATE * self.period_us
        return any(abs(way.median_us - self.true_us) > leeway for way in self.ways)


def false_periods(measurements: Iterable[Measurement]) -> Iterator[FalsePeriods]:
    """Return the measurements with raw counters, by setting."""
    found = {
        label: whole
        for label, pool in pools(measurements, raw=True).items()
        if (whole := [one for one in pool if len(ticks(one, "raw")) == len(ticks(one, "late"))])
    }
    varied = varied_factors(one for pool in found.values() for one in pool)
    for label, pool in found.items():
        each = [_raw(one) for one in pool]
        if any(len(one.us) for one in each):
            yield _of(label, pool, each, varied)


def _of(label: str, pool: Sequence[Measurement], each: Sequence[_Raw], varied: Sequence[str]) -> FalsePeriods:
    first, bits = pool[0], _bits(pool[0])
    hz = first.samples("raw").hz
    raw_us, before, after, true_us = (np.concatenate(parts) for parts in zip(*each, strict=True))
    period_us = float(first.factors["period_us"])
    circle = None if bits is None else wrap_us(bits, hz)
    ways = tuple(_ways(raw_us, before, after, circle))
    model = None if bits is None else _model(bits, hz, period_us, ways)
    return FalsePeriods(
        label=label,
        core=str(first.factors["core"]),
        load=str(first.factors["load"]),
        migrate=str(first.factors["migrate"]),
        wake=wake_of(first),
        period_us=period_us,
        varied={name: first.factors[name] for name in varied if name in first.factors and name != "period_us"},
        bits=bits,
        hz=hz,
        periods=len(raw_us),
        mean_us=float(raw_us.mean()),
        least_us=float(raw_us.min()),
        largest_us=float(raw_us.max()),
        standard_error_us=float(raw_us.std(ddof=1) / np.sqrt(len(raw_us))) if len(raw_us) > 1 else None,
        ways=ways,
        apart_us=None if model is None else model.apart_us,
        implied_us=None if model is None else model.mean_us,
        true_us=float(true_us.mean()),
        true_spread_us=float(np.abs(true_us - period_us).max()),
    )


def _bits(one: Measurement) -> int | None:
    read = str(one.factors.get(READ_BITS, "own"))
    text = one.conditions.get(BITS, "") if read == "own" else read
    bits = int(text) if text.isascii() and text.isdecimal() and len(text) < len("100") else 0
    return bits if 1 <= bits <= _MOST_BITS else None


class _Raw(NamedTuple):
    """The periods of one measurement, with the cores at their beginning and end, and what they truly were."""

    us: Floats
    before: NDArray[np.int64]
    after: NDArray[np.int64]
    true_us: Floats


def _raw(one: Measurement) -> _Raw:
    """Return the periods whose beginning is known.

    The activation before a batch is not recorded. Its core is known if each activation is on another core than the
    previous one and there are two cores; its true period is known to the lateness of an activation.
    """
    known = activations(one)
    raw = one.samples("raw")
    us = raw.ticks.view(np.uint64).astype(np.float64) * (1e6 / raw.hz)  # a counter of 64 bits may wrap, too
    at = known.neighbours
    true_us = in_us(known.deviation + known.period, one)
    if (
        one.checks.get("migrations_done", 0) == len(us)
        and one.conditions.get("cores") == "2"
        and set(known.core) <= {0, 1}
    ):
        before = 1 - known.core
        whole = np.full(len(us), float(known.period) * 1e6 / known.hz)
        whole[at] = true_us
        return _Raw(us, before, known.core, whole)
    return _Raw(us[at], known.core[at - 1], known.core[at], true_us)


def _ways(
    us: Floats, before: NDArray[np.int64], after: NDArray[np.int64], circle: float | None
) -> Iterator[PeriodsOneWay]:
    for first, second in sorted(set(zip(before.tolist(), after.tolist(), strict=True))):
        here = us[(before == first) & (after == second)]
        yield PeriodsOneWay(first, second, len(here), _median(here, circle), float(here.min()), float(here.max()))


def _median(us: Floats, circle: float | None) -> float:
    if circle is None:
        return float(np.median(us))
    around = (us - us[0] + circle / 2) % circle - circle / 2
    return float((us[0] + np.median(around)) % circle)


def _model(bits: int, hz: int, period_us: float, ways: Sequence[PeriodsOneWay]) -> TwoCounters | None:
    """Return the model of a task that is moved between two cores; None for others."""
    counts = {(way.first, way.second): way for way in ways}
    moved = [cores for cores in counts if cores[0] != cores[1]]
    if not moved or any({*cores} != {*moved[0]} for cores in counts if cores[0] != cores[1]):
        return None
    low, high = sorted(moved[0])
    if not {core for cores in counts for core in cores} <= {low, high}:
        return None
    forth, back = counts.get((low, high)), counts.get((high, low))
    wrap = wrap_us(bits, hz)
    apart = forth.median_us - period_us if forth is not None else period_us - counts[high, low].median_us
    return TwoCounters(
        bits=bits,
        hz=hz,
        period_us=period_us,
        apart_us=(apart + wrap / 2) % wrap - wrap / 2,
        forth=0 if forth is None else forth.periods,
        back=0 if back is None else back.periods,
        stayed=sum(way.periods for cores, way in counts.items() if cores[0] == cores[1]),
    )


def results(found: Iterable[FalsePeriods]) -> Iterator[Finding]:
    """Return what raw counters gave: of the first setting in which they are plainly false, or that they are not."""
    known = list(found)
    one = next((one for one in known if one.is_plain), None)
    if one is not None and one.bits is not None and one.wrap_us is not None:
        yield JitterFalsePeriods(
            label=one.label,
            bits=one.bits,
            hz=one.hz,
            ways=tuple(FalseWay(way.first, way.second, way.median_us) for way in one.ways),
            mean_us=one.mean_us,
            true_us=one.true_us,
            implied_us=one.implied_us,
            period_us=one.period_us,
            wrap_us=one.wrap_us,
            wraps=_wraps(one, one.wrap_us),
        )
    elif known:
        yield JitterSynchronisedCounters()


def _wraps(one: FalsePeriods, wrap: float) -> Literal["one way", "neither way", ""]:
    """Return which way wraps, where the mean does not depend on how far the counters are apart; else nothing."""
    counts = [way.periods for way in one.ways]
    if one.implied_us is None or len(counts) != len({False, True}) or counts[0] != counts[1]:
        return ""
    halves = abs((one.implied_us - one.period_us % wrap) / wrap * 2)
    return "one way" if abs(halves - 1) < _HALF else "neither way" if halves < _HALF else ""
