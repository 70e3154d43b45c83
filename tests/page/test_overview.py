"""The picture of what crossing cores costs: all of it is there, in order, and within its axis."""

from __future__ import annotations

import re
from typing import get_args
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from intercore.page.overview import USUAL_US, overview
from intercore.text import printable
from intercore.view.cost import BreakEvenRange, Cost, Group

GROUPS = get_args(Group)
PARALLEL = "parallel work"
HOSTILE = '<script>alert(1)</script>"\'&]]> onload="x"'

times = st.floats(1e-3, 1e7)
unknown_or_none = st.one_of(st.none(), st.just(0.0), times)
labels = st.text(
    st.characters(exclude_categories=("Cc", "Cs"), exclude_characters="\ufffe\uffff"), min_size=1, max_size=9
)
costs = st.builds(
    Cost,
    st.sampled_from([name for name in GROUPS if name != PARALLEL]),
    labels,
    times,
    unknown_or_none,
    unknown_or_none,
)
payings = st.builds(BreakEvenRange, labels, st.one_of(st.just(0.0), times), times, st.floats(0.01, 1), st.booleans())
clocks = st.one_of(st.none(), st.sampled_from([1_000_000, 125_000_000, 3_000_000_000]))


def drawn(rows: list[Cost | BreakEvenRange], hz: int | None = 125_000_000) -> ElementTree.Element:
    return ElementTree.fromstring(overview(rows, hz))  # noqa: S314 - our own


def written(picture: ElementTree.Element, kind: str) -> list[str]:
    """What stands there in texts of a class, in order."""
    return [one.text or "" for one in picture.iter("text") if kind in one.get("class", "").split()]


def label_of(words: str) -> str:
    return words.rpartition(": ")[0]


@pytest.mark.parametrize("hz", [None, 125_000_000])
def test_of_nothing_there_is_no_picture(hz: int | None) -> None:
    assert overview([], hz) == ""


@given(st.lists(costs | payings, min_size=1, max_size=12))
def test_groups_come_in_their_order_each_once(rows: list[Cost | BreakEvenRange]) -> None:
    groups = {one.group if isinstance(one, Cost) else PARALLEL for one in rows}
    order = [*(name for name in GROUPS if name != PARALLEL), PARALLEL]
    assert written(drawn(rows), "panel") == [name for name in order if name in groups]


@given(st.lists(costs | payings, min_size=1, max_size=12))
def test_of_a_group_the_quickest_comes_first_and_nothing_is_missing(rows: list[Cost | BreakEvenRange]) -> None:
    found = [label_of(words) for words in written(drawn(rows), "wide")]
    ordered = sorted((one for one in rows if isinstance(one, Cost)), key=lambda one: (GROUPS.index(one.group), one[2]))
    break_even_ranges = sorted((one for one in rows if isinstance(one, BreakEvenRange)), key=lambda one: one.faster_us)
    assert [one.split(": faster")[0] for one in found] == [
        printable(one.label) for one in (*ordered, *break_even_ranges)
    ]
    assert written(drawn(rows), "narrow") == written(drawn(rows), "wide")


@given(st.lists(costs | payings, min_size=1, max_size=12), clocks)
def test_everything_lies_on_the_axis(rows: list[Cost | BreakEvenRange], hz: int | None) -> None:
    picture = drawn(rows, hz)
    for one in picture.iter():
        for name in ("x", "x1", "x2", "y1", "y2"):
            place = one.get(name)
            assert place is None or 0 <= float(place.removesuffix("%")) <= 100, ElementTree.tostring(one)
        if one.tag == "use":
            assert 0 <= float(one.get("y", "-1%").removesuffix("%")) <= 100
    marks = [one for one in picture.iter("use") if "line-ns" not in one.get("href", "")]
    assert len(marks) == sum(1 + bool(one.same_us) for one in rows if isinstance(one, Cost))
    assert len(list(picture.iter("rect"))) == sum(isinstance(one, BreakEvenRange) for one in rows)
    assert not re.search(
        r"\b(nan|inf|None)\b", re.sub("<(text|title).*?</", "", overview([*rows], hz).partition(">")[2])
    )


@given(st.lists(costs | payings, min_size=1, max_size=12), clocks)
def test_the_axis_has_the_usual_ends_unless_something_lies_beyond(
    rows: list[Cost | BreakEvenRange], hz: int | None
) -> None:
    known = [time for one in rows for time in (one[2:] if isinstance(one, Cost) else one[1:3]) if time]
    ticks = [one.text for one in drawn(rows, hz).iter("text") if one.get("class") == "middle" and one.text]
    assert len(ticks) == len(set(ticks))
    if min(known) >= USUAL_US[0] and max(known) <= USUAL_US[1]:
        assert {"100 ns", "1 µs", "10 ms"} <= set(ticks)


@pytest.mark.parametrize("row", [Cost("signal", HOSTILE, 1.0, 2.0, 3.0), BreakEvenRange(HOSTILE, 1.0, 2.0, 0.9)])
def test_a_hostile_label_stays_text(row: Cost | BreakEvenRange) -> None:
    picture = drawn([row])
    assert {one.tag for one in picture.iter()} <= {"svg", "text", "line", "use", "rect", "title"}
    assert {name for one in picture.iter() for name in one.keys()} <= {  # noqa: SIM118 - not a dict
        *(
            "class",
            "role",
            "aria-label",
            "style",
            "x",
            "dx",
            "y",
            "dy",
            "x1",
            "x2",
            "y1",
            "y2",
            "width",
            "height",
            "href",
        )
    }
    assert all(label.startswith(HOSTILE) for label in written(picture, "value"))
    assert picture.get("aria-label", "").startswith(f"Cost of crossing cores: {HOSTILE}")


def test_cycles_stand_above_where_the_clock_is_known() -> None:
    (row,) = rows = [Cost("signal", "notify", 1.0)]
    assert any("cycles" in label for label in written(drawn([*rows]), "middle"))
    assert not any("cycles" in label for label in written(drawn([row], None), "middle"))


def test_what_is_known_of_the_same_core_alone_is_drawn() -> None:
    picture = drawn([Cost("lock", "spin", None, 2.0)])
    assert len(list(picture.iter("use"))) == 1
    assert written(picture, "wide") == ["spin: 2.00 µs"]
