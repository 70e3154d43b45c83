"""The table of the benchmark `clock`: intervals by cores, what looking costs, and the truth where it is known."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.markup import escape

from intercore.analysis.clock import sentences
from intercore.view.quantity import duration
from intercore.view.table import Column, Table, print_table

if TYPE_CHECKING:
    from collections.abc import Callable

    from rich.console import Console

    from intercore.analysis.clock import ClockAnalysis, Intervals
    from intercore.measurement import Run


def print_intervals(run: Run, analysis: ClockAnalysis, console: Console) -> None:
    """Print what a person wants to see after a run."""
    rows = analysis.intervals
    columns: list[Column[Intervals]] = [Column(name, _level(name)) for name in (rows[0].varied if rows else ())]
    columns += [
        Column("cores", lambda one: f"{one.first} → {one.second}"),
        Column("intervals", lambda one: f"{one.count:,}", right=True),
        Column("shortest", lambda one: duration(_us(one, one.shortest)), right=True),
        Column("median", lambda one: duration(_us(one, one.median)), right=True),
        Column("longest", lambda one: duration(_us(one, one.longest)), right=True),
        Column("looking", _looking, right=True),
    ]
    if analysis.witnessed:
        columns += [
            Column("measured - true", _difference, right=True),
            Column("interrupted", _interrupted, right=True),
        ]
    where = f"{run.plan.target}, SIMULATED" if run.plan.simulated else run.plan.target
    hz = f", in ticks of {1e9 / rows[0].hz:g} ns" if rows else ""
    print_table(Table(f"Readings of the common clock on {where}{hz}", rows, columns), console)
    for sentence in sentences(analysis):
        console.print(escape(sentence), highlight=False)


def _level(name: str) -> Callable[[Intervals], str]:
    return lambda one: str(one.varied[name])


def _us(one: Intervals, ticks: float) -> float:
    return ticks * 1e6 / one.hz


def _looking(one: Intervals) -> str:
    return " / ".join(f"{cost:g}" for cost in one.looking.values())


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
