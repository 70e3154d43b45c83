"""Numbers as people type them."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from intercore.text import decimal_number, whole_number

NO_NUMBER = (
    *(
        "",
        " ",
        "5 ",
        " 5",
        "5\n",
        "+5",
        "1_000",
        "0x10",
        "1,000",
        "--1",
        "five",
        "nan",
        "inf",
        "-inf",
        "Infinity",
        "1e",
    ),
    *("१२", "٣", "５", "5٣", "²", "Ⅳ", "\N{MINUS SIGN}5", "5\x00", "\udcff", ".", "-", "e5", "1.5.2", "1e5.5"),
)


@pytest.mark.parametrize("text", NO_NUMBER)
def test_what_only_python_takes_for_a_number_is_none(text: str) -> None:
    assert whole_number(text) is None
    assert decimal_number(text) is None


@pytest.mark.parametrize("text", ["1.5", "1e3", "5.", "9" * 5000])
def test_what_has_a_fraction_or_no_end_is_no_whole_number(text: str) -> None:
    assert whole_number(text) is None


@given(st.integers(-(10**30), 10**30))
def test_a_whole_number_is_read(number: int) -> None:
    assert whole_number(str(number)) == number
    assert decimal_number(str(number)) == float(number)


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_decimal_number_is_read(number: float) -> None:
    assert decimal_number(str(number)) == number


def test_a_number_that_is_too_large_is_infinite_and_so_out_of_any_range() -> None:
    assert decimal_number("1e400") == math.inf
