"""The plots of speed-ups, of all runs of a page and of what is published, as the JSON that plotly.js takes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from intercore.record.origin import doubt
from intercore.view.figure import COLOURS, base_layout, labelled, log_axis, plot_text
from intercore.view.quantity import duration, shown

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from intercore.benchmarks.speedup.fit import ForkJoinFit
    from intercore.benchmarks.speedup.points import SpeedupPoint
    from intercore.record.measurement import Measurement
    from intercore.record.origin import Origin
    from intercore.statistics.intervals import Interval
    from intercore.view.section import Figure

POLLED = "poll-tick"
"""The level of `join` by which completion is looked for once per tick."""

_DISTURBANCES = ("rings_lost", "preempted")  # checks that should be 0: docs/protocol.md
_SYMBOLS = ("circle", "square", "diamond", "triangle-up", "cross")  # no divisor common with COLOURS: 30 pairs
_POINTS_DRAWN = 6000  # samples per plot that a phone still draws without delay
_BUSY_LEGEND = 3  # entries that fit without a taller plot


@dataclass(frozen=True)
class Group:
    """What is drawn as one line: the points of one fit."""

    label: str
    """Says by itself if the numbers are published, or not measured."""
    origin: Origin | Literal["published"]
    fit: ForkJoinFit
    points: tuple[SpeedupPoint, ...]
    pools: tuple[tuple[Measurement, ...], ...]
    """The measurements behind each point; empty for a published table."""
    cycle_hz: int | None = None
    """Cycles per second of a core, where there is one such number."""

    @property
    def best(self) -> SpeedupPoint:
        """The point of the largest speed-up."""
        return max(self.points, key=lambda point: point.speedup.value)

    @property
    def is_published(self) -> bool:
        """Whether the numbers are from the literature."""
        return self.origin == "published"

    @property
    def is_quantised(self) -> bool:
        """Whether TP falls on whole ticks of the kernel."""
        return self.fit.quantisation is not None and self.fit.quantisation.quantised

    @property
    def disturbances(self) -> list[str]:
        """What disturbed each point, e.g. `preempted 3`; empty text where nothing did."""
        return [_disturbed(pool) for pool in self.pools] or [""] * len(self.points)


def _disturbed(pool: Iterable[Measurement]) -> str:
    counts = {check: sum(measurement.checks.get(check, 0) for measurement in pool) for check in _DISTURBANCES}
    return ", ".join(f"{check} {count}" for check, count in counts.items() if count)


def figures(own: Sequence[Group], literature: Sequence[Group], efficiency: float) -> list[Figure]:
    """Return the plots, in their order on the page."""
    origins = {group.origin for group in own if group.origin != "published"}
    drawn = [
        _speedup_figure(own, literature),
        _durations_figure(own, literature),
        _efficiency_figure(own, literature, efficiency),
        *_ticks_figure(own, literature),
        _samples_figure(own),
    ]
    return [labelled(figure, doubt(origins), partly=len(origins) > 1) for figure in drawn]


def _speedup_figure(own: Sequence[Group], literature: Sequence[Group]) -> Figure:
    groups = [*own, *literature]
    cores = sorted({group.fit.cores for group in groups})
    largest = max(point.speedup.value for group in groups for point in group.points)
    layout = _layout(
        "Speed-up over duration",
        groups,
        x=log_axis("what one core takes, T1", [point.t1_us.value for group in groups for point in group.points])
        | {"ticksuffix": "s"},
        y={"title": {"text": "speed-up S = T1 / TP"}, "range": [0, 1.12 * max(largest, *cores)]},
    )
    for limit in cores:
        _add_level(layout, limit, f"limit: {limit} cores", "text")
    _add_level(layout, 1, "as fast as one core", "muted", dash="dot", below=True)
    data = [
        _line(group, index)
        | {
            "x": [point.t1_us.value / 1e6 for point in group.points],
            "y": [point.speedup.value for point in group.points],
            "error_y": _error_bars([point.speedup for point in group.points]),
            "text": [_hover(group, point) for point in group.points],
        }
        for index, group in enumerate(groups)
    ]
    caption = (
        "The tasks are created for the parts (mode=create), woken for them (mode=pool), or poll for work (mode=spin). "
        "Bars are 95 % intervals. Above the line of one core, several are faster."
    )
    return {"name": "speedup-over-duration", "data": data, "layout": layout, "caption": caption}


def _durations_figure(own: Sequence[Group], literature: Sequence[Group]) -> Figure:
    groups = [*own, *literature]
    points = [point for group in groups for point in group.points]
    layout = _layout(
        "Durations over size",
        groups,
        x=log_axis("size of the work n", [point.n for point in points]),
        y=log_axis("T1 and TP", [each.value / 1e6 for point in points for each in (point.t1_us, point.tp_us)])
        | {"ticksuffix": "s"},
    )
    data = []
    for index, group in enumerate(groups):
        line = _line(group, index)
        shared = {"x": [point.n for point in group.points], "text": [_hover(group, point) for point in group.points]}
        data += [
            line
            | shared
            | {
                "mode": "lines",
                "line": line["line"] | {"width": 1, "dash": "dash" if group.is_published else "dot"},
                "showlegend": False,
                "y": [point.t1_us.value / 1e6 for point in group.points],
            },
            line
            | shared
            | {
                "y": [point.tp_us.value / 1e6 for point in group.points],
                "error_y": _error_bars([point.tp_us for point in group.points], 1e-6),
            },
        ]
    caption = "Medians: on one core (T1), thin lines, and on all (TP). Where TP lies above T1, one core is faster."
    return {"name": "durations-over-size", "data": data, "layout": layout, "caption": caption}


def _ticks_figure(own: Sequence[Group], literature: Sequence[Group]) -> Iterator[Figure]:
    """Draw where in a tick of the kernel TP ended: one height for all sizes if completion was polled on the tick.

    Only if a group of this run shows that, or was to show it; published ones that do stand beside it.
    """
    told = [group for group in own if group.fit.quantisation is not None]
    if not any(group.is_quantised or any(point.join == POLLED for point in group.points) for group in told):
        return
    groups = [*told, *(group for group in literature if group.is_quantised)]
    layout = _layout(
        "The last digits of TP: its part beyond whole ticks",
        groups,
        x=log_axis("size of the work n", [point.n for group in groups for point in group.points]),
        y={"title": {"text": "TP modulo tick, in ticks"}, "range": [-0.05, 1.05]},
    )
    data = [
        _line(group, index)
        | {
            "mode": "lines+markers" if group.is_quantised else "markers",
            "x": [point.n for point in group.points],
            "y": [_past_tick(group, point) for point in group.points],
            "text": [
                f"{_hover(group, point)}<br>{_past_tick(group, point):.3f} of a tick beyond whole ticks"
                for point in group.points
            ],
        }
        for index, group in enumerate(groups)
    ]
    caption = (
        "How far the medians of TP go beyond whole ticks of their kernel. If a program looks once per tick whether all "
        "is done, every size ends at the same height. The published .97 and .98 ms do so, likely for that reason. The "
        "end of the work is then known no better than to a tick. Lines join groups whose ends are so quantised. Sizes "
        "below half a tick say nothing."
    )
    yield {"name": "beyond-whole-ticks", "data": data, "layout": layout, "caption": caption}


def _past_tick(group: Group, point: SpeedupPoint) -> float:
    """Return the part of a tick by which TP exceeds whole ones, 0 to 1."""
    tick_us = group.fit.quantisation.tick_us if group.fit.quantisation else point.tp_us.value
    return point.tp_us.value % tick_us / tick_us


def _efficiency_figure(own: Sequence[Group], literature: Sequence[Group], wanted: float) -> Figure:
    groups = [*own, *literature]
    largest = max(point.efficiency.value for group in groups for point in group.points)
    layout = _layout(
        "Efficiency over duration",
        groups,
        x=log_axis("duration on one core T1", [point.t1_us.value for group in groups for point in group.points])
        | {"ticksuffix": "s"},
        y={"title": {"text": "efficiency E = S / P"}, "range": [0, 1.12 * max(largest, 1)], "tickformat": ".0%"},
    )
    _add_level(layout, 1, "limit", "text")
    _add_level(layout, wanted, f"wanted: {100 * wanted:.3g} %", "muted", dash="dot", below=True)
    for cores in sorted({group.fit.cores for group in groups} - {1}):
        _add_level(layout, 1 / cores, f"break-even: S = 1 on {cores} cores", "muted", dash="dot", below=True)
    data = []
    for index, group in enumerate(groups):
        data += [
            _efficiency_points(group, index),
            _fitted_curve(group, index),
            *_work_marker(group, index, group.fit.break_even.t1_us, 1 / group.fit.cores, "star", "break-even (S = 1)"),
            *_work_marker(
                group, index, group.fit.isoefficiency.t1_us, wanted, "hexagram", f"{100 * wanted:.3g} % of all cores"
            ),
        ]
    caption = (
        "Points are the medians, lines the fitted model TP = (1 + loss) T1/P + overhead. Five-pointed stars mark the "
        "break-even, where all cores are as fast as one (S = 1); six-pointed ones the smallest work that reaches the "
        "wanted efficiency. Bars are 95 % intervals."
    )
    return {"name": "efficiency-over-duration", "data": data, "layout": layout, "caption": caption}


def _efficiency_points(group: Group, index: int) -> Figure:
    return _line(group, index) | {
        "mode": "markers",
        "x": [point.t1_us.value / 1e6 for point in group.points],
        "y": [point.efficiency.value for point in group.points],
        "error_y": _error_bars([point.efficiency for point in group.points]),
        "text": [_hover(group, point) for point in group.points],
    }


def _fitted_curve(group: Group, index: int) -> Figure:
    """Draw the model of the fit, TP = (1 + loss) T1/P + overhead, as efficiency."""
    fit = group.fit
    t1 = [point.t1_us.value for point in group.points]
    x = np.geomspace(min(t1) / 2, max(t1) * 2, 80)
    tp = (1 + (fit.loss.value if fit.loss else 0.0)) * x / fit.cores + fit.overhead_us.value
    x, tp = x[tp > 0], tp[tp > 0]
    line = _line(group, index)
    return line | {
        "mode": "lines",
        "x": (x / 1e6).tolist(),
        "y": (x / tp / fit.cores).tolist(),
        "showlegend": False,
        "hoverinfo": "skip",
    }


def _work_marker(
    group: Group, index: int, t1_us: Interval | None, efficiency: float, symbol: str, what: str
) -> Iterator[Figure]:
    """Mark the work at which a group reaches an efficiency, if that is known."""
    if t1_us is None:
        return
    line = _line(group, index)
    yield line | {
        "mode": "markers",
        "x": [t1_us.value / 1e6],
        "y": [efficiency],
        "error_x": _error_bars([t1_us], 1e-6),
        "marker": line["marker"] | {"symbol": f"{symbol}-open" if group.is_published else symbol, "size": 14},
        "showlegend": False,
        "text": [f"<b>{plot_text(group.label)}</b><br>{what} at T1 = {shown(t1_us, 'duration')}"],
    }


def _samples_figure(own: Sequence[Group]) -> Figure:
    """Draw every repetition, a strip per setting. TP over its own T1/P shows the outliers of both, at any size."""
    sizes = {f"{n:,}": _short(n) for n in sorted({point.n for group in own for point in group.points})}
    layout = _layout(
        "Every repetition",
        own,
        x={
            "title": {"text": "size of the work n"},
            "type": "category",
            "categoryarray": list(sizes),
            "tickvals": list(sizes),
            "ticktext": list(sizes.values()),
        },
        y={"title": {"text": "TP ÷ (T1 / P)"}, "type": "log", "minor": {"showgrid": False}},
    ) | {"boxmode": "group", "boxgap": 0.15, "boxgroupgap": 0.1}
    layout["legend"]["itemsizing"] = "constant"
    _add_level(layout, 1, "ideal", "text", below=True, log=True)
    most = _most_drawn(own)
    data = [_strip(group, index, most) for index, group in enumerate(own)]
    caption = (
        "Each point is one repetition, nothing removed: outliers, drift and groups show here. 1 is the ideal; below 1, "
        "T1 of that repetition was disturbed."
    )
    return {"name": "every-repetition", "data": data, "layout": layout, "caption": caption}


def _strip(group: Group, index: int, most: int) -> Figure:
    x: list[str] = []
    y: list[float] = []
    text: list[str] = []
    label = plot_text(group.label)
    for point, pool in zip(group.points, group.pools, strict=True):
        t1, tp = _pairs(pool)
        drawn = _selection(tp * point.cores / t1, most)
        x += [f"{point.n:,}"] * len(drawn)
        y += (tp * point.cores / t1)[drawn].tolist()
        text += [
            f"<b>{label}</b><br>n = {point.n:,}, repetition {i}<br>T1 {duration(t1[i])}, TP {duration(tp[i])}"
            for i in drawn
        ]
    return _line(group, index) | {
        # A box plot without its box is a strip plot that plotly spreads by group on its own.
        "type": "box",
        "boxpoints": "all",
        "hoveron": "points",
        "pointpos": 0,
        "jitter": 0.7,
        "line": {"color": "rgba(0,0,0,0)"},
        "fillcolor": "rgba(0,0,0,0)",
        "marker": _line(group, index)["marker"] | {"size": 4, "opacity": 0.7},
        "x": x,
        "y": y,
        "text": text,
    }


def _pairs(pool: Iterable[Measurement]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return T1 and TP in µs, by repetition. A T1 of 0 ticks counts as one tick: nothing shorter can be told."""
    t1, tp = [], []
    for measurement in pool:
        one, all_cores = measurement.samples("t1"), measurement.samples("tp")
        count = min(len(one.ticks), len(all_cores.ticks))
        t1.append(np.maximum(one.ns[:count], 1e9 / one.hz) / 1e3)
        tp.append(all_cores.ns[:count] / 1e3)
    return np.concatenate(t1), np.concatenate(tp)


