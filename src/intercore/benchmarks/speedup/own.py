"""What is said of a workload of the user's own: from which size on several cores pay, and what limits them."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, NamedTuple

from intercore.benchmarks.speedup.points import of_speedup
from intercore.record.own_work import PREFIX
from intercore.statistics.intervals import Interval
from intercore.view.quantity import bounds, duration, duration_with_bounds, percent, significant

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from intercore.benchmarks.speedup.analysis import SpeedupAnalysis
    from intercore.benchmarks.speedup.fit import ForkJoinFit
    from intercore.benchmarks.speedup.points import SpeedupPoint
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
_MISSES = {"xip": "misses of the flash's cache"}
"""What wait states of a slave of the bus are called, if not by its name."""
_NEXT_TO_NOTHING = 0.005
"""A loss per core, as a fraction, that is not worth a cause."""
_KNOWN = 4
"""Times that loss, up to which its interval may go."""
_NOTHING = 0.0005
"""A share that is not worth a slave's name."""
_SMALL = 0.2
"""What of a loss may have no cause without a word: windows differ from one another."""


def sentences(analysis: SpeedupAnalysis, measurements: Sequence[Measurement]) -> Iterator[str]:
    """Say of each workload of the user's own from which size on several cores pay, and what limits, as far as known."""
    ours = of_speedup(measurements)
    for workload in dict.fromkeys(point.workload for point in analysis.points if point.workload.startswith(PREFIX)):
        groups = [_Group(fit, analysis) for fit in analysis.fits if f"workload={workload} " in f"{fit.group} "]
        groups = [group for group in groups if group.fit.cores > 1]
        if groups:
            best = min(groups, key=lambda group: (group.pays_from_us, -group.points[0].speedup.value))
            name = workload.removeprefix(PREFIX)
            yield " ".join(filter(None, (best.pays(name), best.smaller(), best.overhead(), _loss(best, name, ours))))


def is_own(fit: ForkJoinFit) -> bool:
    """Whether a fit is of a workload of the user's own, of which `sentences` tell."""
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

    def pays(self, name: str) -> str:
        """Say from which size on its cores pay."""
        cores = "Two" if self.fit.cores == 2 else str(self.fit.cores)
        begin, smallest, largest = self.fit.break_even, self.points[0], self.points[-1]
        how = f"mode={smallest.mode}"
        best = f"at n={largest.n} S is {_speedup(largest)}"
        if begin.place == "below":
            return f"{cores} cores pay for {name} from the smallest size measured, n={smallest.n} ({how}), and {best}."
        if begin.t1_us is None:
            return f"{cores} cores do not pay for {name} at any size measured ({how}): {begin.reason}."
        units = "" if begin.n is None else f"n={round(begin.n.value)}, "
        where = f"{units}{duration_with_bounds(begin.t1_us)} of one core"
        if begin.place == "above":
            doubt = ", or never" if begin.t1_us.high is None else ""
            return (
                f"{cores} cores do not pay for {name} at any size measured ({how}), and {best}; extrapolated, they pay "
                f"from {where}{doubt}."
            )
        return f"{cores} cores pay for {name} from {where} ({how}), and {best}."

    def smaller(self) -> str:
        """Say how less work is tried, where all that was measured pays; empty where it does not."""
        smallest, cores = self.points[0], self.fit.cores
        if self.fit.break_even.place != "below":
            return ""
        if smallest.n > cores:
            return f"For less work, name a smaller n: from {cores} on."
        unit = duration(smallest.t1_us.value / smallest.n)
        return f"For less work, make a unit, {unit}, smaller by a constant that a flag sets: --flag=-DNAME=VALUE."

    @property
    def told_apart(self) -> bool:
        """Whether there are sizes enough to tell what starting and joining takes from what large work loses."""
        return self.fit.loss is not None

    @property
    def overhead_us(self) -> Interval | None:
        """What starting and joining takes, in µs; None if it is not told apart or cannot be told from 0."""
        return self.fit.overhead_us if self.told_apart and self.fit.resolution_us is None else None

    def overhead(self) -> str:
        """Say what starting and joining takes."""
        if not self.told_apart:
            return "Fewer than three sizes do not tell what starting and joining takes from what large work loses."
        if self.overhead_us is None:
            return "Of small work, what starting and joining takes cannot be told from 0."
        return f"Small work is limited by starting and joining, {duration_with_bounds(self.overhead_us)}."

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


