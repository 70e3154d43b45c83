"""What is found of wake-ups."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from intercore.benchmarks.exactness import PROMISED_SPREAD
from intercore.benchmarks.switch.findings import (
    Direction,
    PrimitiveWakeUp,
    SwitchAlignedAgainstCommon,
    SwitchCallTime,
    SwitchCounters,
    SwitchCrossCore,
    SwitchExactness,
    SwitchFalseTimes,
    SwitchRetaken,
    SwitchSynchronisedCounters,
)
from intercore.benchmarks.switch.names import named
from intercore.benchmarks.switch.wake_ups import TRUE_TIMES, place
from intercore.benchmarks.uncertainty import CrossCoreUncertainty

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from intercore.benchmarks.switch.analysis import FalseTime, Ratio, SwitchAnalysis
    from intercore.benchmarks.switch.wake_ups import Target, WakeUp
    from intercore.finding import Finding
    from intercore.record.measurement import Measurement

_BOTH = 2  # directions, those of two cores
_TARGETS: Sequence[Target] = ("idle", "busy")


def results(analysis: SwitchAnalysis, measurements: Iterable[Measurement]) -> Iterator[Finding]:
    """Return the findings, the most important first."""
    yield from _cross_core(analysis.ratios)
    yield from _call_times(analysis.wake_ups)
    within = max((one.within_us for one in analysis.wake_ups if one.time == "common"), default=0.0)
    if within:
        yield CrossCoreUncertainty(times_of="wake-up", within_us=within)
    yield from _alignment(analysis.wake_ups)
    yield from _false_times(analysis.false_times)
    yield from _exactness(analysis.wake_ups)
    retaken = sum(one.checks.get("repeated_turns", 0) for one in measurements if one.benchmark == "switch")
    if retaken:
        yield SwitchRetaken(turns=retaken)


def _cross_core(ratios: Sequence[Ratio]) -> Iterator[Finding]:
    if not ratios:
        return
    time = next(time for time in TRUE_TIMES if any(one.time == time for one in ratios))
    explained = False
    for target in _TARGETS:
        ways: dict[tuple[int, int], list[Ratio]] = defaultdict(list)
        for one in ratios:
            if (one.target, one.time) == (target, time):
                ways[one.first, one.second].append(one)
        if ways:
            ends = tuple(_direction(found) for found in _ends(list(ways.values())))
            yield SwitchCrossCore(target=target, directions=len(ways), ways=ends, explained=not explained)
            explained = True


def _ends(ways: Sequence[Sequence[Ratio]]) -> Sequence[Sequence[Ratio]]:
    """Return the directions to report: of more than two, the quickest and the slowest, by their quickest primitive."""
    if len(ways) <= _BOTH:
        return ways
    ordered = sorted(ways, key=lambda found: min(one.cross_us.value for one in found))
    return ordered[0], ordered[-1]


def _direction(found: Sequence[Ratio]) -> Direction:
    quickest, slowest = (choose(found, key=lambda one: one.cross_us.value) for choose in (min, max))
    low, high = (choose(one.ratio.value for one in found) for choose in (min, max))
    return Direction(quickest.first, quickest.second, _wake(quickest), _wake(slowest), low, high)


def _wake(one: Ratio) -> PrimitiveWakeUp:
    return PrimitiveWakeUp(named(one), one.cross_us.value, one.same_us.value)


def _call_times(wake_ups: Sequence[WakeUp]) -> Iterator[Finding]:
    known = [one for one in wake_ups if one.time == "common" and one.primitive != "yield" and one.target != "busy"]
    for crosses in (False, True):
        found = [one for one in known if one.crosses == crosses]
        medians: dict[str, float] = {}
        for one in found:
            medians[one.primitive] = max(one.call_us.median.value, medians.get(one.primitive, 0.0))
        if medians:
            least, most = (choose(medians, key=lambda name: medians[name]) for choose in (min, max))
            yield SwitchCallTime(
                across=crosses,
                quickest=least,
                quickest_us=medians[least],
                slowest=most,
                slowest_us=medians[most],
                several=len({place(one)[1:3] for one in found}) > 1,
            )


def _alignment(wake_ups: Sequence[WakeUp]) -> Iterator[Finding]:
    known = {(place(one), one.time): one for one in wake_ups}
    aligned = [one for one in wake_ups if one.alignment is not None]
    first = next(iter(aligned), None)
    if first is None or (found := first.alignment) is None:
        return
    yield SwitchCounters(
        first=first.first,
        second=first.second,
        ahead_us=found.before.ahead_us,
        ahead_within_us=found.before.within_us,
        distinguishable=abs(found.before.ahead_us) > found.before.within_us,
        within_us=found.within_us,
        drift_ppm=found.drift_ppm,
        drift_within_ppm=found.drift_within_ppm,
    )
    both = [(one, known[place(one), "common"]) for one in aligned if (place(one), "common") in known]
    if both:
        yield SwitchAlignedAgainstCommon(
            largest_us=max(abs(one.wake_up_us.median.value - other.wake_up_us.median.value) for one, other in both),
            medians=len(both),
            within_us=max(one.within_us + other.within_us for one, other in both),
            explained=all(_agree(*pair) for pair in both),
        )


def _agree(one: WakeUp, other: WakeUp) -> bool:
    """Whether medians differ by no more than the alignment, the statistics and the timestamp overhead leave open."""
    slack = one.within_us + other.within_us + sum(
        max(abs((median.low if median.low is not None else median.value) - median.value),
            abs((median.high if median.high is not None else median.value) - median.value))
        for median in (one.wake_up_us.median, other.wake_up_us.median)
    )  # fmt: skip
    overhead = max(
        (abs(cost - other.timestamp_overhead_us.get(core, cost)) for core, cost in one.timestamp_overhead_us.items()),
        default=0.0,
    )
    return abs(one.wake_up_us.median.value - other.wake_up_us.median.value) <= slack + overhead


def _false_times(false_times: Sequence[FalseTime]) -> Iterator[Finding]:
    plain = [one for one in false_times if one.is_plain]
    if plain:
        worst = max(plain, key=lambda one: abs(one.raw_us.median.value))
        back = next((one for one in plain if _is_other_way(one, worst)), None)
        yield SwitchFalseTimes(
            first=worst.first,
            second=worst.second,
            false_us=worst.raw_us.median.value,
            stdev_us=worst.raw_us.stdev,
            true_us=worst.true_us,
            back_us=None if back is None else back.raw_us.median.value,
        )
    elif false_times:
        yield SwitchSynchronisedCounters()


def _is_other_way(one: FalseTime, other: FalseTime) -> bool:
    """Whether two false times are of the same setting but for the direction."""
    ways = (one.first, one.second) == (other.second, other.first)
    return ways and (one.primitive, one.target, one.varied) == (other.primitive, other.target, other.varied)


def _exactness(wake_ups: Sequence[WakeUp]) -> Iterator[Finding]:
    seen = [(one, one.exactness) for one in wake_ups if one.exactness is not None]
    if seen:
        differences = [found.difference for _, found in seen]
        spread = max(found.spread for _, found in seen)
        yield SwitchExactness(
            wake_ups=sum(one.wake_up_us.n - found.interrupted for one, found in seen),
            least_ticks=min(differences),
            most_ticks=max(differences),
            spread_ticks=spread,
            constant=spread <= PROMISED_SPREAD,
            interrupted=sum(found.interrupted for _, found in seen),
        )