def _most_drawn(groups: Sequence[Group]) -> int:
    """Return how many samples to draw per setting."""
    return max(100, _POINTS_DRAWN // sum(len(group.points) for group in groups))


def is_thinned(groups: Sequence[Group]) -> bool:
    """Return whether the plot of every repetition leaves some of them out."""
    return bool(groups) and any(p.samples > _most_drawn(groups) for group in groups for p in group.points)


def _selection(values: NDArray[np.float64], most: int) -> list[int]:
    """Return which values to draw, in order: of too many, all that lie far out and an even choice of the rest."""
    if len(values) <= most:
        return list(range(len(values)))
    ranked = np.argsort(values, kind="stable")
    tail = most // 4
    inner = np.linspace(tail, len(values) - tail - 1, most - 2 * tail).astype(int)
    return sorted(int(i) for i in np.concatenate((ranked[:tail], ranked[inner], ranked[len(values) - tail :])))


def _line(group: Group, index: int) -> Figure:
    """Mark a group alike in every plot. Published results never look like own ones: grey, dashed, hollow."""
    colour = "published" if group.is_published else f"series{index % COLOURS}"
    symbol = "circle-open" if group.is_published else _SYMBOLS[index % len(_SYMBOLS)]
    name = plot_text(group.label)
    return {
        "type": "scatter",
        "mode": "lines+markers",
        "name": name,
        "legendgroup": f"{index}",
        "hoverinfo": "text",
        "line": {"color": colour, "width": 2, "dash": "dash" if group.is_published else "solid"},
        "marker": {"color": colour, "symbol": symbol, "size": 9, "line": {"width": 2 if group.is_published else 0}},
    }


def _error_bars(estimates: Sequence[Interval], scale: float = 1.0) -> Figure:
    """Draw no bar for an unknown bound: the value itself stands for it."""
    high = [(e.high - e.value) * scale if e.high is not None else 0.0 for e in estimates]
    low = [(e.value - e.low) * scale if e.low is not None else 0.0 for e in estimates]
    return {"type": "data", "symmetric": False, "array": high, "arrayminus": low, "visible": any(high + low)}


def _hover(group: Group, point: SpeedupPoint) -> str:
    rows = {
        "n": f"{point.n:,}",
        "T1": shown(point.t1_us, "duration"),
        "TP": shown(point.tp_us, "duration"),
        "S": shown(point.speedup, "factor"),
        "E": shown(point.efficiency, "percent"),
    }
    lines = [f"{name} = {value}" for name, value in rows.items()]
    return "<br>".join([f"<b>{plot_text(group.label)}</b>", *lines])


def _layout(title: str, groups: Sequence[Group], x: Figure, y: Figure) -> Figure:
    return base_layout(title, 420 + 20 * max(0, len(groups) - _BUSY_LEGEND), x, y)


def _add_level(
    layout: Figure, y: float, text: str, colour: str, *, dash: str = "solid", below: bool = False, log: bool = False
) -> None:
    """Draw a horizontal line across the plot, with its label above or below the right end."""
    line = {"color": colour, "width": 1, "dash": dash}
    layout["shapes"].append(
        {"type": "line", "xref": "paper", "x0": 0, "x1": 1, "y0": y, "y1": y, "line": line, "layer": "below"}
    )
    layout["annotations"].append(
        {
            "xref": "paper",
            "x": 0.995,
            "xanchor": "right",
            "y": float(np.log10(y)) if log else y,  # annotations take the exponent where shapes take the value
            "yanchor": "top" if below else "bottom",
            "yshift": -2 if below else 6,  # clear of markers on the line
            "text": text,
            "showarrow": False,
            "font": {"color": colour, "size": 12},
        }
    )


def _short(n: int) -> str:
    """Return a size as the logarithmic axes write it, e.g. `300k`."""
    for scale, letter in ((10**9, "G"), (10**6, "M"), (10**3, "k")):
        if n >= scale:
            return f"{n / scale:g}{letter}"
    return str(n)
