"""Statistics of values that are sorted already: the same numbers, to the last bit, without going through them again."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from intercore.statistics.distribution import distribution
from intercore.statistics.intervals import ordered_median, ordered_quantile
from intercore.statistics.repetitions import median, percentile

FLOATS = hnp.arrays(np.float64, st.integers(1, 60), elements=st.floats(-1e9, 1e9))


@given(values=FLOATS, share=st.sampled_from([0.0, 0.1, 0.25, 0.5, 0.9, 0.99, 0.999, 1.0]) | st.floats(0, 1))
def test_quantiles_of_sorted_values_are_those_of_numpy(values: np.ndarray, share: float) -> None:
    ordered = np.sort(values)
    assert ordered_quantile(ordered, share) == float(np.quantile(values, share))
    assert ordered_median(ordered) == float(np.median(values))


@pytest.mark.parametrize("repetitions", [1, 4])
def test_a_distribution_sorts_the_values_once(repetitions: int, monkeypatch: pytest.MonkeyPatch) -> None:
    samples = list(np.random.default_rng(1).gamma(2.0, 10.0, (repetitions, 12_000)))
    expected = [median(samples), *(percentile(samples, percent) for percent in (90, 99, 99.9))]
    sorted_values, sort = 0, np.sort

    def counted(values: np.ndarray) -> np.ndarray:
        nonlocal sorted_values
        sorted_values += len(values)
        return sort(values)

    monkeypatch.setattr(np, "sort", counted)
    found = distribution(samples)
    assert sorted_values == repetitions * 12_000
    assert [found.median, found.p90, found.p99, found.p99_9] == expected
