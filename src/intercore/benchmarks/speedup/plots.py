"""The plots of speed-ups, of all runs of a page and of what is published."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from intercore.benchmarks.benchmark import AS_USUAL
from intercore.record.origin import weakest_origin
from intercore.view.axes import Axis
from intercore.view.figure import Figure, Line, Panel, Points, ReferenceLine, colour_of, labelled, shape_of
from intercore.view.quantity import duration, shown

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from intercore.benchmarks.benchmark import View
    from intercore.benchmarks.speedup.fit import ForkJoinFit
    from intercore.benchmarks.speedup.points import SpeedupPoint
    from intercore.record.measurement import Measurement
    from intercore.record.origin import Origin
    from intercore.statistics.intervals import Interval
    from intercore.view.figure import Colour, Direction, Series, Shape

POLLED = "poll-tick"
"""The level of `join` by which completion is looked for once per tick."""

_DISTURBANCES = ("recovered_doorbells", "preempted")  # checks that should be 0: docs/protocol.md
_POINTS_DRAWN = 6000  # samples per plot that a phone still draws without delay
_HEIGHT = 250  # pixels
_SPREAD, _STRIP = 0.7, 0.85  # parts: of a strip, within which its points lie; of a size, which all strips take


@dataclass(frozen=True)
class Group:
    """One line: the points of one fit."""

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
        """The disturbance of each point, e.g. `preempted 3`; empty if there was none."""
        return [_disturbed(pool) for pool in self.pools] or [""] * len(self.points)


def _disturbed(pool: Iterable[Measurement]) -> str:
    counts = {check: sum(measurement.checks.get(check, 0) for measurement in pool) for check in _DISTURBANCES}
    return ", ".join(f"{check} {count}" for check, count in counts.items() if count)


def figures(
    own: Sequence[Group], literature: Sequence[Group], efficiency: float, view: View = AS_USUAL
) -> list[Figure]:
    """Return the plots, in their order on the page."""
    origins = {group.origin for group in own if group.origin != "published"}
    drawn = [
        speedup_figure(own, literature, view),
        _durations_figure(own, literature),
        _efficiency_figure(own, literature, efficiency),
        *_ticks_figure(own, literature),
        _samples_figure(own),
    ]
    return [labelled(figure, weakest_origin(origins), partly=len(origins) > 1) for figure in drawn]


def _values(series: Iterable[Series], direction: Direction) -> Iterator[float | None]:
    """Yield all values that an axis of several series has to include."""
    for one in series:
        yield from one.values(direction)


def speedup_figure(own: Sequence[Group], literature: Sequence[Group], view: View = AS_USUAL) -> Figure:
    """Draw the speed-ups over the duration on one core, or over the size if that is the axis chosen.

    Each level of a factor chosen for panels has one, with the published points.
    """
    panels: dict[str, list[Series]] = {}
    by_size = view.axis == "n"
    groups = [*own, *literature]
    cores = sorted({group.fit.cores for group in groups})
    largest = max(point.speedup.value for group in groups for point in group.points)
    titles = list(dict.fromkeys(_panel(group, view) for group in own)) or [""]
    for index, group in enumerate(groups):
        x = [point.n if by_size else point.t1_us.value / 1e6 for point in group.points]
        speedups = [point.speedup for point in group.points]
        drawn: list[Series] = [
            _line(group, index, x, [one.value for one in speedups]),
            _points(group, index, x, speedups),
        ]
        for title in titles if group.is_published else [_panel(group, view)]:
            panels.setdefault(title, []).extend(drawn)
    every = [one for series in panels.values() for one in series]
    x_axis = (
        Axis("size of the work n", log=True, form="si") if by_size else Axis("time on one core, T1", log=True, unit="s")
    ).around(_values(every, "x"))
    caption = (
        "The tasks are created for the parts (mode=create), woken for them (mode=pool), or poll for work (mode=spin). "
        "Bars are 95 % intervals. Above the line of one core, several are faster."
    )
    drawn_panels = [
        Panel(
            x_axis,
            Axis("speed-up S = T1 / TP", high=1.12 * max(largest, *cores)),
            series,
            _HEIGHT,
            title=title,
            references=[
                *(ReferenceLine(limit, f"limit: {limit} cores") for limit in cores),
                ReferenceLine(1, "as fast as one core", "dotted", below=True),
            ],
        )
        for title, series in panels.items()
    ]
    over = "size" if by_size else "duration"
    return Figure(f"speedup-over-{over}", f"Speed-up over {over}", caption, drawn_panels)


def _panel(group: Group, view: View) -> str:
    """Name the panel of a group: by the levels of the factors that are to have panels."""
    setting = group.points[0].setting
    return ", ".join(f"{name}={setting[name]}" for name in view.panels if name in setting)


def _durations_figure(own: Sequence[Group], literature: Sequence[Group]) -> Figure:
    series: list[Series] = []
    for index, group in enumerate((*own, *literature)):
        n = [point.n for point in group.points]
        durations = [point.tp_us for point in group.points]
        t1 = [point.t1_us.value / 1e6 for point in group.points]
        series += [
            _line(group, index, n, [one.value / 1e6 for one in durations]),
            Line(group.label, _colour(group, index), n, t1, "dashed" if group.is_published else "dotted"),
            _points(group, index, n, durations, 1e-6),
        ]
    caption = "Medians on one core (T1, thin lines) and on all cores (TP). Where TP lies above T1, one core is faster."
    panel = Panel(
        Axis("size of the work n", log=True, form="si").around(_values(series, "x")),
        Axis("T1 and TP", log=True, unit="s").around(_values(series, "y")),
        series,
        _HEIGHT,
    )
    return Figure("durations-over-size", "Durations over size", caption, [panel])


def _ticks_figure(own: Sequence[Group], literature: Sequence[Group]) -> Iterator[Figure]:
    """Draw where in a tick of the kernel TP ended: one height for all sizes if completion was polled on the tick.

    Only if a group of this run shows that, or was to show it; published ones that do are shown with it.
    """
    known = [group for group in own if group.fit.quantisation is not None]
    if not any(group.is_quantised or any(point.join == POLLED for point in group.points) for group in known):
        return
    groups = [*known, *(group for group in literature if group.is_quantised)]
    series: list[Series] = []
    for index, group in enumerate(groups):
        n = [point.n for point in group.points]
        past = [_past_tick(group, point) for point in group.points]
        if group.is_quantised:
            series.append(_line(group, index, n, past))
        texts = [
            f"{_text(group, point)}\n{part:.3f} of a tick beyond whole ticks"
            for point, part in zip(group.points, past, strict=True)
        ]
        colour, shape = _look(group, index)
        series.append(Points(group.label, colour, n, past, texts, shape=shape, hollow=group.is_published))
    caption = (
        "Medians of TP modulo the tick of their kernel. If a program polls for completion once per tick, every size "
        "ends at the same height. The published .97 and .98 ms do so, likely for that reason. The resolution of the "
        "end of the work is then a tick. Lines join groups that are quantised in this way. Sizes below half a tick "
        "are not conclusive."
    )
    panel = Panel(
        Axis("size of the work n", log=True, form="si").around(_values(series, "x")),
        Axis("TP modulo tick, in ticks", -0.05, 1.05),
        series,
        _HEIGHT,
    )
    yield Figure("beyond-whole-ticks", "TP modulo tick", caption, [panel])


def _past_tick(group: Group, point: SpeedupPoint) -> float:
    """Return the part of a tick by which TP exceeds whole ones, 0 to 1."""
    tick_us = group.fit.quantisation.tick_us if group.fit.quantisation else point.tp_us.value
    return point.tp_us.value % tick_us / tick_us


def _efficiency_figure(own: Sequence[Group], literature: Sequence[Group], wanted: float) -> Figure:
    groups = [*own, *literature]
    largest = max(point.efficiency.value for group in groups for point in group.points)
    goal = f"{100 * wanted:.3g} %"
    series: list[Series] = []
    for index, group in enumerate(groups):
        series += [
            _fitted_curve(group, index),
            _points(
                group,
                index,
                [point.t1_us.value / 1e6 for point in group.points],
                [point.efficiency for point in group.points],
            ),
            *_work_marker(group, index, group.fit.break_even.t1_us, 1 / group.fit.cores, "star", "break-even (S = 1)"),
            *_work_marker(group, index, group.fit.isoefficiency.t1_us, wanted, "hexagram", f"{goal} of all cores"),
        ]
    caption = (
        "Points are the medians, lines the fitted model TP = (1 + loss) T1/P + overhead; published points are as "
        "printed, and their line is computed from the printed durations. Five-pointed stars mark the "
        "break-even, where all cores are as fast as one (S = 1); six-pointed ones the smallest work that reaches the "
        "wanted efficiency. Bars are 95 % intervals."
    )
    panel = Panel(
        Axis("duration on one core T1", log=True, unit="s").around(_values(series, "x")),
        Axis("efficiency E = S / P", high=1.12 * max(largest, 1), form="percent"),
        series,
        _HEIGHT,
        references=[
            ReferenceLine(1, "limit"),
            ReferenceLine(wanted, f"wanted: {goal}", "dotted", below=True),
            *(
                ReferenceLine(1 / cores, f"break-even: S = 1 on {cores} cores", "dotted", below=True)
                for cores in sorted({group.fit.cores for group in groups} - {1})
            ),
        ],
    )
    return Figure("efficiency-over-duration", "Efficiency over duration", caption, [panel])


def _fitted_curve(group: Group, index: int) -> Line:
    """Draw the model of the fit, TP = (1 + loss) T1/P + overhead, as efficiency."""
    fit = group.fit
    t1 = [point.t1_us.value for point in group.points]
    x = np.geomspace(min(t1) / 2, max(t1) * 2, 80)
    tp = (1 + (fit.loss.value if fit.loss else 0.0)) * x / fit.cores + fit.overhead_us.value
    x, tp = x[tp > 0], tp[tp > 0]
    return _line(group, index, (x / 1e6).tolist(), (x / tp / fit.cores).tolist())


def _work_marker(
    group: Group, index: int, t1_us: Interval | None, efficiency: float, shape: Shape, what: str
) -> Iterator[Points]:
    """Mark the work at which a group reaches an efficiency, if that is known."""
    if t1_us is None:
        return
    yield Points(
        group.label,
        _colour(group, index),
        [t1_us.value / 1e6],
        [efficiency],
        [f"{group.label}\n{what} at T1 = {shown(t1_us, 'duration')}"],
        shape=shape,
        hollow=group.is_published,
        x_bounds=[_bounds(t1_us, 1e-6)],
    )


def _samples_figure(own: Sequence[Group]) -> Figure:
    """Draw every repetition, a strip per setting. TP over its own T1/P shows the outliers of both, at any size."""
    sizes = sorted({point.n for group in own for point in group.points})
    most = _most_drawn(own)
    strips = [_strip(group, index, len(own), sizes, most) for index, group in enumerate(own)]
    caption = (
        "Each point is one repetition; nothing is removed, so outliers, drift and groups are visible. 1 is the ideal; "
        "below 1, T1 of that repetition was disturbed."
    )
    panel = Panel(
        Axis("size of the work n").of_names([_short(n) for n in sizes]),
        Axis("TP ÷ (T1 / P)", log=True).around(_values(strips, "y")),
        strips,
        _HEIGHT,
        references=[ReferenceLine(1, "ideal", below=True)],
    )
    return Figure("every-repetition", "Every repetition", caption, [panel])


def _strip(group: Group, index: int, groups: int, sizes: Sequence[int], most: int) -> Points:
    """Draw the repetitions of a group, at each size beside those of the other groups."""
    x: list[float] = []
    y: list[float] = []
    texts: list[str] = []
    for point, pool in zip(group.points, group.pools, strict=True):
        t1, tp = _pairs(pool)
        drawn = _selection(tp * point.cores / t1, most)
        for i in drawn:
            # Neighbours in time lie apart within the strip: the golden ratio spreads them evenly.
            across = (1 - _SPREAD) / 2 + _SPREAD * ((len(x) * 0.618034) % 1)
            x.append(sizes.index(point.n) + ((index + across) / groups - 0.5) * _STRIP)
            y.append(float(tp[i] * point.cores / t1[i]))
            texts.append(f"{group.label}\nn = {point.n:,}, repetition {i}\nT1 {duration(t1[i])}, TP {duration(tp[i])}")
    return Points(group.label, _colour(group, index), x, y, texts, small=True)


def _pairs(pool: Iterable[Measurement]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return T1 and TP in µs, by repetition. A T1 of 0 ticks counts as one tick, the resolution."""
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
    """Return the values to draw, in order: of too many, all outliers and a regular selection of the rest."""
    if len(values) <= most:
        return list(range(len(values)))
    ranked = np.argsort(values, kind="stable")
    tail = most // 4
    inner = np.linspace(tail, len(values) - tail - 1, most - 2 * tail).astype(int)
    return sorted(int(i) for i in np.concatenate((ranked[:tail], ranked[inner], ranked[len(values) - tail :])))


