"""How many samples know a median or a mean as well as asked: as many as closed forms say, and as samples then do."""

from __future__ import annotations

import math

import numpy as np
import pytest

from intercore.statistics.intervals import order_interval
from intercore.statistics.sample_size import FEWEST, median_within, samples_for_mean, samples_for_median

Z = 1.959964
PILOT = 65536
"""Samples that seed 003 took to find out that 1024 are enough."""


def normal(scatter: float, count: int = PILOT) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    return 100 * (1 + scatter * np.random.default_rng(3).normal(size=count))


@pytest.mark.parametrize("within", [0.01, 0.02])
def test_of_normal_values_as_many_as_the_closed_forms_say(within: float) -> None:
    mean = (Z * 0.2 / within) ** 2
    assert samples_for_mean(normal(0.2), within) == pytest.approx(mean, rel=0.02)
    # A median of normal values scatters by √(π/2) times as much as a mean.
    assert samples_for_median(normal(0.2), within) == pytest.approx(mean * math.pi / 2, rel=0.06)


def test_a_skewed_law_is_judged_by_the_side_that_knows_less() -> None:
    pilot = np.random.default_rng(4).exponential(size=PILOT)
    # Of an exponential law the density at the median is 1/2, and lower above: d = 1/2 - exp(-ln 2 · 1.02) on that side.
    share = 0.5 - math.exp(-math.log(2) * 1.02)
    assert samples_for_median(pilot, 0.02) == pytest.approx((Z / (2 * share)) ** 2, rel=0.1)


def test_as_many_samples_have_intervals_as_narrow_as_asked() -> None:
    rng = np.random.default_rng(5)
    count = samples_for_median(normal(0.2), 0.02)
    assert count is not None
    intervals = [order_interval(np.sort(100 * (1 + 0.2 * rng.normal(size=count))), 0.5) for _ in range(300)]
    widths = [(one.high - one.low) / 2 / one.value for one in intervals if one.low and one.high]
    assert np.median(widths) == pytest.approx(0.02, rel=0.1)
    held = np.mean([one.low <= 100 <= one.high for one in intervals if one.low and one.high])
    assert held > 0.92


def test_what_so_many_samples_know_is_what_so_many_were_asked_for() -> None:
    pilot = normal(0.1)
    count = samples_for_median(pilot, 0.01)
    assert count is not None
    assert median_within(pilot, count) == pytest.approx(0.01, rel=0.03)


def test_equal_samples_take_as_many_as_have_an_interval_at_all() -> None:
    assert samples_for_median(np.full(2000, 7.0), 0.01) == samples_for_mean(np.full(2000, 7.0), 0.01) == FEWEST
    assert median_within(np.full(2000, 7.0), FEWEST) == 0
    assert order_interval(np.full(FEWEST, 7.0), 0.5).low == 7.0
    assert order_interval(np.full(FEWEST - 1, 7.0), 0.5).low is None


def test_between_two_levels_no_number_is_enough() -> None:
    assert samples_for_median([10.0] * 1000 + [20.0] * 1000, 0.01) is None
    assert samples_for_mean([-1.0, 1.0], 0.01) is None
