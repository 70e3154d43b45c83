"""Quantiles and tail probabilities: those of scipy.stats."""

from __future__ import annotations

import math

import numpy as np
import pytest
import scipy
from hypothesis import given
from hypothesis import strategies as st

from intercore.statistics import probability
from intercore.statistics.intervals import RESAMPLES, bootstrap_medians

CHANCES = st.floats(1e-6, 1 - 1e-6)
FREEDOM = st.integers(1, 500)
TRIALS = st.integers(1, 100_000)
VALUES = st.floats(0, 100, allow_subnormal=False)
SHAPES = st.floats(-0.9, 0.9).filter(lambda shape: abs(shape) > 1e-4)
NEARLY = pytest.approx


@given(st.floats(0.75, 0.9999), CHANCES, st.floats(1, 10_000))
def test_students_t(asked: float, chance: float, freedom: float) -> None:
    known = float(scipy.stats.t.ppf(asked, freedom))
    assert probability.student_quantile(asked, freedom) == NEARLY(known, rel=1e-9)
    value = float(scipy.stats.t.isf(chance, freedom))
    assert probability.student_above(value, freedom) == NEARLY(float(scipy.stats.t.sf(value, freedom)), rel=1e-9)


@pytest.mark.parametrize(("asked", "freedom"), [(0.7, 5), (0.99999, 5), (math.nan, 5), (0.9, 0.5), (0.9, math.nan)])
def test_a_quantile_that_would_not_be_exact_is_refused(asked: float, freedom: float) -> None:
    with pytest.raises(ValueError, match=r"0\.75 to 0\.9999|freedom"):
        probability.student_quantile(asked, freedom)


@given(CHANCES, VALUES, FREEDOM, FREEDOM)
def test_the_normal_the_chi_square_and_fishers_f(chance: float, value: float, freedom: int, residual: int) -> None:
    assert probability.normal_quantile(chance) == NEARLY(float(scipy.stats.norm.ppf(chance)), rel=1e-12)
    assert probability.chi_square_above(value, freedom) == NEARLY(float(scipy.stats.chi2.sf(value, freedom)), rel=1e-9)
    assert probability.f_above(value, freedom, residual) == NEARLY(
        float(scipy.stats.f.sf(value, freedom, residual)), rel=1e-9
    )


@given(CHANCES, TRIALS, CHANCES)
def test_the_binomial_quantile(asked: float, trials: int, chance: float) -> None:
    """It is the least count that reaches the probability; one where that is a matter of rounding is as good."""
    found = probability.binomial_quantile(asked, trials, chance)
    known = int(scipy.stats.binom.ppf(asked, trials, chance))
    assert found == known or float(scipy.stats.binom.cdf(min(found, known), trials, chance)) == NEARLY(asked, rel=1e-12)


@given(TRIALS, CHANCES, st.floats(0, 1))
def test_the_binomials_tail(trials: int, chance: float, share: float) -> None:
    successes = int(share * (trials - 1))
    known = float(scipy.stats.binom.sf(successes, trials, chance))
    assert probability.binomial_above(successes, trials, chance) == NEARLY(known, rel=1e-8, abs=1e-300)


@given(st.lists(VALUES, min_size=1, max_size=20), SHAPES, st.floats(0.01, 100))
def test_excesses(values: list[float], shape: float, scale: float) -> None:
    """Small shapes are those where cancelling would show; SciPy itself is wrong below 1e-13."""
    for one in (shape, shape * 1e-9):
        known = scipy.stats.genpareto(one, scale=scale)
        above = probability.pareto_log_above(values, one, scale)
        assert above == NEARLY(known.logsf(values), rel=1e-7, abs=1e-12)
        assert probability.pareto_log_below(values, one, scale) == NEARLY(known.logcdf(values), rel=1e-7, abs=1e-12)
    chances = np.exp(-np.asarray(values))
    known = scipy.stats.genpareto.isf(chances, shape, scale=scale)
    assert probability.pareto_exceeded(chances, shape, scale) == NEARLY(known, rel=1e-9)


def test_an_excess_that_is_impossible_is_not_exceeded() -> None:
    """With a shape of -0.5 and a scale of 1 nothing lies beyond 2."""
    assert probability.pareto_log_above([1.0, 2.0, 3.0], -0.5, 1.0).tolist() == [
        2 * math.log(0.5),
        -math.inf,
        -math.inf,
    ]
    assert probability.pareto_log_below([2.0, 3.0], -0.5, 1.0).tolist() == [0.0, 0.0]


def test_excesses_are_drawn_as_scipy_draws_them() -> None:
    known = scipy.stats.genpareto.rvs(0.2, scale=3.0, size=(2, 50), random_state=np.random.default_rng(1))
    assert probability.pareto_drawn(0.2, 3.0, (2, 50), np.random.default_rng(1)) == NEARLY(known, rel=1e-12)


SAMPLES = st.lists(st.integers(0, 30).map(float), min_size=2, max_size=60).map(np.array)


@given(SAMPLES, SAMPLES)
def test_the_rank_sum_is_that_of_mann_and_whitney(first: probability.Floats, second: probability.Floats) -> None:
    share, chance = probability.rank_sum(first, second)
    known = scipy.stats.mannwhitneyu(second, first, method="asymptotic")
    assert share == NEARLY(known.statistic / (len(first) * len(second)))
    assert chance == NEARLY(1.0 if math.isnan(known.pvalue) else known.pvalue, rel=1e-9)


@pytest.mark.parametrize("pairs", [2, 3, 30, 1000])
def test_medians_are_resampled_as_scipy_resamples_them(pairs: int) -> None:
    rng = np.random.default_rng(pairs)
    first, second = rng.exponential(size=(2, pairs))
    known = scipy.stats.bootstrap(
        (first, second),
        lambda a, b, axis: np.stack((np.median(a, axis=axis), np.median(b, axis=axis))),
        paired=True,
        vectorized=True,
        n_resamples=RESAMPLES,
        method="percentile",
        rng=np.random.default_rng(7),
    )
    found = bootstrap_medians(first, second, np.random.default_rng(7))
    assert np.array_equal(found, known.bootstrap_distribution)
