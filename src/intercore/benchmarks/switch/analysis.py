"""What it costs to wake a task, on its own core and on another one.

Durations are in µs. `time` tells by which clock a wake-up was timed: `common` and `aligned` are true, `raw-counter`
subtracts the counters of two cores that nobody has aligned, and is false wherever they began at different moments.
"""

from __future__ import annotations

from collections import defaultdict
from itertools import chain
from typing import TYPE_CHECKING, Annotated, Literal, get_args

import msgspec
import numpy as np
from msgspec import Meta

from intercore.benchmarks import uncertainty
from intercore.benchmarks.counter import with_bound
from intercore.benchmarks.exactness import PROMISED_SPREAD, Exactness, exactness
from intercore.benchmarks.grouping import by_level
from intercore.benchmarks.switch.alignment import Alignment, alignment
from intercore.record.measurement import LOOKING_PREFIX, Level
from intercore.statistics.distribution import Distribution, distribution, disturbances
from intercore.statistics.intervals import RESAMPLES, Interval, generator, interval

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from intercore.record.measurement import Measurement

    Floats = NDArray[np.float64]

Core = Annotated[int, Meta(ge=0)]
Time = Literal["common", "aligned", "raw-counter"]
Target = Literal["idle", "busy"]
TRUE_TIMES: tuple[Time, ...] = ("common", "aligned")
"""The best first."""

_OWN = ("primitive", "from", "to", "target", "time")
_POOLED = ("seed", "samples")
_LEAST_US = 1e-6  # of a same-core median: a clock too coarse to see it gives 0
_MOST_SAID = 4  # sentences about disturbances
_OUT_OF_BOUNDS = 3  # times what a true wake-up takes, from which on a raw difference is plainly false


class WakeUp(msgspec.Struct, frozen=True):
    """Waking a task by one primitive, from one core to another or the same."""

    primitive: str
    first: Core = msgspec.field(name="from")
    """The core that signals."""
    second: Core = msgspec.field(name="to")
    """The core of the woken task."""
    target: Target | None
    """What the other core did before: `idle`, asleep, or `busy`, in a task that was preempted; None on one core, which
    is busy with the task that signals."""
    time: Time
    """The clock: see above."""
    varied: dict[str, Level]
    """The other factors that take more than one level in the run, by name."""
    hz: Annotated[int, Meta(ge=1)]
    """Ticks of the clock per second."""
    median_ticks: float
    """Median wake-up in ticks of the clock; with `aligned`, after the correction."""
    wake_up_us: Distribution
    """From before the signal to the first instruction of the woken task."""
    call_us: Distribution
    """The signalling call alone; on one core, where it switches to no other task."""
    looking_us: dict[str, float]
    """By core, the median cost of an empty pair of readings of the same clock, which is contained in both."""
    within_us: Annotated[float, Meta(ge=0)]
    """How far all of the wake-ups together may be off because two counters can be aligned only so well: by the tool for
    `aligned`, by the target itself where its common clock is made of a counter for each core. 0 where both cores read
    one clock. Nothing of this kind is known for `raw-counter`."""
    alignment: Alignment | None
    """How the counters were aligned: of several measurements, in the first one; None where they were not."""
    exactness: Exactness | None
    """Measured minus true in ticks, where a simulator saw the truth and one clock was read; else None."""

    @property
    def crosses(self) -> bool:
        """Whether it goes from one core to another."""
        return self.first != self.second

    @property
    def is_true(self) -> bool:
        """Whether both ends were timed by one clock."""
        return self.time != "raw-counter" or not self.crosses


class Ratio(msgspec.Struct, frozen=True):
    """What waking a task on another core takes, against the same core, by medians over all pairs of cores."""

    primitive: str
    target: Target
    """What the other core did before."""
    time: Time
    varied: dict[str, Level]
    same_us: Interval
    cross_us: Interval
    ratio: Interval
    """`cross_us` / `same_us`, its interval by bootstrap."""


