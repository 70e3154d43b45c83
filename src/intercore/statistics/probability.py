"""Quantiles and tail probabilities of the distributions that intervals and tests rest on.

They are by the functions of scipy.special that scipy.stats itself calls, which the tests compare with: to load the
whole of scipy.stats takes a second, at each start of a command that analyses.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from types import ModuleType

    from numpy.typing import ArrayLike, NDArray

    Floats: TypeAlias = NDArray[np.float64]


def _special() -> ModuleType:
    from scipy import special  # noqa: PLC0415 - 0.2 s that commands without an analysis should not take

    return special


def student_quantile(probability: float, freedom: float) -> float:
    """Return what Student's t, of some degrees of freedom above 0, stays below with a probability."""
    return float(_special().stdtrit(freedom, probability))


def student_above(value: float, freedom: float) -> float:
    """Return the probability that Student's t lies above a value."""
    return float(_special().stdtr(freedom, -value))


def normal_quantile(probability: float) -> float:
    """Return what the standard normal distribution stays below with a probability."""
    return float(_special().ndtri(probability))


def chi_square_above(value: float, freedom: float) -> float:
    """Return the probability that a chi-square, of some degrees of freedom above 0, lies above a value."""
    return float(_special().chdtrc(freedom, value))


def f_above(value: float, freedom: float, residual_freedom: float) -> float:
    """Return the probability that Fisher's F lies above a value."""
    return float(_special().fdtrc(freedom, residual_freedom, value))


def binomial_above(successes: int, trials: int, chance: float) -> float:
    """Return the probability of more than so many successes in so many trials."""
    return float(_special().bdtrc(successes, trials, chance))


def binomial_quantile(probability: float, trials: int, chance: float) -> int:
    """Return the least number of successes that is not exceeded with at least a probability."""
    special = _special()
    near = int(np.ceil(special.bdtrik(probability, trials, chance)))  # a solution by search, which may be one too far
    below = max(near - 1, 0)
    return below if special.bdtr(below, trials, chance) >= probability else near


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
    special = _special()
    x, minus = np.asarray(excesses) / scale, -np.asarray(shape, np.float64)
    with np.errstate(divide="ignore", invalid="ignore"):
        below = np.log(-special.inv_boxcox1p(-x, minus))
        above = np.log1p(-special.inv_boxcox(-x, minus))
    found: Floats = np.where(x < -special.boxcox1p(-0.5, minus), below, above)
    return np.where(minus * x >= 1, 0.0, found)


def pareto_exceeded(chances: ArrayLike, shape: ArrayLike, scale: ArrayLike) -> Floats:
    """Return the excesses that are exceeded with chances above 0."""
    found: Floats = -_special().boxcox(chances, -np.asarray(shape, np.float64)) * scale
    return found


def pareto_drawn(shape: float, scale: float, size: tuple[int, ...], rng: np.random.Generator) -> Floats:
    """Return random excesses, by inversion."""
    found: Floats = -_special().boxcox1p(-rng.uniform(size=size), -shape) * scale
    return found
