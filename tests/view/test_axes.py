"""Axes that are drawn without a script: values keep their order and their place, and labels say where they are."""

from __future__ import annotations

import itertools
import math
import re
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from intercore.view.axes import Axis

PREFIXES = {"p": 1e-12, "n": 1e-9, "µ": 1e-6, "m": 1e-3, "": 1.0, "k": 1e3, "M": 1e6, "G": 1e9}
LINEAR, LOG = Axis(), Axis(log=True)

numbers = st.floats(-1e9, 1e9, allow_subnormal=False).map(lambda value: 0.0 if abs(value) < 1e-9 else value)
positive = st.floats(1e-9, 1e9)
kinds = st.sampled_from([LINEAR, LOG])
zeros = st.booleans()


def read(label: str, axis: Axis) -> float:
    """The value that a person reads at a tick."""
    if axis.form == "percent":
        return float(label.removesuffix("%")) / 100
    found = re.fullmatch(r"(-?[\d.e+-]+) ?([pnµmkMG]?)(.*)", label)
    assert found, label
    assert found[3] in {"", axis.unit}
    return float(found[1]) * PREFIXES[found[2]]


def spread(values: list[float]) -> float:
    return max(values) - min(values)


@given(kinds, zeros, st.lists(positive, min_size=1, max_size=20))
def test_every_value_has_its_place_within_the_axis(kind: Axis, from_zero: bool, values: list[float]) -> None:
    axis = kind.around(values, from_zero=from_zero)
    places = [axis.at(value) for value in values]
    assert all(place is not None and 0 <= place <= 1 for place in places)
    assert places == [axis.within(value) for value in values]


@given(kinds, zeros, st.booleans(), st.lists(positive, min_size=2, max_size=20))
def test_places_keep_the_order_of_values(kind: Axis, from_zero: bool, down: bool, values: list[float]) -> None:
    axis = kind.around(values, from_zero=from_zero)
    if down:
        axis = replace(axis, low=axis.high, high=axis.low)
    places = [axis.at(value) or 0.0 for value in sorted(values)]
    assert places == sorted(places, reverse=down)
    if spread(values) > 1e-6 * max(values) and not from_zero:
        assert abs(places[-1] - places[0]) > 0.1


@given(st.lists(numbers, min_size=1, max_size=20))
def test_a_linear_axis_has_a_place_for_what_is_below_0(values: list[float]) -> None:
    axis = LINEAR.around(values)
    assert all(0 <= (axis.at(value) or 0.0) <= 1 for value in values)
    assert axis.at(min(values)) is not None


@given(st.lists(positive, min_size=1, max_size=9), st.floats(-1e9, 0))
def test_a_logarithmic_axis_has_no_place_for_0_and_below(values: list[float], low: float) -> None:
    axis = LOG.around([*values, low])
    assert axis.at(low) is None
    assert axis.within(low) is None
    assert all(axis.at(value) is not None for value in values)
    assert axis == LOG.around(values)


@given(kinds, st.lists(positive, min_size=1, max_size=9), st.sampled_from([math.nan, math.inf, -math.inf, None]))
def test_what_is_no_number_has_no_place_and_takes_that_of_none(
    kind: Axis, values: list[float], none: float | None
) -> None:
    axis = kind.around([*values, none])
    assert axis.at(none) is None
    assert axis == kind.around(values)


@given(numbers, st.floats(1e-6, 1e6), st.floats(-1, 2))
def test_ends_are_where_the_axis_goes_and_what_is_beyond_lies_there(low: float, length: float, part: float) -> None:
    assume(length > 1e-9 * abs(low))
    value = low + part * length
    assert Axis(low=low, high=low + length).at(value) == pytest.approx(part, abs=1e-3)
    assert Axis(low=low + length, high=low).at(value) == pytest.approx(1 - part, abs=1e-3)
    assert Axis(low=low, high=low + length).within(value) == pytest.approx(min(max(part, 0), 1), abs=1e-3)


def test_an_axis_of_0_begins_there() -> None:
    assert LINEAR.around([3.0, 10.0], from_zero=True).at(0) == 0
    assert LINEAR.around([]).at(0.5) == 0.5


@given(st.lists(st.text(max_size=8), min_size=1, max_size=9), st.booleans())
def test_names_stand_in_their_order_each_in_the_middle_of_its_part(names: list[str], down: bool) -> None:
    ticks = Axis().of_names(names, down=down).ticks()
    expected = [(2 * index + 1) / (2 * len(names)) for index in range(len(names))]
    assert [tick.label for tick in ticks] == names
    assert [tick.at for tick in ticks] == pytest.approx([1 - place for place in expected] if down else expected)


