"""The report of the benchmark `clock`: intervals by cores, the timestamp overhead, and the truth where it is known."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from intercore.benchmarks.clock.analysis import analyse, caveats, results, row, to_json
from intercore.benchmarks.clock.answers import answers
from intercore.benchmarks.counter import with_bound
from intercore.finding import texts
from intercore.view.quantity import duration
from intercore.view.section import Report, Section, where
from intercore.view.table import Column, Table, varied_columns

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from intercore.benchmarks.clock.analysis import ClockAnalysis, Intervals
    from intercore.benchmarks.counter import Counter
    from intercore.record.measurement import Run


def report(run: Run) -> Report:
    """Report on the measurements of `clock`."""
    analysis = analyse(run.measurements)
    found = [*results(analysis), *caveats((*run.measurements, *run.failed))]
    return Report(
        "clock",
        to_json(analysis),
        [row(one) for one in analysis.intervals],
        found,
        Section("Accuracy of the clock (clock)", texts(found), list(_tables(run, analysis)), notes=_NOTES),
        topic="the clock",
        answers=tuple(answers(analysis)),
    )


_NOTES = (
    "Each interval lasts from a reading of the common clock on one core to a reading on the same or another core. "
    "Overhead is the timestamp overhead, an empty pair of readings. Where a simulator recorded the ground truth, "
    "measured - true is the error. Both are in ticks of the clock.",
    "With time=counter, a core's counter is read between two readings of the common clock. So its offset is known to "
    "within half of the time between these two. Its drift follows from two such readings, early and late in the "
    "measurement.",
)


def _tables(run: Run, analysis: ClockAnalysis) -> Iterator[Table[Any]]:
    if analysis.intervals or not analysis.counters:
        yield _table(run, analysis)
    if analysis.counters:
        yield _counter_table(run, analysis.counters)


def _counter_table(run: Run, counters: Sequence[Counter]) -> Table[Counter]:
    return Table(
        f"The cores' own counters against the common clock on {where(run)}",
        counters,
        [
            Column("core", lambda one: str(one.core)),
            Column("readings", lambda one: f"{one.readings:,}", right=True),
            Column("nominal", lambda one: f"{one.hz / 1e6:.6g} MHz", right=True),
            Column("ahead of the clock", lambda one: f"{one.ahead_us:,.3f} µs", right=True),
            Column("±", lambda one: duration(one.within_us), right=True),
            Column("drift, ppm", _drift, right=True),
            Column("over", lambda one: duration(one.lasted_us), right=True),
        ],
    )


def _drift(one: Counter) -> str:
    if one.drift_ppm is None or one.drift_within_ppm is None:
        return "–"
    return with_bound(one.drift_ppm, one.drift_within_ppm)


def _table(run: Run, analysis: ClockAnalysis) -> Table[Intervals]:
    rows = analysis.intervals
    columns: list[Column[Intervals]] = varied_columns(rows)
    columns += [
        Column("cores", lambda one: f"{one.first} → {one.second}"),
        Column("intervals", lambda one: f"{one.count:,}", right=True),
        Column("shortest", lambda one: duration(_us(one, one.shortest)), right=True),
        Column("median", lambda one: duration(_us(one, one.median)), right=True),
        Column("longest", lambda one: duration(_us(one, one.longest)), right=True),
        Column("overhead", _overhead, right=True),
    ]
    if analysis.witnessed:
        columns += [
            Column("measured - true", _difference, right=True),
            Column("interrupted", _interrupted, right=True),
        ]
    hz = f", in ticks of {1e9 / rows[0].hz:g} ns" if rows else ""
    return Table(f"Readings of the common clock on {where(run)}{hz}", rows, columns)


def _us(one: Intervals, ticks: float) -> float:
    return ticks * 1e6 / one.hz


def _overhead(one: Intervals) -> str:
    return " / ".join(f"{cost:g}" for cost in one.overhead.values())


def _difference(one: Intervals) -> str:
    found = one.exactness
    if found is None:
        return ""
    return f"{found.low}" if found.low == found.high else f"{found.low} to {found.high}"


def _interrupted(one: Intervals) -> str:
    found = one.exactness
    if found is None:
        return ""
    return f"{found.interrupted} (up to {found.largest})" if found.interrupted else "0"
