"""A run as one self-contained HTML page: what a person looks at before believing a number.

The page loads nothing: its plotting library is inside it, and its content security policy forbids everything else.
Every string from a target, a store or a published table is escaped where it is shown: by jinja2 in HTML, by
`_plot_text` in plots, which have a mark-up of their own.
"""

from __future__ import annotations

import base64
import contextlib
import hashlib
import html
import os
import shlex
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import groupby
from typing import TYPE_CHECKING, Any, Literal

import msgspec
import numpy as np
from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup
from plotly.offline import get_plotlyjs

import intercore
from intercore import conditions
from intercore.analysis import speedup
from intercore.analysis.statistics import summary
from intercore.errors import IntercoreError, UsageError
from intercore.literature import published
from intercore.measurement import LOOKING_PREFIX
from intercore.plan import REBUILD_FACTOR
from intercore.view.quantity import duration, significant

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from intercore.analysis.speedup import ForkJoinFit, Interval, SpeedupAnalysis, SpeedupPoint
    from intercore.literature import Publication
    from intercore.measurement import Level, Measurement, Run

    Figure = dict[str, Any]
    """A plot as plotly.js takes it; its colours are names that the page's script looks up for light and dark."""

SIMULATED = "SIMULATED"

_DISTURBANCES = ("wrong", "migrated", "lost", "preempted")  # docs/protocol.md: the checks that should be 0
_COLOURS, _SYMBOLS = 6, ("circle", "square", "diamond", "triangle-up", "cross")  # no common divisor: 30 distinct pairs
_POINTS_DRAWN = 6000  # samples per plot that a phone still draws without delay
_VALUES_SHOWN = 3  # of a condition that changes within a run
_BUSY_LEGEND = 3  # entries that fit without a taller plot


@dataclass(frozen=True)
class _Group:
    """What is drawn as one line: the points of one fit."""

    label: str
    """Says by itself if the numbers are simulated or published."""
    origin: Literal["measured", "simulated", "published"]
    fit: ForkJoinFit
    points: tuple[SpeedupPoint, ...]
    pools: tuple[tuple[Measurement, ...], ...]
    """The measurements behind each point; empty for a published table."""

    @property
    def is_published(self) -> bool:
        return self.origin == "published"

    @property
    def disturbances(self) -> list[str]:
        """What disturbed each point, e.g. `preempted 3`; empty text where nothing did."""
        return [_disturbances(pool) for pool in self.pools] or [""] * len(self.points)


@dataclass(frozen=True)
class _Section:
    """What the page says of one run."""

    run: Run
    groups: tuple[_Group, ...]
    warnings: tuple[str, ...]

    @property
    def best(self) -> tuple[_Group, SpeedupPoint]:
        """The point of the largest speed-up."""
        return max(((g, p) for g in self.groups for p in g.points), key=lambda pair: pair[1].speedup.value)

    @property
    def nothing(self) -> str:
        """Why there is no speed-up to show: a sentence; empty if there is."""
        run = self.run
        if self.groups:
            return ""
        if not run.measurements:
            return f"Run {run.id} holds no measurement yet, so there is nothing to show."
        if any(measurement.benchmark == "speedup" for measurement in run.measurements):
            return (
                f"None of the {len(run.measurements)} measurements of run {run.id} gives a speed-up; see the warnings."
            )
        return f"Run {run.id} measured the benchmark {run.plan.benchmark}; this page shows speedup only."

    @property
    def command(self) -> str:
        """The command line that measures the same again."""
        plan = self.run.plan
        levels = {name: ",".join(map(str, known)) for name, known in plan.levels.items()}
        opt = levels.pop(REBUILD_FACTOR, None)
        if levels.get("seed") == str(plan.seed):
            del levels["seed"]
        options = {"--opt": opt, "--repetitions": plan.repetitions, "--seed": plan.seed}
        if plan.url is not None:
            options |= {"--port": plan.url, "--baud": plan.baud}
        words = [
            "intercore",
            "run",
            plan.target,
            plan.benchmark,
            *(f"{name}={known}" for name, known in levels.items()),
        ]
        words += [f"{name}={value}" for name, value in options.items() if value is not None]
        return shlex.join(words)

    @property
    def looking(self) -> dict[str, Any]:
        """Summary in µs of the cost of looking, by core, over all measurements of the run."""
        samples: dict[str, list[NDArray[np.float64]]] = {}
        for measurement in self.run.measurements:
            for series in measurement.series:
                if series.name.startswith(LOOKING_PREFIX) and len(series.ticks):
                    samples.setdefault(series.name.removeprefix(LOOKING_PREFIX), []).append(series.ns / 1e3)
        return {core: summary(np.concatenate(parts)) for core, parts in sorted(samples.items())}

    @property
    def clocks(self) -> list[tuple[str, int]]:
        """Name and ticks per second of every clock that was read."""
        return sorted({(series.clock, series.hz) for m in self.run.measurements for series in m.series})

    def levels(self, factor: str) -> str:
        """Return the levels that a factor took in the run."""
        known = {str(m.factors[factor]): None for m in self.run.measurements if factor in m.factors}
        return ", ".join(known)

    def condition(self, key: str) -> str:
        """Return the values of a condition in the run: all of them if they are few."""
        known = list({m.conditions[key]: None for m in self.run.measurements if key in m.conditions})
        more = len(known) - _VALUES_SHOWN
        return " / ".join(known[:_VALUES_SHOWN]) + (f" / … and {more} more" if more > 0 else "")


