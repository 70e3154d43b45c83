"""What seed 000 finds and advises, each held against a run.

Chips differ in what an iteration takes. So sizes are compared by the time that one core takes for them, and of times
only ratios and the shape of the curve.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations, pairwise
from math import log10
from typing import TYPE_CHECKING

from intercore.benchmarks.claims import ClaimResult, cannot_tell, difference, in_words, outcome, quotient
from intercore.statistics.intervals import Interval, scaled
from intercore.view.quantity import duration, duration_with_bounds, significant

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

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
_LARGE_SHARE = 0.25
"""Of TP, from which on fixed costs are a large share; at the published smallest size TP - T1 / 2 is 30 % of it."""
_MOST = 0.5
"""Of a cost, from which on something is most of it."""
_INSIGNIFICANT = 0.01
_WAIT_FOR_A_TICK = "TP ends on ticks, so the fixed costs include the wait for one: join=notify would tell."
_TINY_US = 100.0
"""Work of less is too small by anybody's standard."""
_WITHIN = 10.0  # times beyond the sizes that were measured, to which their fit is trusted


@dataclass(frozen=True)
class Evidence:
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


def verdicts(evidence: Evidence) -> Iterator[Verdict]:
    """Return what the run says of each finding."""
    impossible = _impossible(evidence)
    for claim in evidence.table.claims:
        said = CLAIMS[claim.id](evidence)
        if impossible and said.outcome != "cannot tell":
            said = cannot_tell(impossible)
        yield evidence.table.held(claim.id, said, evidence.chip, evidence.kernel)


def _impossible(evidence: Evidence) -> str:
    """Return what is wrong with the times of a run where E may be above 100 %, or nothing."""
    above = [one for one in evidence.points if one.efficiency.high is not None and one.efficiency.high > 1]
    if not above:
        return ""
    one = max(above, key=lambda one: one.efficiency.high or 0.0)
    efficiency = in_words(one.efficiency, lambda part: f"{100 * part:.2f}", " %")
    return f"The times are too uncertain: E = {efficiency} at n = {one.n:,}; above 100 % is impossible."


# Each finding


def _proportional(evidence: Evidence) -> ClaimResult:
    least_us = 1e3 * min(row.t1_ms for row in evidence.table.figures.rows)
    some = [one for one in evidence.points if one.t1_us.value >= least_us * (1 - _NEAR)]
    if not some or max(one.n for one in some) < 10 * min(one.n for one in some):
        return cannot_tell(
            f"This needs sizes ten times apart that take one core {duration(least_us)} or more, as the published ones."
        )
    each = [scaled(one.t1_us, 1 / one.n) for one in some]
    longest, shortest = (end(each, key=lambda one: one.value) for end in (max, min))
    spread = quotient(longest, shortest)
    few = "" if spread.low is not None else ", of too few samples for an interval"
    return ClaimResult(
        outcome(spread, most=_PROPORTIONAL),
        f"From n = {some[0].n:,} to {some[-1].n:,} an iteration takes {duration(shortest.value)} to "
        f"{duration(longest.value)}: a ratio of {_number(spread)}{few}; up to {_PROPORTIONAL} counts as proportional.",
    )


def _grows(evidence: Evidence) -> ClaimResult:
    if len(evidence.points) < 3:
        return cannot_tell("Three sizes are needed to tell a curve that flattens.")
    for one, other in combinations(evidence.points, 2):
        if (fall := quotient(other.speedup, one.speedup)).high is not None and outcome(fall, least=1 - _FLAT) == (
            "contradicts"
        ):
            return ClaimResult("contradicts", f"{_at(one)}, and {_at(other)}.")
    first, last = evidence.points[0], evidence.points[-1]
    told = f"{_at(first)}, and {_at(last)}"
    if outcome(quotient(last.speedup, first.speedup), least=1 + _FLAT) != "agrees":
        return cannot_tell(f"{told}: smaller sizes would tell.")
    *earlier, end = [
        scaled(difference(other.speedup, one.speedup), 1 / log10(other.n / one.n))
        for one, other in pairwise(evidence.points)
    ]
    steepest = max(earlier, key=lambda one: one.value)
    told = (
        f"{told}; it falls nowhere between by more than {100 * _FLAT:g} %. Ten times the size add "
        f"{_number(steepest)} where S grows most before the last size, and {_number(end)} towards that one"
    )
    if outcome(difference(steepest, end), least=0) != "agrees":
        return cannot_tell(f"{told}: larger sizes would tell whether it flattens.")
    return ClaimResult("agrees", f"{told}.")


