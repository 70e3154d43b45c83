"""What people read of a profile: the answer first, then tables of functions, lines, tasks, handlers, spinlocks."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from intercore.profile import alone, timed, tried
from intercore.profile.advice import FLASH
from intercore.profile.sentences import Told, sentences
from intercore.profile.source_lines import short_names
from intercore.record.origin import LABELS, in_heading
from intercore.view.quantity import duration
from intercore.view.section import Section
from intercore.view.table import Column, Table

if TYPE_CHECKING:
    from collections.abc import Iterator

    from intercore.profile.recorded import LockUse, Loss, Sums
    from intercore.profile.source_lines import LineSummary
    from intercore.profile.summary import CoreSummary, ProfileAnalysis
    from intercore.profile.sums import FunctionSummary, RootSummary

TOP = 8
"""Rows of a table unless the user asks for more."""
_LEAST_PART = 0.001
"""Part of a core's time from which on a source line, a task or a handler is shown, unless all are."""
_LEAST_CELL = 0.1
"""Percent."""


def told(analysis: ProfileAnalysis) -> Iterator[Told]:
    """Yield all sentences, with how much each matters."""
    names = f", with the names of {analysis.names}," if analysis.names else ""
    ran = (
        f"{analysis.image}{names} ran for {duration(analysis.seconds * 1e6)} of the chip's time "
        f"({analysis.ended - analysis.begun:,} cycles), {LABELS[analysis.origin]}: {analysis.stop}."
    )
    yield Told(ran, math.inf)
    if analysis.calls is not None:
        yield from (Told(text, math.inf) for text in timed.sentences(analysis.calls, analysis.cycle_us))
    if analysis.alone is not None:
        yield from (Told(text, math.inf) for text in alone.sentences(analysis.alone))
    if analysis.tried is not None:
        yield from (Told(text, math.inf) for text in tried.sentences(analysis.tried))
    yield from sentences(analysis)


def tables(analysis: ProfileAnalysis, top: int = TOP) -> Iterator[Table[Any]]:
    """Yield the tables, that which answers the user's question first; `top` is the number of rows, 0 for all."""
    if analysis.calls is not None and analysis.calls.parts:
        yield timed.table(analysis.calls, analysis.cycle_us)
    if analysis.alone is not None:
        yield alone.table(analysis.alone)
    yield _function_table(analysis, top)
    yield _root_table(analysis, top)
    if analysis.lines:
        yield _line_table(analysis, top)
    if analysis.locks:
        yield _lock_table(analysis, top)


def section(analysis: ProfileAnalysis, top: int = TOP) -> Section:
    """Return all sentences and tables; `top` is the number of rows of each table, 0 for all."""
    title = f"Profile: {in_heading(analysis.image, analysis.origin)}"
    return Section(title, [one.text for one in told(analysis)], list(tables(analysis, top)))


def rows(analysis: ProfileAnalysis) -> list[dict[str, object]]:
    """Return a row for each function on each core, for CSV."""
    return [
        {
            "core": one.core,
            "function": one.function,
            "calls": one.calls,
            "instructions": one.instructions,
            "cycles": one.own.cycles,
            "inclusive_cycles": one.inclusive,
            "executing_cycles": one.own.executing,
            "asleep_cycles": one.own.asleep,
            "switching_cycles": one.own.switching,
            "conflict_cycles": one.own.conflicted,
            "flash_wait_cycles": one.own.waits.get(FLASH, 0),
            "other_wait_cycles": one.own.waited - one.own.waits.get(FLASH, 0),
        }
        for one in analysis.functions
    ]


def _title(name: str, analysis: ProfileAnalysis, left: int = 0) -> str:
    more = f"; {left:,} more with --top 0" if left else ""
    return in_heading(f"{name}, in %{more}", analysis.origin)


def _cell(cycles: int, core: CoreSummary) -> str:
    if not cycles or not core.cycles:
        return ""
    part = 100 * cycles / core.cycles
    return f"{part:.1f}" if part >= _LEAST_CELL else f"<{_LEAST_CELL:g}"


def _function_table(analysis: ProfileAnalysis, top: int) -> Table[FunctionSummary]:
    def part(one: FunctionSummary, cycles: int) -> str:
        return _cell(cycles, analysis.cores[one.core])

    shown = analysis.functions[: top or None]
    return Table(
        _title("Functions by time awake", analysis, len(analysis.functions) - len(shown)),
        shown,
        [
            Column("core", lambda one: str(one.core)),
            Column("function", lambda one: one.function),
            Column("own", lambda one: part(one, one.own.cycles), right=True),
            Column("total", lambda one: part(one, one.inclusive), right=True),
            Column("calls", lambda one: f"{one.calls:,}", right=True),
            Column("lost", lambda one: part(one, one.own.conflicted), right=True),
            Column("flash", lambda one: part(one, one.own.waits.get(FLASH, 0)), right=True),
            Column("asleep", lambda one: part(one, one.own.asleep), right=True),
        ],
    )


