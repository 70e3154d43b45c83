"""The report of the benchmark `jitter`: how late a periodic task was released, and how far its period deviated."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np

from intercore.benchmarks.jitter.activations import BENCHMARK, UNSYNCHRONISED, lateness_us, pools, releases
from intercore.benchmarks.jitter.analysis import analyse, caveats, results
from intercore.benchmarks.jitter.answers import answers, costs, remarks
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
    from intercore.benchmarks.jitter.false_periods import FalsePeriods, Way
    from intercore.record.measurement import Measurement, Run

_STRIP_HEIGHT = 60  # pixels
_MOST_POINTS = 400  # of a strip: what a phone still shows apart


def report(run: Run) -> Report:
    """Report on the measurements of `jitter`."""
    analysis = analyse(run.measurements)
    found = [*results(analysis), *caveats((*run.measurements, *run.failed))]
    return Report(
        BENCHMARK,
        {BENCHMARK: {**msgspec.to_builtins(analysis), "sentences": texts(found)}},
        list(_flat_rows(analysis)),
        found,
        Section(
            "How steady a periodic task is (jitter)",
            texts(found),
            list(_tables(run, analysis)),
            list(_figures(run, analysis)),
            [*_NOTES, *notes()],
        ),
        topic="periodic task",
        answers=tuple(answers(analysis)),
        costs=tuple(costs(analysis)),
        remarks=tuple(remarks(analysis)),
        exhibits=tuple(exhibits(run, analysis)),
    )


_NOTES = (
    "The task sleeps from release to release by the kernel's own delay-until, and then first reads the common clock. "
    "Latency is the time from when the release was due, by the kernel's tick, to that reading. The deviation of a "
    "period is the time from one reading to the next, less the period.",
    "Forced migrations are asked for while the task waits. The task that moves it has a lower priority and is pinned "
    "to the core where it has just been, so it cannot run before the task waits. `affinity` pins the waiting task to "
    "the next core. `blockers` leaves it free, suspends a task of higher priority on the next core and resumes one on "
    "this core. A migration counts as asked for once that is done and the task still waits; the core of the next "
    "release tells whether it happened.",
    "`unsynchronised` shows the effect of blockers that ignore the task: they are busy and rest at random on either "
    "core. They stop the task before it has asked for its next release. When it asks, the release is overdue and the "
    "task does not wait. So the blockers make the long periods, and short ones, of microseconds, make up for them.",
    "`published` is the procedure of Arm et al. 2022 as read here. Right after each reading, the task suspends the "
    "next core's blocker and resumes that of its own core. This stops the task there, so that it goes on to wait on "
    "the other core. A blocker multiplies, ten times over and over, until it is suspended. With `wake=reset` the time "
    "of the last release is set to the present tick before each sleep.",
    "With time=raw-counter each release also reads the counter of its core, after the common clock. A period is then "
    "this reading less the reading of the release before, on whichever core, as an unsigned number of the counter's "
    "bits. The common clock times the same releases. Such periods are kept apart from all others, and compared with "
    "none.",
    "The first release of each stretch is not recorded. Between stretches the console may speak.",
)


# Tables


def _tables(run: Run, analysis: JitterAnalysis) -> Iterator[Table[Any]]:
    if analysis.settings or not analysis.false_periods:
        yield _latency_table(run, analysis)
        yield _deviation_table(run, analysis)
    if any(one.counted for one in analysis.settings):
        yield _counted_table(run, analysis)
    if analysis.false_periods:
        yield false_periods_table(run, analysis.false_periods)
        yield _ways_table(run, analysis)
    yield literature_table(run, analysis)


def _ways_table(run: Run, analysis: JitterAnalysis) -> Table[tuple[FalsePeriods, Way]]:
    return Table(
        f"FALSE periods on {where(run)}, by the cores at their two ends",
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
    return Table(f"How late each release was on {where(run)}", analysis.settings, columns)


def _deviation_table(run: Run, analysis: JitterAnalysis) -> Table[JitterSetting]:
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
    """Show what went into histograms on the target."""

    def of(name: str) -> Column[JitterSetting]:
        def text(one: JitterSetting) -> str:
            value = getattr(one.counted, f"lateness_{name}_us")
            return "–" if value is None else duration(value)

        return Column(name.replace("_", "."), text, right=True)

    rows = [one for one in analysis.settings if one.counted is not None]
    columns = [
        Column("setting", lambda one: one.label),
        Column("releases", lambda one: f"{one.counted.releases:,}" if one.counted else "", right=True),
        *(of(name) for name in ("min", "median", "p99", "p99_9", "max")),
    ]
    return Table(f"Further releases on {where(run)}, as histograms good to 1 part in 32", rows, columns)


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
            "releases": late.n,
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
            "releases": false.periods,
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
    told = {label: pool for label, pool in found.items() if pool[0].factors["migrate"] != UNSYNCHRONISED}
    if told:
        yield histogram_figure(
            "jitter-latency",
            "Release latency",
            {label: np.concatenate([lateness_us(one) for one in pool]) for label, pool in told.items()},
            "How often each latency occurred.",
            quantity="latency",
        )
    if found or analysis.false_periods:
        yield periods_figure(run, analysis)


def _strips(found: Mapping[str, Sequence[Measurement]]) -> Figure:
    """Draw latency over time, a strip per setting, coloured by core; triangles are releases behind a migration."""
    shown = {label: max(pool, key=lambda one: int(releases(one).late.max())) for label, pool in found.items()}
    strips = {label: list(_points(one)) for label, one in shown.items()}
    every = [points for strip in strips.values() for points in strip]
    x = Axis("releases", steps=7).around(value for points in every for value in points.values("x"))
    panels = []
    for label, strip in strips.items():
        y = Axis(unit="s", steps=3).around((late for points in strip for late in points.values("y")), from_zero=True)
        bands = [Band(x.low, x.high)] if str(shown[label].factors["load"]) != "none" else []
        panels.append(Panel(x, y, strip, _STRIP_HEIGHT, label, bands=bands))
    caption = (
        "Each release, by how late it was. Triangles are releases on another core than the one before; shaded strips "
        "had load. Of several repetitions of a setting, the one with the latest release is drawn; of more than "
        f"{_MOST_POINTS} releases, the latest and an even choice of the others."
    )
    # How many releases there were is no result.
    return Figure("jitter-over-time", "Releases over time", caption, panels, own_axes=frozenset({"x"}))


def _selection(late: NDArray[np.float64]) -> NDArray[np.intp]:
    """Return which releases to draw, in order: of too many, the latest and an even choice of the others."""
    wanted = min(len(late), _MOST_POINTS // 4)
    least = np.partition(late, len(late) - wanted)[len(late) - wanted]
    above = np.flatnonzero(late > least)
    equal = np.flatnonzero(late == least)
    latest = np.concatenate((equal[len(equal) - (wanted - len(above)) :], above))
    is_latest = np.zeros(len(late), np.bool_)
    is_latest[latest] = True
    others = np.flatnonzero(~is_latest)
    even = np.linspace(0, len(others) - 1, min(len(others), _MOST_POINTS - len(latest))).astype(np.intp)
    return np.sort(np.concatenate((latest, others[even])))


def _points(one: Measurement) -> Iterator[Points]:
    """Draw the releases of each core, those behind a migration as triangles."""
    known = releases(one)
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
                    [f"release {at} on core {core}: {duration(late[at] * 1e6)}" for at in some],
                    shape="triangle-up" if moved else "circle",
                    small=not moved,
                )
