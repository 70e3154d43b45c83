"""The current over time as a plot, with the windows shaded and what was at work named."""

from __future__ import annotations

from typing import TYPE_CHECKING

from intercore.view.axes import Axis
from intercore.view.figure import Band, Figure, Line, Panel

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np

    from intercore.record.meter_recording import Trace

_POINTS = 800
"""Of the line: means of so many stretches of the recording."""
_HEIGHT = 177  # pixels
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
    names = list(dict.fromkeys(label for _, _, label in windows))
    shaded = windows[:_MOST_SHADED]
    numbered = len(shaded) <= _MOST_NUMBERED
    bands = [
        Band(begin - first, end - first, str(names.index(label) + 1) if numbered else "", label)
        for begin, end, label in shaded
    ]
    line = Line(quantity, "series0", [float(moment) for moment in seconds], [float(value) for value in means])
    x = Axis("s since the first window began").around(line.x)
    y = Axis(unit).around(line.y, from_zero=True)
    at_work = "; ".join(f"{number}: {label}" for number, label in enumerate(names, 1))
    caption = f"The {quantity} as the meter recorded it, with the windows shaded. Active: {at_work}."
    return Figure(name, title, caption, [Panel(x, y, [line], _HEIGHT, bands=bands)])


def _thinned(
    seconds: np.typing.NDArray[np.float64], values: np.typing.NDArray[np.float64]
) -> tuple[np.typing.NDArray[np.float64], np.typing.NDArray[np.float64]]:
    """Return means over stretches of a recording, so that a page has room for it: a mean keeps the charge."""
    size = max(len(values) // _POINTS, 1)
    whole = len(values) // size * size
    return seconds[:whole].reshape(-1, size).mean(axis=1), values[:whole].reshape(-1, size).mean(axis=1)
