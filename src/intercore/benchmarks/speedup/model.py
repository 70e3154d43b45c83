"""The model of fork–join work, TP = (1 + loss) T1/P + overhead, fitted to the sizes of a group."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import msgspec
import numpy as np

from intercore.statistics.intervals import CONFIDENCE, RESAMPLES, Interval, generator, interval
from intercore.statistics.least_squares import least_squares

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import TypeAlias

    from numpy.typing import NDArray

    from intercore.benchmarks.speedup.points import SpeedupSetting

    Floats: TypeAlias = NDArray[np.float64]


_BOUND = 1.96  # standard deviations from the mean to the bounds of a normal 95 % interval
FARTHEST = 10.0
"""How many times below the smallest T1 measured, or above the largest, the model is trusted: a loss that shows in small
work need not be that of large work."""


class Model(msgspec.Struct, frozen=True, eq=False):
    """The fitted model, with draws from the distribution of its parameters."""

    parameters: Floats
    """Overhead in µs and loss, the latter 0 where it is not estimated; shape (2,)."""
    draws: Floats | None
    """Parameters of RESAMPLES equally likely models, shape (2, RESAMPLES); None if the spread is unknown."""
    with_loss: bool
    r_squared: float | None
    reduced_chi_squared: float | None
    largest_residual: float

    def estimate(self, which: int) -> Interval:
        """Return the overhead (0) or the loss (1) with its interval."""
        value = float(self.parameters[which])
        return Interval(value) if self.draws is None else interval(value, self.draws[which])

    @property
    def loss(self) -> float:
        """The loss per core, as a fraction; 0 where it is not estimated."""
        return float(self.parameters[1])

    @property
    def has_overhead(self) -> bool:
        """Whether the overhead is significantly above 0."""
        overhead = self.estimate(0)
        return overhead.value > 0 and (overhead.low is None or overhead.low > 0)

    def t1_us_at(self, efficiency: float, cores: int) -> Interval:
        """Return the T1, in µs, at which so many cores reach an efficiency; an upper bound of None: perhaps never.

        From TP = (1 + loss) T1/P + overhead and E = T1 / (P TP) follows T1 = E P overhead / (1 - E (1 + loss)). The
        efficiency must be one that the model reaches, E (1 + loss) < 1.
        """
        value = float(_t1_us_at(efficiency, cores, self.parameters))
        return Interval(value) if self.draws is None else interval(value, _t1_us_at(efficiency, cores, self.draws))


def _t1_us_at(efficiency: float, cores: int, parameters: Floats) -> Floats:
    """Return T1 in µs for overheads and losses, shape (2, …); infinite where the efficiency is never reached."""
    overhead, loss = parameters
    gain: Floats = 1 - efficiency * (1 + loss)
    t1_us: Floats = np.divide(efficiency * cores * overhead, gain, out=np.full_like(overhead, np.inf), where=gain > 0)
    return t1_us


def fitted(group: str, settings: Sequence[SpeedupSetting], tick_us: float) -> Model:
    """Fit TP - T1/P = overhead + loss T1/P; `tick_us` is the width of TP's quantisation, 0 if there is none."""
    sizes = len(settings)
    cores = settings[0].point.cores
    t1, tp = np.stack([setting.medians[:, 0] for setting in settings], axis=1)
    resolution = np.array(
        [math.hypot(t1_us / cores, max(tp_us, tick_us)) for t1_us, tp_us in (s.resolution_us for s in settings)]
    )
    scatter = np.array([_variance(setting.excess[1:]) if setting.has_draws else 0.0 for setting in settings])
    weights = 1 / (resolution**2 / 12 + scatter)

    with_loss = sizes >= 3 and bool(np.ptp(t1) > 0)
    design = np.column_stack((np.ones(sizes), t1 / cores))[:, : 1 + with_loss]
    fit = least_squares(tp - t1 / cores, design, weights)
    parameters = np.zeros(2)
    parameters[: 1 + with_loss] = fit.parameters
    freedom = sizes - (1 + with_loss)
    chi_squared = fit.squares / freedom if freedom else None
    birge = math.sqrt(max(1.0, chi_squared or 0.0))

    rng = generator(group)
    draws = None
    if all(setting.has_draws for setting in settings):
        # Smoothed by the resolution: samples that are all equal are not known without error.
        excess = np.stack([setting.excess[1:] for setting in settings], axis=1)
        excess += resolution * rng.uniform(-0.5, 0.5, excess.shape)
        share = np.stack([setting.medians[0, 1:] / cores for setting in settings], axis=1)
        refits = _refit(share, excess, weights, with_loss=with_loss)
        draws = parameters[:, None] + birge * (refits - parameters[:, None])
    elif freedom:
        draws = np.zeros((2, RESAMPLES))
        draws[: 1 + with_loss] = _normal(rng, fit.parameters, birge**2 * fit.covariance)

    total = float(np.sum(weights * (tp - np.average(tp, weights=weights)) ** 2))
    return Model(
        parameters=parameters,
        draws=draws,
        with_loss=with_loss,
        r_squared=1 - fit.squares / total if total > 0 else None,
        reduced_chi_squared=chi_squared,
        largest_residual=float(np.max(np.abs(fit.residuals) / tp)),
    )


def _normal(rng: np.random.Generator, means: Floats, covariance: Floats) -> Floats:
    """Return normally distributed draws around some means, shape (means, RESAMPLES)."""
    try:
        drawn = rng.multivariate_normal(means, covariance, RESAMPLES, method="cholesky")
    except np.linalg.LinAlgError:  # sizes so far apart that rounding leaves it no width in one direction
        drawn = rng.multivariate_normal(means, covariance, RESAMPLES, check_valid="ignore", method="eigh")
    found: Floats = drawn.T
    return found


def _variance(draws: Floats) -> float:
    """Return the variance of a normal distribution whose 95 % interval is that of the draws.

    Theirs would be that of a few far ones: of few repetitions, medians follow a distribution with long tails.
    """
    low, high = np.quantile(draws, ((1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2))
    return float((high - low) / (2 * _BOUND)) ** 2


def _refit(share: Floats, excess: Floats, weights: Floats, *, with_loss: bool) -> Floats:
    """Fit the model to each row of (resamples, sizes); return overheads and losses, shape (2, resamples).

    The normal equations of a weighted line, for all resamples at once.
    """
    mean_share = np.average(share, axis=1, weights=weights)
    mean_excess = np.average(excess, axis=1, weights=weights)
    loss = np.zeros(len(share))
    if with_loss:
        deviation = share - mean_share[:, None]
        spread = deviation**2 @ weights
        np.divide((deviation * excess) @ weights, spread, out=loss, where=spread > 0)
    return np.stack((mean_excess - loss * mean_share, loss))
