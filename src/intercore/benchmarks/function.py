"""The report of what has no time: on an emulated chip, that a benchmark's program ran, and that its checks are right.

It stands in the place of the benchmark's own report. No time, rate or count in a window is in it, and nothing made of
one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from intercore.benchmarks.findings import ProgramFailed, ProgramRan
from intercore.benchmarks.grouping import varied_names
from intercore.finding import texts
from intercore.record.measurement import SPOILING_CHECKS, Level, SpoilingCheck
from intercore.record.plan import repetitions_by_setting, setting_of
from intercore.view.section import Report, Section, where
from intercore.view.table import Column, Table

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from intercore.record.measurement import Measurement, Run


class _Row(msgspec.Struct, frozen=True):
    """What was done at one setting."""

    factors: dict[str, Level]
    repetitions: int
    """Of the measurement."""
    done: int
    """Of what is measured."""
    checked: int
    """Results of the work that were held against the value that they must have."""
    wrong: int
    failed: dict[SpoilingCheck, int]
    """How often checks failed that make it fail."""
    mistakes: str
    """Accesses of the program that the chip does not allow; empty if there are none."""


def report(run: Run, benchmark: str) -> Report:
    """Report the settings of a benchmark that ran on an emulated chip."""
    pools = [pool for (name, _), pool in repetitions_by_setting(run).items() if name == benchmark]
    rows = [_row(run, pool) for pool in pools]
    levels = {name for row in rows for name in row.factors}
    varied = varied_names([one for pool in pools for one in pool], {"seed"})
    table = Table(
        f"What ran of {benchmark} on {where(run)}",
        rows,
        [
            Column("setting", lambda row: _words(row, [name for name in varied if name in levels])),
            Column("repetitions", lambda row: f"{row.repetitions:,}", right=True),
            Column("done", lambda row: f"{row.done:,}", right=True),
            Column("results checked", lambda row: f"{row.checked:,}", right=True),
            Column("wrong", lambda row: f"{row.wrong:,}", right=True),
        ],
    )
    found = list(_findings(benchmark, rows))
    return Report(
        benchmark,
        json={},
        rows=[{"benchmark": benchmark, **_flat(row)} for row in rows],
        findings=found,
        section=Section(f"What ran of {benchmark}", texts(found), [table]),
    )


def _row(run: Run, pool: Sequence[Measurement]) -> _Row:
    def count(check: str) -> int:
        return sum(one.checks.get(check, 0) for one in pool)

    return _Row(
        factors=dict(setting_of(run.plan, pool[0]).factors),
        repetitions=len(pool),
        done=count("done"),
        checked=count("checked"),
        wrong=count("wrong"),
        failed={check: number for check in SPOILING_CHECKS if (number := count(check))},
        mistakes=next((one.conditions["host.mistakes"] for one in pool if "host.mistakes" in one.conditions), ""),
    )


def _flat(row: _Row) -> dict[str, object]:
    return {**row.factors, "repetitions": row.repetitions, "done": row.done, "checked": row.checked, "wrong": row.wrong}


def _words(row: _Row, names: Sequence[str]) -> str:
    named = " ".join(f"{name}={row.factors[name]}" for name in names if name in row.factors)
    return named or "the only one"


def _findings(benchmark: str, rows: Sequence[_Row]) -> Iterator[ProgramRan | ProgramFailed]:
    """Return the failures; or that all results are right, if some were checked."""
    failed = [row for row in rows if row.failed]
    checked = sum(row.checked for row in rows)
    if checked and not failed:
        yield ProgramRan(settings=len(rows), checked=checked)
    for row in failed:
        yield ProgramFailed(setting=row.factors, benchmark=benchmark, checks=row.failed, mistakes=row.mistakes or None)
