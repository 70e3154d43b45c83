"""The current over time as a plot, with the windows shaded and what was at work named."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from intercore.view.figure import base_layout, plot_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from intercore.record.meter_recording import Trace
    from intercore.view.section import Figure

_POINTS = 800
"""Of the line: means of so many stretches of the recording."""
_HEIGHT = 340
_MOST_SHADED, _MOST_NUMBERED = 60, 20
_AROUND = 0.05  # of the time between the first window and the last, that is shown before and after


def current_figure(title: str, name: str, trace: Trace, windows: Sequence[tuple[float, float, str]]) -> Figure:
    """Draw a trace around its windows, each given by its begin, its end and what was at work."""
    first, last = windows[0][0], windows[-1][1]
    around = _AROUND * (last - first)
    part = trace.between(first - around, last + around)
    values = part.power if part.amps is None else part.amps
    unit = "W" if part.amps is None else "mA"
    seconds, means = _thinned(part.seconds - first, values * (1.0 if part.amps is None else 1e3))
    quantity = "power" if part.amps is None else "current"
    layout = base_layout(
        title,
        _HEIGHT,
        {"title": {"text": "s since the first window began"}},
        {"title": {"text": unit}, "rangemode": "tozero"},
    )
    shown = windows[:_MOST_SHADED]
    names = list(dict.fromkeys(label for _, _, label in windows))
    numbered = len(shown) <= _MOST_NUMBERED
    layout["shapes"] = [
        {
            "type": "rect",
            "xref": "x",
            "yref": "paper",
            "x0": begin - first,
            "x1": end - first,
            "y0": 0,
            "y1": 1,
            "fillcolor": "grid",
            "opacity": 0.5,
            "line": {"width": 0},
            "layer": "below",
            "name": plot_text(label),
            "label": {"text": str(names.index(label) + 1), "textposition": "top center"} if numbered else {},
        }
        for begin, end, label in shown
    ]
    told = "; ".join(f"{number}: {label}" for number, label in enumerate(names, 1))
    caption = f"The {quantity} as the meter saw it, with the windows shaded. At work: {told}."
    return {
        "name": name,
        "data": [
            {
                "type": "scatter",
                "mode": "lines",
                "name": quantity,
                "line": {"color": "series0", "width": 1},
                "x": [round(float(moment), 6) for moment in seconds],
                "y": [float(f"{value:.5g}") for value in means],
                "hoverinfo": "x+y",
            }
        ],
        "layout": layout | {"showlegend": False},
        "caption": caption,
    }


def _thinned(
    seconds: np.typing.NDArray[np.float64], values: np.typing.NDArray[np.float64]
) -> tuple[np.typing.NDArray[np.float64], np.typing.NDArray[np.float64]]:
    """Return means over stretches of a recording, so that a page has room for it: a mean keeps the charge."""
    size = max(len(values) // _POINTS, 1)
    whole = len(values) // size * size
    return seconds[:whole].reshape(-1, size).mean(axis=1), values[:whole].reshape(-1, size).mean(axis=1)
