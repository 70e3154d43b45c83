"""The report of the benchmark `jitter`: how late a periodic task was released, and how far its period deviated."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np

from intercore.benchmarks.explained import explained_tables
from intercore.benchmarks.jitter import DEADLINE
from intercore.benchmarks.jitter.activations import BENCHMARK, UNSYNCHRONISED, activations, lateness_us, pools
from intercore.benchmarks.jitter.analysis import EXPLAINED, analyse, caveats, results
from intercore.benchmarks.jitter.answers import answers, costs, remarks
from intercore.benchmarks.jitter.deadline import deadline_answers, deadline_table
from intercore.benchmarks.jitter.exhibits import exhibits
from intercore.benchmarks.jitter.literature import (
    false_periods_table,
    literature_table,
    notes,
    periods_figure,
)
from intercore.finding import texts
from intercore.view.axes import Axis
from intercore.view.distribution import MOST_HISTOGRAMS, distribution_columns, histogram_figure
from intercore.view.figure import Band, Figure, Panel, Points, colour_of
from intercore.view.quantity import duration, significant
from intercore.view.section import Report, Section, where
from intercore.view.table import Column, Table

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from intercore.benchmarks.jitter.analysis import JitterAnalysis, JitterSetting
    from intercore.benchmarks.jitter.false_periods import FalsePeriods, PeriodsOneWay
    from intercore.record.measurement import Measurement, Run

_STRIP_HEIGHT = 60  # pixels
_MOST_POINTS = 400  # of a strip: what a phone still shows apart


def report(run: Run, deadline_us: float = DEADLINE.default) -> Report:
    """Report on the measurements of `jitter`, and judge a deadline in µs; 0 for none."""
    analysis = analyse(run.measurements, deadline_us)
    found = [*results(analysis), *caveats((*run.measurements, *run.failed))]
    return Report(
        BENCHMARK,
        {BENCHMARK: {**msgspec.to_builtins(analysis), "sentences": texts(found)}},
        list(_flat_rows(analysis)),
        found,
        Section(
            "Jitter of a periodic task (jitter)",
            texts(found),
            list(_tables(run, analysis)),
            list(_figures(run, analysis)),
            [*_NOTES, *notes()],
        ),
        topic="periodic task",
        answers=(*deadline_answers(analysis.deadlines), *answers(analysis)),
        costs=tuple(costs(analysis)),
        remarks=tuple(remarks(analysis)),
        exhibits=tuple(exhibits(run, analysis)),
    )


_NOTES = (
    "The task sleeps from activation to activation by the kernel's delay-until, and reads the common clock "
    "immediately afterwards. Lateness is the time from when the activation was due, by the kernel's tick, to that "
    "reading. The deviation of a period is the time from one reading to the next, minus the period.",
    "Migrations are requested while the task waits. The requesting task has a lower priority and is pinned to the "
    "core where the measured task has just run, so it cannot run before that task waits. `affinity` pins the waiting "
    "task to the next core. `blockers` leaves it free, suspends a task of higher priority on the next core and "
    "resumes one on this core. A migration counts as requested once that is done and the task still waits; the core "
    "of the next activation shows whether it took place.",
    "`unsynchronised` shows the effect of blockers that ignore the task: they are busy and rest at random on either "
    "core. They stop the task before it calls delay-until. When it does, the activation is overdue and the task does "
    "not wait. So the blockers cause the long periods, and short periods of microseconds follow them.",
    "`published` is the procedure of Arm et al. 2022 as we read it. Right after each reading, the task suspends the "
    "next core's blocker and resumes the blocker of its own core. This stops the task there, so that it continues, "
    "and waits, on the other core. A blocker multiplies in a loop until it is suspended. With `wake=reset` the time of "
    "the last activation is set to the current tick before each sleep.",
    "With time=raw-counter each activation also reads the counter of its core, after the common clock. A period is "
    "then this reading minus the reading of the previous activation, on either core, as an unsigned number of the "
    "counter's width. The common clock times the same activations. These periods stay apart from all others, and are "
    "not compared.",
    "The first activation of each batch is not recorded. Between batches the console may send.",
)


# Tables


def _tables(run: Run, analysis: JitterAnalysis) -> Iterator[Table[Any]]:
    if analysis.settings or not analysis.false_periods:
        yield _latency_table(run, analysis)
        yield _deviation_table(run, analysis)
    yield from explained_tables(run, analysis.explained, EXPLAINED)
    if analysis.deadlines:
        yield deadline_table(analysis.deadlines, where(run))
    if any(one.counted for one in analysis.settings):
        yield _counted_table(run, analysis)
    if analysis.false_periods:
        yield false_periods_table(run, analysis.false_periods)
        yield _ways_table(run, analysis)
    yield literature_table(run, analysis)


def _ways_table(run: Run, analysis: JitterAnalysis) -> Table[tuple[FalsePeriods, PeriodsOneWay]]:
    return Table(
        f"FALSE periods on {where(run)}, by first and last core",
        [(one, way) for one in analysis.false_periods for way in one.ways],
        [
            Column("setting", lambda row: row[0].label),
            Column("cores", lambda row: f"{row[1].first} → {row[1].second}"),
            Column("periods", lambda row: f"{row[1].periods:,}", right=True),
            Column("median", lambda row: duration(row[1].median_us), right=True),
            Column("least", lambda row: duration(row[1].least_us), right=True),
            Column("largest", lambda row: duration(row[1].largest_us), right=True),
        ],
    )


def _latency_table(run: Run, analysis: JitterAnalysis) -> Table[JitterSetting]:
    columns: list[Column[JitterSetting]] = [
        Column("setting", lambda one: one.label),
        *distribution_columns(lambda one: one.lateness_us),
    ]
    return Table(f"Lateness of the activations on {where(run)}", analysis.settings, columns)


def _deviation_table(run: Run, analysis: JitterAnalysis) -> Table[JitterSetting]:
    return Table(
        f"Deviation of the periods on {where(run)}",
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


def _signed(one: JitterSetting, end: int) -> str:
    if one.bound_us is None:
        return "–"
    value = one.bound_us[end]
    return ("+" if value > 0 else "") + duration(value)


def _share(one: JitterSetting) -> str:
    if one.bound_us is None:
        return "–"
    return f"{significant(100 * max(map(abs, one.bound_us)) / one.period_us, 2)} %"


def _counted_table(run: Run, analysis: JitterAnalysis) -> Table[JitterSetting]:
    """Show the histograms of the target."""

    def of(name: str) -> Column[JitterSetting]:
        def text(one: JitterSetting) -> str:
            value = getattr(one.counted, f"lateness_{name}_us")
            return "–" if value is None else duration(value)

        return Column(name.replace("_", "."), text, right=True)

    rows = [one for one in analysis.settings if one.counted is not None]
    columns = [
        Column("setting", lambda one: one.label),
        Column("activations", lambda one: f"{one.counted.activations:,}" if one.counted else "", right=True),
        *(of(name) for name in ("min", "median", "p99", "p99_9", "max")),
    ]
    return Table(f"Long runs on {where(run)}, as histograms accurate to 1 part in 32", rows, columns)


def _flat_rows(analysis: JitterAnalysis) -> Iterator[dict[str, object]]:
    for one in analysis.settings:
        late, deviation = one.lateness_us, one.deviation_us
        yield {
            "core": one.core,
            "load": one.load,
            "migrate": one.migrate,
            "wake": one.wake,
            "time": "common",
            "period_us": one.period_us,
            **one.varied,
            "activations": late.n,
            "lateness_min_us": late.min,
            "lateness_median_us": late.median.value,
            "lateness_max_us": late.max,
            "deviation_min_us": None if deviation is None else deviation.min,
            "deviation_max_us": None if deviation is None else deviation.max,
            "missed": one.missed,
            "migrations": one.migrations,
            "asked": one.asked,
            "moved": one.moved,
        }

    for false in analysis.false_periods:
        yield {
            "core": false.core,
            "load": false.load,
            "migrate": false.migrate,
            "wake": false.wake,
            "time": "raw-counter",
            "period_us": false.period_us,
            **false.varied,
            "activations": false.periods,
            "false_mean_us": false.mean_us,
            "false_least_us": false.least_us,
            "false_largest_us": false.largest_us,
            "false_implied_us": false.implied_us,
        }


# Figures


def _figures(run: Run, analysis: JitterAnalysis) -> Iterator[Figure]:
    found = pools(run.measurements)
    if found:
        yield _strips(dict(list(found.items())[:MOST_HISTOGRAMS]))
    drawn = {label: pool for label, pool in found.items() if pool[0].factors["migrate"] != UNSYNCHRONISED}
    if drawn:
        yield histogram_figure(
            "jitter-latency",
            "Lateness",
            {label: np.concatenate([lateness_us(one) for one in pool]) for label, pool in drawn.items()},
            "Frequency of each lateness.",
            quantity="latency",
        )
    if found or analysis.false_periods:
        yield periods_figure(run, analysis)


def _strips(found: Mapping[str, Sequence[Measurement]]) -> Figure:
    """Draw latency over time, a strip per setting, coloured by core; triangles are activations behind a migration."""
    shown = {label: max(pool, key=lambda one: int(activations(one).late.max())) for label, pool in found.items()}
    strips = {label: list(_points(one)) for label, one in shown.items()}
    every = [points for strip in strips.values() for points in strip]
    x = Axis("activations", steps=7).around(value for points in every for value in points.values("x"))
    panels = []
    for label, strip in strips.items():
        y = Axis(unit="s", steps=3).around((late for points in strip for late in points.values("y")), from_zero=True)
        bands = [Band(x.low, x.high)] if str(shown[label].factors["load"]) != "none" else []
        panels.append(Panel(x, y, strip, _STRIP_HEIGHT, label, bands=bands))
    caption = (
        "Each activation with its lateness. Triangles are activations on another core than the previous one; shaded "
        "strips had load. Of several repetitions of a setting, the one with the largest lateness is drawn; of more "
        f"than {_MOST_POINTS} activations, the latest and a regular selection of the others."
    )
    # How many activations there were is no result.
    return Figure("jitter-over-time", "Activations over time", caption, panels, own_axes=frozenset({"x"}))


def _selection(late: NDArray[np.float64]) -> NDArray[np.intp]:
    """Return which activations to draw, in order: of too many, the latest and an even choice of the others."""
    wanted = min(len(late), _MOST_POINTS // 4)
    least = np.partition(late, len(late) - wanted)[len(late) - wanted]
    above = np.flatnonzero(late > least)
    equality_verdict = np.flatnonzero(late == least)
    latest = np.concatenate((equality_verdict[len(equality_verdict) - (wanted - len(above)) :], above))
    is_latest = np.zeros(len(late), np.bool_)
    is_latest[latest] = True
    others = np.flatnonzero(~is_latest)
    even = np.linspace(0, len(others) - 1, min(len(others), _MOST_POINTS - len(latest))).astype(np.intp)
    return np.sort(np.concatenate((latest, others[even])))


def _points(one: Measurement) -> Iterator[Points]:
    """Draw the activations of each core, those behind a migration as triangles."""
    known = activations(one)
    late = known.late / known.hz
    drawn = _selection(late)
    for core in np.unique(known.core[drawn]).tolist():
        here = known.core[drawn] == core
        for moved in (False, True):
            some = drawn[here & (known.migrated[drawn] == moved)].tolist()
            if some:
                yield Points(
                    f"core {core}",
                    colour_of(core),
                    some,
                    [float(late[at]) for at in some],
                    [f"activation {at} on core {core}: {duration(late[at] * 1e6)}" for at in some],
                    shape="triangle-up" if moved else "circle",
                    small=not moved,
                )
