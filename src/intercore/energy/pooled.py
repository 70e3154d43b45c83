"""Windows of one kind in all repetitions: mean energy, power and current, with intervals.

The repetition is the unit of replication (`intercore.statistics.repetitions`): with two or more, the interval is
Student's t on their means; with one, it is the mean interval of its windows, without the variation between repetitions.
The uncertainty of a reading by eye is at least half of its last digit.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import msgspec
import numpy as np

from intercore.statistics.intervals import CONFIDENCE, Interval
from intercore.statistics.probability import student_quantile

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from intercore.energy.window_energy import WindowEnergy


class Pooled(msgspec.Struct, frozen=True):
    """Mean values of windows of one kind."""

    label: str
    work: str
    cores: int
    operation: str
    windows: int
    repetitions: int
    seconds: float
    """Per window."""
    operations: float
    """Per window."""
    joules: Interval
    """Per window."""
    watts: Interval
    amps: Interval | None
    peak_amps: float | None
    """Maximum of all samples."""
    coulombs: Interval | None
    joules_each: Interval | None
    """Per operation."""
    seconds_each: float | None
    rest_watts: Interval | None
    """Power outside of windows; None if unknown."""
    less_rest_each: Interval | None
    """Energy per operation minus that of rest in the same time; None if the latter is unknown."""


def pooled(repetitions: Sequence[Sequence[WindowEnergy]], rest: Sequence[Interval], *, by_eye: bool) -> Pooled:
    """Pool windows of one label, by repetition, at least one in each; `rest` has the power at rest of each."""
    every = [one for windows in repetitions for one in windows]
    first = every[0]

    def mean(of: Callable[[WindowEnergy], Interval | None]) -> Interval | None:
        known = [[value for one in windows if (value := of(one)) is not None] for windows in repetitions]
        return (
            None
            if any(len(some) < len(windows) for some, windows in zip(known, repetitions, strict=True))
            else (_mean(known, by_eye=by_eye))
        )

    joules, watts = mean(lambda one: one.joules), mean(lambda one: one.watts)
    if joules is None or watts is None:  # every window has both
        raise ValueError("a measured window has no energy")
    peaks = [one.peak_amps for one in every if one.peak_amps is not None]
    times = [one.seconds_each for one in every if one.seconds_each is not None]
    each = mean(lambda one: one.joules_each)
    seconds_each = float(np.mean(times)) if len(times) == len(every) else None
    rest_watts = _mean([[one] for one in rest], by_eye=False) if rest else None
    return Pooled(
        label=first.label,
        work=first.work,
        cores=first.cores,
        operation=first.operation,
        windows=len(every),
        repetitions=len(repetitions),
        seconds=float(np.mean([one.seconds for one in every])),
        operations=float(np.mean([one.operations for one in every])),
        joules=joules,
        watts=watts,
        amps=mean(lambda one: one.amps),
        peak_amps=max(peaks, default=None),
        coulombs=mean(lambda one: one.coulombs),
        joules_each=each,
        seconds_each=seconds_each,
        rest_watts=rest_watts,
        less_rest_each=_less(each, rest_watts, seconds_each),
    )


def _mean(repetitions: Sequence[Sequence[Interval]], *, by_eye: bool) -> Interval:
    """Return the mean of the repetitions' means, with its interval."""
    means = np.array([np.mean([one.value for one in windows]) for windows in repetitions])
    value = float(means.mean())
    of_one = [_half(one) for windows in repetitions for one in windows]
    own = float(np.mean(of_one)) if by_eye else math.sqrt(float(np.sum(np.square(of_one)))) / len(of_one)
    if len(means) == 1:
        return Interval(value, value - own, value + own)
    error = float(np.std(means, ddof=1)) / math.sqrt(len(means))
    distance = student_quantile((1 + CONFIDENCE) / 2, len(means) - 1) * error
    distance = max(distance, own) if by_eye else distance
    return Interval(value, value - distance, value + distance)


def _half(one: Interval) -> float:
    return 0.0 if one.low is None or one.high is None else (one.high - one.low) / 2


def _less(each: Interval | None, rest: Interval | None, seconds: float | None) -> Interval | None:
    """Return an energy minus that of rest in the same time, with combined intervals."""
    if each is None or rest is None or seconds is None:
        return None
    value, away = each.value - rest.value * seconds, math.hypot(_half(each), _half(rest) * seconds)
    return Interval(value, value - away, value + away)