FORMS = st.sampled_from([{}, {"form": "si"}, {"unit": "s"}, {"form": "si", "unit": "B/s"}])


def formed(axis: Axis, form: dict[str, Any]) -> Axis:
    return replace(axis, **form)


@given(kinds, zeros, FORMS, st.lists(positive, min_size=2, max_size=9))
@example(LINEAR, False, {}, [1.0000000000000003e-09, 1e-09])
@example(LOG, False, {}, [1.0000000000000003e-09, 1e-09])
def test_ticks_are_within_the_axis_and_say_where_they_are(
    kind: Axis, from_zero: bool, form: dict[str, Any], values: list[float]
) -> None:
    axis = formed(kind, form).around(values, from_zero=from_zero)
    ticks = axis.ticks()
    assert all(0 <= round(tick.at, 8) <= 1 for tick in ticks)
    labels = [tick.label for tick in ticks if tick.label]
    assert len(labels) >= 2
    assert any(tick.main for tick in ticks)
    assert len(set(labels)) == len(labels)
    for tick in ticks:
        if tick.label:
            assert axis.at(read(tick.label, axis)) == pytest.approx(tick.at, abs=0.01) or read(tick.label, axis) == 0


@given(st.floats(1e-6, 1e3), st.integers(2, 12), st.floats(1e-6, 1e-3), FORMS)
def test_labels_of_values_close_to_each_other_are_distinct(
    low: float, steps: int, part: float, form: dict[str, Any]
) -> None:
    axis = formed(Axis(low=low, high=low * (1 + part), steps=steps), form)
    labels = [tick.label for tick in axis.ticks()]
    assert len(set(labels)) == len(labels)
    for tick in axis.ticks():
        assert axis.at(read(tick.label, axis)) == pytest.approx(tick.at, abs=0.05)


@given(st.floats(0, 1), st.floats(0.001, 1))
def test_percentages_are_distinct(low: float, length: float) -> None:
    axis = Axis(low=low, high=low + length, form="percent")
    labels = [tick.label for tick in axis.ticks()]
    assert len(set(labels)) == len(labels)
    assert [axis.at(read(label, axis)) for label in labels] == pytest.approx([tick.at for tick in axis.ticks()])


def test_names_beyond_the_ends_are_left_out() -> None:
    axis = Axis(low=-0.5, high=1.5, names=((0, "a"), (1, "b"), (2, "beyond")))
    assert [(tick.at, tick.label) for tick in axis.ticks()] == [(0.25, "a"), (0.75, "b")]


@pytest.mark.parametrize(
    ("axis", "value", "text"),
    [
        (Axis(unit="s"), 2.5e-8, "25 ns"),
        (Axis(unit="s"), 1e-6, "1 µs"),
        (Axis(unit="s"), 0.5, "500 ms"),
        (Axis(unit="s"), 0, "0"),
        (Axis(form="si"), 20_000, "20k"),
        (Axis(form="percent"), 0.25, "25%"),
        (Axis(), 1234.5, "1234.5"),
    ],
)
def test_a_value_reads(axis: Axis, value: float, text: str) -> None:
    assert axis.text(value) == text


@given(FORMS, st.lists(positive, min_size=1, max_size=9))
@example({"unit": "B"}, [16.0, 4096.0])
@example({"unit": "s"}, [13e-6, 24e-6])
@example({"unit": "s"}, [392e-9, 47.6e-6])
def test_a_logarithmic_axis_has_three_labels_at_least_also_where_there_is_little_room(
    form: dict[str, Any], values: list[float]
) -> None:
    named = [tick for tick in formed(LOG, form).around(values).ticks() if tick.label]
    assert 3 <= len([tick for tick in named if tick.main]) <= 4
    assert len(named) <= 12


@given(st.lists(positive, min_size=2, max_size=9))
def test_main_ticks_of_a_logarithmic_axis_are_powers_of_ten_if_it_has_three(values: list[float]) -> None:
    assume(spread(list(map(math.log10, values))) > 3)
    for tick in LOG.around(values).ticks():
        if tick.label and tick.main:
            assert math.log10(read(tick.label, LOG)) == pytest.approx(
                round(math.log10(read(tick.label, LOG))), abs=1e-6
            )


@given(kinds, zeros, st.lists(positive, min_size=2, max_size=9))
def test_ticks_are_in_order(kind: Axis, from_zero: bool, values: list[float]) -> None:
    places = [tick.at for tick in kind.around(values, from_zero=from_zero).ticks()]
    assert all(a < b for a, b in itertools.pairwise(places))
