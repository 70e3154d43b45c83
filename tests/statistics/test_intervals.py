"""Order statistics, bootstrap and Rayleigh's test: what they give on known, random and degenerate samples."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from intercore.statistics import intervals
from intercore.statistics.intervals import RESAMPLES, bootstrap_medians, generator, interval, rayleigh, summary

pytestmark = pytest.mark.filterwarnings("error")

finite = st.floats(-1e12, 1e12, allow_nan=False)


@given(st.lists(finite, min_size=1, max_size=50))
def test_a_summary_is_ordered_and_finite(values: list[float]) -> None:
    result = summary(values)
    assert result.n == len(values)
    assert result.min == min(values)
    assert result.max == max(values)
    assert result.min <= result.median <= result.p90 <= result.p99 <= result.max
    assert result.min - 1e-3 <= result.mean <= result.max + 1e-3
    assert math.isfinite(result.stdev)


def test_a_summary_of_known_values() -> None:
    result = summary(range(1, 102))
    assert (result.median, result.mean, result.p90, result.p99) == (51, 51, 91, 100)
    assert result.stdev == pytest.approx(29.3002, abs=1e-4)


def test_a_single_value_has_no_spread() -> None:
    assert summary([7]).stdev == 0


def test_no_value_is_refused() -> None:
    with pytest.raises(ValueError, match="without values"):
        summary([])


def test_resamples_keep_repetitions_paired() -> None:
    first = np.arange(1.0, 22.0)
    medians = bootstrap_medians(first, 2 * first, generator("paired"))
    assert medians.shape == (2, RESAMPLES)
    assert len(np.unique(medians[0])) > 3
    np.testing.assert_array_equal(medians[1], 2 * medians[0])


def test_the_same_key_gives_the_same_resamples_and_another_key_does_not() -> None:
    sample = np.arange(25.0)
    first, again, other = (bootstrap_medians(sample, sample, generator(key)) for key in ("a", "a", "b"))
    np.testing.assert_array_equal(first, again)
    assert not np.array_equal(first, other)


def test_the_interval_of_a_median_covers_the_truth_about_as_often_as_it_says() -> None:
    rng = np.random.default_rng(1)
    covered = 0
    for trial in range(200):
        sample = rng.normal(100, 10, 25)
        result = interval(float(np.median(sample)), bootstrap_medians(sample, sample, generator(str(trial)))[0])
        assert result.low is not None
        assert result.high is not None
        covered += result.low <= 100 <= result.high
    assert 180 <= covered <= 199


@pytest.mark.parametrize("value", [0.0, 5.0])
def test_equal_samples_have_an_interval_without_width(value: float) -> None:
    sample = np.full(10, value)
    result = interval(value, bootstrap_medians(sample, sample, generator("equal"))[0])
    assert (result.low, result.value, result.high) == (value, value, value)


def test_a_bound_on_infinite_replicates_is_unknown() -> None:
    replicates = np.concatenate((np.linspace(1, 2, 90), np.full(10, np.inf)))
    result = interval(1.5, replicates)
    assert result.low == pytest.approx(1.0, abs=0.05)
    assert result.high is None


def test_an_interval_holds_its_value() -> None:
    result = interval(5.0, np.linspace(1, 2, 100))
    assert result.high == 5.0


def test_rayleigh_agrees_with_the_worked_example_of_zar() -> None:
    # Zar, Biostatistical Analysis, 5th ed., examples 26.4 and 27.1.
    result = rayleigh(np.array([45, 55, 81, 96, 110, 117, 132, 154]) / 360)
    assert result.resultant == pytest.approx(0.82522, abs=1e-4)
    assert result.phase * 360 == pytest.approx(99, abs=0.5)
    assert 0.001 < result.p_value < 0.002


def test_uniform_phases_are_rarely_called_concentrated() -> None:
    rng = np.random.default_rng(2)
    p_values = np.array([rayleigh(rng.uniform(size=5)).p_value for _ in range(4000)])
    assert np.mean(p_values < 0.05) == pytest.approx(0.05, abs=0.015)
    assert np.mean(p_values < 0.01) == pytest.approx(0.01, abs=0.006)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=30))
def test_rayleigh_stays_in_range(phases: list[float]) -> None:
    result = rayleigh(np.array(phases))
    assert 0 <= result.resultant <= 1
    assert 0 <= result.p_value <= 1
    assert -0.5 <= result.phase <= 0.5


@given(st.floats(0, 1), st.integers(4, 20))
def test_identical_phases_are_concentrated_from_four_on(phase: float, count: int) -> None:
    assert rayleigh(np.full(count, phase)).p_value < 0.01
    assert rayleigh(np.full(3, phase)).p_value > 0.01


@pytest.mark.parametrize("shared", [0.0, 0.5, 1.0])
def test_medians_of_many_repetitions_spread_as_resampling_says(monkeypatch: pytest.MonkeyPatch, shared: float) -> None:
    rng = np.random.default_rng(1)
    common = rng.exponential(size=3000)
    first = common + 0.3 * rng.normal(size=3000)
    second = shared * common + rng.exponential(size=3000)
    resampled = intervals.bootstrap_medians(first, second, np.random.default_rng(2))
    monkeypatch.setattr(intervals, "LARGE", 100)
    drawn = intervals.bootstrap_medians(first, second, np.random.default_rng(3))
    assert drawn.shape == resampled.shape
    for ours, theirs in ((drawn, resampled), (drawn[:1] / drawn[1:], resampled[:1] / resampled[1:])):
        assert np.allclose(ours.mean(axis=1), theirs.mean(axis=1), rtol=0.01)
        assert np.allclose(ours.std(axis=1), theirs.std(axis=1), rtol=0.2)


@pytest.mark.parametrize("together", [True, False])
def test_medians_of_ties_go_together_only_as_far_as_the_series_do(
    monkeypatch: pytest.MonkeyPatch, *, together: bool
) -> None:
    # Nearly half of the values lie below the median, which two in five are equal to: medians of resamples go to either.
    rng = np.random.default_rng(1)
    values = np.repeat([1.0, 2.0, 3.0], [1490, 1200, 311])
    first, other = rng.permutation(values), rng.permutation(values)
    second = first if together else other
    resampled = intervals.bootstrap_medians(first, second, np.random.default_rng(2))
    monkeypatch.setattr(intervals, "LARGE", 100)
    drawn = intervals.bootstrap_medians(first, second, np.random.default_rng(3))
    assert len(np.unique(drawn)) > 1
    assert np.std(drawn[0] / drawn[1]) == pytest.approx(np.std(resampled[0] / resampled[1]), rel=0.1, abs=1e-12)
