"""Numbers as people read them: what cannot be told is said so, and is not printed as 0."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from intercore.statistics.intervals import Interval
from intercore.view.quantity import FORMATS, data_rate, data_rate_bounds, duration, multiple, resolved, tenths


def test_no_time_is_0() -> None:
    assert duration(0.0) == "< tick"
    assert FORMATS["duration"](0.0).startswith("<")
    assert duration(0.0004) == "0.400 ns"


@pytest.mark.parametrize(
    ("us", "tick_us", "shown"),
    [
        (0.0, 0.001, "< 1 ns"),
        (-0.0005, 0.001, "< 1 ns"),
        (0.001, 0.001, "1.00 ns"),
        (0.0, 0.008, "< 8 ns"),
        (0.0, 0.001 / 8, "< 0.125 ns"),
        (-0.02, 0.008, "-20.0 ns"),
        (3.0, 1.0, "3.00 µs"),
    ],
)
def test_a_difference_below_the_clock_says_what_the_clock_can_tell(us: float, tick_us: float, shown: str) -> None:
    assert resolved(us, tick_us) == shown


@pytest.mark.parametrize(
    ("ratio", "shown"), [(1.94, "1.94"), (0.19, "0.19"), (0.00057, "0.00057"), (0.079, "0.079"), (0.0, "0.00")]
)
def test_a_multiple_has_digits_that_say_something(ratio: float, shown: str) -> None:
    assert multiple(ratio) == shown


def test_what_is_not_0_is_not_rounded_to_it() -> None:
    assert [tenths(value) for value in (0.0, 0.004, 0.05, 12.34)] == ["0.0", "<0.1", "0.1", "12.3"]


@given(st.floats(1.0, 1e12), st.floats(0.1, 1.0), st.floats(1.0, 10.0))
def test_the_ends_of_a_rate_are_in_the_unit_of_its_value(rate: float, less: float, more: float) -> None:
    scale = {"B/s": 1.0, "kB/s": 1e3, "MB/s": 1e6, "GB/s": 1e9}[data_rate(rate).split(" ")[1]]
    low, high = data_rate_bounds(Interval(rate, rate * less, rate * more)).split(" – ")
    assert [float(low), float(high)] == pytest.approx([rate * less / scale, rate * more / scale], rel=0.006)
