"""Percentiles: only those that a sample can tell, with intervals that hold the truth as often as they say."""

from __future__ import annotations

import math

import msgspec
import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from intercore.statistics.distribution import Distribution, distribution
from intercore.statistics.intervals import Interval, granularity, order_interval

pytestmark = pytest.mark.filterwarnings("error")

finite = st.floats(-1e12, 1e12, allow_nan=False)


@given(st.lists(finite, min_size=1, max_size=300))
def test_a_distribution_is_ordered_and_finite_whatever_the_sample(values: list[float]) -> None:
    found = distribution([values])
    p90 = found.max if found.p90 is None else found.p90.value
    assert found.min <= found.median.value <= p90 <= found.max
    assert found.min <= found.mean <= found.max
    assert math.isfinite(found.stdev)
    for interval in (found.median, found.p90):
        if interval is not None and interval.low is not None and interval.high is not None:
            assert found.min <= interval.low <= interval.value <= interval.high <= found.max


@given(st.lists(finite, min_size=1, max_size=200), st.randoms(use_true_random=False))
def test_the_order_of_the_samples_does_not_matter(values: list[float], random: object) -> None:
    shuffled = list(values)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    assert distribution([shuffled]) == distribution([values])


@pytest.mark.parametrize("n", [1, 5, 6, 100, 12_345])
def test_equal_samples_have_no_spread(n: int) -> None:
    found = distribution([np.full(n, 0.1)])
    assert (found.min, found.median.value, found.max, found.mean, found.stdev) == (0.1, 0.1, 0.1, 0.1, 0)
    assert found.median.low == found.median.high == (0.1 if n >= 6 else None)


@pytest.mark.parametrize(
    ("n", "told"),
    [(99, []), (100, ["p90"]), (999, ["p90"]), (1000, ["p90", "p99"]), (10_000, ["p90", "p99", "p99_9"])],
)
def test_a_percentile_is_told_only_if_ten_samples_lie_beyond_it(n: int, told: list[str]) -> None:
    found = distribution([np.arange(n)])
    assert [name for name in ("p90", "p99", "p99_9") if getattr(found, name) is not None] == told


def test_median_interval_of_six_is_their_range_and_of_fewer_is_none() -> None:
    # 2 × 0.5^6 = 3.1 % miss it on either side, 2 × 0.5^5 = 6.3 % are more than 5 %.
    assert distribution([[6, 2, 3, 4, 5, 1]]).median == Interval(3.5, 1, 6)
    assert distribution([[5, 2, 3, 4, 1]]).median == Interval(3, None, None)


def test_the_ranks_are_those_of_binomial_tables() -> None:
    # n = 16, p = 0.75: P(Y <= 7) = 0.0075, P(Y <= 8) = 0.0271, P(Y <= 14) = 0.9365, P(Y <= 15) = 0.9900.
    assert order_interval(np.arange(1.0, 17.0), 0.75) == Interval(12.25, 8, 16)
    # n = 25, p = 0.5: P(Y <= 7) = 0.0216, P(Y <= 8) = 0.0539, and the same from above.
    assert order_interval(np.arange(1.0, 26.0), 0.5) == Interval(13, 8, 18)


@pytest.mark.parametrize(("probability", "n"), [(0.5, 6), (0.5, 25), (0.9, 100), (0.99, 1000)])
def test_an_interval_holds_the_true_percentile_in_95_percent_of_samples_or_more(probability: float, n: int) -> None:
    rng = np.random.default_rng(7)
    truth = -math.log(1 - probability)
    found = [order_interval(np.sort(rng.exponential(size=n)), probability) for _ in range(1000)]
    covered = sum(one.low <= truth <= one.high for one in found if one.low is not None and one.high is not None)
    assert 930 <= covered <= 995


def test_no_sample_has_no_distribution() -> None:
    for nothing in ([], [[]], [[], []]):
        with pytest.raises(ValueError, match="without values"):
            distribution(nothing)


def test_a_distribution_goes_through_json() -> None:
    found = distribution([np.arange(2000)])
    assert msgspec.json.decode(msgspec.json.encode(found), type=Distribution) == found


@example(ticks=[6, -439, -999905], hz=1e9)  # 2245.99 steps of 445: close, but on no grid
@given(st.lists(st.integers(-(10**6), 10**6), min_size=2, max_size=50, unique=True), st.sampled_from([1e9, 125e6, 3e6]))
def test_granularity_finds_ticks_through_rounding(ticks: list[int], hz: float) -> None:
    values = np.asarray(ticks) * (1e6 / hz)
    found = granularity(values)
    expected = np.diff(np.sort(ticks))
    if np.all(expected % expected.min() == 0):
        assert found == pytest.approx(expected.min() * 1e6 / hz, rel=1e-5)
    else:
        assert found is None


@pytest.mark.parametrize("values", [[], [1], [3, 3, 3], [0, 1, math.pi]])
def test_what_is_on_no_grid_has_no_granularity(values: list[float]) -> None:
    assert granularity(values) is None


def test_a_mean_has_an_interval_by_its_standard_error() -> None:
    found = distribution([[1.0, 2.0, 3.0, 4.0]])
    error = math.sqrt(5 / 3) / 2
    assert found.standard_error == pytest.approx(error)
    mean = found.mean_interval
    assert (mean.value, mean.low, mean.high) == pytest.approx((2.5, 2.5 - 1.959964 * error, 2.5 + 1.959964 * error))
    assert distribution([[7.0]]).mean_interval == Interval(7.0)
