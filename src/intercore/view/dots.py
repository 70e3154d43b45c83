"""A plot of one mark per row and group on a logarithmic axis: for rows that are of many sizes."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from intercore.view.axes import Axis
from intercore.view.figure import Figure, Panel, Points, colour_of, shape_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_ROW_HEIGHT = 19  # pixels


class Dot(NamedTuple):
    """One mark."""

    row: str
    value: float
    """Above 0; marks of others are not drawn, because the axis is logarithmic."""
    text: str
    """Shown when somebody points at it; may have several lines."""


def dots_figure(
    name: str, title: str, axis: str, groups: Mapping[str, Sequence[Dot]], caption: str, *, unit: str = "s"
) -> Figure:
    """Return the plot, with rows in the order in which they first come, the first on top.

    `unit` is that of the values: seconds are written as ns, µs or ms. ValueError if there is nothing to draw.
    """
    drawn = {label: [dot for dot in dots if dot.value > 0] for label, dots in groups.items()}
    values = [dot.value for dots in drawn.values() for dot in dots]
    if not values:
        raise ValueError(f"{name} cannot be drawn: its axis is logarithmic, and none of its values is above 0")
    rows = list(dict.fromkeys(dot.row for dots in groups.values() for dot in dots))
    series = [
        Points(
            label,
            colour_of(index),
            [dot.value for dot in dots],
            [rows.index(dot.row) for dot in dots],
            [f"{dot.row}\n{label}\n{dot.text}" for dot in dots],
            shape=shape_of(index),
        )
        for index, (label, dots) in enumerate(drawn.items())
    ]
    x = Axis(axis, log=True, unit=unit, form="si").around(values)
    return Figure(name, title, caption, [Panel(x, Axis().of_names(rows, down=True), series, _ROW_HEIGHT * len(rows))])