class FalseTime(msgspec.Struct, frozen=True):
    """What unaligned counters make of a wake-up from one core to another, beside what it is."""

    primitive: str
    first: Core = msgspec.field(name="from")
    second: Core = msgspec.field(name="to")
    target: Target
    varied: dict[str, Level]
    raw_us: Distribution
    """What the subtraction gives; it may be negative."""
    true_us: float | None
    """Median by a true clock; None if none was measured."""

    @property
    def is_plain(self) -> bool:
        """Whether it is far from the truth, or cannot be one."""
        if self.true_us is None:
            return self.raw_us.median.value < 0
        return abs(self.raw_us.median.value - self.true_us) > _OUT_OF_BOUNDS * self.true_us


class SwitchAnalysis(msgspec.Struct, frozen=True):
    """All that a run says about waking tasks."""

    wake_ups: tuple[WakeUp, ...]
    ratios: tuple[Ratio, ...]
    false_times: tuple[FalseTime, ...]
    sentences: tuple[str, ...]
    """What was found, in words."""


ANALYSIS = SwitchAnalysis
"""What the document's schema has of it."""


def analyse(measurements: Iterable[Measurement]) -> SwitchAnalysis:
    """Analyse the measurements of the benchmark `switch` among those given; those of one setting are pooled."""
    pools = _pools(measurements)
    wake_ups = tuple(_wake_up(*item) for item in pools.items())
    ratios = tuple(_ratios(pools))
    false_times = tuple(_false_times(wake_ups))
    return SwitchAnalysis(wake_ups, ratios, false_times, tuple(_sentences(wake_ups, ratios, false_times)))


def samples_us(measurements: Iterable[Measurement]) -> dict[tuple[str, int, int, str, str], Floats]:
    """Return the wake-ups, corrected where they were aligned, by primitive, from, to, target and time.

    The target is empty on one core. Settings that differ in other factors are left out but for the first of them.
    """
    found: dict[tuple[str, int, int, str, str], Floats] = {}
    for setting, pool in _pools(measurements).items():
        found.setdefault(setting[:5], _concatenated(pool))
    return found


def warnings(measurements: Iterable[Measurement]) -> list[str]:
    """Say in plain sentences what makes the numbers doubtful, and the likely cause."""
    ours = [one for one in measurements if one.benchmark == "switch"]
    counts = {name: sum(one.checks.get(name, 0) for one in ours) for name in ("wrong", "migrated", "lost", "preempted")}
    said = []
    if counts["wrong"]:
        said.append(
            f"{counts['wrong']} of the signals did not arrive as they were sent, or before they were sent: the "
            "primitive or the common clock of this target is broken."
        )
    if counts["migrated"]:
        said.append(
            f"{counts['migrated']} times a task was found on another core than it was pinned to: allow the affinity."
        )
    if counts["lost"]:
        said.append(f"{counts['lost']} samples did not fit the target's memory: ask for fewer.")
    if counts["preempted"]:
        said.append(
            f"Tasks that should not be were preempted {counts['preempted']} times while switch measured: something of "
            "higher priority ran. Close it, or look at the median and not at the largest values."
        )
    if any(one.conditions.get("scheduler.policy") == "SCHED_OTHER" for one in ours):
        said.append(
            "Without real-time scheduling a woken task need not preempt another one: what switch measures on one core, "
            "and with target=busy, depends on how the system shares its time."
        )
    unaligned = sum(
        one.factors.get("time") == "aligned" and one.factors.get("from") != one.factors.get("to")
        and alignment(one) is None for one in ours
    )  # fmt: skip
    if unaligned:
        said.append(f"{unaligned} measurements with time=aligned hold no exchanges: they are left out.")
    return said + _disturbed(ours)


