"""Pictures that need no script: well-formed, a mark for each point, and no string of a target is ever mark-up."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from intercore.text import printable
from intercore.view.curve import PlottedCurve, curve_figure
from intercore.view.distribution import histogram_figure
from intercore.view.dots import Dot, dots_figure
from intercore.view.figure import base_layout, plot_text
from intercore.view.marks import SHAPES, plain
from intercore.view.matrix import matrix_figure
from intercore.view.svg import DEFINITIONS, MOST_TITLES, drawn, is_cut

if TYPE_CHECKING:
    from collections.abc import Iterator

    from intercore.view.section import Figure

HOSTILE = '<script>alert(1)</script><img src=x onerror=alert(2)>"\'&]]>&lt;b&gt; style="x"'
TAGS = {"root", "ul", "li", "div", "svg", "text", "line", "rect", "use", "title"}
ATTRIBUTES = {
    *("class", "role", "aria-label", "aria-hidden", "style", "viewBox", "href"),
    *("x", "dx", "y", "x1", "x2", "y1", "y2", "width", "height"),
}
COORDINATES = ("x", "dx", "y", "x1", "x2", "y1", "y2", "width", "height")

labels = st.one_of(
    st.just(HOSTILE),
    st.text(st.characters(exclude_categories=("Cs",), exclude_characters="\ufffe\uffff"), min_size=1, max_size=12),
)
positive = st.floats(1e-9, 1e6)
any_number = st.one_of(st.just(0.0), positive, positive.map(lambda value: -value))


# Figures of each kind, from what their makers take


@st.composite
def dots(draw: st.DrawFn) -> Figure:
    values = st.lists(st.builds(Dot, labels, st.one_of(st.just(0.0), positive), labels.map(plot_text)), max_size=6)
    groups = draw(st.dictionaries(labels, values, min_size=1, max_size=4))
    groups["one more"] = [Dot("row", draw(positive), "")]
    return dots_figure("dots", plot_text(draw(labels)), "time", groups, draw(labels))


@st.composite
def curves(draw: st.DrawFn) -> Figure:
    def curve(label: str) -> PlottedCurve:
        x = draw(st.lists(positive, min_size=1, max_size=6, unique=True))
        y = [draw(positive) for _ in x]
        low, high = [one * draw(st.floats(0.1, 1)) for one in y], [one * draw(st.floats(1, 9)) for one in y]
        return PlottedCurve(label, x, y, low, high, [""] * len(x), [(x, y)], draw(st.booleans()))

    names = draw(st.lists(labels, min_size=1, max_size=3, unique=True))
    panels = {
        name: [curve(label) for label in names] for name in draw(st.lists(labels, min_size=1, max_size=4, unique=True))
    }
    return curve_figure("curves", plot_text(draw(labels)), ("x", "y"), ("B", "s"), panels, draw(labels))


@st.composite
def histograms(draw: st.DrawFn) -> Figure:
    samples = st.lists(st.floats(0, 1e6, allow_subnormal=False), min_size=1, max_size=30)
    return histogram_figure(
        "h", plot_text(draw(labels)), draw(st.dictionaries(labels, samples, min_size=1, max_size=5)), draw(labels)
    )


@st.composite
def matrices(draw: st.DrawFn) -> Figure:
    names = st.lists(labels, min_size=1, max_size=4, unique=True)
    lines, columns = draw(names), draw(names)
    pairs = [(line, column) for line in lines for column in columns]
    cells = draw(st.dictionaries(st.sampled_from(pairs), any_number, min_size=1))
    title = plot_text(draw(labels))
    return matrix_figure(
        "m", title, cells, draw(labels), lines=lines, columns=columns, text="{:.3g}".format, axes=("from", "to")
    )


@st.composite
def strips(draw: st.DrawFn) -> Figure:
    """Every repetition, as `speedup` shows it."""
    layout = base_layout("Strips", 400, {"type": "category"}, {})
    data = []
    for index, name in enumerate(draw(st.lists(labels, min_size=1, max_size=3, unique=True))):
        points = draw(st.lists(st.tuples(st.sampled_from(["10", "1,000"]), any_number), min_size=1, max_size=9))
        data.append(
            {
                "type": "box",
                "name": plot_text(name),
                "x": [x for x, _ in points],
                "y": [y for _, y in points],
                "marker": {"color": f"series{index}"},
                "text": [plot_text(name)] * len(points),
            }
        )
    return {"name": "strips", "data": data, "layout": layout, "caption": draw(labels)}


@st.composite
def stacks(draw: st.DrawFn) -> Figure:
    """Bars on each other, as `contention` shows them."""
    names = draw(st.lists(labels, min_size=1, max_size=4))
    layout = base_layout(
        "Stacks",
        300,
        {"rangemode": "tozero"},
        {
            "tickvals": list(range(len(names))),
            "ticktext": [plot_text(name) for name in names],
            "range": [len(names) - 0.5, -0.5],
        },
    )
    data = [
        {
            "type": "bar",
            "orientation": "h",
            "name": f"part {part}",
            "x": [draw(st.floats(0, 2)) for _ in names],
            "y": list(range(len(names))),
            "width": 0.4,
            "marker": {"color": f"series{part}", **({"pattern": {"fgcolor": "published"}} if part else {})},
            "hovertext": [plot_text(name) for name in names],
        }
        for part in range(draw(st.integers(1, 3)))
    ]
    return {"name": "stacks", "data": data, "layout": layout, "caption": draw(labels)}


figures = st.one_of(dots(), curves(), histograms(), matrices(), strips(), stacks())


def parsed(markup: str) -> ElementTree.Element:
    return ElementTree.fromstring(f"<root>{markup}</root>")  # noqa: S314 - our own


def panels(picture: ElementTree.Element) -> list[ElementTree.Element]:
    return [one for one in picture.iter("svg") if "plot" in one.get("class", "").split()]


def legend(picture: ElementTree.Element) -> list[str]:
    return ["".join(item.itertext())[1:] for item in picture.iter("li")]


def joined(text: str) -> str:
    """Text without what lies between its words, where labels are wrapped."""
    return re.sub(r"\s", "", text)


def written(picture: ElementTree.Element) -> str:
    """What stands on the panels themselves."""
    return joined("".join(one.text or "" for one in picture.iter("text")))


# Properties


@given(figures, st.one_of(st.none(), st.integers(1, 4)))
def test_a_picture_is_well_formed_and_made_of_nothing_but_marks_and_text(figure: Figure, most: int | None) -> None:
    picture = parsed(drawn(figure, most))
    assert {one.tag for one in picture.iter()} <= TAGS
    assert {name for one in picture.iter() for name in one.attrib} <= ATTRIBUTES
    assert all(one.get("href", "").removeprefix("#mark-") in SHAPES for one in picture.iter("use"))
    assert panels(picture)


@given(figures)
def test_all_places_are_numbers(figure: Figure) -> None:
    for one in parsed(drawn(figure)).iter():
        for name in COORDINATES:
            place = one.get(name)
            if place is not None:
                assert math.isfinite(float(place.removesuffix("%"))), ElementTree.tostring(one)
        assert not re.search(r"\b(nan|inf|None)\b", one.get("style", "") + one.get("class", ""))
        for name in ("width", "height"):
            assert float(one.get(name, "0").removesuffix("%")) >= 0


@given(st.one_of(dots(), curves()))
def test_there_is_a_mark_for_each_point_that_has_a_place(figure: Figure) -> None:
    points = [
        point
        for trace in figure["data"]
        if "markers" in trace["mode"]
        for point in zip(trace["x"], trace["y"], strict=True)
    ]
    assert sum(len(list(panel.iter("use"))) for panel in panels(parsed(drawn(figure)))) == len(points)


@given(strips())
def test_there_is_a_mark_for_each_repetition(figure: Figure) -> None:
    marks = sum(len(list(panel.iter("use"))) for panel in panels(parsed(drawn(figure))))
    assert marks == sum(len(trace["y"]) for trace in figure["data"])


@given(histograms())
def test_there_is_a_bar_for_each_bin_that_holds_something(figure: Figure) -> None:
    bars = [one for one in parsed(drawn(figure)).iter("rect") if one.get("width", "").endswith("%")]
    assert len(bars) == sum(len(trace["x"]) for trace in figure["data"])
    assert all(float(one.get("height", "")) > 0 for one in bars)


@given(matrices())
def test_there_is_a_cell_for_each_pair_with_its_number(figure: Figure) -> None:
    picture = parsed(drawn(figure))
    (trace,) = figure["data"]
    known = [text for line in trace["text"] for text in line if text]
    assert len([one for one in picture.iter("rect") if one.get("class") == "cell"]) == len(known)
    assert [one.text for one in picture.iter("text") if "on-" in one.get("class", "")] == known


@given(stacks())
def test_bars_that_stand_on_each_other_end_within_the_axis(figure: Figure) -> None:
    bars = [one for one in parsed(drawn(figure)).iter("rect") if one.get("width", "").endswith("%")]
    assert len(bars) == sum(len(trace["x"]) for trace in figure["data"])
    for one in bars:
        end = float(one.get("x", "")[:-1]) + float(one.get("width", "")[:-1])
        assert end <= 100.1


@given(figures)
def test_a_legend_names_each_trace_once(figure: Figure) -> None:
    names = list(dict.fromkeys(plain(t["name"]) for t in figure["data"] if t.get("name") and t.get("showlegend", True)))
    expected = names if len(names) > 1 and figure["layout"]["showlegend"] else []
    assert legend(parsed(drawn(figure))) == expected


@given(labels)
def test_a_name_reads_as_the_target_says_it(name: str) -> None:
    dots = {name: [Dot(name, 1.0, "")], "another": [Dot("another", 1.0, "")]}
    picture = parsed(drawn(dots_figure("d", "D", "t", dots, "")))
    assert legend(picture)[0] == printable(name)
    assert joined(printable(name)) in written(picture)


# One by one


def hostile() -> Iterator[tuple[str, Figure]]:
    text = plot_text(HOSTILE)
    curve = PlottedCurve(HOSTILE, [1, 2], [1, 2], [1, 2], [1, 3], [text, text], ())
    cells = {(HOSTILE, HOSTILE): 1.0, ("b", "c"): 2.0}
    yield "dots", dots_figure("d", text, "t", {HOSTILE: [Dot(HOSTILE, 1.0, text)], "b": []}, HOSTILE)
    yield "curve", curve_figure("c", text, ("", ""), ("", ""), {HOSTILE: [curve], "b": [curve]}, HOSTILE)
    yield "histogram", histogram_figure("h", text, {HOSTILE: [1.0], "b": [2.0], "c": [3.0]}, HOSTILE)
    names = {"lines": [HOSTILE, "b"], "columns": [HOSTILE, "c"]}
    yield "matrix", matrix_figure("m", text, cells, HOSTILE, **names, text=str, axes=("a", "b"))  # type: ignore[arg-type]


@pytest.mark.parametrize(("kind", "figure"), list(hostile()), ids=lambda one: one if isinstance(one, str) else "")
def test_hostile_text_stays_text(kind: str, figure: Figure) -> None:
    picture = parsed(drawn(figure))
    assert {one.tag for one in picture.iter()} <= TAGS
    assert {name for one in picture.iter() for name in one.attrib} <= ATTRIBUTES
    (label,) = [one.get("aria-label", "") for one in picture.iter("div")]
    assert label.startswith(HOSTILE)
    assert joined(HOSTILE) in written(picture) + joined("".join(legend(picture))), kind


def test_what_is_no_number_is_left_out_and_what_is_one_stays() -> None:
    figure = dots_figure("d", "D", "t", {"a": [Dot(name, 1.0, "") for name in "abcde"]}, "")
    (trace,) = figure["data"]
    trace["x"] = [1.0, math.nan, math.inf, None, 2.0]
    picture = parsed(drawn(figure))
    assert len(list(picture.iter("use"))) == 2
    assert not re.search(r"\b(nan|inf|None)\b", ElementTree.tostring(picture, "unicode"))


@pytest.mark.parametrize("count", [MOST_TITLES, MOST_TITLES + 1])
def test_so_many_marks_say_what_they_are(count: int) -> None:
    figure = dots_figure("d", "D", "t", {"a": [Dot("row", 1.0, "") for _ in range(count)]}, "")
    assert bool(list(parsed(drawn(figure)).iter("title"))) == (count <= MOST_TITLES)


def test_of_panels_below_each_other_the_first_are_drawn() -> None:
    figure: dict[str, Any] = histogram_figure("h", "H", {name: [1.0, 2.0] for name in "abcde"}, "")
    assert is_cut(figure, 3)
    assert not is_cut(figure, 5)
    cut, whole = parsed(drawn(figure, 3)), parsed(drawn(figure))
    assert [[one.text for one in panel.iter("text") if one.get("class") == "panel"] for panel in panels(cut)] == [
        ["a"],
        ["b"],
        ["c"],
    ]
    assert len(panels(whole)) == 5
    with_axis = [any("middle" in one.get("class", "") for one in panel.iter("text")) for panel in panels(cut)]
    assert with_axis == [False, False, True]


def test_all_marks_that_pictures_use_are_defined_once() -> None:
    assert [one.get("id") for one in parsed(DEFINITIONS).findall("path")] == [f"mark-{name}" for name in SHAPES]


def test_bars_of_other_patterns_are_hatched_in_other_ways() -> None:
    layout = base_layout("Stacks", 300, {}, {"range": [-0.5, 0.5]})
    data = [
        {
            "type": "bar",
            "orientation": "h",
            "name": f"part {shape}",
            "x": [1],
            "y": [0],
            "width": 0.4,
            "marker": {"pattern": {"shape": shape, "fgcolor": "published"}},
        }
        for shape in (".", "/", "x")
    ]
    figure = {"name": "stacks", "data": data, "layout": layout, "caption": ""}
    hatched = [one.get("fill") for one in parsed(drawn(figure)).iter("rect")]
    assert hatched == [None, "url(#hatch-rising)", "url(#hatch-crossed)"] * 2, "in the legend and in the plot"
    assert {one.get("id") for one in parsed(DEFINITIONS).iter("pattern")} == {"hatch-rising", "hatch-crossed"}


def test_columns_that_share_a_word_have_it_once_below_and_none_stands_upright() -> None:
    def words(*columns: str) -> list[tuple[str, str]]:
        cells = {("l", column): 1.0 for column in columns}
        figure = matrix_figure("m", "M", cells, "", lines=["l"], columns=columns, text=str, axes=("core 0", "core 1"))
        (panel,) = panels(parsed(drawn(figure)))
        return [(str(one.text), str(one.get("class"))) for one in panel.iter("text") if one.text in "".join(columns)]

    assert words("far\nread", "far\nwrite", "near\nread", "near\nwrite") == [
        (word, "middle") for word in ("read", "write", "read", "write", "far", "near")
    ]
    long = [f"a memory of a long name {number}\nread" for number in range(9)]
    assert not any(kind == "middle" for _, kind in words(*long)), "where there is no room they stand as before"