def write_page(runs: Sequence[Run], path: Path, efficiency: float = speedup.DEFAULT_EFFICIENCY) -> None:
    """Write a page about the runs to `path`; `efficiency` is the one wanted at break-even.

    An existing file is replaced only when the new one is complete. A run without a speed-up gets a sentence that says
    so. Raises UsageError without a run, IntercoreError if the page cannot be written.
    """
    if not runs:
        raise UsageError("there is no run to make a page of")
    page = _page(runs, efficiency).encode("utf-8", "replace")
    partial = None
    try:
        partial = path.with_name(f".{path.name}.{os.getpid()}.partial")  # beside it: a rename stays in its file system
        with partial.open("wb") as file:
            file.write(page)
            file.flush()
            os.fsync(file.fileno())
        partial.replace(path)
    except (OSError, ValueError) as error:  # ValueError: a path without a name, such as `.`
        cause = getattr(error, "strerror", None) or error
        raise IntercoreError(f"cannot write the page {path}: {cause}; free space or choose another place") from error
    finally:
        if partial is not None:
            with contextlib.suppress(OSError):
                partial.unlink(missing_ok=True)


# What the page is made of


def _page(runs: Sequence[Run], efficiency: float) -> str:
    tables = published()
    sections = _sections(runs, efficiency)
    own = [group for section in sections for group in section.groups]
    literature = [group for table in tables for group in _published_groups(table, efficiency)]
    return str(
        _environment()
        .get_template("page.html.j2")
        .render(
            sections=sections,
            groups=own + literature,
            publications=tables,
            figures=_figures(own, literature, efficiency) if own else [],
            thinned=_is_thinned(own),
            conditions=_conditions(sections),
            cores=sorted({group.fit.cores for group in own}),
            efficiency=efficiency,
            origin=_origin(runs),
            version=intercore.__version__,
            written=datetime.now(UTC).isoformat(),
            plotly=Markup(get_plotlyjs()),  # noqa: S704 - a library, carried by a package that we pin
        )
    )


def _origin(runs: Sequence[Run]) -> str:
    simulated = sum(run.plan.simulated for run in runs)
    if not simulated:
        return "measured"
    return SIMULATED if simulated == len(runs) else f"partly {SIMULATED}"


def _sections(runs: Sequence[Run], efficiency: float) -> list[_Section]:
    analyses = [speedup.analyse(run.measurements, efficiency) for run in runs]
    named = _differing(point.setting for analysis in analyses for point in analysis.points)
    return [
        _Section(
            run,
            tuple(_groups(run, analysis, named, prefix=f"run {run.id}: " if len(runs) > 1 else "")),
            (*conditions.warnings(run), *speedup.warnings(analysis, run.measurements)),
        )
        for run, analysis in zip(runs, analyses, strict=True)
    ]


