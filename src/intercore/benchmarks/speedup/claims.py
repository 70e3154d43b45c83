"""What seed 000 finds and advises, each held against a run.

Chips differ in what an iteration takes. So sizes are compared by the time that one core takes for them, and of times
only ratios and the shape of the curve.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

from intercore.benchmarks.claims import Said, cannot_tell, difference, in_words, outcome, quotient, scaled
from intercore.statistics.intervals import Interval
from intercore.view.quantity import duration, duration_with_bounds, significant

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from intercore.benchmarks.speedup.analysis import SpeedupAnalysis
    from intercore.benchmarks.speedup.fit import ForkJoinFit
    from intercore.benchmarks.speedup.points import SpeedupPoint
    from intercore.benchmarks.speedup.publication import SpeedupPublication
    from intercore.record.measurement import Level
    from intercore.view.exhibit import Verdict

_BEND = 100_000
"""The size from which on the published curve is flat."""
_FLAT = 0.01
"""By which part S may change where a curve is called flat; the published one grows by 0.2 % from the bend on."""
_AT_THE_LIMIT = 0.99
"""E from which on a second core is called almost fully used; the published sizes from the bend on have 99.5 %."""
_LOSES = 0.01
"""Of a core: a larger loss counts as waiting for the other core; the published table implies 0.2 %."""
_PROPORTIONAL = 1.02
"""Times the shortest time of an iteration that the longest may be; in the published table it is 1.019."""
_CONSIDERABLY = 0.9
"""E below which work is said to use two cores considerably worse."""
_SHORT_US, _ADVISED_US = 4e3, 10e3
"""The durations of the abstract and of section IV."""
_NEAR = 0.05
"""By which part T1 of a measured size may differ from a duration that the paper names."""
_WAYS = ("notify", "poll-tick")
"""Ways to await the end, of which the paper names none."""
_NOTHING = 0.02
"""Of TP, below which a loss at the smallest size needs no explanation."""
_MOST = 0.5
"""Of a cost, from which on something is most of it."""
_INSIGNIFICANT = 0.01
_CREATED = 0.1
"""Of the fixed costs, below which creating the tasks is no part of them worth naming."""
_TINY_US = 100.0
"""Work of less is too small by anybody's standard."""
_WITHIN = 10.0  # times beyond the sizes that were measured, to which their fit is trusted


@dataclass(frozen=True)
class Held:
    """What the findings are held against: the points of one fit, and what the run has beside them."""

    table: SpeedupPublication
    points: tuple[SpeedupPoint, ...]
    """At least one; by size."""
    fit: ForkJoinFit
    analysis: SpeedupAnalysis
    reads_flash: bool = False
    """Whether `workload=flash` read flash there."""
    watchdog: str = ""
    """What the target says of its watchdog."""
    chip: str = ""
    """The chip, where it is not the paper's."""
    kernel: str = ""
    """Why the run says nothing of FreeRTOS: a sentence, or empty if it does."""

    @property
    def setting(self) -> dict[str, Level]:
        """What the points share."""
        return self.points[0].setting

    @property
    def largest(self) -> SpeedupPoint:
        """The point of the longest work."""
        return max(self.points, key=lambda one: one.t1_us.value)

    @property
    def smallest(self) -> SpeedupPoint:
        """The point of the shortest work."""
        return min(self.points, key=lambda one: one.t1_us.value)

    def points_of(self, **levels: Level) -> list[SpeedupPoint]:
        """Return the points that differ from these in some levels alone."""
        wanted = self.setting | levels
        return [one for one in self.analysis.points if one.setting == wanted]

    def fit_of(self, **levels: Level) -> ForkJoinFit | None:
        """Return their fit."""
        groups = {one.group for one in self.points_of(**levels)}
        return next((one for one in self.analysis.fits if one.group in groups), None)


def verdicts(held: Held, exhibit: str) -> list[Verdict]:
    """Return what the run says of each finding that rests on a table or figure."""
    impossible = _impossible(held)

    def said(claim: str) -> Said:
        known = CLAIMS[claim](held)
        return cannot_tell(impossible) if impossible and known.outcome != "cannot tell" else known

    return held.table.verdicts(exhibit, said, held.chip, held.kernel)