def _levels_off(evidence: Evidence) -> ClaimResult:
    bend = next((row for row in evidence.table.figures.rows if row.n == _BEND), None)
    from_us = 0.0 if bend is None else 1e3 * bend.t1_ms
    some = [one for one in evidence.points if one.t1_us.value >= from_us]
    if bend is None or len(some) < 2:
        return cannot_tell(
            f"That size takes one core {duration(from_us)} in the paper. This needs two sizes that take at least as "
            f"long; the longest here takes {duration(evidence.largest.t1_us.value)}."
        )
    change = quotient(some[-1].speedup, some[0].speedup)
    return ClaimResult(
        outcome(change, least=1 - _FLAT, most=1 + _FLAT),
        f"Compared by duration, from {duration(from_us)} on: {_at(some[0])}, and {_at(some[-1])}; a change of up to "
        f"{100 * _FLAT:g} % counts as flat.",
    )


def _at_the_limit(evidence: Evidence) -> ClaimResult:
    last = evidence.largest
    found = outcome(last.efficiency, least=_AT_THE_LIMIT)
    told = f"{_at(last)}, E = {_percent(last.efficiency)}"
    fixed = _fixed_share(evidence, last)
    if found == "contradicts" and outcome(fixed, most=(1 - _AT_THE_LIMIT) / 2) != "agrees":
        return cannot_tell(f"{told}: the fixed costs may still matter here. Larger sizes would tell.")
    loss = evidence.fit.loss
    lost = "" if found != "contradicts" or loss is None else f"; each core loses {_percent(loss)} by the fit"
    return ClaimResult(found, f"{told}{lost}. At least {100 * _AT_THE_LIMIT:g} % counts as almost a full second core.")


def _no_conflict(evidence: Evidence) -> ClaimResult:
    loss = evidence.fit.loss
    if loss is None:
        return cannot_tell("Three sizes are needed to separate what each core loses from fixed costs.")
    return ClaimResult(
        outcome(loss, most=_LOSES),
        f"By the fit a core loses {_percent(loss)} while the other one works; up to {100 * _LOSES:g} % counts as none. "
        "The published table implies 0.2 %.",
    )


def _short_work(evidence: Evidence) -> ClaimResult:
    known = {join: found for join in _WAYS if (found := _short_of(evidence, join)) is not None}
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
    return ClaimResult(outcomes.pop(), f"However the end is awaited: {told}; {limit}.")


def _short_of(evidence: Evidence, join: str) -> tuple[Interval, str] | None:
    """Return E of short work whose end is awaited in some way, and where from: measured about there, or of the fit."""
    points, fit = evidence.points_of(join=join), evidence.fit_of(join=join)
    near = [one for one in points if abs(one.t1_us.value / _SHORT_US - 1) <= _NEAR]
    if near:
        one = min(near, key=lambda one: abs(one.t1_us.value - _SHORT_US))
        return one.efficiency, f"E = {_percent(one.efficiency)} at T1 = {duration(one.t1_us.value)}"
    times = [one.t1_us.value for one in points]
    if fit is None or fit.loss is None or not min(times) / _WITHIN <= _SHORT_US <= max(times) * _WITHIN:
        return None
    efficiency = scaled(fit.speedup_at(_SHORT_US), 1 / fit.cores)
    return efficiency, f"E = {_percent(efficiency)} at {duration(_SHORT_US)} by its fit"