def _differing(settings: Iterable[dict[str, Level]]) -> set[str]:
    """Return the factors that tell the groups apart, and the mode in any case."""
    levels: dict[str, set[Level]] = {}
    for setting in settings:
        for name, level in setting.items():
            levels.setdefault(name, set()).add(level)
    return {"mode"} | {name for name, known in levels.items() if len(known) > 1}


def _groups(run: Run, analysis: SpeedupAnalysis, named: Collection[str], prefix: str) -> Iterator[_Group]:
    simulated = run.plan.simulated
    names = {name for point in analysis.points for name in point.setting}
    for fit, points in _fits(analysis):
        yield _Group(
            label=prefix + _words(points[0].setting, named) + (f" ({SIMULATED})" if simulated else ""),
            origin="simulated" if simulated else "measured",
            fit=fit,
            points=points,
            pools=tuple(_pool(run, point, names) for point in points),
        )


def _published_groups(table: Publication, efficiency: float) -> Iterator[_Group]:
    for fit, points in _fits(speedup.analyse_published(table, efficiency)):
        yield _Group(f"published: {table.label}", "published", fit, points, pools=())


def _fits(analysis: SpeedupAnalysis) -> Iterator[tuple[ForkJoinFit, tuple[SpeedupPoint, ...]]]:
    groups = groupby(analysis.points, key=lambda point: point.group)
    for fit, (_, points) in zip(analysis.fits, groups, strict=True):
        yield fit, tuple(points)


def _words(setting: dict[str, Level], named: Collection[str]) -> str:
    """Name a group by what tells it apart, e.g. `fp, create, priority=2`."""
    speaking = ("workload", "mode", "join")
    return ", ".join(
        str(level) if name in speaking else f"{name}={level}" for name, level in setting.items() if name in named
    )


def _pool(run: Run, point: SpeedupPoint, names: Iterable[str]) -> tuple[Measurement, ...]:
    """Return the measurements that the analysis pooled in a point; `names` are the factors that tell points apart."""
    setting: dict[str, Level | None] = {**dict.fromkeys(names), **point.setting, "n": point.n}
    return tuple(
        measurement
        for measurement in run.measurements
        if measurement.benchmark == "speedup"
        and all(measurement.factors.get(name) == level for name, level in setting.items())
    )


def _disturbances(pool: Iterable[Measurement]) -> str:
    counts = {check: sum(measurement.checks.get(check, 0) for measurement in pool) for check in _DISTURBANCES}
    return ", ".join(f"{check} {count}" for check, count in counts.items() if count)


def _conditions(sections: Sequence[_Section]) -> list[tuple[str, list[str]]]:
    """Return every condition with its value in each run."""
    keys = {key for section in sections for m in section.run.measurements for key in m.conditions}
    return [(key, [section.condition(key) for section in sections]) for key in sorted(keys)]


# Plots


def _figures(own: Sequence[_Group], literature: Sequence[_Group], efficiency: float) -> list[Figure]:
    simulated = any(group.origin == "simulated" for group in own)
    figures = [
        _speedup_figure(own, literature),
        _efficiency_figure(own, literature, efficiency),
        _samples_figure(own),
    ]
    for figure in figures:
        if simulated:
            figure["layout"]["title"]["text"] += f" ({SIMULATED})"
        figure["name"] = figure["name"] + "-simulated" * simulated
    return figures


def _speedup_figure(own: Sequence[_Group], literature: Sequence[_Group]) -> Figure:
    groups = [*own, *literature]
    cores = sorted({group.fit.cores for group in groups})
    largest = max(point.speedup.value for group in groups for point in group.points)
    layout = _layout(
        "Speed-up over size",
        groups,
        x=_log_axis("size of the work n", [point.n for group in groups for point in group.points]),
        y={"title": {"text": "speed-up S = T1 / TP"}, "range": [0, 1.12 * max(largest, *cores)]},
    )
    for limit in cores:
        _add_level(layout, limit, f"limit: {limit} cores", "text")
    _add_level(layout, 1, "as fast as one core", "muted", dash="dot", below=True)
    data = [
        _line(group, index)
        | {
            "x": [point.n for point in group.points],
            "y": [point.speedup.value for point in group.points],
            "error_y": _error_bars([point.speedup for point in group.points]),
            "text": [_hover(group, point) for point in group.points],
        }
        for index, group in enumerate(groups)
    ]
    return {"name": "speedup-over-size", "data": data, "layout": layout}