def _impossible(held: Held) -> str:
    """Return what is wrong with the times of a run where E may be above 100 %, or nothing."""
    above = [one for one in held.points if one.efficiency.high is not None and one.efficiency.high > 1]
    if not above:
        return ""
    one = max(above, key=lambda one: one.efficiency.high or 0.0)
    efficiency = in_words(one.efficiency, lambda part: f"{100 * part:.2f}", " %")
    return f"The times are too uncertain: E = {efficiency} at n = {one.n:,}; above 100 % is impossible."


# Each finding


def _proportional(held: Held) -> Said:
    least_us = 1e3 * min(row.t1_ms for row in held.table.figures.rows)
    some = [one for one in held.points if one.t1_us.value >= least_us]
    if not some or max(one.n for one in some) < 10 * min(one.n for one in some):
        return cannot_tell(
            f"This needs sizes ten times apart that take one core at least {duration(least_us)}, as the published ones."
        )
    each = [scaled(one.t1_us, 1 / one.n) for one in some]
    longest, shortest = (end(each, key=lambda one: one.value) for end in (max, min))
    spread = quotient(longest, shortest)
    return Said(
        outcome(spread, most=_PROPORTIONAL),
        f"From n = {some[0].n:,} to {some[-1].n:,} an iteration takes {duration(shortest.value)} to "
        f"{duration(longest.value)}: a ratio of {_number(spread)}; up to {_PROPORTIONAL} counts as proportional.",
    )


def _grows(held: Held) -> Said:
    if len(held.points) < 2:
        return cannot_tell("The run has one size.")
    for one, other in combinations(held.points, 2):
        if (fall := quotient(other.speedup, one.speedup)).high is not None and outcome(fall, least=1 - _FLAT) == (
            "contradicts"
        ):
            return Said("contradicts", f"{_at(one)}, and {_at(other)}.")
    first, last = held.points[0], held.points[-1]
    told = f"{_at(first)}, and {_at(last)}"
    if outcome(quotient(last.speedup, first.speedup), least=1 + _FLAT) == "agrees":
        return Said("agrees", f"{told}; it falls nowhere between by more than {100 * _FLAT:g} %.")
    return cannot_tell(f"{told}: smaller sizes would tell.")


def _levels_off(held: Held) -> Said:
    bend = next((row for row in held.table.figures.rows if row.n == _BEND), None)
    from_us = 0.0 if bend is None else 1e3 * bend.t1_ms
    some = [one for one in held.points if one.t1_us.value >= from_us]
    if bend is None or len(some) < 2:
        return cannot_tell(
            f"That size takes one core {duration(from_us)} in the paper. This needs two sizes that take at least as "
            f"long; the longest here takes {duration(held.largest.t1_us.value)}."
        )
    change = quotient(some[-1].speedup, some[0].speedup)
    return Said(
        outcome(change, least=1 - _FLAT, most=1 + _FLAT),
        f"Compared by duration, from {duration(from_us)} on: {_at(some[0])}, and {_at(some[-1])}.",
    )


def _at_the_limit(held: Held) -> Said:
    last = held.largest
    found = outcome(last.efficiency, least=_AT_THE_LIMIT)
    told = f"{_at(last)}, E = {_percent(last.efficiency)}"
    fixed = _fixed_share(held, last)
    if found == "contradicts" and outcome(fixed, most=(1 - _AT_THE_LIMIT) / 2) != "agrees":
        return cannot_tell(f"{told}: the fixed costs may still matter here. Larger sizes would tell.")
    loss = held.fit.loss
    lost = "" if found != "contradicts" or loss is None else f"; each core loses {_percent(loss)} by the fit"
    return Said(found, f"{told}{lost}.")


def _no_conflict(held: Held) -> Said:
    loss = held.fit.loss
    if loss is None:
        return cannot_tell("Three sizes are needed to separate what each core loses from fixed costs.")
    return Said(
        outcome(loss, most=_LOSES),
        f"By the fit a core loses {_percent(loss)} while the other one works; up to {100 * _LOSES:g} % counts as none. "
        "The published table implies 0.2 %.",
    )


