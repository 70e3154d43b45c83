"""How samples are shown: histograms with log counts, and the columns of a table."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from intercore.statistics.intervals import granularity
from intercore.view.figure import AXIS, COLOURS, base_layout, log_axis, plot_text
from intercore.view.quantity import duration, duration_bounds
from intercore.view.table import Column

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import ArrayLike, NDArray

    from intercore.statistics.distribution import Distribution
    from intercore.statistics.intervals import Interval
    from intercore.view.section import Figure

    Floats = NDArray[np.float64]

Row = TypeVar("Row")

MOST_HISTOGRAMS = 8
"""Samples in one figure."""

_OVERLAID = 2  # more hide each other
_MOST_BINS = 160  # of the plot: bars stay wider than a pixel on a phone
_PER_OCTAVE = 16  # bins on a logarithmic axis: each at most 1/16 of its value wide
_LONG_TAIL = 20  # largest value over the median from which on the axis is logarithmic
_BINS_BESIDE = 2  # so far an axis goes on at either end, though not below 0
_HEIGHT, _PANEL_HEIGHT, _MARGINS = 420, 120, 130  # pixels


def histogram_figure(
    name: str,
    title: str,
    samples: Mapping[str, ArrayLike],
    caption: str,
    *,
    quantity: str = "duration",
    tick_us: float | None = None,
) -> Figure:
    """Return a plot of samples in µs by label: how many there are of each value, the counts on a logarithmic axis.

    Two samples are overlaid; three to eight stand one above the other, on one axis; of more the first eight are drawn,
    and the caption says so. Samples without values are left out. Bins are whole multiples of `tick_us`, the resolution
    of the clock, which is found from the values if it is not given. The title says where the numbers are simulated:
    that is the caller's to add. ValueError if there is nothing to draw.
    """
    known = {label: np.asarray(values, dtype=np.float64) for label, values in samples.items()}
    known = {label: values for label, values in known.items() if len(values)}
    if not known:
        raise ValueError(f"there is no sample to draw in {name}")
    drawn = dict(list(known.items())[:MOST_HISTOGRAMS])
    if len(known) > len(drawn):
        caption += f" The first {len(drawn)} of {len(known)} are drawn."
    pooled = np.concatenate(list(drawn.values()))
    edges, logarithmic = bin_edges(list(drawn.values()), granularity(pooled) if tick_us is None else tick_us)
    if logarithmic:
        caption += " A bin is 1/16 of the power of two below it wide, so counts step up where a power begins."
    counts = {label: np.histogram(values, edges)[0] for label, values in drawn.items()}
    panels = len(drawn) if len(drawn) > _OVERLAID else 1
    layout = base_layout(
        title,
        _HEIGHT if panels == 1 else _MARGINS + _PANEL_HEIGHT * panels,
        _x_axis(quantity, edges, logarithmic=logarithmic),
        {},
    )
    _add_panels(layout, counts, panels)
    data = [
        _bars(label, each, _own_edges(drawn[label], edges, each), index, panels)
        for index, (label, each) in enumerate(counts.items())
    ]
    return {"name": name, "data": data, "layout": layout, "caption": caption}


def bin_edges(samples: Sequence[Floats], tick: float | None) -> tuple[Floats, bool]:
    """Return the edges of bins that hold all values of the samples, and whether their axis is logarithmic.

    With a tick, edges lie half-way between ticks and each bin holds a whole number of them, so that bins are not full
    and empty in turn (aliasing). Linear bins are of one width, that of Freedman & Diaconis (1981) for the sample that
    wants the narrowest, but at most 160. Where the largest value is far above the median, bins of one width per power
    of two serve, 16 of them, and a logarithmic axis: where a power begins, a bin is wider than the one before.
    """
    pooled = np.concatenate(samples)
    least, largest = float(pooled.min()), float(pooled.max())
    unit = tick or (largest - least) / 1e6 or abs(least) / 100 or 1.0
    low, high = round(least / unit), round(largest / unit)
    if low >= 1 and high > _LONG_TAIL * float(np.median(pooled)) / unit:
        return (_octaves(low, high) - 0.5) * unit, True
    wanted = min((width for width in map(_freedman_diaconis, samples) if width > 0), default=0.0) / unit
    width = max(1, math.ceil(max(wanted, (high - low + 1) / _MOST_BINS)))
    count = (high - low) // width + 1
    return (low - 0.5 + width * np.arange(count + 1, dtype=np.float64)) * unit, False


def _freedman_diaconis(values: Floats) -> float:
    """Return twice the middle half over the cube root of the count; 0 where half of the values are equal."""
    lower, upper = np.percentile(values, (25, 75))
    return float(2 * (upper - lower) / len(values) ** (1 / 3))


def distribution_columns(of: Callable[[Row], Distribution]) -> list[Column[Row]]:
    """Return columns for a distribution in µs, 62 characters wide at most; what the samples cannot tell is a dash."""

    def interval(row: Row) -> str:
        return duration_bounds(of(row).median) or "–"

    def percentile(name: str) -> Callable[[Row], str]:
        def text(row: Row) -> str:
            found: Interval | None = getattr(of(row), name)
            return "–" if found is None else duration(found.value)

        return text

    return [
        Column("samples", lambda row: f"{of(row).n:,}", right=True),
        Column("min", lambda row: duration(of(row).min), right=True),
        Column("median", lambda row: duration(of(row).median.value), right=True),
        Column("95 %", interval, right=True),
        Column("p99", percentile("p99"), right=True),
        Column("p99.9", percentile("p99_9"), right=True),
        Column("max", lambda row: duration(of(row).max), right=True),
    ]


def _octaves(low: int, high: int) -> Floats:
    """Return the first ticks of bins from `low` to beyond `high`, of a power of two of ticks each."""
    edges = [low]
    while edges[-1] <= high:
        octave = 1 << (edges[-1].bit_length() - 1)
        width = max(1, octave // _PER_OCTAVE)
        edges.append((edges[-1] // width + 1) * width)
    return np.asarray(edges, dtype=np.float64)


def _x_axis(quantity: str, edges: Floats, *, logarithmic: bool) -> Figure:
    """Return an axis in seconds, which plotly writes as ns, µs or ms."""
    ends = edges[[0, -1]] / 1e6
    look: Figure = log_axis("", ends.tolist()) if logarithmic else {"tickformat": "~s", "nticks": 7}
    low, high = np.log10(ends) if logarithmic else ends
    margin = 0.02 * (high - low) if logarithmic else _BINS_BESIDE * (ends[1] - ends[0]) / (len(edges) - 1)
    begin = max(low - margin, 0.0) if not logarithmic and low >= 0 else low - margin
    return look | {
        "title": {"text": quantity},
        "ticksuffix": "s",
        "range": [float(begin), float(high + margin)],
    }


def _add_panels(layout: Figure, counts: Mapping[str, NDArray[np.int64]], panels: int) -> None:
    """Give every panel its axis of counts, from below 1, so that a single sample shows; many panels their label."""
    most = max(int(each.max()) for each in counts.values())
    axis = AXIS | {
        "type": "log",
        "range": [math.log10(0.6), math.log10(2 * most)],
        "dtick": 1 if most < 1e4 and panels == 1 else 2,
        "tickformat": "~s",
        "minor": {"showgrid": False},
    }
    del layout["yaxis"]
    gap = 0.25 / panels
    for index, label in enumerate(counts if panels > 1 else [""]):
        top = 1 - index / panels
        layout[f"yaxis{index + 1 if index else ''}"] = axis | {
            "domain": [top - 1 / panels, top - (gap if panels > 1 else 0)],
            "title": {"text": "samples"} if panels == 1 else {},
        }
        if panels > 1:
            layout["annotations"].append(
                {
                    "xref": "paper",
                    "yref": "paper",
                    "x": 0,
                    "y": top - gap,
                    "xanchor": "left",
                    "yanchor": "bottom",
                    "text": plot_text(label),
                    "showarrow": False,
                    "font": {"color": "text", "size": 12},
                }
            )
    layout["xaxis"]["anchor"] = f"y{panels if panels > 1 else ''}"
    layout["showlegend"] = panels == 1
    layout["barmode"] = "overlay"
    layout["bargap"] = 0


def _own_edges(values: Floats, edges: Floats, counts: NDArray[np.int64]) -> tuple[Floats, Floats]:
    """Return where the bars begin and end that hold something: as wide as their bins, and of equal values a narrow one.

    Their bin, as wide as another sample wants it, would say less than is known of them.
    """
    full = np.flatnonzero(counts)
    low, high = edges[full], edges[full + 1]
    narrow = float(edges[-1] - edges[0]) / _MOST_BINS
    if values.min() == values.max() and high[0] - low[0] > narrow:
        return values[:1] - narrow / 2, values[:1] + narrow / 2
    return low, high


def _bars(label: str, counts: NDArray[np.int64], ends: tuple[Floats, Floats], index: int, panels: int) -> Figure:
    """Draw the bins that hold something, from and to `ends`."""
    low, high = ends
    name = plot_text(label)
    return {
        "type": "bar",
        "name": f"{name} (n = {int(counts.sum()):,})",
        "x": ((low + high) / 2e6).tolist(),
        "width": ((high - low) / 1e6).tolist(),
        "y": counts[counts > 0].tolist(),
        "yaxis": f"y{index + 1 if panels > 1 and index else ''}",
        "marker": {"color": f"series{index % COLOURS}", "opacity": 0.6 if panels == 1 else 0.9, "line": {"width": 0}},
        "hoverinfo": "text",
        "hovertext": [
            f"<b>{name}</b><br>{duration(a) if a else 0} to {duration(b)}: {count:,}"
            for a, b, count in zip(low.tolist(), high.tolist(), counts[counts > 0].tolist(), strict=True)
        ],
    }
