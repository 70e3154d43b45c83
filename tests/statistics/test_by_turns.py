"""Ratios of two that were measured by turns: they are free of what both have in common."""

from __future__ import annotations

import math

import numpy as np
import pytest
import scipy

from intercore.statistics.by_turns import chance, ratio, repetitions_for


def drifting(rng: np.random.Generator, count: int, factor: float = 1.0) -> tuple[list[float], list[float]]:
    """Medians of two that the machine makes slower together, the second of them by a factor besides."""
    drift = np.exp(0.5 * rng.normal(size=count))
    under, over = (drift * np.exp(0.02 * rng.normal(size=count)) for _ in range(2))
    return [float(one) for one in factor * over], [float(one) for one in under]


def bounds(over: list[float], under: list[float]) -> tuple[float, float]:
    found = ratio(over, under)
    assert found is not None
    assert found.low is not None
    assert found.high is not None
    return found.low, found.high


def test_the_interval_holds_the_truth_in_95_percent_of_cases_however_much_both_drift() -> None:
    rng = np.random.default_rng(1)
    held, widths = 0, []
    for _ in range(600):
        low, high = bounds(*drifting(rng, 6, 1.05))
        held += low <= 1.05 <= high
        widths.append(math.log(high / low) / 2)
    assert 552 <= held <= 588
    assert np.median(widths) < 0.04  # the drift would be 15 times as much


def test_the_chance_is_that_of_a_paired_t_test_and_tells_what_the_interval_leaves_out() -> None:
    rng = np.random.default_rng(1)
    alarms = 0
    for _ in range(300):
        over, under = drifting(rng, 6)
        found, (low, high) = chance(over, under), bounds(over, under)
        assert found == pytest.approx(scipy.stats.ttest_1samp(np.log(over) - np.log(under), 0).pvalue)
        assert (found < 0.05) == (not low <= 1 <= high)
        alarms += found < 0.05
    assert 5 <= alarms <= 27


def test_turns_that_differ_alike_leave_no_doubt_and_one_turn_nothing_else() -> None:
    assert chance([2.0, 4.0, 16.0], [1.0, 2.0, 8.0]) == pytest.approx(0, abs=1e-20)
    assert bounds([2.0, 4.0, 16.0], [1.0, 2.0, 8.0]) == pytest.approx((2, 2))
    assert chance([1.0, 2.0], [1.0, 2.0]) == 1
    for one, other in (([2.0], [1.0]), ([2.0, 0.0], [1.0, 1.0]), ([], [])):
        assert ratio(one, other) is chance(one, other) is repetitions_for(0.1, one, other) is None
    with pytest.raises(ValueError, match="the same number of repetitions on both sides"):
        ratio([1.0, 2.0], [1.0])


def test_as_many_turns_as_are_asked_for_have_bounds_as_near_as_was_wanted() -> None:
    rng = np.random.default_rng(1)
    wanted = repetitions_for(0.02, *drifting(rng, 100))
    assert wanted is not None
    within = [math.log(high / low) / 2 for low, high in (bounds(*drifting(rng, wanted)) for _ in range(300))]
    assert np.median(within) == pytest.approx(math.log(1.02), rel=0.2)
    assert repetitions_for(1e-6, *drifting(rng, 100)) is None
