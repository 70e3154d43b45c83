"""A part of a run's measurements, by the levels of its factors."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from intercore.errors import UsageError
from intercore.record.measurement import Measurement, Part, Plan, Run
from intercore.record.selection import parse_condition, selected

SIZES = (4, 64, 256, 1024)


def run() -> Run:
    measured = tuple(
        Measurement("message", {"size": size, "opt": opt}, 0, (), {}, {}, "2026-01-01T00:00:00+00:00")
        for size in SIZES
        for opt in ("O0", "O3")
    )
    plan = Plan("host", None, "message", (Part("message", {}),), seed=1)
    return Run(3, plan, "2026-01-01T00:00:00+00:00", "0", len(measured) + 5, measured)


def sizes(*conditions: str) -> set[object]:
    return {one.factors["size"] for one in selected(run(), [parse_condition(each) for each in conditions]).measurements}


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("size<=64", {4, 64}),
        ("size<64", {4}),
        ("size >= 256", {256, 1024}),
        ("size>256", {1024}),
        ("size=64", {64}),
        ("size!=64", {4, 256, 1024}),
    ],
)
def test_a_condition_keeps_the_measurements_it_holds_for(text: str, kept: set[int]) -> None:
    assert sizes(text) == kept


def test_all_conditions_hold_and_what_was_missing_of_the_run_stays_missing() -> None:
    left = selected(run(), [parse_condition("size>4"), parse_condition("opt=O3")])
    assert [one.factors for one in left.measurements] == [{"size": size, "opt": "O3"} for size in SIZES[1:]]
    assert left.total == len(left.measurements) + 5
    assert selected(run(), ()).total == 13


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("size", "is not a condition"),
        ("size==4", "is not a condition"),
        ("<=4", "is not a condition"),
        ("size<=", "is not a condition"),
        ("size<=big", "<= compares numbers, but"),
        ("size<=nan", "<= compares numbers, but"),
        ("sice<=4", "did you mean 'size'"),
        ("size>4096", "no measurement of run 3 has size>4096"),
        ("opt<=3", "no measurement of run 3 has opt<=3"),
    ],
)
def test_what_is_no_condition_or_leaves_nothing_is_an_error(text: str, says: str) -> None:
    with pytest.raises(UsageError, match=says):
        selected(run(), [parse_condition(text)])


@given(st.text())
def test_any_text_is_a_condition_or_a_usage_error(text: str) -> None:
    try:
        found = parse_condition(text)
    except UsageError:
        return
    assert found.factor
    assert found.level