def _short_work(held: Held) -> Said:
    known = {join: found for join in _WAYS if (found := _short_of(held, join)) is not None}
    if not known:
        return cannot_tell(f"This needs sizes that take one core about {duration(_SHORT_US)}.")
    told = "; ".join(f"join={join} has {words}" for join, (_, words) in known.items())
    limit = f"below {100 * _CONSIDERABLY:g} % counts as considerably worse"
    outcomes = {outcome(efficiency, most=_CONSIDERABLY) for efficiency, _ in known.values()}
    if len(known) < len(_WAYS):
        (missing,) = (join for join in _WAYS if join not in known)
        return cannot_tell(f"The paper does not say how the end is awaited: {told}; join={missing} was not measured.")
    if len(outcomes) > 1:
        return cannot_tell(f"It depends on how the end is awaited, which the paper does not say: {told}; {limit}.")
    return Said(outcomes.pop(), f"However the end is awaited: {told}; {limit}.")


def _short_of(held: Held, join: str) -> tuple[Interval, str] | None:
    """Return E of short work whose end is awaited in some way, and where from: measured about there, or of the fit."""
    points, fit = held.points_of(join=join), held.fit_of(join=join)
    near = [one for one in points if abs(one.t1_us.value / _SHORT_US - 1) <= _NEAR]
    if near:
        one = min(near, key=lambda one: abs(one.t1_us.value - _SHORT_US))
        return one.efficiency, f"E = {_percent(one.efficiency)} at T1 = {duration(one.t1_us.value)}"
    times = [one.t1_us.value for one in points]
    if fit is None or fit.loss is None or not min(times) / _WITHIN <= _SHORT_US <= max(times) * _WITHIN:
        return None
    efficiency = scaled(fit.speedup_at(_SHORT_US), 1 / fit.cores)
    return efficiency, f"E = {_percent(efficiency)} at {duration(_SHORT_US)} by its fit"


def _fixed_costs(held: Held) -> Said:
    if held.fit.loss is None:
        return cannot_tell("Three sizes are needed to separate fixed costs from what grows with the work.")
    one = held.smallest
    shortest_us = 1e3 * min(row.t1_ms for row in held.table.figures.rows)
    if one.t1_us.value > shortest_us:
        return cannot_tell(f"This needs work that takes one core at most {duration(shortest_us)}, as in the paper.")
    lost_us = one.tp_us.value - one.t1_us.value / one.cores
    if lost_us < _NOTHING * one.tp_us.value:
        return cannot_tell(f"{_at(one)}: almost nothing is lost there. Smaller sizes would tell.")
    share = scaled(held.fit.overhead_us, 1 / lost_us)
    return Said(
        outcome(share, least=_MOST),
        f"At n = {one.n:,} TP exceeds T1 / {one.cores} by {duration(lost_us)}; by the fit "
        f"{duration_with_bounds(held.fit.overhead_us)} is a fixed cost.",
    )


def _costs_vanish(held: Held) -> Said:
    last = held.largest
    share = _fixed_share(held, last)
    found = outcome(share, most=_INSIGNIFICANT)
    told = f"At n = {last.n:,} it is {_percent(share)} of TP = {duration(last.tp_us.value)}"
    if found == "contradicts" and last.t1_us.value < 1e3 * max(row.t1_ms for row in held.table.figures.rows):
        return cannot_tell(f"{told}, which is less work than the paper's largest.")
    return Said(found, f"{told}; {100 * _INSIGNIFICANT:g} % counts as insignificant.")


def _creation(held: Held) -> Said:
    woken = held.fit_of(mode="pool")
    if woken is None:
        return cannot_tell("The run has no tasks that wait for the work to compare with created ones: mode=pool.")
    polled = [one for one in (held.fit, woken) if one.quantisation is not None and one.quantisation.quantised]
    if polled:
        return cannot_tell("TP ends on ticks, so the fixed costs include the wait for one: join=notify would tell.")
    created, waiting = held.fit.overhead_us, woken.overhead_us
    share = _share_above(created, waiting)
    told = (
        f"Fixed costs are {duration_with_bounds(created)} with tasks created for the work and "
        f"{duration_with_bounds(waiting)} with tasks that wait for it: creation is {_percent(share)}"
    )
    if outcome(share, least=_MOST) == "agrees":
        return Said("agrees", f"{told}, most of them.")
    if outcome(share, most=_CREATED) == "agrees":
        return Said("contradicts", f"{told}; up to {100 * _CREATED:g} % counts as no part of them.")
    return cannot_tell(
        f"{told}. The paper does not say how much is creation: at least {100 * _MOST:g} % would agree, up to "
        f"{100 * _CREATED:g} % contradict."
    )


