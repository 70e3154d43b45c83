"""Plots of points with the lines that were fitted to them, alone or as small multiples."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from intercore.view.axes import Axis
from intercore.view.figure import SHAPES, Colour, Dash, Figure, Line, Panel, Points

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from intercore.view.figure import Series

MOST_PANELS = 12
_ALONE, _PANEL = 280, 210  # pixels
_COLOURS: tuple[Colour, ...] = ("series0", "series1", "series2", "series3", "series4", "series5", "text")
_DASHES: tuple[Dash, ...] = ("solid", "dashed", "dotted")
"""So that of two lines on each other both are seen."""


class PlottedCurve(NamedTuple):
    """Measured points, and lines through them."""

    label: str
    x: Sequence[float]
    y: Sequence[float]
    low: Sequence[float]
    """Lower bounds of y; y itself where there is none."""
    high: Sequence[float]
    text: Sequence[str]
    """What a point shows when somebody points at it."""
    lines: Sequence[tuple[Sequence[float], Sequence[float]]]
    """x and y of each fitted line."""
    joined: bool = False
    """Whether the points themselves are joined, where no model is."""


def curve_figure(
    name: str,
    title: str,
    axes: tuple[str, str],
    units: tuple[str, str],
    panels: Mapping[str, Sequence[PlottedCurve]],
    caption: str,
) -> Figure:
    """Return a plot on logarithmic axes, in panels of the same axes if there are several; of too many, the first ones.

    Curves of one label have the same look in all panels. ValueError if there is nothing above 0 to draw.
    """
    drawn = dict(list(panels.items())[:MOST_PANELS])
    if len(panels) > len(drawn):
        caption += f" The first {len(drawn)} of {len(panels)} panels are drawn."
    every = [curve for curves in drawn.values() for curve in curves]
    if not any(value > 0 for curve in every for value in curve.y):
        raise ValueError(f"{name} cannot be drawn: its axis is logarithmic, and none of its values is above 0")
    labels = list(dict.fromkeys(curve.label for curve in every))
    series = [
        [one for curve in curves for one in _series(curve, labels.index(curve.label))] for curves in drawn.values()
    ]
    columns = 1 if len(drawn) == 1 else 2
    flat = [one for some in series for one in some]
    x = Axis(axes[0], log=True, unit=units[0], form="si").around(value for one in flat for value in one.values("x"))
    y = Axis(axes[1] if len(drawn) == 1 else "", log=True, unit=units[1], form="si").around(
        value for one in flat for value in one.values("y")
    )
    # What the x axis is stands below the last panel of each column.
    titled = range(len(drawn) - columns, len(drawn))
    return Figure(
        name,
        title,
        caption,
        [
            Panel(
                x if place in titled else replace(x, title=""),
                y,
                some,
                _ALONE if len(drawn) == 1 else _PANEL,
                title=label,
            )
            for place, (label, some) in enumerate(zip(drawn, series, strict=True))
        ],
        columns,
    )


def _series(curve: PlottedCurve, place: int) -> Iterator[Series]:
    """Draw a curve in the look of its label, which is given by its place among all labels."""
    colour = _COLOURS[place % len(_COLOURS)]
    for x, y in [*curve.lines, *([(curve.x, curve.y)] if curve.joined else [])]:
        yield Line(curve.label, colour, x, y, _DASHES[place % len(_DASHES)])
    yield Points(
        curve.label,
        colour,
        curve.x,
        curve.y,
        [f"{curve.label}\n{text}" for text in curve.text],
        shape=SHAPES[place // len(_COLOURS) % len(SHAPES)],
        hollow=not curve.joined,
        y_bounds=list(zip(curve.low, curve.high, strict=True)),
    )
