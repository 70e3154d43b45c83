"""Plots of points with the lines that were fitted to them, alone or as small multiples."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

from intercore.view.dots import SYMBOLS
from intercore.view.figure import AXIS, COLOURS, base_layout, log_axis, plot_text

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from intercore.view.section import Figure

MOST_PANELS = 12
_ALONE, _PANEL, _MARGINS, _LEGEND_ROW = 460, 230, 130, 20  # pixels
_GAP_X, _GAP_Y = 0.07, 0.4  # between panels, as parts of the width, and of the height of one
_PER_ROW = 4  # entries of a legend
_COLOURS = (*(f"series{number}" for number in range(COLOURS)), "text")


class PlottedCurve(NamedTuple):
    """Measured points, and lines through them."""

    label: str
    x: Sequence[float]
    y: Sequence[float]
    low: Sequence[float]
    """Lower bounds of y; y itself where there is none."""
    high: Sequence[float]
    text: Sequence[str]
    """What a point says when one points at it."""
    lines: Sequence[tuple[Sequence[float], Sequence[float]]]
    """x and y of each fitted line."""
    joined: bool = False
    """Whether the points themselves are joined, where no model is."""


def curve_figure(
    name: str,
    title: str,
    axes: tuple[str, str],
    suffixes: tuple[str, str],
    panels: Mapping[str, Sequence[PlottedCurve]],
    caption: str,
) -> Figure:
    """Return a plot on logarithmic axes, in panels of the same axes if there are several; of too many, the first ones.

    Curves of one label look alike in all panels. ValueError if there is nothing above 0 to draw.
    """
    drawn = dict(list(panels.items())[:MOST_PANELS])
    if len(panels) > len(drawn):
        caption += f" The first {len(drawn)} of {len(panels)} panels are drawn."
    every = [curve for curves in drawn.values() for curve in curves]
    values = [value for curve in every for value in curve.y if value > 0]
    if not values:
        raise ValueError(f"there is nothing above 0 to draw in {name}")
    labels = list(dict.fromkeys(curve.label for curve in every))
    columns = 1 if len(drawn) == 1 else 2
    rows = math.ceil(len(drawn) / columns)
    x_axis = log_axis("", [value for curve in every for value in curve.x]) | {"ticksuffix": suffixes[0]}
    y_axis = log_axis("", values) | {"ticksuffix": suffixes[1]}
    legend = _LEGEND_ROW * math.ceil(len(labels) / _PER_ROW)
    layout = base_layout(title, (_ALONE if len(drawn) == 1 else _MARGINS + _PANEL * rows) + legend, {}, {})
    _add_axes(layout, x_axis, y_axis, axes, list(drawn), columns)
    data = []
    named: set[str] = set()
    for panel, curves in enumerate(drawn.values()):
        for curve in curves:
            data += _traces(curve, labels.index(curve.label), panel, in_legend=curve.label not in named)
            named.add(curve.label)
    return {"name": name, "data": data, "layout": layout, "caption": caption}


def _add_axes(
    layout: Figure, x_axis: Figure, y_axis: Figure, titles: tuple[str, str], panels: Sequence[str], columns: int
) -> None:
    rows = math.ceil(len(panels) / columns)
    width = (1 - _GAP_X * (columns - 1)) / columns
    height = 1 / (rows + _GAP_Y * (rows - 1))
    del layout["xaxis"], layout["yaxis"]
    for index, panel in enumerate(panels):
        row, column = divmod(index, columns)
        number = str(index + 1) if index else ""
        left, top = column * (width + _GAP_X), 1 - row * height * (1 + _GAP_Y)
        bottom = max(top - height, 0.0)
        shared = {"matches": "x"} if index else {}
        is_last = index + columns >= len(panels)
        layout[f"xaxis{number}"] = (
            AXIS
            | {"tickangle": 0}
            | x_axis
            | shared
            | {
                "domain": [left, left + width],
                "anchor": f"y{number}",
                "title": {"text": titles[0] if is_last else ""},
            }
        )
        shared = {"matches": "y"} if index else {}
        layout[f"yaxis{number}"] = (
            AXIS
            | y_axis
            | shared
            | {
                "domain": [bottom, top],
                "anchor": f"x{number}",
                "title": {"text": titles[1] if len(panels) == 1 else ""},
            }
        )
        if panel:
            layout["annotations"].append(
                {
                    "xref": "paper",
                    "yref": "paper",
                    "x": left,
                    "y": top,
                    "xanchor": "left",
                    "yanchor": "bottom",
                    "text": plot_text(panel),
                    "showarrow": False,
                    "font": {"color": "text", "size": 12},
                }
            )


def _traces(curve: PlottedCurve, place: int, panel: int, *, in_legend: bool) -> list[Figure]:
    number = str(panel + 1) if panel else ""
    colour = _COLOURS[place % len(_COLOURS)]
    label = plot_text(curve.label)
    where = {"xaxis": f"x{number}", "yaxis": f"y{number}", "type": "scatter", "legendgroup": f"{place}"}
    lines = [
        where
        | {
            "mode": "lines",
            "x": list(x),
            "y": list(y),
            "line": {"color": colour, "width": 2},
            "hoverinfo": "skip",
            "showlegend": False,
        }
        for x, y in curve.lines
    ]
    ups = [high - y for y, high in zip(curve.y, curve.high, strict=True)]
    downs = [y - low for y, low in zip(curve.y, curve.low, strict=True)]
    points = where | {
        "mode": "lines+markers" if curve.joined else "markers",
        "name": label,
        "x": list(curve.x),
        "y": list(curve.y),
        "error_y": {
            "type": "data",
            "symmetric": False,
            "array": ups,
            "arrayminus": downs,
            "visible": any(ups + downs),
            "color": colour,
            "thickness": 1,
            "width": 2,
        },
        "line": {"color": colour, "width": 2},
        "marker": {
            "color": colour,
            "symbol": f"{SYMBOLS[place // len(_COLOURS) % len(SYMBOLS)]}{'' if curve.joined else '-open'}",
            "size": 8,
            "line": {"width": 0 if curve.joined else 2},
        },
        "hoverinfo": "text",
        "text": [f"<b>{label}</b><br>{text}" for text in curve.text],
        "showlegend": in_legend,
    }
    return [*lines, points]