def _efficiency_figure(own: Sequence[_Group], literature: Sequence[_Group], wanted: float) -> Figure:
    groups = [*own, *literature]
    largest = max(point.efficiency.value for group in groups for point in group.points)
    layout = _layout(
        "Efficiency over duration",
        groups,
        x=_log_axis("duration on one core T1", [point.t1_us.value for group in groups for point in group.points])
        | {"ticksuffix": "s"},
        y={"title": {"text": "efficiency E = S / P"}, "range": [0, 1.12 * max(largest, 1)], "tickformat": ".0%"},
    )
    _add_level(layout, 1, "limit", "text")
    _add_level(layout, wanted, f"wanted: {100 * wanted:.3g} %", "muted", dash="dot", below=True)
    data = []
    for index, group in enumerate(groups):
        data += [_efficiency_points(group, index), _fitted_curve(group, index), *_break_even_marker(group, index)]
    return {"name": "efficiency-over-duration", "data": data, "layout": layout}


def _efficiency_points(group: _Group, index: int) -> Figure:
    return _line(group, index) | {
        "mode": "markers",
        "x": [point.t1_us.value / 1e6 for point in group.points],
        "y": [point.efficiency.value for point in group.points],
        "error_y": _error_bars([point.efficiency for point in group.points]),
        "text": [_hover(group, point) for point in group.points],
    }


def _fitted_curve(group: _Group, index: int) -> Figure:
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


def _break_even_marker(group: _Group, index: int) -> Iterator[Figure]:
    found = group.fit.break_even
    if found.t1_us is None:
        return
    line = _line(group, index)
    text = f"<b>{_plot_text(group.label)}</b><br>break-even at T1 = {_shown(found.t1_us, 'duration')}"
    yield line | {
        "mode": "markers",
        "x": [found.t1_us.value / 1e6],
        "y": [found.efficiency],
        "error_x": _error_bars([found.t1_us], 1e-6),
        "marker": line["marker"] | {"symbol": "star-open" if group.is_published else "star", "size": 14},
        "showlegend": False,
        "text": [text],
    }


def _samples_figure(own: Sequence[_Group]) -> Figure:
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
    return {"name": "every-repetition", "data": data, "layout": layout}


def _strip(group: _Group, index: int, most: int) -> Figure:
    x: list[str] = []
    y: list[float] = []
    text: list[str] = []
    label = _plot_text(group.label)
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


