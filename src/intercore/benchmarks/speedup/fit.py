"""The results of the model for a group of points."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from intercore.benchmarks.speedup.break_even import BreakEven, break_even_of
from intercore.benchmarks.speedup.isoefficiency import Isoefficiency, isoefficiency_of
from intercore.benchmarks.speedup.model import fitted
from intercore.benchmarks.speedup.quantisation import Quantisation, quantisation_of
from intercore.statistics.intervals import Interval

if TYPE_CHECKING:
    from collections.abc import Sequence

    from intercore.benchmarks.speedup.points import SpeedupSetting


class ForkJoinFit(msgspec.Struct, frozen=True):
    """TP = (1 + loss) T1/P + overhead, fitted over the sizes of a group by weighted least squares.

    The model has `loss` because not all of TP - T1/P is a fixed cost: cores that share a bus or a power budget run
    slower while all of them work, and a second core may be slower than the first. In the table of seed-000 TP exceeds
    T1/2 by 0.2 % at large sizes: without the loss those 47 ms would be taken for overhead.

    A size weighs as the inverse variance of TP - T1/P: that of the bootstrapped medians plus that of the resolution,
    which is a tick of the clock, the last printed digit, or the kernel tick where TP is quantised (uniform over that
    width: width²/12). If the points scatter more than these variances predict, the intervals are widened by the Birge
    ratio, the root of reduced chi-squared (Birge, Physical Review 40, 1932; Particle Data Group, Review of Particle
    Physics, section 5.2.2), so that what differs between settings, not only within one, counts too.

    Intervals are percentiles of the model refitted to bootstrap resamples; where a size has fewer than two
    repetitions, as in published tables, of the normal distribution with the covariance of the fit. Normal, not
    Student's t, because the variances count as known: with few sizes this matters. For the five rows of seed-000 it
    gives an overhead of 0.23 to 1.42 ms, where t with an estimated variance gives -0.15 to 1.80 ms.
    """

    group: str
    cores: int
    overhead_us: Interval
    """Cost of forking and joining that does not depend on the size of the work, µs."""
    loss: Interval | None
    """Proportional loss per core, as a fraction; None with fewer than 3 sizes, where it is taken to be 0."""
    loss_compatible_with_zero: bool | None
    """Whether the interval of `loss` holds 0; None if it has not been estimated."""
    r_squared: float | None
    """Share of the weighted variance of TP that the model explains; None for a single size."""
    reduced_chi_squared: float | None
    """Weighted squared residuals per degree of freedom: about 1 if the model holds; None for a single size."""
    largest_residual: float
    """The largest |TP - model| / TP, as a fraction."""
    sizes: int
    """Points behind the fit."""
    break_even: BreakEven
    isoefficiency: Isoefficiency
    quantisation: Quantisation | None
    """None if the kernel tick is not known or fewer than 4 sizes have a TP of at least half a tick."""

    @property
    def resolution_us(self) -> float | None:
        """Upper bound of the overhead in µs if it is not significantly above 0; else None.

        An overhead is not negative. If the interval reaches to 0 or below, the fit bounds the fixed cost only by the
        bound farther from 0.
        """
        overhead = self.overhead_us
        low = overhead.value if overhead.low is None else overhead.low
        high = overhead.value if overhead.high is None else overhead.high
        return None if low > 0 else max(abs(low), abs(high))

    def speedup_at(self, t1_us: float) -> Interval:
        """Return S = T1 / TP of work that takes one core so long; its bounds are those of the overhead."""
        share = (1 + (self.loss.value if self.loss else 0.0)) * t1_us / self.cores

        def at(overhead_us: float) -> float:
            return t1_us / (share + max(overhead_us, 0.0))

        cost = self.overhead_us
        low, high = (None if bound is None else at(bound) for bound in (cost.high, cost.low))
        return Interval(at(cost.value), low, high)


def fit_of(group: str, settings: Sequence[SpeedupSetting], efficiency: float) -> ForkJoinFit:
    """Fit the model to the settings of a group."""
    points = [setting.point for setting in settings]
    quantisation = quantisation_of(settings)
    model = fitted(group, settings, quantisation.tick_us if quantisation and quantisation.quantised else 0.0)
    loss = model.estimate(1) if model.with_loss else None
    return ForkJoinFit(
        group=group,
        cores=points[0].cores,
        sizes=len(points),
        overhead_us=model.estimate(0),
        loss=loss,
        loss_compatible_with_zero=None if loss is None else _holds_zero(loss),
        r_squared=model.r_squared,
        reduced_chi_squared=model.reduced_chi_squared,
        largest_residual=model.largest_residual,
        break_even=break_even_of(points, model),
        isoefficiency=isoefficiency_of(efficiency, points, model),
        quantisation=quantisation,
    )


def _holds_zero(estimate: Interval) -> bool | None:
    return None if estimate.low is None or estimate.high is None else estimate.low <= 0 <= estimate.high