def _fixed_costs(evidence: Evidence) -> ClaimResult:
    fit, one = evidence.fit, evidence.smallest
    if fit.loss is None:
        return cannot_tell("Three sizes are needed to separate fixed costs from what grows with the work.")
    if _ends_on_ticks(fit):
        return cannot_tell(_WAIT_FOR_A_TICK)
    shortest_us = 1e3 * min(row.t1_ms for row in evidence.table.figures.rows)
    share = _fixed_share(evidence, one)
    told = f"At n = {one.n:,} (T1 = {duration(one.t1_us.value)}) they are {_percent(share)} of TP"
    there = f"T1 = {duration(shortest_us)}, that of the paper's smallest size"
    if one.t1_us.value > shortest_us * (1 + _NEAR) or evidence.largest.t1_us.value < shortest_us:
        return cannot_tell(f"{told}. This needs work about {there}.")
    if one.t1_us.value < shortest_us * (1 - _NEAR):  # of shorter work they are a larger share
        share = _fixed_share_by_fit(fit, shortest_us)
        told = f"{told}; by the fit {_percent(share)} at {there}"
    told = f"{told}. At least {100 * _LARGE_SHARE:g} % there counts as a large share"
    found = outcome(share, least=_LARGE_SHARE)
    return _small_fixed_costs(evidence, told, shortest_us) if found == "contradicts" else ClaimResult(found, f"{told}.")


def _small_fixed_costs(evidence: Evidence, told: str, t1_us: float) -> ClaimResult:
    """Return whether fixed costs that are no large share, of work that takes one core so long, contradict."""
    if evidence.chip:
        return cannot_tell(f"{told}; fixed costs of another chip may be smaller.")
    polled = evidence.fit_of(join="poll-tick")
    if polled is None:
        return cannot_tell(f"{told}; the paper does not say how the end is awaited: join=poll-tick was not measured.")
    other = _fixed_share_by_fit(polled, t1_us)
    told = f"{told}; the paper does not say how the end is awaited: join=poll-tick has {_percent(other)}"
    return ClaimResult(
        "contradicts" if outcome(other, least=_LARGE_SHARE) == "contradicts" else "cannot tell", f"{told}."
    )


def _ends_on_ticks(fit: ForkJoinFit) -> bool:
    return fit.quantisation is not None and fit.quantisation.quantised


def _costs_vanish(evidence: Evidence) -> ClaimResult:
    last = evidence.largest
    share = _fixed_share(evidence, last)
    found = outcome(share, most=_INSIGNIFICANT)
    told = f"At n = {last.n:,} they are {_percent(share)} of TP = {duration(last.tp_us.value)}"
    if found == "contradicts" and last.t1_us.value < 1e3 * max(row.t1_ms for row in evidence.table.figures.rows):
        return cannot_tell(f"{told}, which is less work than the paper's largest.")
    return ClaimResult(found, f"{told}; {100 * _INSIGNIFICANT:g} % counts as insignificant.")


def _creation(evidence: Evidence) -> ClaimResult:
    woken = evidence.fit_of(mode="pool")
    if woken is None:
        return cannot_tell("The run has no tasks that wait for the work to compare with created ones: mode=pool.")
    if _ends_on_ticks(evidence.fit) or _ends_on_ticks(woken):
        return cannot_tell(_WAIT_FOR_A_TICK)
    created, waiting = evidence.fit.overhead_us, woken.overhead_us
    share = _share_above(created, waiting)
    told = (
        f"Fixed costs are {duration_with_bounds(created)} with tasks created for the work and "
        f"{duration_with_bounds(waiting)} with tasks that wait for it: creation alone, with stacks and control blocks, "
        f"is {_percent(share)}"
    )
    if outcome(share, least=_MOST) == "agrees":
        return ClaimResult("agrees", f"{told}; at least {100 * _MOST:g} % agrees, as switching comes on top.")
    return cannot_tell(f"{told}. That is only a part of the statement: switching is in both, so its cost is not known.")


def _one_core_better(evidence: Evidence) -> ClaimResult:
    slower = next(filter(_loses, evidence.points), None)
    if slower is not None:
        return ClaimResult("agrees", f"{_at(slower)}.")
    one = evidence.smallest
    if _gains(one) and one.t1_us.value < _TINY_US:
        return ClaimResult("contradicts", f"Even {_at(one)}.")
    return cannot_tell(f"No work this small was measured: {_at(one)}.")


