"""The findings on a user's workload: its break-even, and the causes of its loss."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from intercore.benchmarks.speedup.findings import (
    Cause,
    FromSize,
    FromSmallest,
    SpeedupOwnDoesNotPay,
    SpeedupOwnFewSizes,
    SpeedupOwnLoss,
    SpeedupOwnNoLoss,
    SpeedupOwnOverhead,
    SpeedupOwnPays,
    SpeedupOwnUncertainLoss,
)
from intercore.benchmarks.speedup.points import of_speedup
from intercore.record.own_work import PREFIX
from intercore.statistics.intervals import Interval

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from intercore.benchmarks.speedup.analysis import SpeedupAnalysis
    from intercore.benchmarks.speedup.fit import ForkJoinFit
    from intercore.benchmarks.speedup.points import SpeedupPoint
    from intercore.finding import Finding
    from intercore.record.measurement import Measurement

CONFLICTS = "conflicts."
"""What the names of checks begin with that count cycles in which a core waited for what the other one held."""
WAITS = "waits."
"""The same for wait states of a slave itself."""
ASLEEP = "asleep"
"""A check that counts the cycles in which cores slept. These are of all cores, while the work is split."""
ALONE = "alone."
"""Before these names: of one core, which does all of it."""
_MOST_SLAVES = 4
_CACHED = "xip"
"""The slave of the bus whose wait states are misses of the flash's cache."""
_NEXT_TO_NOTHING = 0.005
"""A loss per core, as a fraction, that is not worth a cause."""
_KNOWN = 4
"""Times that loss, up to which its interval may go."""
_NOTHING = 0.0005
"""A share that is not worth a slave's name."""
_SMALL = 0.2
"""Share of a loss that may remain unexplained without a note, because windows differ."""


def of_own_work(analysis: SpeedupAnalysis, measurements: Sequence[Measurement]) -> Iterator[Finding]:
    """Report the break-even of each workload of the user, and the causes of its loss, if known."""
    ours = of_speedup(measurements)
    for workload in dict.fromkeys(point.workload for point in analysis.points if point.workload.startswith(PREFIX)):
        groups = [_Group(fit, analysis) for fit in analysis.fits if f"workload={workload} " in f"{fit.group} "]
        groups = [group for group in groups if group.fit.cores > 1]
        if groups:
            best = min(groups, key=lambda group: (group.pays_from_us, -group.points[0].speedup.value))
            name = workload.removeprefix(PREFIX)
            yield from (best.pays(name), best.overhead(name), _loss(best, name, ours))


def is_own(fit: ForkJoinFit) -> bool:
    """Whether a fit is of a user's workload, which `of_own_work` reports."""
    return f"workload={PREFIX}" in fit.group


class _Group(NamedTuple):
    """The sizes of one way of starting the parts."""

    fit: ForkJoinFit
    analysis: SpeedupAnalysis

    @property
    def points(self) -> list[SpeedupPoint]:
        return sorted((one for one in self.analysis.points if one.group == self.fit.group), key=lambda one: one.n)

    @property
    def pays_from_us(self) -> float:
        begin = self.fit.break_even
        if begin.place == "below":
            return self.points[0].t1_us.value
        return float("inf") if begin.t1_us is None else begin.t1_us.value

    def pays(self, name: str) -> SpeedupOwnPays | SpeedupOwnDoesNotPay:
        """Report its break-even."""
        begin, largest = self.fit.break_even, self.points[-1]
        sizes: dict[str, Any] = {
            "work": name,
            "mode": largest.mode,
            "cores": self.fit.cores,
            "largest_n": largest.n,
            "largest_speedup": largest.speedup,
        }
        if begin.place == "below":
            return SpeedupOwnPays(**sizes, begin=self._smallest())
        n = None if begin.n is None else round(begin.n.value)
        size = None if begin.t1_us is None else FromSize(n, begin.t1_us)
        if begin.place == "within" and size is not None:
            return SpeedupOwnPays(**sizes, begin=size)
        loss = self.fit.loss if begin.place == "never" else None
        return SpeedupOwnDoesNotPay(**sizes, extrapolated=size, loss_percent=None if loss is None else 100 * loss.value)

    def _smallest(self) -> FromSmallest:
        """Return the smallest size, and what a unit of it takes where no smaller one can be split."""
        smallest = self.points[0]
        unit_us = None if smallest.n > self.fit.cores else smallest.t1_us.value / smallest.n
        return FromSmallest(smallest.n, unit_us)

    @property
    def told_apart(self) -> bool:
        """Whether there are enough sizes to separate the overhead of starting and joining from the loss."""
        return self.fit.loss is not None

    @property
    def overhead_us(self) -> Interval | None:
        """The overhead of starting and joining, in µs; None if it is not separable or not significantly above 0."""
        return self.fit.overhead_us if self.told_apart and self.fit.resolution_us is None else None

    def overhead(self, name: str) -> SpeedupOwnOverhead | SpeedupOwnFewSizes:
        """Report the overhead of starting and joining."""
        if not self.told_apart:
            return SpeedupOwnFewSizes(work=name)
        return SpeedupOwnOverhead(work=name, overhead_us=self.overhead_us)

    def lost(self) -> Interval:
        """Return what a core's part of the largest work takes longer than alone, as a share of it: TP P / T1 - 1.

        Without what starting and joining takes, if that is known. It is of the windows in which a simulated chip counts
        causes; the loss of the fit is of all sizes.
        """
        point, cores = self.points[-1], self.fit.cores
        part_us = point.t1_us.value / cores
        fixed = self.overhead_us or Interval(0.0)

        def share(speedup: float, fixed_us: float) -> float:
            return cores / speedup - 1 - fixed_us / part_us

        bounds = [
            None if not speedup or fixed_us is None else share(speedup, fixed_us)
            for speedup, fixed_us in (
                (point.speedup.high, fixed.value if fixed.high is None else fixed.high),
                (point.speedup.low, fixed.value if fixed.low is None else fixed.low),
            )
        ]
        return Interval(share(point.speedup.value, fixed.value), *bounds)


