"""Quantiles and tail probabilities of the distributions that intervals and tests rest on.

The tests compare them with scipy.stats, which takes a second to load at each start of a command that analyses.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from intercore._native import (
    binomial_above,
    binomial_quantile,
    chi_square_above,
    f_above,
    normal_quantile,
    student_above,
    student_quantile,
)

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    Floats: TypeAlias = NDArray[np.float64]

__all__ = [
    "binomial_above",
    "binomial_quantile",
    "chi_square_above",
    "f_above",
    "normal_quantile",
    "pareto_drawn",
    "pareto_exceeded",
    "pareto_log_above",
    "pareto_log_below",
    "rank_sum",
    "student_above",
    "student_quantile",
]


def rank_sum(first: Floats, second: Floats) -> tuple[float, float]:
    """Return how often a value of the second sample exceeds one of the first, and the p value of that share.

    Ties count as half. The p value is two-sided, by the normal approximation with corrections for ties and continuity
    (Mann & Whitney 1947).
    """
    ordered, pairs, n = np.sort(first), len(first) * len(second), len(first) + len(second)
    sides = np.searchsorted(ordered, second, "left"), np.searchsorted(ordered, second, "right")
    exceeds = float(sum(int(side.sum()) for side in sides)) / 2
    _, ties = np.unique(np.concatenate([first, second]), return_counts=True)
    deviation = math.sqrt(pairs / 12 * (n + 1 - float((ties.astype(np.float64) ** 3 - ties).sum()) / (n * (n - 1))))
    distance = abs(exceeds - pairs / 2) - 0.5
    chance = min(1.0, math.erfc(distance / deviation / math.sqrt(2))) if deviation else 1.0
    return exceeds / pairs, chance


# The generalised Pareto distribution, of excesses above a threshold: P(X > x) = (1 + shape x / scale)^(-1 / shape).


def pareto_log_above(excesses: ArrayLike, shape: ArrayLike, scale: ArrayLike) -> Floats:
    """Return the logarithms of the probabilities to lie above excesses of at least 0."""
    x, shape = np.asarray(excesses) / scale, np.asarray(shape, np.float64)
    with np.errstate(divide="ignore", invalid="ignore"):
        # Beyond the largest value that is possible, where the shape is below 0, the logarithm is that of 0.
        found: Floats = np.where(shape == 0, -x, -np.log1p(np.maximum(shape * x, -1.0)) / shape)
    return found


def pareto_log_below(excesses: ArrayLike, shape: ArrayLike, scale: ArrayLike) -> Floats:
    """Return the logarithms of the probabilities to lie below excesses of at least 0, exact for small ones too."""
    above = pareto_log_above(excesses, shape, scale)
    with np.errstate(divide="ignore"):
        found: Floats = np.where(above > -math.log(2), np.log(-np.expm1(above)), np.log1p(-np.exp(above)))
    return found


def pareto_exceeded(chances: ArrayLike, shape: ArrayLike, scale: ArrayLike) -> Floats:
    """Return the excesses that are exceeded with chances above 0."""
    return _exceeded(np.log(chances), shape, scale)


def pareto_drawn(shape: float, scale: float, size: tuple[int, ...], rng: np.random.Generator) -> Floats:
    """Return random excesses, by inversion."""
    return _exceeded(np.log1p(-rng.uniform(size=size)), shape, scale)


def _exceeded(log_chances: Floats, shape: ArrayLike, scale: ArrayLike) -> Floats:
    shape, scale = np.asarray(shape, np.float64), np.asarray(scale, np.float64)
    with np.errstate(divide="ignore", invalid="ignore"):
        of_scale = np.where(shape == 0, -log_chances, np.expm1(-shape * log_chances) / shape)
    found: Floats = of_scale * scale
    return found
