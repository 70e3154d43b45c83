"""Wake-ups, by setting: what was measured of each."""

from __future__ import annotations

from collections import defaultdict
from itertools import chain
from typing import TYPE_CHECKING, Annotated, Literal, get_args

import msgspec
import numpy as np
from msgspec import Meta

from intercore.benchmarks import uncertainty
from intercore.benchmarks.exactness import Exactness, exactness
from intercore.benchmarks.grouping import by_level, by_run, distribution_us, tick_us
from intercore.benchmarks.switch.alignment import Alignment, alignment
from intercore.record.measurement import TIMESTAMP_OVERHEAD_PREFIX, Level
from intercore.statistics.distribution import Distribution, distribution

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

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


class WakeUp(msgspec.Struct, frozen=True):
    """Waking a task by one primitive, from one core to another or the same."""

    primitive: str
    first: Core = msgspec.field(name="from")
    """The core that signals."""
    second: Core = msgspec.field(name="to")
    """The core of the woken task."""
    target: Target | None
    """The previous activity of the other core: `idle`, asleep, or `busy`, in a task that was preempted; None on one
    core, which is busy with the task that signals."""
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
    timestamp_overhead_us: dict[str, float]
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


Setting = tuple[str, int, int, str, str, tuple[tuple[str, Level], ...]]


def by_setting(measurements: Iterable[Measurement]) -> dict[Setting, list[Measurement]]:
    """Return the measurements that say something, by setting, in the order in which people read them."""
    ours = [one for one in measurements if one.benchmark == "switch" and _is_usable(one)]
    levels: dict[str, set[Level]] = defaultdict(set)
    for name, level in chain.from_iterable(one.factors.items() for one in ours):
        levels[name].add(level)
    names = sorted(name for name, known in levels.items() if len(known) > 1 and name not in (*_OWN, *_POOLED))
    found: dict[Setting, list[Measurement]] = defaultdict(list)
    for one in ours:
        varied = tuple((name, one.factors[name]) for name in names if name in one.factors)
        primitive, first, second, target, time = (one.factors[name] for name in _OWN)
        known_target = "" if first == second else str(target)
        found[str(primitive), int(first), int(second), known_target, str(time), varied].append(one)
    return dict(sorted(found.items(), key=lambda item: _order(item[0])))


def _order(setting: Setting) -> tuple[object, ...]:
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
    """Whether the levels are known; a newer target may have more, and a faulty one anything.

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


def wake_ups_us(pool: Sequence[Measurement]) -> list[Floats]:
    """Return the times of each measurement of a pool, in µs."""
    return [_wake_ups_us(one) for one in pool]


def concatenated(pool: Sequence[Measurement]) -> Floats:
    """Return the times of all measurements of a pool, in µs."""
    return np.concatenate(wake_ups_us(pool))


def wake_up_of(setting: Setting, pool: Sequence[Measurement]) -> WakeUp:
    """Summarise the measurements of a setting."""
    primitive, first, second, target, time, varied = setting
    hz = pool[0].samples("switch").hz
    wake_ups = distribution(by_run(pool, wake_ups_us(pool)), tick=tick_us(pool, "switch"))
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
            "call_us": distribution_us(pool, "call"),
            "timestamp_overhead_us": _timestamp_overhead_us(pool, {first, second}),
            "within_us": max((found.within_us for found in aligned), default=by_target),
            "alignment": aligned[0] if aligned else None,
            "exactness": exactness(pool, "switch") if time == "common" or first == second else None,
        },
        WakeUp,
    )


def _timestamp_overhead_us(pool: Sequence[Measurement], cores: set[int]) -> dict[str, float]:
    looks: dict[str, list[Floats]] = defaultdict(list)
    for series in chain.from_iterable(one.series for one in pool):
        core = series.name.removeprefix(TIMESTAMP_OVERHEAD_PREFIX)
        if core != series.name and len(series.ticks) and int(core) in cores:
            looks[core].append(series.ns / 1e3)
    return {core: float(np.median(np.concatenate(looks[core]))) for core in sorted(looks, key=int)}


def place(one: WakeUp) -> tuple[object, ...]:
    """Return the levels that distinguish a wake-up from others, without the clock."""
    return one.primitive, one.first, one.second, one.target, by_level(one.varied)
