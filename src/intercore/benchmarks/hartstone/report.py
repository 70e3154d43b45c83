"""The report of the benchmark `hartstone`: where each set of tasks breaks down, and each load that was tried."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import msgspec

from intercore.benchmarks.hartstone.analysis import analyse, caveats, results
from intercore.benchmarks.hartstone.findings import tenths
from intercore.finding import texts
from intercore.view.quantity import significant
from intercore.view.section import Report, Section, where
from intercore.view.table import Column, Table, varied_columns

if TYPE_CHECKING:
    from collections.abc import Mapping

    from intercore.benchmarks.hartstone.analysis import HartstoneAnalysis, HartstoneLoad, HartstoneSet
    from intercore.record.measurement import Level, Run

_DASH = "–"
_NOTES = (
    "Five tasks, each with twice the period of the one before and a fifth of the load, rate-monotonic priorities, and "
    "deadlines at the next activation: the set of Hartstone's series PH (N. Weiderman, CMU/SEI-89-TR-23). The code is "
    "our own, and the work is steps of a random number generator instead of Whetstone's.",
    "Loads are measured: the work of each task without any other task. The time of the kernel, of its tick and of "
    "interference between the cores is not part of them; the more there is, the earlier a set breaks down.",
    "The absence of missed deadlines holds for the activations measured. All tasks start together at the beginning of "
    "each repetition, which is the worst case on one core, and need not be on several.",
)


class _Row(NamedTuple):
    of: HartstoneSet
    load: HartstoneLoad

    @property
    def varied(self) -> Mapping[str, Level]:
        return self.of.varied


def report(run: Run) -> Report:
    """Report on the measurements of `hartstone`."""
    analysis = analyse(run.measurements)
    found = [*results(analysis), *caveats((*run.measurements, *run.failed))]
    rows = [_Row(of, load) for of in analysis.sets for load in of.loads]
    return Report(
        "hartstone",
        {"hartstone": {**msgspec.to_builtins(analysis), "sentences": texts(found)}},
        [_flat(row) for row in rows],
        found,
        Section(
            "Load of periodic tasks until a deadline is missed (hartstone)",
            texts(found),
            [_breakdowns(run, analysis), _loads(run, rows)],
            notes=_NOTES,
        ),
    )


def _percent(value: float | None) -> str:
    return _DASH if value is None else tenths(value)


def _breakdowns(run: Run, analysis: HartstoneAnalysis) -> Table[HartstoneSet]:
    columns: list[Column[HartstoneSet]] = varied_columns(analysis.sets)
    columns += [
        Column("tasks are", lambda one: one.placement),
        Column("period", lambda one: f"{one.period_us:,} µs", right=True),
        Column("none missed up to", lambda one: _percent(one.kept_percent), right=True),
        Column("of all cores", lambda one: _percent(one.kept_of_all_percent), right=True),
        Column("missed from", lambda one: _percent(one.missed_percent), right=True),
    ]
    return Table(f"Breakdown utilisation, in % of one core, on {where(run)}", analysis.sets, columns)


def _loads(run: Run, rows: list[_Row]) -> Table[_Row]:
    columns: list[Column[_Row]] = varied_columns(rows)
    columns += [
        Column("tasks are", lambda row: row.of.placement),
        Column("load", lambda row: tenths(row.load.percent), right=True),
        Column("activations", lambda row: f"{row.load.activations:,}", right=True),
        Column("missed", lambda row: f"{row.load.missed:,}", right=True),
        Column("of task 0 to 4", lambda row: " ".join(map(str, row.load.missed_of_task)), right=True),
        Column("longest / deadline", _longest, right=True),
        Column("of task", lambda row: _DASH if row.load.longest is None else str(row.load.longest_of_task), right=True),
    ]
    return Table(f"Deadlines missed by load, in % of one core, on {where(run)}", rows, columns)


def _longest(row: _Row) -> str:
    return _DASH if row.load.longest is None else significant(row.load.longest)


def _flat(row: _Row) -> Mapping[str, object]:
    of = {"placement": row.of.placement, "period_us": row.of.period_us}
    return {**row.of.varied, **of, **msgspec.to_builtins(row.load)}
