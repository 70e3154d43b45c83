"""Whether two simulated programs differ by more than one of them does by itself, in another phase.

A simulated chip repeats to the cycle, so every difference between two runs of it is real. But it need not come from
what was changed: whatever moves code by a few bytes, or begins a measurement some cycles later, has the cores meet in
other banks and the kernel's tick fall elsewhere. So one program is measured again in other phases: with other seeds,
and with its functions a few bytes higher. How far its medians then scatter, and how far the samples of a measurement
leave its median open, is what a difference is held against. The layout of code as a random factor is from Curtsinger
& Berger, "STABILIZER: Statistically Sound Performance Evaluation" (ASPLOS 2013).
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from intercore.statistics.intervals import CONFIDENCE, Interval, normal_reach
from intercore.statistics.probability import student_above, student_quantile

if TYPE_CHECKING:
    from collections.abc import Sequence

    from intercore.statistics.repetitions import Medians

LEAST_PHASES = 3
"""Medians of a program from which its scatter is estimated, that of the run among them."""

_RANGE: tuple[float, ...] = (1.128, 1.693, 2.059, 2.326)
"""Mean range of 2, 3, 4 and 5 normal values, in standard deviations (L. H. C. Tippett, Biometrika 17 (1925) 364)."""
_MEDIAN = math.sqrt(math.pi / 2)
"""Standard error of a median of many normal values over that of their mean."""


class Phase(NamedTuple):
    """What one measurement knows of a median."""

    median: float
    """Above 0."""
    error: float
    """Standard error of its logarithm that the samples and their rounding leave."""


class Difference(NamedTuple):
    """How far a second median is from a first one."""

    ratio: Interval
    """Second over first, as measured, with the 95 % interval that phases and samples leave it."""
    chance: float
    """P value of no difference: Student's t."""


def phase(known: Medians, least: float, largest: float, samples: int, *, step: float = 0.0) -> Phase | None:
    """Return what a measurement of so many samples knows of its median; None if a sample is not above 0.

    The error is that of the median's interval, or, of fewer samples than it takes for one, by their range; and that of
    rounding to whole steps, which medians that are all equal hide.
    """
    whole = known.whole
    if min(whole.value, least) <= 0:
        return None
    rounding = step / math.sqrt(12) / whole.value
    return Phase(whole.value, math.hypot(rounding, _of_samples(whole, least, largest, samples)))


def _of_samples(whole: Interval, least: float, largest: float, samples: int) -> float:
    if least == largest:
        return 0.0
    if whole.low is not None and whole.high is not None and whole.low > 0:
        return math.log(whole.high / whole.low) / (2 * normal_reach())
    spread = math.log(largest / least) / _RANGE[min(samples, len(_RANGE) + 1) - 2]
    return _MEDIAN * spread / math.sqrt(samples)


def difference(phases: Sequence[Phase], other: Phase, *, is_second: bool) -> Difference | None:
    """Compare the median of one program with another's in several phases, the first of which is that of its run.

    `is_second` is whether the other program is the second one of the ratio. None with fewer than LEAST_PHASES.

    Without a difference the other median is one more draw from the distribution of the phases: Student's t with the
    prediction error of one draw, to which the errors of the samples are added. Those are in the scatter of the phases
    already where their seeds differ, so that there are fewer false alarms than the p value states.
    """
    if len(phases) < LEAST_PHASES:
        return None
    logarithms = np.log([one.median for one in phases])
    equal = np.ptp(logarithms) == 0
    centre = float(logarithms[0] if equal else logarithms.mean())
    between = 0.0 if equal else float(np.var(logarithms, ddof=1)) * (1 + 1 / len(phases))
    within = max(one.error for one in phases) ** 2 + other.error**2
    apart = math.log(other.median) - centre
    value = other.median / phases[0].median
    if not is_second:
        apart, value = -apart, 1 / value
    error, freedom = math.sqrt(between + within), len(phases) - 1
    if error == 0:
        return Difference(Interval(value, value, value), 0.0 if apart else 1.0)
    reach = student_quantile((1 + CONFIDENCE) / 2, freedom) * error
    low, high = (math.exp(min(max(apart + side, -_FARTHEST), _FARTHEST)) for side in (-reach, reach))
    return Difference(
        Interval(value, min(low, value), max(high, value)), 2 * student_above(abs(apart) / error, freedom)
    )


_FARTHEST = 30.0  # of a logarithm: times e to this are as good as infinite, and do not overflow