def _disturbed(ours: Sequence[Measurement]) -> list[str]:
    """Say what disturbed the samples, of the settings that come first; false times are not worth it."""
    found = [
        f"{_name(primitive, first, second)}: {sentence}"
        for (primitive, first, second, _, time, _), pool in _pools(ours).items()
        if time in TRUE_TIMES or first == second
        for sentence in disturbances(_concatenated(pool))
    ]
    more = len(found) - _MOST_SAID
    return found[:_MOST_SAID] + (
        [f"There are {more} more sentences of this kind to be said of switch."] if more > 0 else []
    )


# Pools


_Setting = tuple[str, int, int, str, str, tuple[tuple[str, Level], ...]]


def _pools(measurements: Iterable[Measurement]) -> dict[_Setting, list[Measurement]]:
    """Return the measurements that say something, by setting, in the order in which people read them."""
    ours = [one for one in measurements if one.benchmark == "switch" and _is_usable(one)]
    levels: dict[str, set[Level]] = defaultdict(set)
    for name, level in chain.from_iterable(one.factors.items() for one in ours):
        levels[name].add(level)
    names = sorted(name for name, known in levels.items() if len(known) > 1 and name not in (*_OWN, *_POOLED))
    found: dict[_Setting, list[Measurement]] = defaultdict(list)
    for one in ours:
        varied = tuple((name, one.factors[name]) for name in names if name in one.factors)
        primitive, first, second, target, time = (one.factors[name] for name in _OWN)
        known_target = "" if first == second else str(target)
        found[str(primitive), int(first), int(second), known_target, str(time), varied].append(one)
    return dict(sorted(found.items(), key=lambda item: _order(item[0])))


def _order(setting: _Setting) -> tuple[object, ...]:
    """One core before two; settings that differ otherwise stay apart."""
    primitive, first, second, target, time, varied = setting
    return (
        by_level(varied),
        time == "raw-counter",
        time != "common",
        target == "busy",
        primitive,
        first != second,
        first,
        second,
    )


def _is_usable(one: Measurement) -> bool:
    names = {series.name for series in one.series if len(series.ticks)}
    if not {"switch", "call"} <= names or not _is_known(one.factors):
        return False
    needs_alignment = one.factors["time"] == "aligned" and one.factors["from"] != one.factors["to"]
    return not needs_alignment or ("moment" in names and alignment(one) is not None)


def _is_known(factors: Mapping[str, Level]) -> bool:
    """Whether the levels are those that are told here; a newer target may know more, and a faulty one anything.

    Any primitive will do. On one core `target` has no meaning.
    """
    if not set(_OWN) <= set(factors) or factors["time"] not in get_args(Time):
        return False
    first, second = factors["from"], factors["to"]
    if not (isinstance(first, int) and isinstance(second, int) and min(first, second) >= 0):
        return False
    return first == second or factors["target"] in get_args(Target)


def _wake_ups_us(one: Measurement) -> Floats:
    """Return the wake-ups of a measurement, as they were if they were aligned."""
    raw = one.samples("switch")
    crosses = one.factors["from"] != one.factors["to"]
    found = alignment(one) if one.factors["time"] == "aligned" and crosses else None
    if found is None:
        return raw.ns / 1e3
    moments = one.samples("moment")
    count = min(len(raw.ticks), len(moments.ticks))
    return raw.ns[:count] / 1e3 - found.ahead_us(moments.ns[:count] / 1e3)


def _concatenated(pool: Sequence[Measurement]) -> Floats:
    return np.concatenate([_wake_ups_us(one) for one in pool])