def _colour(group: Group, index: int) -> Colour:
    """Return a group's colour, the same in every plot; published results are grey."""
    return "published" if group.is_published else colour_of(index)


def _look(group: Group, index: int) -> tuple[Colour, Shape]:
    """Mark a group alike in every plot. Published results never look like own ones: grey, dashed, hollow."""
    return _colour(group, index), "circle" if group.is_published else shape_of(index)


def _line(group: Group, index: int, x: Sequence[float], y: Sequence[float]) -> Line:
    return Line(group.label, _colour(group, index), x, y, "dashed" if group.is_published else "solid")


def _points(group: Group, index: int, x: Sequence[float], estimates: Sequence[Interval], scale: float = 1.0) -> Points:
    """Draw an estimate of each point of a group, with its interval."""
    colour, shape = _look(group, index)
    return Points(
        group.label,
        colour,
        x,
        [one.value * scale for one in estimates],
        [_text(group, point) for point in group.points],
        shape=shape,
        hollow=group.is_published,
        y_bounds=[_bounds(one, scale) for one in estimates],
    )


def _bounds(estimate: Interval, scale: float = 1.0) -> tuple[float, float]:
    """Return an interval's ends; the value itself stands for an unknown one."""
    low, high = (estimate.value if end is None else end for end in (estimate.low, estimate.high))
    return low * scale, high * scale


def _text(group: Group, point: SpeedupPoint) -> str:
    rows = {
        "n": f"{point.n:,}",
        "T1": shown(point.t1_us, "duration"),
        "TP": shown(point.tp_us, "duration"),
        "S": shown(point.speedup, "printed" if group.is_published else "factor"),
        "E": shown(point.efficiency, "percent"),
    }
    return "\n".join([group.label, *(f"{name} = {value}" for name, value in rows.items())])


def _short(n: int) -> str:
    """Return a size as the logarithmic axes write it, e.g. `300k`."""
    for scale, letter in ((10**9, "G"), (10**6, "M"), (10**3, "k")):
        if n >= scale:
            return f"{n / scale:g}{letter}"
    return str(n)