def _one_core_better(held: Held) -> Said:
    slower = [one for one in held.points if one.speedup.high is not None and one.speedup.high < 1]
    if slower:
        return Said("agrees", f"{_at(slower[0])}.")
    one = held.smallest
    if one.speedup.low is not None and one.speedup.low > 1 and one.t1_us.value < _TINY_US:
        return Said("contradicts", f"Even {_at(one)}.")
    return cannot_tell(f"No work this small was measured: {_at(one)}.")


def _from_10_ms(held: Held) -> Said:
    below = [one for one in held.points if one.t1_us.value <= _ADVISED_US]
    longer = [one for one in held.points if one.t1_us.value > _ADVISED_US]
    less = f" The paper does not say that less work loses; here {_at(below[-1])}." if below else ""
    if not longer:
        return cannot_tell(f"No work of more than {duration(_ADVISED_US)} was measured.{less}")
    least = min(longer, key=lambda one: one.speedup.value)
    gains = all(one.speedup.low is not None and one.speedup.low > 1 for one in longer)
    if gains:
        return Said("agrees", f"All work of more than {duration(_ADVISED_US)} gains, at least {_at(least)}.{less}")
    return cannot_tell(f"Not all work of more than {duration(_ADVISED_US)} surely gains: {_at(least)}.{less}")


def _flash(held: Held) -> Said:
    shared = held.table.setting
    groups = {one.group: one.setting for one in held.analysis.points}
    fits = {one.group: one for one in held.analysis.fits}
    found = [
        (fits[plain], fits[flash])
        for plain, setting in groups.items()
        if (setting["workload"], setting["mode"]) == (shared.workload, shared.mode)
        for flash, other in groups.items()
        if other == setting | {"workload": "flash"}
    ]
    if not held.reads_flash or not found:
        return cannot_tell(
            "The run has no work that reads flash beside work that does not (workload=flash code=flash)."
        )
    plain, flash = found[-1]
    if plain.loss is None or flash.loss is None:
        return cannot_tell("Three sizes of each kind of work are needed to tell what cores lose to each other.")
    return Said(
        outcome(difference(flash.loss, plain.loss), least=_LOSES),
        f"By the fit a core loses {_percent(flash.loss)} when both cores read flash, and {_percent(plain.loss)} when "
        "both compute.",
    )


def _watchdog(held: Held) -> Said:
    told = f" The target's: {held.watchdog}." if held.watchdog else ""
    return cannot_tell(f"No run lets a task watchdog expire.{told}")


CLAIMS: Mapping[str, Callable[[Held], Said]] = {
    "proportional": _proportional,
    "grows": _grows,
    "levels-off": _levels_off,
    "at-the-limit": _at_the_limit,
    "no-conflict": _no_conflict,
    "short-work": _short_work,
    "fixed-costs": _fixed_costs,
    "costs-vanish": _costs_vanish,
    "creation": _creation,
    "one-core-better": _one_core_better,
    "from-10-ms": _from_10_ms,
    "flash": _flash,
    "watchdog-resets": _watchdog,
    "watchdog": _watchdog,
}
"""By the `id` that the published table has for each."""


# In words


def _at(one: SpeedupPoint) -> str:
    return f"S = {_number(one.speedup)} at n = {one.n:,} (T1 = {duration(one.t1_us.value)})"


def _number(known: Interval) -> str:
    return in_words(known, "{:.3f}".format)


def _percent(known: Interval) -> str:
    return in_words(known, _hundredths, " %")


def _hundredths(share: float) -> str:
    """Write a share in percent: to a tenth, or to two digits where that would say little."""
    return f"{100 * share:.1f}" if abs(share) >= _LOSES else significant(100 * share, 2)


def _fixed_share(held: Held, one: SpeedupPoint) -> Interval:
    """Return the fixed costs as a part of TP; they are not below 0 however their fit scatters."""
    cost, tp_us = held.fit.overhead_us, one.tp_us.value
    low, high = (None if bound is None else max(bound, 0.0) / tp_us for bound in (cost.low, cost.high))
    return Interval(max(cost.value, 0.0) / tp_us, low, high)


def _share_above(whole: Interval, rest: Interval) -> Interval:
    """Return which part of a number above 0 another one leaves."""
    left = quotient(rest, whole)
    low, high = (None if bound is None else 1 - bound for bound in (left.high, left.low))
    return Interval(1 - left.value, low, high)