def _wake_up(setting: _Setting, pool: Sequence[Measurement]) -> WakeUp:
    primitive, first, second, target, time, varied = setting
    hz = pool[0].samples("switch").hz
    wake_ups = distribution(_concatenated(pool))
    aligned = [found for one in pool if one.factors["time"] == "aligned" and (found := alignment(one)) is not None]
    crosses = time == "common" and first != second
    by_target = uncertainty.within_us(pool, "switch") if crosses else 0.0
    return msgspec.convert(
        {
            "primitive": primitive,
            "from": first,
            "to": second,
            "target": target or None,
            "time": time,
            "varied": dict(varied),
            "hz": hz,
            "median_ticks": wake_ups.median.value * hz / 1e6,
            "wake_up_us": wake_ups,
            "call_us": distribution(np.concatenate([one.samples("call").ns / 1e3 for one in pool])),
            "looking_us": _looking_us(pool, {first, second}),
            "within_us": max((found.within_us for found in aligned), default=by_target),
            "alignment": aligned[0] if aligned else None,
            "exactness": exactness(pool, "switch") if time == "common" or first == second else None,
        },
        WakeUp,
    )


def _looking_us(pool: Sequence[Measurement], cores: set[int]) -> dict[str, float]:
    looks: dict[str, list[Floats]] = defaultdict(list)
    for series in chain.from_iterable(one.series for one in pool):
        core = series.name.removeprefix(LOOKING_PREFIX)
        if core != series.name and len(series.ticks) and int(core) in cores:
            looks[core].append(series.ns / 1e3)
    return {core: float(np.median(np.concatenate(looks[core]))) for core in sorted(looks, key=int)}


# What is compared


def _ratios(pools: dict[_Setting, list[Measurement]]) -> Iterator[Ratio]:
    """Compare across cores with the same core, by one clock; where that can be chosen, the common one."""
    same: dict[tuple[object, ...], list[Floats]] = defaultdict(list)
    cross: dict[tuple[str, str, str, tuple[tuple[str, Level], ...]], list[Floats]] = defaultdict(list)
    for (primitive, first, second, target, time, varied), pool in pools.items():
        if first == second:
            same[primitive, time, varied].append(_concatenated(pool))
        elif time in TRUE_TIMES:
            cross[primitive, target, time, varied].append(_concatenated(pool))
    for (primitive, target, time, varied), parts in cross.items():
        if (primitive, time, varied) in same:
            here = np.concatenate(same[primitive, time, varied])
            yield _ratio(primitive, target, time, varied, here, np.concatenate(parts))


def _ratio(
    primitive: str, target: str, time: str, varied: tuple[tuple[str, Level], ...], same: Floats, cross: Floats
) -> Ratio:
    here, there = float(np.median(same)), float(np.median(cross))
    rng = generator(f"switch {primitive} {target} {time} {varied}")
    same_medians, cross_medians = _resampled_medians(same, rng), _resampled_medians(cross, rng)
    fewer = min(same, cross, key=len)
    return msgspec.convert(
        {
            "primitive": primitive,
            "target": target,
            "time": time,
            "varied": dict(varied),
            "same_us": _interval(here, same, same_medians),
            "cross_us": _interval(there, cross, cross_medians),
            "ratio": _interval(
                there / max(here, _LEAST_US), fewer, cross_medians / np.maximum(same_medians, _LEAST_US)
            ),
        },
        Ratio,
    )


def _interval(value: float, values: Floats, replicates: Floats) -> Interval:
    return interval(value, replicates) if len(values) > 1 else Interval(value)


def _resampled_medians(values: Floats, rng: np.random.Generator) -> Floats:
    """Return the medians of RESAMPLES bootstrap resamples.

    The k-th smallest of n uniform random numbers follows Beta(k, n + 1 - k), and the k-th smallest of a resample is the
    value at that fraction of the ordered sample: so each median takes one random number.
    """
    n = len(values)
    fractions = rng.beta((n + 1) / 2, (n + 1) / 2, RESAMPLES)
    medians: Floats = np.sort(values)[np.minimum((fractions * n).astype(int), n - 1)]
    return medians


