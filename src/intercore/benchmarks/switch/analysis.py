"""Wake-up latency of a task on the same core and on another one.

Durations are in µs. `time` is the clock of a wake-up: `common` and `aligned` are true, `raw-counter` subtracts the
counters of two cores that are not aligned, and is false if they started at different times.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import numpy as np

from intercore.benchmarks.caveats import Samples, disturbed, failed_checks
from intercore.benchmarks.grouping import by_run, tick_us
from intercore.benchmarks.switch.alignment import alignment
from intercore.benchmarks.switch.findings import (
    SwitchFailedCheck,
    SwitchNoPriorities,
    SwitchNotAligned,
    SwitchTimeSlices,
)
from intercore.benchmarks.switch.wake_ups import (
    TRUE_TIMES,
    Core,
    Target,
    Time,
    WakeUp,
    by_setting,
    concatenated,
    place,
    wake_up_of,
    wake_ups_us,
)
from intercore.record.measurement import Level
from intercore.statistics.distribution import Distribution
from intercore.statistics.disturbance import disturbances
from intercore.statistics.intervals import Interval
from intercore.statistics.repetitions import median, ratio

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from intercore.benchmarks.switch.wake_ups import Setting
    from intercore.finding import Finding
    from intercore.record.measurement import Measurement

    Floats = NDArray[np.float64]

_LEAST_US = 1e-6  # of a same-core median: a clock too coarse to see it gives 0
_TIME_SLICING = "freertos.time_slicing"
_OUT_OF_BOUNDS = 3  # times what a true wake-up takes, from which on a raw difference is plainly false


class Ratio(msgspec.Struct, frozen=True):
    """Wake-up latency on another core over that on the signalling core, for one direction."""

    primitive: str
    first: Core = msgspec.field(name="from")
    """The core that signals, in either case."""
    second: Core = msgspec.field(name="to")
    """The other core."""
    target: Target
    """The previous activity of the other core."""
    time: Time
    varied: dict[str, Level]
    """The other factors that take more than one level in the run, by name."""
    same_us: Interval
    """Median wake-up on core `from`."""
    cross_us: Interval
    """Median wake-up from core `from` to core `to`."""
    ratio: Interval
    """`cross_us` / `same_us`."""


class FalseTime(msgspec.Struct, frozen=True):
    """The false wake-up latency by unaligned counters from one core to another, with the true one."""

    primitive: str
    first: Core = msgspec.field(name="from")
    second: Core = msgspec.field(name="to")
    target: Target
    varied: dict[str, Level]
    raw_us: Distribution
    """The result of the subtraction; it may be negative."""
    true_us: float | None
    """Median by a true clock; None if none was measured."""

    @property
    def is_plain(self) -> bool:
        """Whether it is far from the truth, or cannot be one."""
        if self.true_us is None:
            return self.raw_us.median.value < 0
        return abs(self.raw_us.median.value - self.true_us) > _OUT_OF_BOUNDS * self.true_us


class SwitchAnalysis(msgspec.Struct, frozen=True):
    """The results of a run about waking tasks."""

    wake_ups: tuple[WakeUp, ...]
    ratios: tuple[Ratio, ...]
    false_times: tuple[FalseTime, ...]


def analyse(measurements: Iterable[Measurement]) -> SwitchAnalysis:
    """Analyse the measurements of the benchmark `switch` among those given; those of one setting are pooled."""
    pools = by_setting(measurements)
    wake_ups = tuple(wake_up_of(*item) for item in pools.items())
    return SwitchAnalysis(wake_ups, tuple(_ratios(pools)), tuple(_false_times(wake_ups)))


def samples_us(measurements: Iterable[Measurement]) -> dict[tuple[str, int, int, str, str], Floats]:
    """Return the wake-ups, corrected where they were aligned, by primitive, from, to, target and time.

    The target is empty on one core. Settings that differ in other factors are left out but for the first of them.
    """
    found: dict[tuple[str, int, int, str, str], Floats] = {}
    for setting, pool in by_setting(measurements).items():
        found.setdefault(setting[:5], concatenated(pool))
    return found


def caveats(measurements: Iterable[Measurement]) -> Iterator[Finding]:
    """Return the caveats on the numbers."""
    ours = [one for one in measurements if one.benchmark == "switch"]
    wrong = [one for one in ours if one.checks.get("wrong", 0)]
    sliced = bool(wrong) and all(_took_turns(one) for one in wrong)
    if sliced:
        yield SwitchTimeSlices(count=sum(one.checks["wrong"] for one in wrong), condition=_TIME_SLICING)
    for failed in failed_checks(ours, "switch", "primitive", SwitchFailedCheck):
        if not (sliced and failed.check == "wrong"):
            yield failed
    if any(one.conditions.get("scheduler.policy") == "SCHED_OTHER" for one in ours):
        yield SwitchNoPriorities()
    unaligned = sum(
        one.factors.get("time") == "aligned" and one.factors.get("from") != one.factors.get("to")
        and alignment(one) is None for one in ours
    )  # fmt: skip
    if unaligned:
        yield SwitchNotAligned(measurements=unaligned)
    yield from disturbed(  # false times are not worth it
        "switch",
        (
            (
                Samples(
                    f"{primitive} from core {first} to core {second}",
                    {"primitive": primitive, "from": first, "to": second},
                ),
                disturbances(wake_ups_us(pool)),
            )
            for (primitive, first, second, _, time, _), pool in by_setting(ours).items()
            if time in TRUE_TIMES or first == second
        ),
    )


def _took_turns(one: Measurement) -> bool:
    """Whether the tasks of a measurement by a program that takes no turn again had turns by the kernel's tick."""
    slices = one.factors.get("primitive") == "yield" and one.conditions.get(_TIME_SLICING) == "1"
    return slices and not one.checks.get("repeated_turns", 0)


# What is compared


def _ratios(pools: dict[Setting, list[Measurement]]) -> Iterator[Ratio]:
    """Compare each way across cores with the core that signals, by the same true clock.

    Two directions are never put together: they may differ several times over, and what lies between describes neither.
    """
    for setting, pool in pools.items():
        primitive, first, second, _, time, varied = setting
        same = pools.get((primitive, first, first, "", time, varied))
        if first != second and time in TRUE_TIMES and same is not None:
            yield _ratio(setting, same, pool)


def _ratio(setting: Setting, same: Sequence[Measurement], cross: Sequence[Measurement]) -> Ratio:
    """Compare the measurements of a way across cores with those on the core that signals."""
    primitive, first, second, target, time, varied = setting
    ticks = [tick_us(pool, "switch") for pool in (same, cross)]
    here, there = (by_run(pool, wake_ups_us(pool)) for pool in (same, cross))
    return msgspec.convert(
        {
            "primitive": primitive,
            "from": first,
            "to": second,
            "target": target,
            "time": time,
            "varied": dict(varied),
            "same_us": median(here, tick=ticks[0]),
            "cross_us": median(there, tick=ticks[1]),
            # A coarse clock may make either 0.
            "ratio": ratio(
                [np.maximum(one, _LEAST_US) for one in there],
                [np.maximum(one, _LEAST_US) for one in here],
                ticks=(ticks[1], ticks[0]),
            ),
        },
        Ratio,
    )


def _false_times(wake_ups: Sequence[WakeUp]) -> Iterator[FalseTime]:
    for one in wake_ups:
        if one.is_true:
            continue
        known = {
            other.time: other.wake_up_us.median.value
            for other in wake_ups
            if other.is_true and place(other) == place(one)
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
