"""What a printed "Variance" can be: bounds that hold for all values, and how many there were."""

from __future__ import annotations

import statistics

import pytest
from hypothesis import given
from hypothesis import strategies as st

from intercore.benchmarks.printed_variance import Printed, variance_sentence

ON_ONE_CORE = Printed("on one core", 0.012, 0.012, 0.012, 0.000, 0.001)
BETWEEN_CORES = Printed("between cores", 190.334, 190.330, 190.714, 0.004, 0.001)
AT_REST = Printed("at rest", 9.996, 9.632, 10.001, 0.004, 0.001)
MOVED = Printed("moved", 8957.846, 213.006, 17700.333, 276.600, 0.001)


def printed(values: list[float], variance: float = 0.0) -> Printed:
    rounded = [round(one, 3) for one in (statistics.fmean(values), min(values), max(values))]
    return Printed("made up", *rounded, round(variance, 3), 0.001)


@given(st.lists(st.floats(0, 10, allow_nan=False), min_size=2, max_size=40))
def test_no_values_have_a_variance_above_the_bound(values: list[float]) -> None:
    assert statistics.variance(values) <= printed(values).most * (1 + 1e-9)


@given(st.lists(st.floats(0, 1000, allow_nan=False), min_size=2, max_size=40))
def test_a_true_variance_is_never_called_impossible(values: list[float]) -> None:
    assert printed(values, statistics.variance(values)).can_be_variance


def test_two_of_the_four_of_seed_002_are_no_variances() -> None:
    rows = (ON_ONE_CORE, BETWEEN_CORES, AT_REST, MOVED)
    assert [row.can_be_variance for row in rows] == [True, False, False, True]
    assert BETWEEN_CORES.most == pytest.approx(0.0019, abs=5e-5), "0.0015 without what rounding leaves open"
    assert AT_REST.most == pytest.approx(0.0022, abs=5e-5), "0.0018 without"


@given(st.integers(3, 400), st.floats(0.1, 5))
def test_one_value_apart_tells_how_many_there_are(n: int, apart: float) -> None:
    values = [10.0] * (n - 1) + [10.0 + apart]
    row = printed(values, statistics.stdev(values) / n**0.5)
    if row.one_apart is not None:
        fewest, most = row.one_apart
        assert fewest <= n <= most
    else:
        assert row.variance == 0, "nothing but 0 leaves it open"


def test_seed_002_had_about_a_hundred_values_where_one_stood_apart() -> None:
    assert BETWEEN_CORES.one_apart == (86, 109)
    assert AT_REST.one_apart == (82, 105)
    assert ON_ONE_CORE.one_apart is None
    assert MOVED.one_apart is None
    values = [190.330] * 95 + [190.714]
    again = printed(values, statistics.stdev(values) / 96**0.5)
    assert again[1:] == BETWEEN_CORES[1:], "96 of them print as the paper's"


def test_the_sentence_is_of_what_cannot_be_one_and_says_likely() -> None:
    said = variance_sentence("A paper", [BETWEEN_CORES])
    assert "between cores: at most 0.0019 ms², printed 0.004" in said
    assert "It is likely the standard error of the mean, s/√n" in said
    assert "86 to 109" in said
    assert variance_sentence("A paper", [ON_ONE_CORE, MOVED]) == ""