def _false_times(wake_ups: Sequence[WakeUp]) -> Iterator[FalseTime]:
    for one in wake_ups:
        if one.is_true:
            continue
        known = {
            other.time: other.wake_up_us.median.value
            for other in wake_ups
            if other.is_true and _place(other) == _place(one)
        }
        yield msgspec.convert(
            {
                "primitive": one.primitive,
                "from": one.first,
                "to": one.second,
                "target": one.target,
                "varied": one.varied,
                "raw_us": one.wake_up_us,
                "true_us": next((known[time] for time in TRUE_TIMES if time in known), None),
            },
            FalseTime,
        )


def _place(one: WakeUp) -> tuple[object, ...]:
    return one.primitive, one.first, one.second, one.target, by_level(one.varied)


# In words


def _name(primitive: str, first: int, second: int) -> str:
    return f"{primitive} from core {first} to core {second}"


def _sentences(wake_ups: Sequence[WakeUp], ratios: Sequence[Ratio], false_times: Sequence[FalseTime]) -> Iterator[str]:
    yield from _about_ratios(ratios)
    yield from _about_calls(wake_ups)
    yield from _about_uncertainty(wake_ups)
    yield from _about_alignment(wake_ups)
    yield from _about_false_times(false_times)
    yield from _about_exactness(wake_ups)


def _about_ratios(ratios: Sequence[Ratio]) -> Iterator[str]:
    if not ratios:
        return
    time = next(time for time in TRUE_TIMES if any(one.time == time for one in ratios))
    for target in ("idle", "busy"):
        known = [one for one in ratios if (one.target, one.time) == (target, time)]
        if not known:
            continue
        quickest, slowest = (choose(known, key=lambda one: one.cross_us.value) for choose in (min, max))
        what = "asleep" if target == "idle" else "busy with a task of lower priority"
        low, high = (choose(one.ratio.value for one in known) for choose in (min, max))
        yield (
            f"Waking a task on another core that is {what} takes {_us(quickest.cross_us.value)} by {quickest.primitive}"
            + (f" to {_us(slowest.cross_us.value)} by {slowest.primitive}" if slowest is not quickest else "")
            + f" (medians): {_factor(low)}"
            + (f" to {_factor(high)}" if high > low else "")
            + " times what it takes on the same core"
            + (f", {_us(quickest.same_us.value)} by {quickest.primitive}." if slowest is not quickest
               else f", {_us(quickest.same_us.value)}.")
        )  # fmt: skip


def _about_calls(wake_ups: Sequence[WakeUp]) -> Iterator[str]:
    known = [one for one in wake_ups if one.time == "common" and one.primitive != "yield" and one.target != "busy"]
    for crosses, where in ((False, "a task of lower priority on its own core"), (True, "a task on another core")):
        medians = {one.primitive: one.call_us.median.value for one in known if one.crosses == crosses}
        if medians:
            least, most = min(medians, key=lambda name: medians[name]), max(medians, key=lambda name: medians[name])
            yield (
                f"The call that wakes {where} keeps the caller for {_us(medians[least])} ({least})"
                + (f" to {_us(medians[most])} ({most})." if most != least else ".")
            )


def _about_uncertainty(wake_ups: Sequence[WakeUp]) -> Iterator[str]:
    within = max((one.within_us for one in wake_ups if one.time == "common"), default=0.0)
    if within:
        yield uncertainty.sentence(within, "wake-up")


