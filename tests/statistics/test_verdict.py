"""Verdicts on pairs of medians: few false alarms among many, and no sameness without an interval that says so."""

from __future__ import annotations

import math

import numpy as np
import pytest
import scipy
from hypothesis import given
from hypothesis import strategies as st

from intercore.statistics.intervals import Interval
from intercore.statistics.repetitions import MOST_REPETITIONS, chance, medians, ratio, repetitions_for
from intercore.statistics.verdict import FALSE_ALARMS, judged, significant


@given(st.lists(st.one_of(st.none(), st.floats(0, 0.1), st.floats(0, 1)), max_size=60))
def test_the_procedure_is_that_of_benjamini_and_hochberg(chances: list[float | None]) -> None:
    known = [one for one in chances if one is not None]
    adjusted = iter(scipy.stats.false_discovery_control(known, method="bh") if known else [])
    for one, is_reported in zip(chances, significant(chances), strict=True):
        if one is None:
            assert not is_reported
        elif abs((limit := next(adjusted)) - FALSE_ALARMS) > 1e-12:  # where rounding does not decide
            assert is_reported == (limit < FALSE_ALARMS)


def test_a_known_difference_is_told_and_what_is_not_known_is_not_called_the_same() -> None:
    assert judged(Interval(1.2, 1.1, 1.3), differs=True, within=0.05).verdict == "more"
    assert judged(Interval(0.8, 0.7, 0.9), differs=True, within=0.05).verdict == "less"
    assert judged(Interval(1.2, 1.1, 1.3), differs=False, within=0.05).verdict == "unknown"
    assert judged(Interval(1.0), differs=False, within=0.05).verdict == "unknown"
    assert judged(None, differs=True, within=0.05).verdict == "unknown"
    same = judged(Interval(1.0, 0.98, 1.01), differs=False, within=0.05)
    assert same == ("same", pytest.approx(1 / 0.98 - 1))
    assert judged(Interval(1.0, 0.98, 1.01), differs=False, within=0.01).verdict == "unknown"


@given(
    st.lists(st.floats(1, 100), min_size=2, max_size=8),
    st.lists(st.floats(1, 100), min_size=2, max_size=8),
)
def test_a_chance_below_5_percent_and_an_interval_without_1_are_one_thing(
    over: list[float], under: list[float]
) -> None:
    sides = [[[value] for value in side] for side in (over, under)]
    found, p = ratio(*sides), chance(*map(medians, sides))
    assert found is not None
    assert p is not None
    centre = math.log(np.exp(np.mean(np.log(over))) / np.exp(np.mean(np.log(under))))
    if abs(p - 0.05) > 1e-6 and found.value == pytest.approx(math.exp(centre), rel=1e-9):  # else it is widened
        assert found.low is not None
        assert found.high is not None
        assert (p < 0.05) == (not found.low <= 1 <= found.high)


def test_equal_repetitions_differ_for_certain_or_not_at_all() -> None:
    assert chance(medians([[2.0]] * 3), medians([[2.0]] * 3)) == 1
    assert chance(medians([[2.0]] * 3), medians([[2.1]] * 3)) == 0
    assert chance(medians([[2.0]]), medians([[2.1]] * 3)) is None
    assert chance(medians([[0.0]] * 3), medians([[2.1]] * 3)) is None


def test_the_repetitions_asked_for_make_the_interval_as_narrow_as_that() -> None:
    rng = np.random.default_rng(3)
    few = [[[value] for value in rng.lognormal(0, 0.1, 6)] for _ in range(2)]
    count = repetitions_for(0.02, *map(medians, few))
    assert count is not None
    scatter = [float(np.std(np.log(np.concatenate(side)), ddof=1)) for side in few]
    halves = []
    for _ in range(60):
        many = [[[value] for value in rng.lognormal(0, sigma, count)] for sigma in scatter]
        found = ratio(*many)
        assert found is not None
        assert found.low is not None
        halves.append(found.value / found.low - 1)
    assert np.median(halves) == pytest.approx(0.02, rel=0.1)
    assert repetitions_for(1e-9, *map(medians, few)) is None, f"more than {MOST_REPETITIONS}"
    assert repetitions_for(0.02, medians([[1.0]]), medians([[1.0]] * 5)) is None
