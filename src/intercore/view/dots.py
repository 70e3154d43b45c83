"""A plot of one mark per row and group on a logarithmic axis: for rows that are of many sizes."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from intercore.view.figure import COLOURS, base_layout, log_axis, plot_text

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from intercore.view.section import Figure

SYMBOLS = ("circle", "square", "diamond", "triangle-up", "cross")

_ROW_HEIGHT, _MARGINS = 24, 150  # pixels


class Dot(NamedTuple):
    """One mark."""

    row: str
    value: float
    """Above 0; marks of others are not drawn, because the axis is logarithmic."""
    text: str
    """Shown when one points at it; may have line breaks as `<br>`, all else in it must be plain."""


def dots_figure(
    name: str, title: str, axis: str, groups: Mapping[str, Sequence[Dot]], caption: str, *, suffix: str = "s"
) -> Figure:
    """Return the plot, with rows in the order in which they first come, the first on top.

    `suffix` is the unit of the values: seconds are written as ns, µs or ms. ValueError if there is nothing to draw.
    """
    drawn = {label: [dot for dot in dots if dot.value > 0] for label, dots in groups.items()}
    values = [dot.value for dots in drawn.values() for dot in dots]
    if not values:
        raise ValueError(f"there is nothing above 0 to draw in {name}")
    rows = list(dict.fromkeys(dot.row for dots in groups.values() for dot in dots))
    layout = base_layout(
        title,
        _MARGINS + _ROW_HEIGHT * len(rows),
        log_axis(axis, values) | {"ticksuffix": suffix},
        {
            "type": "category",
            "categoryorder": "array",
            "categoryarray": [plot_text(row) for row in rows[::-1]],
            "dtick": 1,
        },
    )
    data = [
        {
            "type": "scatter",
            "mode": "markers",
            "name": plot_text(label),
            "x": [dot.value for dot in dots],
            "y": [plot_text(dot.row) for dot in dots],
            "marker": {"color": f"series{index % COLOURS}", "size": 10, "symbol": SYMBOLS[index % len(SYMBOLS)]},
            "hoverinfo": "text",
            "text": [f"<b>{plot_text(dot.row)}</b><br>{plot_text(label)}<br>{dot.text}" for dot in dots],
        }
        for index, (label, dots) in enumerate(drawn.items())
    ]
    return {"name": name, "data": data, "layout": layout, "caption": caption}
