"""What all plots of the page have in common, as the JSON that plotly.js takes."""

from __future__ import annotations

import html
from typing import TYPE_CHECKING

from intercore.record.origin import LABELS, in_brackets
from intercore.text import printable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from intercore.record.origin import Origin
    from intercore.view.section import Figure

AXIS: Figure = {
    "gridcolor": "grid",
    "linecolor": "muted",
    "zeroline": False,
    "automargin": True,
    "ticks": "outside",
}
"""What all axes have in common."""
HEAT = [[0, "#eef3f8"], [1, "#08306b"]]
"""The colours of all heat maps, as the style of the page has them: darker is longer."""
_FEW, _MANY = 1e3, 1e5  # largest over smallest value of an axis with labels at 2 and 5; with one at every other decade
COLOURS = 6
"""Series colours: `series0` to `series5`."""


def base_layout(title: str, height: int, x: Figure, y: Figure) -> Figure:
    """Return what all plots of the page have in common, with the axes given."""
    return {
        "title": {"text": title, "x": 0.01, "xanchor": "left", "font": {"size": 16}},
        "height": height,
        "margin": {"l": 56, "r": 16, "t": 48, "b": 56},
        "font": {"color": "text", "family": "system-ui, sans-serif", "size": 13},
        "paper_bgcolor": "paper",
        "plot_bgcolor": "paper",
        "legend": {"orientation": "h", "x": 0, "yref": "container", "y": 0, "yanchor": "bottom"},
        "hoverlabel": {"align": "left", "bgcolor": "paper", "font": {"color": "text"}},
        "hovermode": "closest",
        "showlegend": True,
        "xaxis": AXIS | {"tickangle": 0} | x,
        "yaxis": AXIS | y,
        "shapes": [],
        "annotations": [],
    }


def log_axis(title: str, values: Sequence[float]) -> Figure:
    """Return a logarithmic axis with a line per decade, and as many labels as a phone has room for, but three."""
    span = max(values) / max(min(values), 1e-9)
    step = "D2" if span < _FEW else 1 + (span > _MANY)  # plotly's "D2": labels at 2 and 5, too
    minor = {"dtick": 1, "showgrid": True, "gridcolor": "grid"}
    return {"title": {"text": title}, "type": "log", "tickformat": "~s", "dtick": step, "minor": minor}


def labelled(figure: Figure, origin: Origin, *, partly: bool = False) -> Figure:
    """Return a plot that says in its title and in the name of its file if its numbers were not measured.

    `partly` says whether some of them were, beside those of the origin.
    """
    if origin == "measured":
        return figure
    layout = figure["layout"]
    text = layout["title"]["text"]
    title = {**layout["title"], "text": f"{text} (partly {LABELS[origin]})" if partly else in_brackets(text, origin)}
    name = f"{figure['name']}{'-partly' * partly}-{origin}"
    return {**figure, "name": name, "layout": {**layout, "title": title}}


def plot_text(text: str) -> str:
    """Escape text for plotly, which knows a few tags of HTML, links among them, and make it printable."""
    return html.escape(printable(text), quote=False)