def _line_table(analysis: ProfileAnalysis, top: int) -> Table[LineSummary]:
    names = short_names(one.file for one in analysis.lines)

    def part(one: LineSummary, cycles: int) -> str:
        return _cell(cycles, analysis.cores[one.core])

    worth = [one for one in analysis.lines if one.awake >= _LEAST_PART * analysis.cores[one.core].cycles]
    shown = worth[:top] if top else analysis.lines
    return Table(
        _title("Source lines by time awake", analysis, len(analysis.lines) - len(shown)),
        shown,
        [
            Column("core", lambda one: str(one.core)),
            Column("line", lambda one: f"{names[one.file]}:{one.line}"),
            Column("in", _function_of_line),
            Column("time", lambda one: part(one, one.cycles), right=True),
            Column("lost", lambda one: part(one, one.conflicts), right=True),
            Column("waits", lambda one: part(one, one.waits), right=True),
            Column("asleep", lambda one: part(one, one.asleep), right=True),
        ],
    )


def _function_of_line(line: LineSummary) -> str:
    return f"{line.function} in {line.inlined_into}" if line.inlined_into else line.function


def _root_table(analysis: ProfileAnalysis, top: int) -> Table[RootSummary]:
    def part(one: RootSummary, cycles: int) -> str:
        return _cell(cycles, analysis.cores[one.core])

    def busy(sums: Sums) -> int:
        return sums.cycles - sums.asleep

    worth = [one for one in analysis.roots if one.sums.cycles >= _LEAST_PART * analysis.cores[one.core].cycles]
    shown = worth if top else analysis.roots
    return Table(
        _title("Tasks and interrupts", analysis, len(analysis.roots) - len(shown)),
        sorted(shown, key=lambda one: (one.core, -busy(one.sums))),
        [
            Column("core", lambda one: str(one.core)),
            Column("task or interrupt", lambda one: one.name),
            Column("awake", lambda one: part(one, busy(one.sums)), right=True),
            Column("asleep", lambda one: part(one, one.sums.asleep), right=True),
            Column("entered", lambda one: f"{one.entered:,}" if one.entered else "", right=True),
        ],
    )


def loss_table(analysis: ProfileAnalysis, most: int) -> Table[Loss]:
    """Return the table of the largest losses: what each core lost to whom."""
    culprits = {"DMA": "the DMA", "itself": "an earlier access of its own", "nobody": "nobody: a miss of the cache"}

    def culprit(loss: Loss) -> str:
        if loss.to not in {"core", "eviction"}:
            return culprits[loss.to]
        what = f" for {loss.other_object}" if loss.other_object not in {"", loss.other_function} else ""
        how = "replaced by " if loss.to == "eviction" else ""
        return f"{how}core {1 - loss.core} in {loss.other_function}{what}"

    return Table(
        _title("Largest losses", analysis),
        analysis.losses[:most],
        [
            Column("core", lambda one: str(one.core)),
            Column("at", lambda one: one.port),
            Column("in", lambda one: one.function),
            Column("for", lambda one: one.object if one.object != one.function else "its code"),
            Column("to", culprit),
            Column("times", lambda one: f"{one.times:,}", right=True),
            Column("cycles", lambda one: f"{one.cycles:,}", right=True),
            Column("time", lambda one: _cell(one.cycles, analysis.cores[one.core]), right=True),
        ],
    )


def _lock_table(analysis: ProfileAnalysis, top: int) -> Table[LockUse]:
    def time(cycles: int) -> str:
        return duration(cycles * analysis.cycle_us) if cycles else ""

    shown = analysis.locks[: top or None]
    return Table(
        _title("Spinlocks", analysis, len(analysis.locks) - len(shown)),
        shown,
        [
            Column("lock", lambda one: str(one.lock), right=True),
            Column("core", lambda one: str(one.core)),
            Column("claimed in", lambda one: one.function),
            Column("claims", lambda one: f"{one.claims:,}", right=True),
            Column("held", lambda one: _cell(one.held, analysis.cores[one.core]), right=True),
            Column("longest", lambda one: time(one.longest_held), right=True),
            Column("waited", lambda one: _cell(one.waited, analysis.cores[one.core]), right=True),
            Column("longest wait", lambda one: time(one.longest_wait), right=True),
        ],
    )
