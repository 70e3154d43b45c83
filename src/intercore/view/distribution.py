"""How samples are shown: histograms with log counts, and the columns of a table."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from intercore.statistics.intervals import granularity
from intercore.view.axes import Axis
from intercore.view.figure import Bars, Figure, Panel, colour_of
from intercore.view.quantity import duration, duration_bounds
from intercore.view.table import Column

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from numpy.typing import ArrayLike, NDArray

    from intercore.statistics.distribution import Distribution
    from intercore.statistics.intervals import Interval

    Floats = NDArray[np.float64]

Row = TypeVar("Row")

MOST_HISTOGRAMS = 8
"""Samples in one figure."""

_OVERLAID = 2  # more hide each other
_MOST_BINS = 160  # of the plot: bars stay wider than a pixel on a phone
_PER_OCTAVE = 16  # bins on a logarithmic axis: each at most 1/16 of its value wide
_LONG_TAIL = 20  # largest value over the median from which on the axis is logarithmic
_BINS_BESIDE = 2  # an axis continues so far at either end, though not below 0
_MARGIN = 0.02  # of a logarithmic axis, on either side
_STEPS = 7  # ticks of a linear axis, about
_HEIGHT, _PANEL_HEIGHT = 237, 71  # pixels


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
    of the clock, which is found from the values if it is not given. The caller adds to the title that numbers are
    simulated. ValueError if there is nothing to draw.
    """
    known = {label: np.asarray(values, dtype=np.float64) for label, values in samples.items()}
    known = {label: values for label, values in known.items() if len(values)}
    if not known:
        raise ValueError(f"the figure {name} has no samples to plot")
    drawn = dict(list(known.items())[:MOST_HISTOGRAMS])
    if len(known) > len(drawn):
        caption += f" The first {len(drawn)} of {len(known)} are drawn."
    pooled = np.concatenate(list(drawn.values()))
    edges, logarithmic = bin_edges(list(drawn.values()), granularity(pooled) if tick_us is None else tick_us)
    if logarithmic:
        caption += " A bin is 1/16 of the power of two below it wide, so counts step up where a power begins."
    counts = {label: np.histogram(values, edges)[0] for label, values in drawn.items()}
    several = len(drawn) > _OVERLAID
    x = _x_axis(quantity, edges, logarithmic=logarithmic)
    y = _y_axis(counts.values(), title="" if several else "samples")
    series = [
        _bars(label, each, _own_edges(drawn[label], edges, each), index)
        for index, (label, each) in enumerate(counts.items())
    ]
    if several:
        panels = [Panel(x, y, [bars], _PANEL_HEIGHT, label) for label, bars in zip(counts, series, strict=True)]
    else:
        panels = [Panel(x, y, series, _HEIGHT)]
    return Figure(name, title, caption, panels, legend=not several)


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
    """Return columns for a distribution in µs, 62 characters wide at most; unknown values are a dash."""

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


def _x_axis(quantity: str, edges: Floats, *, logarithmic: bool) -> Axis:
    """Return an axis in seconds around the bins."""
    low, high = (edges[[0, -1]] / 1e6).tolist()
    if logarithmic:
        margin = (high / low) ** _MARGIN
        return Axis(quantity, low / margin, high * margin, log=True, unit="s", form="si")
    margin = _BINS_BESIDE * (high - low) / (len(edges) - 1)
    begin = max(low - margin, 0.0) if low >= 0 else low - margin
    return Axis(quantity, begin, high + margin, unit="s", form="si", steps=_STEPS)


def _y_axis(counts: Iterable[NDArray[np.int64]], title: str) -> Axis:
    """Return an axis of counts, from below 1, so that a single sample shows."""
    most = max(int(each.max()) for each in counts)
    return Axis(title, 0.6, 2.0 * most, log=True, form="si")


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


def _bars(label: str, counts: NDArray[np.int64], ends: tuple[Floats, Floats], index: int) -> Bars:
    """Draw the bins that hold something, from and to `ends`."""
    known = list(zip(*(each.tolist() for each in ends), counts[counts > 0].tolist(), strict=True))
    return Bars(
        f"{label} (n = {int(counts.sum()):,})",
        colour_of(index),
        [(low / 1e6, high / 1e6, 0.0, count) for low, high, count in known],
        [f"{label}\n{duration(low) if low else 0} to {duration(high)}: {count:,}" for low, high, count in known],
    )
