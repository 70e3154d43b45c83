"""The report of a benchmark that this version of Intercore does not know: its series, as they came."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from intercore.benchmarks.findings import UnknownBenchmark
from intercore.statistics.intervals import Summary, summary
from intercore.view.quantity import duration
from intercore.view.section import Report, Section, where
from intercore.view.table import Column, Table

if TYPE_CHECKING:
    from intercore.record.measurement import Measurement, Run, Series


class _Row(NamedTuple):
    setting: str
    series: str
    unit: str
    """Of the summary."""
    summary: Summary


def _row(one: Measurement, series: Series) -> _Row:
    setting = " ".join(f"{name}={level}" for name, level in one.factors.items())
    if series.unit == "tick":
        return _Row(setting, series.name, "us", summary(series.ns / 1e3))
    return _Row(setting, series.name, series.unit, summary(series.ticks))


def _value(row: _Row, value: float) -> str:
    return duration(value) if row.unit == "us" else f"{value:,.6g}"


def report(run: Run, benchmark: str) -> Report:
    """Report on the measurements of `benchmark`: a summary of each series but moments, and no analysis."""
    rows = [
        _row(one, series)
        for one in run.measurements
        if one.benchmark == benchmark
        for series in one.series
        if not series.is_beside and series.unit != "moment" and len(series.ticks)
    ]
    columns: list[Column[_Row]] = [
        Column("setting", lambda row: row.setting),
        Column("series", lambda row: row.series),
        Column("samples", lambda row: f"{row.summary.n:,}", right=True),
        Column("median", lambda row: _value(row, row.summary.median), right=True),
        Column("p99", lambda row: _value(row, row.summary.p99), right=True),
        Column("max", lambda row: _value(row, row.summary.max), right=True),
    ]
    return Report(
        benchmark,
        json={},
        rows=[
            {
                "setting": row.setting,
                "series": row.series,
                "samples": row.summary.n,
                "median": row.summary.median,
                "unit": row.unit,
            }
            for row in rows
        ],
        findings=[UnknownBenchmark(benchmark=benchmark)],
        section=Section(benchmark, [], [Table(f"{benchmark} on {where(run)}", rows, columns)]),
    )
