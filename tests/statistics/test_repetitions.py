"""Intervals over repetitions: they hold the truth as often as they say, whatever the samples follow."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from intercore.statistics.intervals import RESAMPLES, Interval, generator, order_interval
from intercore.statistics.repetitions import (
    difference,
    median,
    next_median,
    paired_draws,
    paired_ratio,
    percentile,
    ratio,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

pytestmark = pytest.mark.filterwarnings("error")

values = st.floats(0.01, 1e9)
repetitions = st.lists(st.lists(values, min_size=1, max_size=30), min_size=1, max_size=8)


def normal(rng: np.random.Generator, shape: tuple[int, ...]) -> Floats:
    return rng.normal(10, 1, shape)


def lognormal(rng: np.random.Generator, shape: tuple[int, ...]) -> Floats:
    return np.exp(0.7 * rng.normal(size=shape))


def share_covered(make: Callable[[np.random.Generator], tuple[Interval | None, float]], trials: int) -> float:
    """Return how often the interval holds the truth, of those that are given; `make` gives both."""
    rng = np.random.default_rng(1)
    found = [make(rng) for _ in range(trials)]
    given = [(one, truth) for one, truth in found if one is not None]
    return sum(
        one.low <= truth <= one.high for one, truth in given if one.low is not None and one.high is not None
    ) / len(given)


# Medians


@pytest.mark.parametrize("scatter", [0, 0.2, 1, 3])
@pytest.mark.parametrize("count", [5, 10])
def test_the_interval_of_a_median_holds_the_truth_in_95_percent_of_runs(scatter: float, count: int) -> None:
    def one(rng: np.random.Generator) -> tuple[Interval, float]:
        return median(normal(rng, (count, 100)) + scatter * rng.normal(size=(count, 1))), 10

    assert 0.93 <= share_covered(one, 1000) <= 0.97


def test_a_clock_of_coarse_ticks_does_not_make_it_narrower_than_the_truth_allows() -> None:
    def one(rng: np.random.Generator) -> tuple[Interval, float]:
        phase = rng.random()
        return median(np.round(normal(rng, (10, 100)) + phase), tick=1.0), 10 + phase

    assert 0.93 <= share_covered(one, 1000) <= 0.97


def test_more_samples_of_the_same_repetitions_do_not_make_a_median_better_known() -> None:
    rng = np.random.default_rng(3)
    centres = rng.normal(100, 1, (6, 1))
    few, many = (median(centres + 0.01 * rng.normal(size=(6, count))) for count in (50, 5000))
    assert few.high - few.low > 1  # type: ignore[operator]
    assert (many.high - many.low) / (few.high - few.low) == pytest.approx(1, rel=0.05)  # type: ignore[operator]


def test_a_single_repetition_has_the_interval_of_its_samples() -> None:
    ordered = np.arange(1.0, 26.0)
    assert median([ordered[::-1]]) == order_interval(ordered, 0.5) == Interval(13, 8, 18)
    assert median([ordered, []]) == median([ordered])


def test_two_repetitions_that_differ_by_1_have_the_interval_of_student() -> None:
    # t of one degree of freedom is 12.706, the standard error of the mean of 10 and 11 is 1/2.
    found = median([[10.0], [11.0]])
    assert median([[1.0], [2.0]]).low == 0, "no time is below 0"
    assert median([[1.0], [2.0, -9.0, 5.0]]).low == pytest.approx(1.5 - 6.353, abs=1e-3)
    assert (found.value, found.low, found.high) == pytest.approx((10.5, 10.5 - 6.353, 10.5 + 6.353), abs=1e-3)


@example([[0.1] * 3] * 7)
@given(repetitions)
def test_a_median_is_that_of_all_values_and_within_its_interval(samples: list[list[float]]) -> None:
    found = median(samples)
    assert found.value == pytest.approx(float(np.median(np.concatenate(samples))), rel=1e-15)
    for low, high in ((found.low, found.value), (found.value, found.high)):
        assert low is None or high is None or low <= high
    if len(samples) > 1:
        assert found.low is not None
        assert found.high is not None
        medians = {float(np.median(one)) for one in samples}
        assert (found.low == found.high) <= (len(medians) == 1)


@given(repetitions, st.floats(0.1, 10))
def test_medians_are_in_the_unit_of_the_values(samples: list[list[float]], unit: float) -> None:
    found, scaled = median(samples), median([[unit * value for value in one] for one in samples])
    for one, other in zip((found.low, found.value, found.high), (scaled.low, scaled.value, scaled.high), strict=True):
        assert (one is None) == (other is None)
        if one is not None and other is not None:
            assert math.isclose(unit * one, other, rel_tol=1e-6, abs_tol=1e-6 * unit * found.value)


# Percentiles


@pytest.mark.parametrize(("percent", "samples"), [(90, 40), (99, 400)])
def test_the_interval_of_a_percentile_holds_the_truth_in_95_percent_of_runs_or_more(percent: int, samples: int) -> None:
    truth = math.exp(0.7 * {90: 1.2815516, 99: 2.3263479}[percent])

    def one(rng: np.random.Generator) -> tuple[Interval | None, float]:
        return percentile(lognormal(rng, (6, samples)), percent), truth

    assert share_covered(one, 500) >= 0.95


def test_repetitions_that_differ_too_much_have_no_percentile() -> None:
    rng = np.random.default_rng(5)
    alike = normal(rng, (5, 1000))
    assert percentile(alike, 99) is not None
    assert percentile(alike + 3 * rng.normal(size=(5, 1)), 99) is None


@pytest.mark.parametrize(("percent", "needed"), [(90, 100), (99, 1000), (99.9, 10_000)])
def test_a_percentile_takes_ten_samples_beyond_it(percent: float, needed: int) -> None:
    assert percentile([np.arange(needed - 1)], percent) is None
    assert percentile([np.arange(needed)], percent) is not None


def test_equal_values_have_a_percentile_without_width() -> None:
    assert percentile([[7.0] * 100] * 5, 90) == Interval(7, 7, 7)


# Ratios and differences


@pytest.mark.parametrize("counts", [(5, 5), (10, 5)])
def test_the_intervals_of_a_ratio_and_a_difference_hold_the_truth_in_95_percent_of_runs(
    counts: tuple[int, int],
) -> None:
    def side(rng: np.random.Generator, centre: float, count: int) -> Floats:
        return centre * (1 + 0.02 * rng.normal(size=(count, 1)) + 0.05 * rng.normal(size=(count, 50)))

    def of_ratio(rng: np.random.Generator) -> tuple[Interval | None, float]:
        return ratio(side(rng, 30, counts[0]), side(rng, 10, counts[1])), 3

    def of_difference(rng: np.random.Generator) -> tuple[Interval, float]:
        return difference(side(rng, 30, counts[0]), side(rng, 10, counts[1])), 20

    assert 0.93 <= share_covered(of_ratio, 1000) <= 0.97
    assert 0.93 <= share_covered(of_difference, 1000) <= 0.97


def test_what_two_series_have_in_common_in_a_repetition_cancels_in_their_ratio() -> None:
    def one(rng: np.random.Generator) -> tuple[Interval, float]:
        common = 1 + 0.2 * rng.normal(size=(6, 1))
        over, under = (centre * common * (1 + 0.01 * rng.normal(size=(6, 50))) for centre in (20, 10))
        return paired_ratio(list(over), list(under), generator("ratio")), 2

    assert 0.93 <= share_covered(one, 1000) <= 0.97
    found, _ = one(np.random.default_rng(2))
    assert found.high - found.low < 0.02  # type: ignore[operator]


@pytest.mark.parametrize("kind", ["ratio", "difference", "pairs"])
def test_coarse_ticks_do_not_make_two_medians_better_known_together_than_they_are(kind: str) -> None:
    def one(rng: np.random.Generator) -> tuple[Interval | None, float]:
        over, under = 30 + rng.random(), 10 + rng.random()
        first, second = (np.round(centre + rng.normal(size=(8, 100))) for centre in (over, under))
        if kind == "difference":
            return difference(first, second, ticks=(1, 1)), over - under
        if kind == "ratio":
            return ratio(first, second, ticks=(1, 1)), over / under
        return paired_ratio(list(first), list(second), rng, ticks=(1, 1)), over / under

    assert 0.93 <= share_covered(one, 500) <= 0.98


@given(repetitions, repetitions)
def test_a_ratio_turned_round_is_the_inverse(one: list[list[float]], other: list[list[float]]) -> None:
    found, turned = ratio(one, other), ratio(other, one)
    assert found is not None
    assert turned is not None
    assert math.isclose(found.value * turned.value, 1, rel_tol=1e-9)
    for low, high in ((found.low, turned.high), (turned.low, found.high)):
        assert (low is None) == (high is None)
        if low is not None and high is not None and 1e-12 < low < 1e12:
            assert math.isclose(low * high, 1, rel_tol=1e-6)


@given(repetitions, repetitions)
def test_a_difference_turned_round_is_the_negative(one: list[list[float]], other: list[list[float]]) -> None:
    found, turned = difference(one, other), difference(other, one)
    assert found.value == -turned.value
    assert (found.low is None) == (turned.high is None)
    if found.low is not None and turned.high is not None:
        assert math.isclose(found.low, -turned.high, rel_tol=1e-6, abs_tol=1e-6 * max(map(abs, (found.low, 1.0))))


@pytest.mark.parametrize(("first", "second"), [(0.0, 1.0), (1.0, 0.0), (-1.0, 2.0)])
def test_nothing_has_no_ratio(first: float, second: float) -> None:
    assert ratio([[first] * 6], [[second] * 6]) is None


@given(st.floats(0.1, 1e6), st.floats(0.1, 1e6), st.integers(1, 7))
def test_equal_repetitions_have_an_exact_ratio(first: float, second: float, count: int) -> None:
    exact = Interval(first / second, first / second, first / second)
    over, under = ([[value] * 6] * count for value in (first, second))
    assert ratio(over, under) == exact
    assert paired_ratio(over, under, generator("exact")) == exact


# Draws


def test_draws_have_the_intervals_of_the_medians_and_what_these_have_in_common() -> None:
    rng = np.random.default_rng(4)
    common = rng.normal(0, 1, (6, 1))
    first, second = (list(centre + common + 0.1 * rng.normal(size=(6, 30))) for centre in (50.0, 100.0))
    draws = paired_draws(first, second, generator("draws"))
    assert draws is not None
    for drawn, samples in zip(draws, (first, second), strict=True):
        known = median(samples)
        assert np.quantile(drawn, 0.025) == pytest.approx(known.low, abs=0.15)
        assert np.quantile(drawn, 0.975) == pytest.approx(known.high, abs=0.15)
    assert np.ptp(np.quantile(draws[1] - draws[0], (0.025, 0.975))) < 0.2


@given(st.integers(1, 4), st.integers(1, 8))
def test_draws_are_never_negative_and_none_of_a_single_pair(count: int, samples: int) -> None:
    rng = np.random.default_rng(count)
    first, second = (list(rng.exponential(size=(count, samples))) for _ in range(2))
    draws = paired_draws(first, second, generator("draws"))
    assert (draws is None) == (count * samples == 1)
    if draws is not None:
        assert draws.shape == (2, RESAMPLES)
        assert draws.min() >= 0


@pytest.mark.filterwarnings("error")
def test_draws_of_two_repetitions_lie_on_a_line_whatever_rounding_makes_of_its_width() -> None:
    first, second = [[0.0, 1e6], [0.0, 2e6]], [[1e6, 352e6], [0.0, -2e6]]
    draws = paired_draws(first, second, np.random.default_rng(1))
    assert draws is not None
    assert np.isfinite(draws).all()
    inside = draws[:, (draws > 0).all(axis=0)]  # none is below 0
    slope = (176.5e6 + 1e6) / (0.5e6 - 1e6)
    assert np.allclose(inside[1], 176.5e6 + slope * (inside[0] - 0.5e6), rtol=1e-3, atol=1e3)


# One further repetition


@pytest.mark.parametrize(("scatter", "count"), [(0.01, 3), (0.2, 3), (0.2, 10)])
def test_the_median_of_a_further_repetition_lies_within_what_is_expected_of_it(scatter: float, count: int) -> None:
    rng = np.random.default_rng(1)

    def one() -> bool:
        centres = 20 * np.exp(scatter * rng.normal(size=(count + 1, 1)))
        every = centres * (1 + 0.05 * rng.normal(size=(count + 1, 50)))
        found = next_median(every[:count])
        assert found.low is not None
        assert found.high is not None
        return found.low <= float(np.median(every[count])) <= found.high

    assert 0.92 <= sum(one() for _ in range(600)) / 600 <= 0.98


def test_a_single_repetition_promises_of_the_next_one_no_more_than_its_samples_do() -> None:
    rng = np.random.default_rng(1)
    held = 0
    for _ in range(300):
        one, other = normal(rng, (2, 50))
        found = next_median([one])
        assert found.low is not None
        assert found.high is not None
        held += found.low <= float(np.median(other)) <= found.high
    assert 0.92 <= held / 300 <= 0.99
    assert next_median([[0.0, 0.0], [1.0, 1.0]]) == Interval(0.5)
    assert next_median([[1.0]]) == Interval(1.0)
