"""The report of the benchmark `jitter`: how late a periodic task was released, and how far its period deviated."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import msgspec
import numpy as np

from intercore.benchmarks.jitter.analysis import BENCHMARK, UNSYNCHRONISED, analyse, pools, releases, warnings
from intercore.benchmarks.jitter.publication import JitterPublication
from intercore.benchmarks.published import published
from intercore.view.distribution import MOST_HISTOGRAMS, distribution_columns, histogram_figure
from intercore.view.figure import AXIS, COLOURS, base_layout, log_axis, plot_text
from intercore.view.quantity import duration, significant
from intercore.view.section import Report, Section, where, whose
from intercore.view.table import Column, Table

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from intercore.benchmarks.jitter.analysis import JitterAnalysis, Setting
    from intercore.record.measurement import Measurement, Run
    from intercore.view.section import Figure

_STRIP_HEIGHT, _ROW_HEIGHT, _MARGINS = 110, 26, 140  # pixels
_TOP, _BOTTOM = 0.24, 0.95  # of a strip's height, between which its plot is
_MOST_POINTS = 400  # of a strip: what a phone still shows apart


def report(run: Run) -> Report:
    """Report on the measurements of `jitter`."""
    analysis = analyse(run.measurements)
    tables: list[Table[Setting] | Table[_Periods]] = [_latency_table(run, analysis), _deviation_table(run, analysis)]
    if any(one.counted for one in analysis.settings):
        tables.append(_counted_table(run, analysis))
    return Report(
        BENCHMARK,
        {BENCHMARK: msgspec.to_builtins(analysis)},
        list(_flat_rows(analysis)),
        warnings(run.measurements),
        Section(
            "How steady a periodic task is (jitter)",
            analysis.sentences,
            [*tables, _literature_table(run, analysis)],
            list(_figures(run, analysis)) if analysis.settings else [],
            [*_NOTES, *_sources()],
        ),
    )


_NOTES = (
    "The task sleeps from release to release by the kernel's own delay-until and reads the common clock as the first "
    "thing after it. Latency is from when the release was due, by the kernel's tick, to that reading. The deviation of "
    "a period is how much longer than the period it took from one reading to the next.",
    "Forced migrations are asked for while the task waits. The task that moves it has a lower priority and is pinned "
    "to the core where it has just been: it cannot run before the task waits. `affinity` pins the waiting task to the "
    "next core; `blockers` leave it free, suspend a task of higher priority on the next core and resume one on this. "
    "A migration counts as asked for once that is done and the task still waits; the core of the next release tells "
    "whether it happened.",
    "`unsynchronised` shows what happens otherwise: tasks of higher priority are busy and rest at random on either "
    "core. The task is stopped when it has not yet asked for its next release, is overdue when it does, and does not "
    "wait: the periods that come out are those of the blockers.",
    "The first release of each stretch is not recorded. Between stretches the console may speak.",
)


def _sources() -> Iterator[str]:
    for table in published(JitterPublication):
        yield f"Published: {table.source.citation}. {table.conditions['chip']}. " + " ".join(table.notes)


# Tables


def _latency_table(run: Run, analysis: JitterAnalysis) -> Table[Setting]:
    columns: list[Column[Setting]] = [
        Column("setting", lambda one: one.label),
        *distribution_columns(lambda one: one.late_us),
    ]
    return Table(f"How late each release was on {where(run)}", analysis.settings, columns)


def _deviation_table(run: Run, analysis: JitterAnalysis) -> Table[Setting]:
    return Table(
        f"How far periods deviated on {where(run)}",
        analysis.settings,
        [
            Column("setting", lambda one: one.label),
            Column("shortest", lambda one: _signed(one, 0), right=True),
            Column("longest", lambda one: _signed(one, 1), right=True),
            Column("share", _share, right=True),
            Column("overdue", lambda one: str(one.missed), right=True),
            Column("migrations", lambda one: str(one.migrations), right=True),
            Column("moved", lambda one: "" if one.asked is None else f"{one.moved} of {one.asked}", right=True),
        ],
    )


def _signed(one: Setting, end: int) -> str:
    if one.bound_us is None:
        return "–"
    value = one.bound_us[end]
    return ("+" if value > 0 else "") + duration(value)


def _share(one: Setting) -> str:
    if one.bound_us is None:
        return "–"
    return f"{significant(100 * max(map(abs, one.bound_us)) / one.period_us, 2)} %"


def _counted_table(run: Run, analysis: JitterAnalysis) -> Table[Setting]:
    """Show what went into histograms on the target."""

    def of(name: str) -> Column[Setting]:
        def text(one: Setting) -> str:
            value = getattr(one.counted, f"late_{name}_us")
            return "–" if value is None else duration(value)

        return Column(name.replace("_", "."), text, right=True)

    rows = [one for one in analysis.settings if one.counted is not None]
    columns = [
        Column("setting", lambda one: one.label),
        Column("releases", lambda one: f"{one.counted.releases:,}" if one.counted else "", right=True),
        *(of(name) for name in ("min", "median", "p99", "p99_9", "max")),
    ]
    return Table(f"Further releases on {where(run)}, as histograms good to 1 part in 32", rows, columns)


class _Periods(NamedTuple):
    """Average and ends of a period, ms."""

    origin: str
    setting: str | None
    """The label of ours; None for a published one."""
    moved: str
    average: float
    low: float
    high: float


def _periods(run: Run, analysis: JitterAnalysis) -> list[_Periods]:
    """Return the periods that were published, and those of this run which should be as long."""
    rows = [
        _Periods(
            "published",
            None,
            "yes: always overdue" if row.moved else "no",
            row.average_ms,
            row.minimum_ms,
            row.maximum_ms,
        )
        for table in published(JitterPublication)
        for row in table.figures.rows
    ]
    period_us = {table.figures.period_ms * 1000 for table in published(JitterPublication)}
    return rows + [
        _Periods(
            whose(run),
            one.label,
            one.migrate if one.load == "none" else f"{one.migrate}, {one.load} busy",
            (one.period_us + one.deviation_us.mean) / 1000,
            (one.period_us + one.deviation_us.min) / 1000,
            (one.period_us + one.deviation_us.max) / 1000,
        )
        for one in analysis.settings
        if one.deviation_us is not None and one.period_us in period_us
    ]


def _literature_table(run: Run, analysis: JitterAnalysis) -> Table[_Periods]:
    labels = " and ".join(table.label for table in published(JitterPublication))
    return Table(
        f"Periods of 10 ms, {labels}, and on {where(run)}, in ms",
        _periods(run, analysis),
        [
            Column("of", lambda row: row.origin),
            Column("moved", lambda row: row.moved),
            Column("average", lambda row: f"{row.average:,.3f}", right=True),
            Column("shortest", lambda row: f"{row.low:,.3f}", right=True),
            Column("longest", lambda row: f"{row.high:,.3f}", right=True),
        ],
    )


def _flat_rows(analysis: JitterAnalysis) -> Iterator[dict[str, object]]:
    for one in analysis.settings:
        late, deviation = one.late_us, one.deviation_us
        yield {
            "core": one.core,
            "load": one.load,
            "migrate": one.migrate,
            "period_us": one.period_us,
            **one.varied,
            "releases": late.n,
            "late_min_us": late.min,
            "late_median_us": late.median.value,
            "late_max_us": late.max,
            "deviation_min_us": None if deviation is None else deviation.min,
            "deviation_max_us": None if deviation is None else deviation.max,
            "missed": one.missed,
            "migrations": one.migrations,
            "asked": one.asked,
            "moved": one.moved,
        }


# Figures


def _figures(run: Run, analysis: JitterAnalysis) -> Iterator[Figure]:
    found = pools(run.measurements)
    yield _strips(dict(list(found.items())[:MOST_HISTOGRAMS]))
    told = {label: pool for label, pool in found.items() if pool[0].factors["migrate"] != UNSYNCHRONISED}
    if told:
        yield histogram_figure(
            "jitter-latency",
            "Release latency",
            {label: np.concatenate([_us(one) for one in pool]) for label, pool in told.items()},
            "How often each latency occurred.",
            quantity="latency",
        )
    yield _periods_figure(_periods(run, analysis), where(run))


def _periods_figure(rows: Sequence[_Periods], place: str) -> Figure:
    """Draw each period from the shortest to the longest, with its average; published ones grey and hollow."""
    axis = log_axis("period", [bound for row in rows for bound in (row.low / 1e3, row.high / 1e3)])
    names = [
        f"{row.origin}, {'not moved' if row.moved == 'no' else 'moved, always overdue'}"
        if row.setting is None
        else row.setting
        for row in rows
    ]
    layout = base_layout(
        "Periods of 10 ms beside published ones",
        _MARGINS + _ROW_HEIGHT * len(rows),
        axis | {"ticksuffix": "s"},
        {"type": "category", "autorange": "reversed"},
    )
    layout["showlegend"] = False
    data = []
    for name, row in zip(names, rows, strict=True):
        is_published = row.setting is None
        colour = "published" if is_published else "series0"
        data.append(
            {
                "type": "scatter",
                "mode": "lines+markers",
                "name": plot_text(name),
                "x": [row.low / 1e3, row.average / 1e3, row.high / 1e3],
                "y": [plot_text(name)] * 3,
                "hoverinfo": "text",
                "text": [
                    f"<b>{plot_text(name)}</b><br>{what} {duration(ms * 1e3)}"
                    for what, ms in (("shortest", row.low), ("average", row.average), ("longest", row.high))
                ],
                "line": {"color": colour, "width": 2, "dash": "dash" if is_published else "solid"},
                "marker": {
                    "color": colour,
                    "size": [7, 11, 7],
                    "symbol": ["line-ns-open", "circle-open" if is_published else "circle", "line-ns-open"],
                },
            }
        )
    return {
        "name": "jitter-periods",
        "data": data,
        "layout": layout,
        "caption": f"From the shortest to the longest period, with the average: {place} in colour, published in grey. "
        "The published task that was moved was overdue all the time, so what its bar shows is for how long others kept "
        "it from running, and not what a migration costs.",
    }


def _us(one: Measurement) -> NDArray[np.float64]:
    known = releases(one)
    return np.asarray(known.late * (1e6 / known.hz), np.float64)


def _strips(found: Mapping[str, Sequence[Measurement]]) -> Figure:
    """Draw latency over time, a strip per setting, coloured by core; triangles are releases behind a migration."""
    layout = base_layout(
        "Releases over time", _MARGINS + _STRIP_HEIGHT * len(found), {"title": {"text": "releases"}, "nticks": 7}, {}
    )
    del layout["yaxis"]
    data: list[Figure] = []
    cores: set[int] = set()
    for index, (label, pool) in enumerate(found.items()):
        top = 1 - index / len(found)
        axis = f"yaxis{index + 1 if index else ''}"
        layout[axis] = AXIS | {
            "domain": [top - _BOTTOM / len(found), top - _TOP / len(found)],
            "ticksuffix": "s",
            "tickformat": "~s",
            "rangemode": "tozero",
            "nticks": 3,
        }
        layout["annotations"].append(_heading(label, top - _TOP / len(found)))
        if str(pool[0].factors["load"]) != "none":
            layout["shapes"].append(_shade(layout[axis]["domain"]))
        data += _points(pool[0], index, cores)
    layout["xaxis"]["anchor"] = f"y{len(found) if len(found) > 1 else ''}"
    layout["legend"]["itemsizing"] = "constant"
    return {
        "name": "jitter-over-time",
        "data": data,
        "layout": layout,
        "caption": "Each release, by how late it was. Triangles are releases on another core than the one before; "
        f"shaded strips had load. At most the first {_MOST_POINTS} of a setting are drawn.",
    }


def _heading(label: str, y: float) -> Figure:
    return {
        "xref": "paper",
        "yref": "paper",
        "x": 0,
        "y": y,
        "xanchor": "left",
        "yanchor": "bottom",
        "text": plot_text(label),
        "showarrow": False,
        "font": {"color": "text", "size": 12},
    }


def _shade(domain: Sequence[float]) -> Figure:
    """Mark a strip whose setting had load."""
    ends = {"xref": "paper", "yref": "paper", "x0": 0, "x1": 1, "y0": domain[0], "y1": domain[1]}
    return {"type": "rect", "layer": "below", "fillcolor": "grid", "opacity": 0.4, "line": {"width": 0}} | ends


def _points(one: Measurement, index: int, cores: set[int]) -> Iterator[Figure]:
    """Draw the releases of each core; what is in `cores` stands in the legend already."""
    known = releases(one)
    late = known.late[:_MOST_POINTS] / known.hz
    for core in np.unique(known.core[:_MOST_POINTS]).tolist():
        here = np.flatnonzero(known.core[:_MOST_POINTS] == core)
        moved = known.migrated[here]
        yield {
            "type": "scatter",
            "mode": "markers",
            "name": f"core {core}",
            "legendgroup": f"core {core}",
            "showlegend": core not in cores,
            "x": here.tolist(),
            "y": late[here].tolist(),
            "yaxis": f"y{index + 1 if index else ''}",
            "hoverinfo": "text",
            "text": [f"release {i} on core {core}: {duration(late[i] * 1e6)}" for i in here.tolist()],
            "marker": {
                "color": f"series{core % COLOURS}",
                "size": [8 if was else 5 for was in moved.tolist()],
                "symbol": ["triangle-up" if was else "circle" for was in moved.tolist()],
            },
        }
        cores.add(core)