def _about_alignment(wake_ups: Sequence[WakeUp]) -> Iterator[str]:
    known = {(_place(one), one.time): one for one in wake_ups}
    aligned = [one for one in wake_ups if one.alignment is not None]
    first = next(iter(aligned), None)
    if first is None or (found := first.alignment) is None:
        return
    apart = (
        f"cannot be told apart: they differ by less than {_us(found.within_us)}"
        if abs(found.before.ahead_us) <= found.before.within_us
        else f"are {_us(abs(found.before.ahead_us))} apart, give or take {_us(found.before.within_us)}"
    )
    yield (
        f"The counters of cores {first.first} and {first.second} {apart}, and drift by "
        f"{with_bound(found.drift_ppm, found.drift_within_ppm)} ppm, by time stamps exchanged before and after."
    )
    both = [(one, known[_place(one), "common"]) for one in aligned if (_place(one), "common") in known]
    if both:
        most = max(abs(one.wake_up_us.median.value - other.wake_up_us.median.value) for one, other in both)
        within = max(one.within_us + other.within_us for one, other in both)
        verdict = (
            "as it should be"
            if all(_agree(*pair) for pair in both)
            else "more than that explains, so the machine was not equally quiet in both measurements"
        )
        yield (
            f"Aligned counters and the common clock differ by up to {_us(most)} in {len(both)} medians, where the "
            f"alignment can be off by {_us(within)}: {verdict}."
        )


def _agree(one: WakeUp, other: WakeUp) -> bool:
    """Whether the medians differ by no more than the alignment, the statistics and the cost of looking leave open."""
    slack = one.within_us + other.within_us + sum(
        max(abs((median.low if median.low is not None else median.value) - median.value),
            abs((median.high if median.high is not None else median.value) - median.value))
        for median in (one.wake_up_us.median, other.wake_up_us.median)
    )  # fmt: skip
    looking = max((abs(cost - other.looking_us.get(core, cost)) for core, cost in one.looking_us.items()), default=0.0)
    return abs(one.wake_up_us.median.value - other.wake_up_us.median.value) <= slack + looking


def _about_false_times(false_times: Sequence[FalseTime]) -> Iterator[str]:
    plain = [one for one in false_times if one.is_plain]
    if plain:
        worst = max(plain, key=lambda one: abs(one.raw_us.median.value))
        true = "" if worst.true_us is None else f" instead of {_us(worst.true_us)}"
        back = next((one for one in plain if (one.first, one.second) == (worst.second, worst.first)), None)
        yield (
            f"FALSE on purpose: subtracting the counters of two cores that were never aligned gives "
            f"{_us(worst.raw_us.median.value)} from core {worst.first} to core {worst.second}{true}, with a standard "
            f"deviation of {_us(worst.raw_us.stdev)}"
            + (f", and {_us(back.raw_us.median.value)} the other way" if back is not None else "")
            + ". It is not a time but how much later one counter began: large, nearly constant, and of the opposite "
            "sign in the opposite direction."
        )
    elif false_times:
        yield (
            "Subtracting raw counters gives no false times here: the counters of this machine's cores are "
            "synchronised, as far as these samples can tell. That is a property of the machine, not of the method."
        )


def _about_exactness(wake_ups: Sequence[WakeUp]) -> Iterator[str]:
    seen = [(one, one.exactness) for one in wake_ups if one.exactness is not None]
    if seen:
        count = sum(one.wake_up_us.n - found.interrupted for one, found in seen)
        spread = max(found.spread for _, found in seen)
        interrupted = sum(found.interrupted for _, found in seen)
        differences = sorted({found.difference for _, found in seen})
        between = f"{differences[0]:g}" + (f" to {differences[-1]:g}" if len(differences) > 1 else "")
        verdict = (
            f"in each setting a constant with a spread of at most {spread}"
            if spread <= PROMISED_SPREAD
            else f"within a setting by up to {spread} apart, more than the {PROMISED_SPREAD} that the clock promises"
        )
        yield (
            f"Checked against the simulator: {count:,} wake-ups were measured {between} ticks longer than they truly "
            f"were, {verdict}" + (f"; {interrupted:,} more were looked at during an interrupt." if interrupted else ".")
        )


def _us(us: float) -> str:
    magnitude = abs(us)
    for scale, unit in ((1e6, "s"), (1e3, "ms"), (1.0, "µs")):
        if magnitude >= 0.9995 * scale:
            return f"{us / scale:.3g} {unit}"
    return f"{us * 1e3:.3g} ns"


def _factor(ratio: float) -> str:
    return f"{ratio:.2f}"
