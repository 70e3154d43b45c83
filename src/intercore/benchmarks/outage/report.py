"""The report of the benchmark `outage`: the standstill of each core, and its parts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from intercore.benchmarks.outage import PARTS
from intercore.benchmarks.outage.analysis import COMPUTING, analyse, caveats, results
from intercore.benchmarks.outage.answers import answers
from intercore.finding import texts
from intercore.view.quantity import duration
from intercore.view.section import Report, Section, where
from intercore.view.table import Column, Table, varied_columns

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from intercore.benchmarks.outage.analysis import Outage
    from intercore.record.measurement import Run

_DASH = "–"
_NOTES = (
    "Longest is the longest time between two readings of the clock by the other core, which computes; with interrupt "
    "and task, how late it is at most. Own is how late a periodic task of higher priority on the writing core is. "
    "Behind is how late that task still is after the outage: kernel ticks that are lost for good.",
    "Parts: " + ", ".join(f"{name} ({words})" for name, words in PARTS.items()) + ". For a parked core that computes, "
    "they add up to its standstill. What the writing core does first when its interrupts come again is in restore.",
    "Safe: lockout parks the other core in RAM by its doorbell, or leaves that to the system; ram and none do nothing, "
    "because no core executes from what is written; unsafe does nothing where cores do.",
)


def report(run: Run) -> Report:
    """Report on the measurements of `outage`."""
    analysis = analyse(run.measurements)
    found = [*results(analysis), *caveats((*run.measurements, *run.failed))]
    tables = [_table(run, analysis.outages)]
    parked = [one for one in analysis.outages if "entry" in one.parts_us]
    if parked:
        tables.append(_parts_table(run, parked))
    return Report(
        "outage",
        {"outage": {**msgspec.to_builtins(analysis), "sentences": texts(found)}},
        [_flat(one) for one in analysis.outages],
        found,
        Section("Cores that stand still while flash is written (outage)", texts(found), tables, notes=_NOTES),
        topic="both cores",
        answers=tuple(answers(analysis)),
    )


def _settings(rows: Sequence[Outage]) -> list[Column[Outage]]:
    columns: list[Column[Outage]] = varied_columns(rows)
    return [
        *columns,
        Column("written", lambda one: one.op + (f", {one.pages} pages" if one.pages > 1 else "")),
        Column("by core", lambda one: str(one.core), right=True),
        Column("safe", lambda one: one.safe),
        Column("other core", lambda one: one.other),
    ]


def _table(run: Run, rows: Sequence[Outage]) -> Table[Outage]:
    columns = [
        *_settings(rows),
        Column("longest", lambda one: duration(one.longest_us.median.value), right=True),
        Column("max", lambda one: duration(one.longest_us.max), right=True),
        Column("missed", lambda one: _DASH if one.missed is None else f"{one.missed:,}", right=True),
        Column("own max", lambda one: _DASH if one.own_us is None else duration(one.own_us.max), right=True),
        Column("behind", lambda one: duration(one.behind_us), right=True),
    ]
    if any(one.gave_up for one in rows):
        columns.append(Column("gave up/stuck", lambda one: f"{one.gave_up}/{one.stuck} of {one.outages}", right=True))
    return Table(f"Standstill while storage is written on {where(run)}", rows, columns)


def _parts_table(run: Run, rows: Sequence[Outage]) -> Table[Outage]:
    def part(name: str) -> Column[Outage]:
        return Column(name, lambda one: duration(one.parts_us[name]) if name in one.parts_us else _DASH, right=True)

    columns = [*_settings(rows), *(part(name) for name in PARTS)]
    return Table(f"What the standstill of a parked core is made of, on {where(run)}", rows, columns)


def _flat(one: Outage) -> Mapping[str, object]:
    return {
        **one.varied,
        "op": one.op,
        "safe": one.safe,
        "other": one.other,
        "from": one.core,
        "pages": one.pages,
        "outages": one.outages,
        "longest_median_us": one.longest_us.median.value,
        "longest_max_us": one.longest_us.max,
        "total_max_us": one.total_us if one.other in COMPUTING else None,
        "missed": one.missed,
        "own_max_us": None if one.own_us is None else one.own_us.max,
        "behind_us": one.behind_us,
        **{f"{name}_us": one.parts_us.get(name) for name in PARTS},
        "gave_up": one.gave_up,
        "stuck": one.stuck,
    }