def _most_drawn(groups: Sequence[_Group]) -> int:
    """Return how many samples to draw per setting."""
    return max(100, _POINTS_DRAWN // sum(len(group.points) for group in groups))


def _is_thinned(groups: Sequence[_Group]) -> bool:
    return bool(groups) and any(p.samples > _most_drawn(groups) for group in groups for p in group.points)


def _selection(values: NDArray[np.float64], most: int) -> list[int]:
    """Return which values to draw, in order: of too many, all that lie far out and an even choice of the rest."""
    if len(values) <= most:
        return list(range(len(values)))
    ranked = np.argsort(values, kind="stable")
    tail = most // 4
    inner = np.linspace(tail, len(values) - tail - 1, most - 2 * tail).astype(int)
    return sorted(int(i) for i in np.concatenate((ranked[:tail], ranked[inner], ranked[len(values) - tail :])))


def _line(group: _Group, index: int) -> Figure:
    """Mark a group alike in every plot. Published results never look like own ones: grey, dashed, hollow."""
    colour = "published" if group.is_published else f"series{index % _COLOURS}"
    symbol = "circle-open" if group.is_published else _SYMBOLS[index % len(_SYMBOLS)]
    name = _plot_text(group.label)
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


def _hover(group: _Group, point: SpeedupPoint) -> str:
    rows = {
        "n": f"{point.n:,}",
        "T1": _shown(point.t1_us, "duration"),
        "TP": _shown(point.tp_us, "duration"),
        "S": _shown(point.speedup, "factor"),
        "E": _shown(point.efficiency, "percent"),
    }
    lines = [f"{name} = {value}" for name, value in rows.items()]
    return "<br>".join([f"<b>{_plot_text(group.label)}</b>", *lines])


def _layout(title: str, groups: Sequence[_Group], x: Figure, y: Figure) -> Figure:
    axis = {"gridcolor": "grid", "linecolor": "muted", "zeroline": False, "automargin": True, "ticks": "outside"}
    return {
        "title": {"text": title, "x": 0.01, "xanchor": "left", "font": {"size": 16}},
        "height": 420 + 20 * max(0, len(groups) - _BUSY_LEGEND),
        "margin": {"l": 56, "r": 16, "t": 48, "b": 56},
        "font": {"color": "text", "family": "system-ui, sans-serif", "size": 13},
        "paper_bgcolor": "paper",
        "plot_bgcolor": "paper",
        "legend": {"orientation": "h", "x": 0, "yref": "container", "y": 0, "yanchor": "bottom"},
        "hoverlabel": {"align": "left", "bgcolor": "paper", "font": {"color": "text"}},
        "hovermode": "closest",
        "showlegend": True,
        "xaxis": axis | {"tickangle": 0} | x,
        "yaxis": axis | y,
        "shapes": [],
        "annotations": [],
    }


def _log_axis(title: str, values: Sequence[float]) -> Figure:
    """Return an axis with a line per decade, and as many labels as a phone has room for: five or six."""
    crowded = max(values) > 1e5 * max(min(values), 1e-9)
    minor = {"dtick": 1, "showgrid": True, "gridcolor": "grid"}
    return {"title": {"text": title}, "type": "log", "tickformat": "~s", "dtick": 1 + crowded, "minor": minor}


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


def _plot_text(text: str) -> str:
    """Escape text for plotly, which knows a few tags of HTML, links among them."""
    return html.escape(text, quote=False)


# How the template writes


def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("intercore.view", "."),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        "value": lambda estimate, kind: _FORMATS[kind](estimate.value),
        "span": _span,
        "shown": _shown,
        "json": _json,
        "csp_hash": _csp_hash,
        "moment": _moment,
        **_FORMATS,
    }
    return environment


def _set(text: str) -> str:
    """Return a number as it is set in print: with a minus sign, and not torn from its unit at the end of a line."""
    return text.replace("-", "−", 1).replace(" ", "\N{NO-BREAK SPACE}")


_FORMATS: dict[str, Callable[[float], str]] = {
    "duration": lambda us: _set(duration(us)),
    "factor": lambda value: f"{value:.3f}",
    "fraction": lambda value: _set(f"{value:.4f}" if abs(value) < 1 else significant(value)),
    "percent": lambda value: _set(f"{100 * value:.1f} %"),
    "count": lambda value: f"{float(significant(value)):,.0f}",
    "exactly": lambda value: f"{value:,}",
    "goal": lambda value: _set(f"{100 * value:.4g} %"),
}


def _span(estimate: Interval, kind: str) -> str:
    """Return the interval in words; empty if neither bound is known. Bounds of one unit name it once."""
    low, high = (None if bound is None else _FORMATS[kind](bound) for bound in (estimate.low, estimate.high))
    if low is None or high is None:
        return f"{low} or more" if low else f"{high} or less" if high else ""
    number, space, unit = low.partition("\N{NO-BREAK SPACE}")
    return f"{number if high.endswith(space + unit) else low} {'to' if '−' in low else '–'} {high}"


def _shown(estimate: Interval, kind: str) -> str:
    span = _span(estimate, kind)
    return _FORMATS[kind](estimate.value) + (f" ({span})" if span else "")


def _json(value: object) -> Markup:
    """Return JSON that cannot end the script element it stands in. What is not finite becomes null."""
    text = msgspec.json.encode(value).decode()
    for character in "<>&":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return Markup(text)  # noqa: S704 - escaped just above


def _csp_hash(script: str) -> str:
    """Return what the content security policy knows a script by."""
    return "sha256-" + base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()


def _moment(text: str) -> str:
    """Return an ISO 8601 time for people; as it came if it is none."""
    try:
        time = datetime.fromisoformat(text)
    except ValueError:
        return text
    return f"{time.astimezone(UTC) if time.tzinfo else time:%Y-%m-%d %H:%M} UTC"
