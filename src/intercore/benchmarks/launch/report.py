"""The report of the benchmark `launch`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from intercore.benchmarks.launch.analysis import analyse, caveats, results
from intercore.benchmarks.launch.answers import answers
from intercore.finding import texts
from intercore.view.quantity import duration
from intercore.view.section import Report, Section, where
from intercore.view.table import Column, Table, varied_columns

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from intercore.benchmarks.launch.analysis import Launch
    from intercore.record.measurement import Run

_DASH = "–"
_NOTES = (
    "Launch is the time from before core 0 asks until the first instruction on core 1 reads the clock; call is that "
    "until core 0 has returned. What: a task that core 0 creates for core 1, which is idle; or core 1 itself, which "
    "was reset and waits in its boot code.",
    "Cache: warm after the launch before, cold if the cache between cores and code is emptied right before the first "
    "reading. A target that executes from RAM, or cannot empty its cache, has warm alone.",
)


def report(run: Run) -> Report:
    """Report on the measurements of `launch`."""
    analysis = analyse(run.measurements)
    found = [*results(analysis), *caveats((*run.measurements, *run.failed))]
    title = "Starting the second core, or a task on it (launch)"
    return Report(
        "launch",
        {"launch": {**msgspec.to_builtins(analysis), "sentences": texts(found)}},
        [_flat(one) for one in analysis.launches],
        found,
        Section(title, texts(found), [_table(run, analysis.launches)], notes=_NOTES),
        topic="waking a task",
        answers=tuple(answers(analysis)),
    )


def _table(run: Run, rows: Sequence[Launch]) -> Table[Launch]:
    columns: list[Column[Launch]] = varied_columns(rows)
    columns += [
        Column("what", lambda one: one.what),
        Column("cache", lambda one: one.cache),
        Column("launch", lambda one: duration(one.launch_us.median.value), right=True),
        Column("max", lambda one: duration(one.launch_us.max), right=True),
        Column("call", lambda one: duration(one.call_us.median.value) if one.call_us else _DASH, right=True),
        Column("max", lambda one: duration(one.call_us.max) if one.call_us else _DASH, right=True),
    ]
    return Table(f"Until the first instruction on core 1 of {where(run)}", rows, columns)


def _flat(one: Launch) -> Mapping[str, object]:
    return {
        **one.varied,
        "what": one.what,
        "cache": one.cache,
        "samples": one.launch_us.n,
        "launch_median_us": one.launch_us.median.value,
        "launch_max_us": one.launch_us.max,
        "call_median_us": one.call_us.median.value if one.call_us else None,
        "call_max_us": one.call_us.max if one.call_us else None,
    }
