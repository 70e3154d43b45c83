"""Figures of several targets: what shows the same is drawn on one scale."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from intercore.view.axes import Axis
from intercore.view.common_scale import on_common_scales
from intercore.view.curve import PlottedCurve, curve_figure
from intercore.view.distribution import histogram_figure
from intercore.view.dots import Dot, dots_figure
from intercore.view.figure import Bars, Cells, Figure, Panel
from intercore.view.matrix import matrix_figure

if TYPE_CHECKING:
    from intercore.view.figure import Direction


def dots(*values: float) -> Figure:
    return dots_figure("dots", "Dots", "time", {"a": [Dot(f"r{at}", one, "") for at, one in enumerate(values)]}, "")


def curve(*y: float, panels: int = 1) -> Figure:
    one = PlottedCurve("a", (1, 10), y, y, y, ("", ""), ())
    return curve_figure(
        "c", "C", ("x", "y"), ("B", "s"), {f"p{at}" if panels > 1 else "": [one] for at in range(panels)}, ""
    )


def axes(figure: Figure, direction: Direction) -> list[Axis]:
    return [panel.axis(direction) for panel in figure.panels]


def ends(figure: Figure, direction: Direction) -> set[tuple[float, float]]:
    return {(axis.low, axis.high) for axis in axes(figure, direction)}


def test_marks_of_two_targets_have_one_axis_that_has_room_for_both() -> None:
    before = [dots(1e-6, 2e-6), dots(5e-5, 1e-3)]
    found = on_common_scales(before)
    assert ends(found[0], "x") == ends(found[1], "x")
    for figure, values in zip(found, ((1e-6, 2e-6), (5e-5, 1e-3)), strict=True):
        (axis,) = axes(figure, "x")
        assert all(0 < (axis.at(value) or 0) < 1 for value in values)


def test_all_panels_of_all_targets_have_one_scale() -> None:
    found = on_common_scales([curve(1e-6, 1e-5, panels=3), curve(1e-3, 1e-2)])
    assert len({one for figure in found for one in ends(figure, "y")}) == 1


def test_histograms_of_different_sizes_share_a_logarithmic_axis() -> None:
    rng = np.random.default_rng(1)
    small = histogram_figure("h", "H", {"all": 12 + 0.01 * rng.random(500)}, "")
    large = histogram_figure("h", "H", {"all": 5 + 90 * rng.random(500)}, "")
    assert not any(axis.log for figure in (small, large) for axis in axes(figure, "x"))
    found = on_common_scales([small, large])
    assert ends(found[0], "x") == ends(found[1], "x")
    for figure in found:
        (panel,) = figure.panels
        assert panel.x.log
        (bars,) = panel.series
        assert isinstance(bars, Bars)
        assert sum(count for *_, count in bars.boxes) == 500
        for begin, end, *_ in bars.boxes:
            low, high = panel.x.at(begin), panel.x.at(end)
            assert low is not None
            assert high is not None
            assert high - low > 0.003


def test_times_of_one_size_stay_on_a_linear_axis() -> None:
    found = on_common_scales([histogram_figure("h", "H", {"all": [9.0, 10, 11, upper]}, "") for upper in (12, 20)])
    assert ends(found[0], "x") == ends(found[1], "x")
    assert not any(axis.log for figure in found for axis in axes(figure, "x"))


def test_the_same_colour_is_the_same_time() -> None:
    def heat(value: float) -> Figure:
        return matrix_figure("m", "M", {("0", "1"): value}, "", lines=["0"], columns=["1"], text=str, axes=("a", "b"))

    found = on_common_scales([heat(3.0), heat(9.0)])
    cells = [one for figure in found for panel in figure.panels for one in panel.series if isinstance(one, Cells)]
    assert [(one.low, one.high) for one in cells] == [(3.0, 9.0)] * 2


def test_figures_of_other_names_and_axes_that_count_samples_stay_as_they_are() -> None:
    one, other = dots(1e-6), replace(dots(1e-3), name="others")
    assert on_common_scales([one, other]) == [one, other]
    own = [replace(figure, own_axes=frozenset({"x"})) for figure in (dots(1e-6), dots(1e-3))]
    found = on_common_scales(own)
    assert ends(found[0], "x") != ends(found[1], "x")
    assert ends(found[0], "x") == ends(own[0], "x")


def test_bars_from_0_begin_there_also_on_a_common_scale() -> None:
    def bars(length: float) -> Figure:
        boxes = Bars("a", "series0", [(0.0, length, -0.2, 0.2)])
        x, y = Axis().around([0, length], from_zero=True), Axis().of_names(["row"])
        return Figure("bars", "Bars", "", [Panel(x, y, [boxes], 50)])

    for figure, length in zip(on_common_scales([bars(1), bars(90)]), (1, 90), strict=True):
        (panel,) = figure.panels
        (drawn,) = panel.series
        assert (panel.x.low, list(drawn.values("x"))) == (0, [0, length])
