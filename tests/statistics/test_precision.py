"""How well medians are known: which series count, and how the worst of them is told."""

from __future__ import annotations

import numpy as np
import pytest

from intercore.record.measurement import Measurement, Series
from intercore.statistics.precision import percent, precisions, worst


def measurement(repetition: int, **series: list[int]) -> Measurement:
    found = tuple(Series(name, "common", 10**9, np.array(ticks, np.int64)) for name, ticks in series.items())
    return Measurement("speedup", {}, repetition, found, {}, {}, "2026-01-01T00:00:00+00:00")


def test_repetitions_are_taken_together_and_only_series_that_count() -> None:
    repetitions = [measurement(0, t1=[7] * 3, other=[1, 9] * 9, empty=[]), measurement(1, t1=[7] * 3)]
    (found,) = precisions(repetitions, lambda benchmark, series: (benchmark, series.name) == ("speedup", "t1"))
    assert (found.series, found.samples, found.distance) == ("t1", 6, 0)


def test_a_series_without_an_interval_is_the_worst() -> None:
    found = precisions([measurement(0, few=[1] * 5, wide=[1, 10**6] * 10)], lambda _benchmark, _series: True)
    assert [one.series for one in found] == ["few", "wide"]
    assert str(worst(found)) == "few unknown from 5 samples"
    assert worst([]) is None


@pytest.mark.parametrize(
    ("fraction", "text"), [(0.018, "1.8"), (0.0000001, "0.00001"), (1, "100"), (12.345, "1200"), (0.005, "0.5")]
)
def test_a_percentage_has_no_exponent(fraction: float, text: str) -> None:
    assert percent(fraction) == text
