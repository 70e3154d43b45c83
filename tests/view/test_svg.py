"""Pictures that need no script: well-formed, a mark for each point, and no string of a target is ever mark-up."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from intercore.text import printable
from intercore.view.axes import Axis
from intercore.view.curve import PlottedCurve, curve_figure
from intercore.view.distribution import histogram_figure
from intercore.view.dots import Dot, dots_figure
from intercore.view.figure import Bars, Cells, Figure, Line, Panel, Points, colour_of
from intercore.view.marks import OUTLINES
from intercore.view.matrix import matrix_figure
from intercore.view.svg import DEFINITIONS, drawn, is_cut, texts_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from intercore.view.figure import Hatch

HOSTILE = '<script>alert(1)</script><img src=x onerror=alert(2)>"\'&]]>&lt;b&gt; style="x"'
TAGS = {"root", "ul", "li", "div", "svg", "g", "text", "line", "rect", "use", "path"}
ATTRIBUTES = {
    *("class", "role", "aria-label", "aria-hidden", "style", "viewBox", "preserveAspectRatio", "href", "d", "fill"),
    *("x", "dx", "y", "dy", "x1", "x2", "y1", "y2", "width", "height"),
    *("data-figure", "data-x", "data-y", "data-zoom", "data-s", "data-pointed"),
}
COORDINATES = ("x", "dx", "y", "dy", "x1", "x2", "y1", "y2", "width", "height")

labels = st.one_of(
    st.just(HOSTILE),
    st.text(st.characters(exclude_categories=("Cs",), exclude_characters="\ufffe\uffff"), min_size=1, max_size=12),
)
positive = st.floats(1e-9, 1e6)
any_number = st.one_of(st.just(0.0), positive, positive.map(lambda value: -value))


# Figures of each kind, from what their makers take


@st.composite
def dots(draw: st.DrawFn) -> Figure:
    values = st.lists(st.builds(Dot, labels, st.one_of(st.just(0.0), positive), labels), max_size=6)
    groups = draw(st.dictionaries(labels, values, min_size=1, max_size=4))
    groups["one more"] = [Dot("row", draw(positive), "")]
    return dots_figure("dots", draw(labels), "time", groups, draw(labels))


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
    return curve_figure("curves", draw(labels), ("x", "y"), ("B", "s"), panels, draw(labels))


@st.composite
def histograms(draw: st.DrawFn) -> Figure:
    samples = st.lists(st.floats(0, 1e6, allow_subnormal=False), min_size=1, max_size=30)
    return histogram_figure(
        "h", draw(labels), draw(st.dictionaries(labels, samples, min_size=1, max_size=5)), draw(labels)
    )


@st.composite
def matrices(draw: st.DrawFn) -> Figure:
    names = st.lists(labels, min_size=1, max_size=4, unique=True)
    lines, columns = draw(names), draw(names)
    pairs = [(line, column) for line in lines for column in columns]
    cells = draw(st.dictionaries(st.sampled_from(pairs), any_number, min_size=1))
    title = draw(labels)
    return matrix_figure(
        "m", title, cells, draw(labels), lines=lines, columns=columns, text="{:.3g}".format, axes=("from", "to")
    )


@st.composite
def strips(draw: st.DrawFn) -> Figure:
    """Every repetition, as `speedup` shows it."""
    series = []
    for index, name in enumerate(draw(st.lists(labels, min_size=1, max_size=3, unique=True))):
        points = draw(st.lists(st.tuples(st.sampled_from([0, 1]), any_number), min_size=1, max_size=9))
        x, y = [at for at, _ in points], [value for _, value in points]
        series.append(Points(name, colour_of(index), x, y, [name] * len(points), small=True))
    y_axis = Axis().around(value for one in series for value in one.values("y"))
    return Figure("s", "Strips", draw(labels), [Panel(Axis().of_names(["10", "1,000"]), y_axis, series, 250)])


@st.composite
def stacks(draw: st.DrawFn) -> Figure:
    """Bars on each other, as `contention` shows them."""
    names = draw(st.lists(labels, min_size=1, max_size=4))
    lengths = draw(st.lists(st.floats(0, 2), min_size=1, max_size=3))
    series = []
    for part in range(len(lengths)):
        ends = sum(lengths[:part]), sum(lengths[: part + 1])
        boxes = [(*ends, at - 0.2, at + 0.2) for at, _ in enumerate(names)]
        series.append(Bars(f"part {part}", colour_of(part), boxes, names, "rising" if part else None))
    x = Axis().around((end for one in series for end in one.values("x")), from_zero=True)
    return Figure("s", "Stacks", draw(labels), [Panel(x, Axis().of_names(names, down=True), series, 100)])


figures = st.one_of(dots(), curves(), histograms(), matrices(), strips(), stacks())


def series_of(figure: Figure) -> list[Line | Points | Bars | Cells]:
    return [one for panel in figure.panels for one in panel.series]


def marks(picture: ElementTree.Element) -> int:
    """How many points are drawn: symbols and dots."""
    paths = [one for panel in panels(picture) for one in panel.iter("path")]
    dots = sum(one.get("d", "").count("h0") for one in paths)
    return dots + sum(len(list(panel.iter("use"))) for panel in panels(picture))


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
    picture = parsed(drawn(figure, most=most))
    assert {one.tag for one in picture.iter()} <= TAGS
    assert {name for one in picture.iter() for name in one.attrib} <= ATTRIBUTES
    assert all(one.get("href", "").removeprefix("#mark-") in OUTLINES for one in picture.iter("use"))
    assert panels(picture)


@given(figures)
def test_all_places_are_numbers(figure: Figure) -> None:
    for one in parsed(drawn(figure)).iter():
        for name in COORDINATES:
            place = one.get(name)
            if place is not None:
                assert math.isfinite(float(place.removesuffix("%"))), ElementTree.tostring(one)
        assert re.fullmatch(r"([MLHVh][-\d. ]+)*", one.get("d", ""))
        assert not re.search(r"\b(nan|inf|None)\b", one.get("style", "") + one.get("class", ""))
        for name in ("width", "height"):
            assert float(one.get(name, "0").removesuffix("%")) >= 0


@given(st.one_of(dots(), curves()))
def test_there_is_a_mark_for_each_point_that_has_a_place(figure: Figure) -> None:
    points = [one for one in series_of(figure) if isinstance(one, Points)]
    assert marks(parsed(drawn(figure))) == sum(len(one.x) for one in points)


@given(strips())
def test_there_is_a_mark_for_each_repetition(figure: Figure) -> None:
    assert marks(parsed(drawn(figure))) == sum(len(one.x) for one in series_of(figure) if isinstance(one, Points))


@given(histograms())
def test_there_is_a_bar_for_each_bin_that_holds_something(figure: Figure) -> None:
    bars = [one for one in parsed(drawn(figure)).iter("rect") if one.get("width", "").endswith("%")]
    assert len(bars) == sum(len(one.boxes) for one in series_of(figure) if isinstance(one, Bars))
    assert all(float(one.get("height", "").removesuffix("%")) > 0 for one in bars)


@given(matrices())
def test_there_is_a_cell_for_each_pair_with_its_number(figure: Figure) -> None:
    picture = parsed(drawn(figure))
    (cells,) = series_of(figure)
    assert isinstance(cells, Cells)
    known = [text for line in cells.words for text in line if text]
    groups = [one for one in picture.iter("g") if one.get("class") == "cell"]
    assert sum(len(list(group.iter("rect"))) for group in groups) == len(known)
    assert [one.text for one in picture.iter("text") if "on-" in one.get("class", "")] == known


@given(stacks())
def test_bars_that_stand_on_each_other_end_within_the_axis(figure: Figure) -> None:
    bars = [one for one in parsed(drawn(figure)).iter("rect") if one.get("width", "").endswith("%")]
    assert len(bars) == sum(len(one.boxes) for one in series_of(figure) if isinstance(one, Bars))
    for one in bars:
        end = float(one.get("x", "")[:-1]) + float(one.get("width", "")[:-1])
        assert end <= 100.1


@given(figures)
def test_a_legend_names_each_trace_once(figure: Figure) -> None:
    names = list(map(printable, figure.series_names))
    picture = parsed(drawn(figure))
    assert legend(picture) == (names if len(names) > 1 and figure.legend else [])
    drawn_numbers = {one.get("data-s") for panel in panels(picture) for one in panel.iter() if one.get("data-s")}
    assert drawn_numbers <= {one.get("data-s") for one in picture.iter("li")}, "each can be hidden by the legend"


@given(figures)
def test_every_mark_that_says_something_has_its_text(figure: Figure) -> None:
    for panel, texts in zip(panels(parsed(drawn(figure))), texts_of(figure), strict=True):
        groups = [one for one in panel.iter() if "data-pointed" in one.attrib]
        counts = [one.get("d", "").count("M") if one.tag == "path" else len(list(one)) for one in groups]
        assert sum(counts) == len(texts)


@given(labels)
def test_a_name_reads_as_the_target_says_it(name: str) -> None:
    dots = {name: [Dot(name, 1.0, "")], "another": [Dot("another", 1.0, "")]}
    picture = parsed(drawn(dots_figure("d", "D", "t", dots, "")))
    assert legend(picture)[0] == printable(name)
    assert joined(printable(name)) in written(picture)


# One by one


def hostile() -> Iterator[tuple[str, Figure]]:
    text = HOSTILE
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
    values = [1.0, math.nan, math.inf, None, 2.0]
    points = Points("a", "series0", values, range(5), list("abcde"))
    figure = Figure("d", "D", "", [Panel(Axis(log=True).around(values), Axis().of_names("abcde"), [points], 100)])
    picture = parsed(drawn(figure))
    assert marks(picture) == 2
    assert texts_of(figure) == [["a", "e"]]
    assert not re.search(r"\b(nan|inf|None)\b", ElementTree.tostring(picture, "unicode"))


def test_a_line_is_interrupted_where_there_is_no_value_and_where_it_leaves_the_plot() -> None:
    line = Line("a", "series0", range(7), [1.0, 2.0, math.nan, 3.0, 4.0, 99.0, 5.0])
    figure = Figure("d", "D", "", [Panel(Axis(high=6.0), Axis(high=10.0), [line], 100)])
    (path,) = parsed(drawn(figure)).iter("path")
    assert path.get("d") == "M0 900L166.7 800M500 700L666.7 600"


def test_of_panels_below_each_other_the_first_are_drawn() -> None:
    figure = histogram_figure("h", "H", {name: [1.0, 2.0] for name in "abcde"}, "")
    assert is_cut(figure, 3)
    assert not is_cut(figure, 5)
    cut, whole = parsed(drawn(figure, most=3)), parsed(drawn(figure))
    assert [[one.text for one in panel.iter("text") if one.get("class") == "panel"] for panel in panels(cut)] == [
        ["a"],
        ["b"],
        ["c"],
    ]
    assert len(panels(whole)) == 5
    with_axis = [any("middle" in one.get("class", "") for one in panel.iter("text")) for panel in panels(cut)]
    assert with_axis == [False, False, True]


def test_all_marks_that_pictures_use_are_defined_once() -> None:
    assert [one.get("id") for one in parsed(DEFINITIONS).findall("path")] == [f"mark-{name}" for name in OUTLINES]


def test_bars_of_other_patterns_are_hatched_in_other_ways() -> None:
    hatches: tuple[Hatch, ...] = ("outlined", "rising", "crossed")
    series = [Bars(hatch, "published", [(0, 1, 0, 1)], hatch=hatch) for hatch in hatches]
    figure = Figure("s", "Stacks", "", [Panel(Axis(), Axis(), series, 100)])
    picture = parsed(drawn(figure))
    hatched = [one.get("fill") for one in picture.iter() if "hatched" in one.get("class", "").split()]
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
