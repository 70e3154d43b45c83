"""Axes that are drawn without a script: values keep their order and their place, and labels say where they are."""

from __future__ import annotations

import itertools
import math
import re
from typing import Any

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from intercore.view.axes import Scale

PREFIXES = {"p": 1e-12, "n": 1e-9, "µ": 1e-6, "m": 1e-3, "": 1.0, "k": 1e3, "M": 1e6, "G": 1e9}
LINEAR: dict[str, Any] = {}
LOG = {"type": "log"}

numbers = st.floats(-1e9, 1e9, allow_subnormal=False).map(lambda value: 0.0 if abs(value) < 1e-9 else value)
positive = st.floats(1e-9, 1e9)
kinds = st.sampled_from([LINEAR, {"rangemode": "tozero"}, LOG])
directions = st.sampled_from([{}, {"autorange": "reversed"}])


def read(label: str, axis: dict[str, Any]) -> float:
    """The value that a person reads at a tick."""
    if axis.get("tickformat", "").endswith("%"):
        return float(label.removesuffix("%")) / 100
    found = re.fullmatch(r"(-?[\d.e+-]+) ?([pnµmkMG]?)(.*)", label)
    assert found, label
    assert found[3] in {"", axis.get("ticksuffix", "")}
    return float(found[1]) * PREFIXES[found[2]]


def spread(values: list[float]) -> float:
    return max(values) - min(values)


@given(kinds, directions, st.lists(positive, min_size=1, max_size=20))
def test_every_value_has_its_place_within_the_axis(
    kind: dict[str, Any], direction: dict[str, Any], values: list[float]
) -> None:
    scale = Scale(kind | direction, values)
    places = [scale.at(value) for value in values]
    assert all(place is not None and 0 <= place <= 1 for place in places)
    assert places == [scale.within(value) for value in values]


@given(kinds, directions, st.lists(positive, min_size=2, max_size=20))
def test_places_keep_the_order_of_values(kind: dict[str, Any], direction: dict[str, Any], values: list[float]) -> None:
    scale = Scale(kind | direction, values)
    places = [scale.at(value) or 0.0 for value in sorted(values)]
    assert places == sorted(places, reverse=bool(direction))
    if spread(values) > 1e-6 * max(values) and "rangemode" not in kind:
        assert abs(places[-1] - places[0]) > 0.1


@given(st.lists(numbers, min_size=1, max_size=20))
def test_a_linear_axis_has_a_place_for_what_is_below_0(values: list[float]) -> None:
    scale = Scale(LINEAR, values)
    assert all(0 <= (scale.at(value) or 0.0) <= 1 for value in values)
    assert scale.at(min(values)) is not None


@given(st.lists(positive, min_size=1, max_size=9), st.floats(-1e9, 0))
def test_a_logarithmic_axis_has_no_place_for_0_and_below(values: list[float], low: float) -> None:
    scale = Scale(LOG, [*values, low])
    assert scale.at(low) is None
    assert scale.within(low) is None
    assert all(scale.at(value) is not None for value in values)
    assert scale.low == Scale(LOG, values).low


@given(kinds, st.lists(positive, min_size=1, max_size=9), st.sampled_from([math.nan, math.inf, -math.inf, None]))
def test_what_is_no_number_has_no_place_and_takes_that_of_none(
    kind: dict[str, Any], values: list[float], none: float | None
) -> None:
    scale = Scale(kind, [*values, none])
    assert scale.at(none) is None
    assert [scale.at(value) for value in values] == [Scale(kind, values).at(value) for value in values]


@given(numbers, st.floats(1e-6, 1e6), st.floats(-1, 2))
def test_a_range_is_where_the_axis_goes_and_what_is_beyond_lies_at_its_end(
    low: float, length: float, part: float
) -> None:
    assume(length > 1e-9 * abs(low))
    scale = Scale({"range": [low, low + length]}, [])
    backwards = Scale({"range": [low + length, low]}, [])
    value = low + part * length
    assert scale.at(value) == pytest.approx(part, abs=1e-3)
    assert backwards.at(value) == pytest.approx(1 - part, abs=1e-3)
    assert scale.within(value) == pytest.approx(min(max(part, 0), 1), abs=1e-3)


def test_an_axis_of_0_begins_there() -> None:
    scale = Scale({"rangemode": "tozero"}, [3.0, 10.0])
    assert scale.at(0) == 0
    assert Scale({}, []).at(0.5) == 0.5


@given(st.lists(st.text(max_size=8), min_size=1, max_size=9, unique=True), directions)
def test_categories_stand_in_their_order_each_in_the_middle_of_its_part(
    names: list[str], direction: dict[str, Any]
) -> None:
    scale = Scale({"type": "category", "categoryarray": names} | direction, [*reversed(names), None])
    places = [scale.at(name) for name in names]
    expected = [(2 * index + 1) / (2 * len(names)) for index in range(len(names))]
    assert places == pytest.approx([1 - place for place in expected] if direction else expected)
    assert [tick.label for tick in scale.ticks()] == names
    assert [tick.at for tick in scale.ticks()] == places
    assert scale.at("".join(names) + "?") is None


