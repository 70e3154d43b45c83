"""What people read of a hunt: the findings first, then what both cores do at the end, interrupts, locks and stacks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from intercore.record.origin import LABELS, in_heading
from intercore.text import capitalised, listed, plural
from intercore.view.quantity import duration, percent
from intercore.view.table import Column, Table

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from intercore.hunt.analysis import HuntAnalysis, Interrupt, StackUse
    from intercore.hunt.flash import FlashFunction
    from intercore.profile.recorded import LockUse

TOP = 8
"""Rows of a table unless the user asks for more."""
_MUCH = 0.1
"""Part of the time awake from which on it is told that a core waits for flash."""


def verdict(analysis: HuntAnalysis) -> str:
    """Return the first sentence."""
    found = len(analysis.findings)
    ran = (
        f"{analysis.image} ran for {duration(analysis.seconds * 1e6)} of the chip's time ({analysis.cycles:,} cycles), "
        f"{LABELS[analysis.origin]}: {analysis.stop}."
    )
    return f"{capitalised(plural(found, 'finding')) if found else 'No finding'}. {ran}"


def deviating(analysis: HuntAnalysis) -> Iterator[str]:
    """Yield in which interleaving it fails, how to repeat that, and what was varied."""
    variation = analysis.variation
    if variation is None:
        return
    if variation.sentences:
        yield f"It fails if {listed(variation.sentences)}."
    searched = variation.seed is not None
    if variation.replay and searched:
        yield (
            f"Found in variation {variation.runs:,} of {variation.asked:,} with seed {variation.seed}; repeat it with "
            "the option below."
        )
    elif variation.replay and not analysis.findings:
        yield "It does not fail with these deviations."
    elif searched:
        until = f", and was then interrupted (of {variation.asked:,})" if variation.interrupted else ""
        yield f"None of {plural(variation.runs, 'variation')} with seed {variation.seed} has failed{until}."
    if variation.kinds:
        yield f"Varied: {listed(variation.kinds)}; a core may be held at {plural(variation.places, 'instruction')}."


def states(analysis: HuntAnalysis) -> Iterator[str]:
    """Yield what each core does at the end."""
    for wait in analysis.waits:
        handler = f"; it has interrupted {wait.interrupted[0].text}" if wait.interrupted else ""
        yield f"At the end, {wait.clause}{handler}."
    yield from _flash(analysis)
    if not analysis.all_shared:
        yield "There were so many accesses to words that are shared that not all were looked at for data races."


def _flash(analysis: HuntAnalysis) -> Iterator[str]:
    """Yield which cores and handlers waited for flash, if that was much of their time."""
    for wait in analysis.flash:
        if wait.waited >= _MUCH * wait.cycles:
            named = [f"{one.waited:,} of {one.cycles:,} cycles in {one.name}{_misses(one)}" for one in wait.functions]
            share = percent(wait.waited / wait.cycles)
            yield f"Core {wait.core} waits for flash for {share} of its time awake: {listed(named)}."
    for one in analysis.interrupts:
        if one.flash is None:
            continue
        others = (one.total - one.longest) / (one.count - 1) if one.count > 1 else 0.0
        if one.longest and one.longest >= 2 * others and one.flash.waited >= (one.longest - others) / 2:
            beside = f", and the others {duration(others * 1e6 / analysis.hz)} in the mean" if others else ""
            named = [f"{_time(analysis, waited)} in {function}" for function, waited in one.flash.functions]
            yield (
                f"The longest run of the handler of {one.name} on core {one.core} takes {_time(analysis, one.longest)}"
                f"{beside}; all runs together wait {_time(analysis, one.flash.waited)} for flash"
                f"{': ' if named else ''}{listed(named)}."
            )


def _misses(one: FlashFunction) -> str:
    of = "its code" if one.object == one.name else one.object
    most = "" if one.of_object == one.misses else f", {one.of_object:,} of them"
    return f" ({one.misses:,} miss{'' if one.misses == 1 else 'es'}{most} for {of})" if one.misses else ""


def tables(analysis: HuntAnalysis, top: int = TOP) -> Iterator[Table[Any]]:
    """Yield the tables; `top` is the number of rows, 0 for all."""
    if analysis.interrupts:
        yield _interrupt_table(analysis, top)
    if analysis.locks:
        yield _lock_table(analysis, top)
    if analysis.stacks:
        yield _stack_table(analysis, top)


def rows(analysis: HuntAnalysis) -> list[dict[str, object]]:
    """Return a row for each finding and for each stack, for CSV."""
    found: list[dict[str, object]] = [
        {"kind": "finding", "what": one.code, "cycle": one.cycle, "text": one.text, "bytes": None, "used": None}
        for one in analysis.findings
    ]
    stacks: list[dict[str, object]] = [
        {
            "kind": "stack",
            "what": one.task or f"core {one.core}",
            "cycle": one.deepest.cycle if one.deepest else None,
            "text": f"deepest {one.deepest.text}" if one.deepest else "",
            "bytes": one.top - one.limit,
            "used": one.used,
        }
        for one in analysis.stacks
    ]
    return [*found, *stacks]


def _time(analysis: HuntAnalysis, cycles: int) -> str:
    return duration(cycles * 1e6 / analysis.hz) if cycles else ""


def _title(name: str, analysis: HuntAnalysis, shown: Sequence[object], of: Sequence[object]) -> str:
    left = len(of) - len(shown)
    return in_heading(f"{name}{f'; {left:,} more with --top 0' if left else ''}", analysis.origin)


def _interrupt_table(analysis: HuntAnalysis, top: int) -> Table[Interrupt]:
    every = sorted(analysis.interrupts, key=lambda one: -one.total)
    shown = every[: top or None]
    flash: Column[Interrupt] = Column(
        "flash", lambda one: _time(analysis, one.flash.waited if one.flash else 0), right=True
    )
    return Table(
        _title("Interrupts", analysis, shown, every),
        shown,
        [
            Column("core", lambda one: str(one.core)),
            Column("exception", lambda one: one.name),
            Column("count", lambda one: f"{one.count:,}", right=True),
            Column("total", lambda one: _time(analysis, one.total), right=True),
            Column("longest", lambda one: _time(analysis, one.longest), right=True),
            *([flash] if any(one.flash for one in shown) else []),
            Column("latest", lambda one: _time(analysis, one.latency), right=True),
            Column("delayed by", lambda one: one.delayed_by),
        ],
    )


def _lock_table(analysis: HuntAnalysis, top: int) -> Table[LockUse]:
    every = sorted(analysis.locks, key=lambda one: (-one.waited, -one.held))
    shown = every[: top or None]
    return Table(
        _title("Spinlocks", analysis, shown, every),
        shown,
        [
            Column("lock", lambda one: str(one.lock), right=True),
            Column("core", lambda one: str(one.core)),
            Column("claimed in", lambda one: one.function),
            Column("taken", lambda one: f"{one.claims:,}", right=True),
            Column("contended", lambda one: f"{one.waits:,}", right=True),
            Column("held", lambda one: _time(analysis, one.held), right=True),
            Column("longest", lambda one: _time(analysis, one.longest_held), right=True),
            Column("waited", lambda one: _time(analysis, one.waited), right=True),
            Column("longest wait", lambda one: _time(analysis, one.longest_wait), right=True),
        ],
    )


def _stack_table(analysis: HuntAnalysis, top: int) -> Table[StackUse]:
    cores = [one for one in analysis.stacks if not one.task]
    tasks = sorted((one for one in analysis.stacks if one.task), key=lambda one: one.top - one.limit - one.used)
    every = [*cores, *tasks]
    shown = [*cores, *tasks[: top or None]]
    return Table(
        _title("Stacks, in bytes", analysis, shown, every),
        shown,
        [
            Column("of", lambda one: one.task or f"core {one.core}"),
            Column("from", lambda one: f"{one.limit:#010x}"),
            Column("size", lambda one: f"{one.top - one.limit:,}", right=True),
            Column("used", lambda one: f"{one.used:,}", right=True),
            Column("left", lambda one: f"{one.top - one.limit - one.used:,}", right=True),
            Column("deepest", lambda one: one.deepest.text if one.deepest else ""),
        ],
    )