def _from_10_ms(evidence: Evidence) -> ClaimResult:
    below = [one for one in evidence.points if one.t1_us.value <= _ADVISED_US]
    longer = [one for one in evidence.points if one.t1_us.value > _ADVISED_US]
    limit = duration(_ADVISED_US)
    if not below or not longer:
        return cannot_tell(f"This needs work of up to {limit} beside work of more: {_at((below or longer)[0])}.")
    most, least = (end(some, key=lambda one: one.speedup.value) for end, some in ((max, below), (min, longer)))
    told = f"Work of up to {limit} has at most {_at(most)}; work of more has at least {_at(least)}"
    if not all(map(_gains, longer)):
        return cannot_tell(f"{told}: not all of that surely gains.")
    if not all(map(_loses, below)):
        return cannot_tell(f"{told}, and gains; but that all less work loses is not so here.")
    return ClaimResult("agrees", f"{told}: it alone gains.")


def _gains(one: SpeedupPoint) -> bool:
    """Whether two cores are surely faster than one."""
    return one.speedup.low is not None and one.speedup.low > 1


def _loses(one: SpeedupPoint) -> bool:
    """Whether two cores are surely slower than one."""
    return one.speedup.high is not None and one.speedup.high < 1


def _flash(evidence: Evidence) -> ClaimResult:
    shared = evidence.table.setting
    groups = {one.group: one.setting for one in evidence.analysis.points}
    fits = {one.group: one for one in evidence.analysis.fits}
    found = [
        (fits[plain], fits[flash])
        for plain, setting in groups.items()
        if (setting["workload"], setting["mode"]) == (shared.workload, shared.mode)
        for flash, other in groups.items()
        if other == setting | {"workload": "flash"}
    ]
    if not evidence.reads_flash or not found:
        return cannot_tell(
            "The run has no work that reads flash beside work that does not (workload=flash code=flash)."
        )
    plain, flash = found[-1]
    if plain.loss is None or flash.loss is None:
        return cannot_tell("Three sizes of each kind of work are needed to tell what cores lose to each other.")
    return ClaimResult(
        outcome(difference(flash.loss, plain.loss), least=_LOSES),
        f"By the fit a core loses {_percent(flash.loss)} when both cores read flash, and {_percent(plain.loss)} when "
        f"both compute; {100 * _LOSES:g} % more counts as a conflict.",
    )


def _watchdog(evidence: Evidence) -> ClaimResult:
    told = f" The target's: {evidence.watchdog}." if evidence.watchdog else ""
    return cannot_tell(f"No run lets a task watchdog expire.{told}")


CLAIMS: Mapping[str, Callable[[Evidence], ClaimResult]] = {
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


def _fixed_share(evidence: Evidence, one: SpeedupPoint) -> Interval:
    """Return the fixed costs as a part of TP; they are not below 0 however their fit scatters."""
    cost, tp_us = evidence.fit.overhead_us, one.tp_us.value
    low, high = (None if bound is None else max(bound, 0.0) / tp_us for bound in (cost.low, cost.high))
    return Interval(max(cost.value, 0.0) / tp_us, low, high)


def _fixed_share_by_fit(fit: ForkJoinFit, t1_us: float) -> Interval:
    """Return the same of work that takes one core so long, by the fit alone."""
    shared_us = (1 + (fit.loss.value if fit.loss else 0.0)) * t1_us / fit.cores

    def part(cost_us: float) -> float:
        return max(cost_us, 0.0) / (shared_us + max(cost_us, 0.0))

    low, high = (None if bound is None else part(bound) for bound in (fit.overhead_us.low, fit.overhead_us.high))
    return Interval(part(fit.overhead_us.value), low, high)


def _share_above(whole: Interval, rest: Interval) -> Interval:
    """Return which part of a number above 0 another one leaves."""
    left = quotient(rest, whole)
    low, high = (None if bound is None else 1 - bound for bound in (left.high, left.low))
    return Interval(1 - left.value, low, high)