def _speedup(point: SpeedupPoint) -> str:
    between = bounds(point.speedup, significant)
    return f"{significant(point.speedup.value)} ({between})" if between else significant(point.speedup.value)


def _loss(group: _Group, name: str, measurements: Sequence[Measurement]) -> str:
    """Say what the largest work loses, and to what as far as the simulated chip has seen it."""
    loss, what = group.lost(), f"{name} with n={group.points[-1].n}"
    beyond = ", starting and joining among it," if group.overhead_us is None else " beyond that"
    most = loss.value if loss.high is None else loss.high
    if max(loss.value, most / _KNOWN) < _NEXT_TO_NOTHING:
        return f"{what} loses next to nothing{beyond.rstrip(',')}."
    if loss.low is not None and loss.low <= 0:
        return f"What {what} loses{beyond} cannot be told from 0: at most {percent(most)} per core."
    between = bounds(loss, percent)
    begin = f"{what} loses {percent(loss.value)}{f' ({between})' if between else ''} per core{beyond.rstrip(',')}"
    causes = _Causes.of(group.points[-1], measurements)
    if causes is None:
        return f"{begin}; what limits it is unknown."
    found = [*causes.clauses()]
    if not found:
        return f"{begin}, and next to none of it is waiting or sleep: what limits it is unknown."
    rest = loss.value - causes.share
    cause = "is starting and joining, or unknown" if group.overhead_us is None else "is unknown"
    unknown = f"; the rest, {percent(rest)}, {cause}" if rest >= max(_NEXT_TO_NOTHING, _SMALL * loss.value) else ""
    return f"{begin}: each {' and '.join(found)}{unknown} (shares of its part, as the chip counts cycles)."


class _Causes(NamedTuple):
    """What cores lose of the largest work beyond what one core does, as shares of a core's part of it."""

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
        # What cores sleep while a window starts and ends is the same at all sizes.
        start = min((_asleep(one) for one in ours if _counted(one)), default=0.0)
        asleep = (_asleep(largest) - start) * len(t1.ticks) / part
        return cls(conflicts, waits, max(asleep, 0.0))

    @property
    def share(self) -> float:
        """Return what they come to."""
        return sum(self.conflicts.values()) + sum(self.waits.values()) + self.asleep

    def clauses(self) -> Iterator[str]:
        """Say what a core does in that time, the largest share first."""
        said = [
            (sum(self.conflicts.values(), 0.0), f"because the other one holds {_most(self.conflicts, str.upper)}"),
            (sum(self.waits.values(), 0.0), f"more than one core alone for {_most(self.waits, _waited_for)}"),
        ]
        told = [(share, f"waits for {percent(share)} {why}") for share, why in said]
        told.append((self.asleep, f"sleeps for {percent(self.asleep)}, until the other one is done"))
        yield from (clause for share, clause in sorted(told, reverse=True) if share >= _NEXT_TO_NOTHING)


def _most(shares: Mapping[str, float], called: Callable[[str], str]) -> str:
    ordered = sorted(shares.items(), key=lambda one: -one[1])[:_MOST_SLAVES]
    most = [(slave, share) for slave, share in ordered if share >= _NOTHING]
    return ", ".join(f"{called(slave)} {percent(share)}" for slave, share in most)


def _waited_for(slave: str) -> str:
    return _MISSES.get(slave, f"wait states of {slave.upper()}")


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