def _loss(
    group: _Group, name: str, measurements: Sequence[Measurement]
) -> SpeedupOwnLoss | SpeedupOwnNoLoss | SpeedupOwnUncertainLoss:
    """Report the loss of the largest work, and its causes if the simulated chip recorded them."""
    loss, largest = group.lost(), group.points[-1]
    most = loss.value if loss.high is None else loss.high
    what: dict[str, Any] = {"work": name, "n": largest.n, "with_overhead": group.overhead_us is None}
    if max(loss.value, most / _KNOWN) < _NEXT_TO_NOTHING:
        return SpeedupOwnNoLoss(**what)
    if loss.low is not None and loss.low <= 0:
        return SpeedupOwnUncertainLoss(**what, most_percent=100 * most)
    causes = _Causes.of(largest, measurements)
    rest = loss.value - (0.0 if causes is None else causes.share)
    return SpeedupOwnLoss(
        **what,
        loss_percent=_in_percent(loss),
        causes=None if causes is None else tuple(causes.that_matter()),
        unexplained_percent=100 * rest if rest >= max(_NEXT_TO_NOTHING, _SMALL * loss.value) else None,
    )


def _in_percent(share: Interval) -> Interval:
    low, high = (None if bound is None else 100 * bound for bound in (share.low, share.high))
    return Interval(100 * share.value, low, high)


class _Causes(NamedTuple):
    """The losses of cores with the largest work beyond those of one core, as shares of a core's part of it."""

    conflicts: Mapping[str, float]
    """By slave of the bus."""
    waits: Mapping[str, float]
    asleep: float

    @classmethod
    def of(cls, point: SpeedupPoint, measurements: Sequence[Measurement]) -> _Causes | None:
        """Return them; None if no chip has counted."""
        ours = [one for one in measurements if _is_of(one, point)]
        largest = next((one for one in ours if one.factors.get("n") == point.n and _counted(one)), None)
        if largest is None:
            return None
        t1, hz = largest.samples("t1"), _frequency(largest)
        part = float(t1.ns.sum()) * 1e-9 * hz  # of both cores: that of one, times their number
        if part <= 0:
            return None
        conflicts, waits = defaultdict[str, float](float), defaultdict[str, float](float)
        for name, cycles in largest.checks.items():
            sign = -1 if name.startswith(ALONE) else 1
            what = name.removeprefix(ALONE)
            for prefix, shares in ((CONFLICTS, conflicts), (WAITS, waits)):
                if what.startswith(prefix):
                    shares[what.removeprefix(prefix)] += sign * cycles / part
        # The sleep of cores while a window starts and ends is the same at all sizes.
        start = min((_asleep(one) for one in ours if _counted(one)), default=0.0)
        asleep = (_asleep(largest) - start) * len(t1.ticks) / part
        return cls(conflicts, waits, max(asleep, 0.0))

    @property
    def share(self) -> float:
        """Return what they come to."""
        return sum(self.conflicts.values()) + sum(self.waits.values()) + self.asleep

    def that_matter(self) -> Iterator[Cause]:
        """Return those that are worth a word, the largest first."""
        misses = {slave: share for slave, share in self.waits.items() if slave == _CACHED}
        others = {slave: share for slave, share in self.waits.items() if slave != _CACHED}
        known = [
            _cause("conflicts", self.conflicts),
            _cause("waits", others),
            _cause("cache", misses),
            Cause("sleep", 100 * self.asleep, {}),
        ]
        known.sort(key=lambda cause: -cause.share_percent)
        yield from (cause for cause in known if cause.share_percent >= 100 * _NEXT_TO_NOTHING)


def _cause(kind: Literal["conflicts", "waits", "cache"], shares: Mapping[str, float]) -> Cause:
    ordered = sorted(shares.items(), key=lambda one: -one[1])[:_MOST_SLAVES]
    most = {slave: 100 * share for slave, share in ordered if share >= _NOTHING}
    return Cause(kind, 100 * sum(shares.values()), most)


def _is_of(measurement: Measurement, point: SpeedupPoint) -> bool:
    factors = measurement.factors
    return all(factors.get(name) == getattr(point, name) for name in ("workload", "mode", "cores"))


def _counted(measurement: Measurement) -> bool:
    return any(name.startswith((CONFLICTS, WAITS)) or name == ASLEEP for name in measurement.checks)


def _asleep(measurement: Measurement) -> float:
    """Return how many cycles cores sleep in a window."""
    return measurement.checks.get(ASLEEP, 0) / max(len(measurement.samples("tp").ticks), 1)


def _frequency(measurement: Measurement) -> int:
    text = measurement.conditions.get("clock.sys_hz", "")
    return int(text) if text.isascii() and text.isdigit() and len(text) < 12 else 0