def test_categories_are_known_by_their_values() -> None:
    scale = Scale({}, ["b", None, "a", "b"])
    assert scale.categories == ["b", "a"]


FORMS = st.sampled_from([{}, {"tickformat": "~s"}, {"ticksuffix": "s"}, {"tickformat": "~s", "ticksuffix": "B/s"}])


@given(kinds, FORMS, directions, st.lists(positive, min_size=2, max_size=9))
@example({}, {}, {}, [1.0000000000000003e-09, 1e-09])
@example({"type": "log"}, {}, {}, [1.0000000000000003e-09, 1e-09])
def test_ticks_are_within_the_axis_and_say_where_they_are(
    kind: dict[str, Any], form: dict[str, Any], direction: dict[str, Any], values: list[float]
) -> None:
    axis = kind | form | direction
    scale = Scale(axis, values)
    ticks = scale.ticks()
    assert all(0 <= round(tick.at, 8) <= 1 for tick in ticks)
    labels = [tick.label for tick in ticks if tick.label]
    assert len(labels) >= 2
    assert any(tick.main for tick in ticks)
    assert len(set(labels)) == len(labels)
    for tick in ticks:
        if tick.label:
            assert scale.at(read(tick.label, axis)) == pytest.approx(tick.at, abs=0.01) or read(tick.label, axis) == 0


@given(st.floats(1e-6, 1e3), st.integers(2, 12), st.floats(1e-6, 1e-3), FORMS)
def test_labels_of_values_close_to_each_other_are_distinct(
    low: float, nticks: int, part: float, form: dict[str, Any]
) -> None:
    axis = form | {"range": [low, low * (1 + part)], "nticks": nticks}
    scale = Scale(axis, [])
    labels = [tick.label for tick in scale.ticks()]
    assert len(set(labels)) == len(labels)
    for tick in scale.ticks():
        assert scale.at(read(tick.label, axis)) == pytest.approx(tick.at, abs=0.05)


@given(st.floats(0, 1), st.floats(0.001, 1))
def test_percentages_are_distinct(low: float, length: float) -> None:
    axis = {"tickformat": ".0%", "range": [low, low + length]}
    scale = Scale(axis, [])
    labels = [tick.label for tick in scale.ticks()]
    assert len(set(labels)) == len(labels)
    assert [scale.at(read(label, axis)) for label in labels] == pytest.approx([tick.at for tick in scale.ticks()])


def test_ticks_that_are_given_are_taken() -> None:
    scale = Scale({"range": [-0.5, 1.5], "tickvals": [0, 1, 2], "ticktext": ["a", "b", "beyond"]}, [])
    assert [(tick.at, tick.label) for tick in scale.ticks()] == [(0.25, "a"), (0.75, "b")]


@pytest.mark.parametrize(
    ("axis", "value", "text"),
    [
        ({"ticksuffix": "s"}, 2.5e-8, "25 ns"),
        ({"ticksuffix": "s"}, 1e-6, "1 µs"),
        ({"ticksuffix": "s"}, 0.5, "500 ms"),
        ({"ticksuffix": "s"}, 0, "0"),
        ({"tickformat": "~s"}, 20_000, "20k"),
        ({"tickformat": ".0%"}, 0.25, "25%"),
        ({}, 1234.5, "1234.5"),
    ],
)
def test_a_value_reads(axis: dict[str, Any], value: float, text: str) -> None:
    assert Scale(axis, []).text(value) == text


@given(FORMS, st.lists(positive, min_size=1, max_size=9))
@example({"ticksuffix": "B"}, [16.0, 4096.0])
@example({"ticksuffix": "s"}, [13e-6, 24e-6])
@example({"ticksuffix": "s"}, [392e-9, 47.6e-6])
def test_a_logarithmic_axis_has_three_labels_at_least_also_where_there_is_little_room(
    form: dict[str, Any], values: list[float]
) -> None:
    named = [tick for tick in Scale(LOG | form, values).ticks() if tick.label]
    assert 3 <= len([tick for tick in named if tick.main]) <= 4
    assert len(named) <= 12


@given(st.lists(positive, min_size=2, max_size=9))
def test_main_ticks_of_a_logarithmic_axis_are_powers_of_ten_if_it_has_three(values: list[float]) -> None:
    assume(spread(list(map(math.log10, values))) > 3)
    for tick in Scale(LOG, values).ticks():
        if tick.label and tick.main:
            assert math.log10(read(tick.label, LOG)) == pytest.approx(
                round(math.log10(read(tick.label, LOG))), abs=1e-6
            )


@given(kinds, st.lists(positive, min_size=2, max_size=9))
def test_ticks_are_in_order(kind: dict[str, Any], values: list[float]) -> None:
    places = [tick.at for tick in Scale(kind, values).ticks()]
    assert all(a < b for a, b in itertools.pairwise(places))
