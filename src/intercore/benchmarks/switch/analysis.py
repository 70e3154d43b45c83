"""What it costs to wake a task, on its own core and on another one.

Durations are in µs. `time` tells by which clock a wake-up was timed: `common` and `aligned` are true, `raw-counter`
subtracts the counters of two cores that nobody has aligned, and is false wherever they began at different moments.
"""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING

import msgspec
import numpy as np

from intercore.benchmarks.grouping import tick_us
from intercore.benchmarks.switch.alignment import alignment
from intercore.benchmarks.switch.sentences import name_of, sentences
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
from intercore.statistics.distribution import Distribution, disturbances
from intercore.statistics.intervals import Interval
from intercore.statistics.repetitions import median, ratio

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from intercore.benchmarks.switch.wake_ups import Setting
    from intercore.record.measurement import Measurement

    Floats = NDArray[np.float64]

_LEAST_US = 1e-6  # of a same-core median: a clock too coarse to see it gives 0
_TIME_SLICING = "freertos.time_slicing"
_MOST_SAID = 4  # sentences about disturbances
_OUT_OF_BOUNDS = 3  # times what a true wake-up takes, from which on a raw difference is plainly false


class Ratio(msgspec.Struct, frozen=True):
    """What the task that signals pays to wake one on another core rather than on its own: of one direction."""

    primitive: str
    first: Core = msgspec.field(name="from")
    """The core that signals, in either case."""
    second: Core = msgspec.field(name="to")
    """The other core."""
    target: Target
    """What the other core did before."""
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


def analyse(measurements: Iterable[Measurement]) -> SwitchAnalysis:
    """Analyse the measurements of the benchmark `switch` among those given; those of one setting are pooled."""
    pools = by_setting(measurements)
    wake_ups = tuple(wake_up_of(*item) for item in pools.items())
    ratios = tuple(_ratios(pools))
    false_times = tuple(_false_times(wake_ups))
    said = (*sentences(wake_ups, ratios, false_times), *_about_retaken(chain.from_iterable(pools.values())))
    return SwitchAnalysis(wake_ups, ratios, false_times, said)


def samples_us(measurements: Iterable[Measurement]) -> dict[tuple[str, int, int, str, str], Floats]:
    """Return the wake-ups, corrected where they were aligned, by primitive, from, to, target and time.

    The target is empty on one core. Settings that differ in other factors are left out but for the first of them.
    """
    found: dict[tuple[str, int, int, str, str], Floats] = {}
    for setting, pool in by_setting(measurements).items():
        found.setdefault(setting[:5], concatenated(pool))
    return found


def warnings(measurements: Iterable[Measurement]) -> list[str]:
    """Say in plain sentences what makes the numbers doubtful, and the likely cause."""
    ours = [one for one in measurements if one.benchmark == "switch"]
    counts = {name: sum(one.checks.get(name, 0) for one in ours) for name in ("wrong", "migrated", "lost", "preempted")}
    said = []
    if counts["wrong"]:
        said.append(_about_wrong(counts["wrong"], ours))
    if counts["migrated"]:
        said.append(
            f"{counts['migrated']} times a task was found on a core other than the one it was pinned to: allow the "
            "affinity."
        )
    if counts["lost"]:
        said.append(f"{counts['lost']} samples did not fit into the target's memory: ask for fewer.")
    if counts["preempted"]:
        said.append(
            f"While switch measured, tasks that should not be preempted were preempted {counts['preempted']} times: "
            "something of higher priority ran. Close it, or look at the median and not at the largest values."
        )
    if any(one.conditions.get("scheduler.policy") == "SCHED_OTHER" for one in ours):
        said.append(
            "Without real-time scheduling a woken task need not preempt another one. So the results of switch on one "
            "core, and with target=busy, depend on how the system shares its time."
        )
    unaligned = sum(
        one.factors.get("time") == "aligned" and one.factors.get("from") != one.factors.get("to")
        and alignment(one) is None for one in ours
    )  # fmt: skip
    if unaligned:
        said.append(f"{unaligned} measurements with time=aligned hold no exchanges: they are left out.")
    return said + _disturbed(ours)


def _about_wrong(count: int, ours: Sequence[Measurement]) -> str:
    wrong = [one for one in ours if one.checks.get("wrong", 0)]
    if all(_took_turns(one) for one in wrong):
        return (
            f"In {count} of the yields, the other task ran before the yield: in this kernel tasks of one priority take "
            f"turns at each tick ({_TIME_SLICING} is 1). These numbers mean nothing; a program of this version takes "
            "such turns again, so build it anew."
        )
    return (
        f"{count} of the signals arrived altered, or before they were sent: the primitive or the common clock of this "
        "target is broken."
    )


def _took_turns(one: Measurement) -> bool:
    """Whether the tasks of a measurement by a program that takes no turn again had turns by the kernel's tick."""
    slices = one.factors.get("primitive") == "yield" and one.conditions.get(_TIME_SLICING) == "1"
    return slices and not one.checks.get("retaken", 0)


def _about_retaken(measurements: Iterable[Measurement]) -> Iterator[str]:
    """Say how many turns of yields were taken again."""
    count = sum(one.checks.get("retaken", 0) for one in measurements)
    if count:
        yield (
            f"{count:,} turn{'s' * (count != 1)} of yields {'were' if count != 1 else 'was'} taken again: the other "
            "task ran before the yield, or ran for another reason, for example because tasks of one priority take "
            "turns at a tick."
        )


def _disturbed(ours: Sequence[Measurement]) -> list[str]:
    """Say what disturbed the samples of the settings that come first, and name the others.

    False times are not worth it.
    """
    found = [
        (name_of(primitive, first, second), sentence)
        for (primitive, first, second, _, time, _), pool in by_setting(ours).items()
        if time in TRUE_TIMES or first == second
        for sentence in disturbances(values for _, values in wake_ups_us(pool))
    ]
    said = [f"{name}: {sentence}" for name, sentence in found[:_MOST_SAID]]
    others = "; ".join(dict.fromkeys(name for name, _ in found[_MOST_SAID:]))
    return said + [f"Something disturbed the values of others as well: {others}."] * bool(others)


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
    here, there = ([values for _, values in wake_ups_us(pool)] for pool in (same, cross))
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
