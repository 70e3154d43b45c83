"""How a number is held against a finding: its interval decides, and one that holds the bound cannot tell."""

from __future__ import annotations

import math
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from intercore.benchmarks.claims import ClaimResult, difference, in_words, outcome, quotient, within_scope
from intercore.benchmarks.published import Scope
from intercore.statistics.intervals import Interval, scaled
from intercore.view.exhibit import Outcome

numbers = st.floats(-1e6, 1e6)
positive = st.floats(1e-3, 1e6)


@st.composite
def intervals(draw: st.DrawFn, values: st.SearchStrategy[float] = numbers) -> Interval:
    low, value, high = sorted(draw(st.tuples(values, values, values)))
    return Interval(value, low, high)


@given(intervals(), numbers, numbers)
def test_what_holds_a_bound_cannot_tell(known: Interval, one: float, other: float) -> None:
    least, most = sorted((one, other))
    assert known.low is not None
    assert known.high is not None
    found = outcome(known, least=least, most=most)
    inside = [least <= end <= most for end in (known.low, known.high)]
    if found == "agrees":
        assert all(inside)
    elif found == "contradicts":
        assert not any(inside)
        assert known.high < least or known.low > most
    else:
        assert not all(inside)


@given(intervals(), numbers)
def test_the_two_sides_of_a_bound_are_opposites(known: Interval, bound: float) -> None:
    opposite = {"agrees": "contradicts", "contradicts": "agrees", "cannot tell": "cannot tell"}
    assert known.low is not None
    assert known.high is not None
    if bound not in (known.low, known.high):
        assert outcome(known, least=bound) == opposite[outcome(known, most=bound)]


@given(numbers, numbers)
def test_a_number_without_an_interval_cannot_tell(value: float, bound: float) -> None:
    assert outcome(Interval(value), least=bound) == "cannot tell"


@given(intervals(positive), intervals(positive))
def test_ratios_and_differences_hold_all_that_their_numbers_may_be(first: Interval, second: Interval) -> None:
    ratio, rest = quotient(first, second), difference(first, second)
    for one in (first.low, first.value, first.high):
        for other in (second.low, second.value, second.high):
            assert one is not None
            assert other is not None
            assert (ratio.low or 0) * (1 - 1e-12) <= one / other <= (ratio.high or math.inf) * (1 + 1e-12)
            assert rest.low is not None
            assert rest.high is not None
            assert rest.low <= one - other <= rest.high


@given(intervals(positive), positive)
def test_scaling_keeps_what_is_known(known: Interval, factor: float) -> None:
    found = scaled(known, factor)
    assert found.low is not None
    assert found.high is not None
    assert found.low <= found.value <= found.high
    assert scaled(Interval(known.value), factor) == Interval(known.value * factor)


@pytest.mark.parametrize("scope", get_args(Scope))
@pytest.mark.parametrize("outcome_", get_args(Outcome))
def test_another_chip_contradicts_no_finding_and_agrees_with_none_that_is_about_one_chip(
    scope: Scope, outcome_: Outcome
) -> None:
    said = ClaimResult(outcome_, "So many.")
    assert within_scope(scope, said, "") == said, "on the publication's chip"
    elsewhere = within_scope(scope, said, "RP2040")
    assert elsewhere.because.startswith(said.because)
    agrees = outcome_ == "agrees" and scope != "chip"
    assert elsewhere.outcome == ("agrees" if agrees else "cannot tell")
    without = within_scope(scope, said, "", "host does not run FreeRTOS.")
    assert without == (ClaimResult("cannot tell", "host does not run FreeRTOS.") if scope == "kernel" else said)


def test_bounds_that_read_as_the_value_are_left_out() -> None:
    assert in_words(Interval(1.9, 1.8999, 1.9001), "{:.2f}".format) == "1.90"
    assert in_words(Interval(1.9, 1.85, 1.95), "{:.2f}".format, " V") == "1.90 V (1.85 – 1.95)"
