"""How ratios are written for people."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from intercore.statistics.intervals import Interval
from intercore.view.ratio import bounds_upright, times, upright


@given(st.floats(1e-9, 1e9))
def test_the_way_round_that_is_told_is_never_below_1_and_says_the_same(ratio: float) -> None:
    assert upright(ratio) >= 1
    assert upright(ratio) == upright(1 / ratio) or upright(ratio) == pytest.approx(upright(1 / ratio))


@pytest.mark.parametrize(
    ("ratio", "written"), [(1.0234, "1.023"), (1.416, "1.42"), (74.25, "74.2"), (588.0, "588"), (1758.0, "1,760")]
)
def test_small_changes_have_decimals_and_large_ones_none(ratio: float, written: str) -> None:
    assert times(ratio) == written


def test_the_interval_is_told_the_way_round_of_its_value() -> None:
    assert bounds_upright(Interval(0.5, 0.4, 0.8)) == "1.25 – 2.50"
    assert bounds_upright(Interval(2.0, 0.8, 4.0)) == "0.800 – 4.00"
    assert bounds_upright(Interval(2.0)) == ""
