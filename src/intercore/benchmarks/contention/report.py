"""The report of the benchmark `contention`: the share of each competitor, with the published values."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from intercore.benchmarks.contention import currents
from intercore.benchmarks.contention.analysis import BENCHMARK, analyse, caveats
from intercore.benchmarks.contention.answers import answers, remarks
from intercore.benchmarks.contention.exhibits import exhibits
from intercore.benchmarks.contention.publication import ContentionPublication
from intercore.benchmarks.contention.results import is_its_chip, results, work_of
from intercore.benchmarks.contention.towers import bars, towers_table, varied_names
from intercore.benchmarks.published import published
from intercore.finding import texts
from intercore.view.quantity import duration
from intercore.view.section import Report, Section, where
from intercore.view.table import Column, Table

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from intercore.benchmarks.contention.analysis import ContentionAnalysis
    from intercore.benchmarks.contention.contest import Competitor, Contest
    from intercore.record.measurement import Run

_CORES_LISTED = 4  # in one cell
_SEEN = 0.005  # share of a task's work whose core is unknown, above which the table shows it


def report(run: Run) -> Report:
    """Report on the measurements of `contention`."""
    analysis = analyse(run.measurements)
    found = [*results(analysis, run.measurements), *caveats((*run.measurements, *run.failed))]
    return Report(
        BENCHMARK,
        {BENCHMARK: {**msgspec.to_builtins(analysis), "sentences": texts(found)}},
        list(_flat_rows(analysis)),
        found,
        Section(
            "How tasks share the cores (contention)",
            texts(found),
            [towers_table(run, analysis), _details(run, analysis), *currents.tables(run, analysis, _mark(run))],
            [bars(run, analysis), *currents.figures(run, analysis)] if analysis.contests else [],
            [*_NOTES, asked(run), *_sources(analysis)],
        ),
        topic="both cores",
        answers=tuple(answers(analysis, work_of(run.measurements))),
        remarks=tuple(remarks(analysis)),
        exhibits=tuple(exhibits(run, analysis)),
    )


_NOTES = (
    "A tower of Hanoi, moved by recursion, is one piece of the work. It counts if it ended within the window, which "
    "is the same for all competitors. All competitors have the same priority; the console's task has a lower one and "
    "sleeps during the window.",
    "The part of a core is a competitor's towers × the time of a tower alone on that core, taken just before, ÷ the "
    "window. The unfinished tower at the end is not in it; one tower more per window gives the larger number in the "
    "table. With yield=tick the time alone includes the sleep, because competitors and the published program sleep. "
    "So two on one core can reach more than one core in total: each works while the other sleeps. Cores used: the "
    "part of the windows for which each core works, without sleeps. Work of an unpinned task counts on the core where "
    "it ran, by parts of a tower of 63 moves. If the task migrated within such a part, the core of that part is "
    "unknown; this gives the bounds.",
    "The main loop of an Arduino program is a task of priority 1 on core 1 that calls loop() forever. If loop() has "
    "nothing to do and returns, that task never waits: it spins, and shares the core by time slicing with any other "
    "task of its priority. That is likely why the article's task on core 1 got half of it, whether or not the main "
    "loop had work.",
)
_IS_IT_KEPT = "The article asks whether half of the core is reserved for the main loop. "
_ASKED_ON_ITS_CHIP = (
    f"{_IS_IT_KEPT}On this chip, the same as the article's, the rows of a task with main=spin, main=delay and "
    "main=block answer that."
)
_ASKED_ELSEWHERE = (
    f"{_IS_IT_KEPT}On the simulated Pico it is not: a task gets the whole core with main=block or main=delay, and "
    "half of it with main=spin. The kernel of an ESP32 also uses time slicing, so the same is likely there."
)


def asked(run: Run) -> str:
    """Return the note on the question of the article, which only its chip can answer."""
    tables = published(ContentionPublication)
    on_its_chip = all(is_its_chip(table, one) for table in tables for one in run.measurements)
    return _ASKED_ON_ITS_CHIP if on_its_chip else _ASKED_ELSEWHERE


def _sources(analysis: ContentionAnalysis) -> Iterator[str]:
    if any(one.published for one in analysis.contests):
        yield from currents.NOTES
        for table in published(ContentionPublication):
            yield f"Published: {table.source.citation}. {table.conditions['chip']}, {table.figures.discs} discs, " + (
                f"windows of {table.figures.window_ms / 1000:g} s. " + " ".join(table.notes)
            )


# Tables


class _Detail(NamedTuple):
    contest: Contest
    one: Competitor


def _details(run: Run, analysis: ContentionAnalysis) -> Table[_Detail]:
    """Show further results of each active competitor."""
    rows = [_Detail(contest, one) for contest in analysis.contests for one in contest.workers]
    columns: list[Column[_Detail]] = [Column(name, partial(_level, name)) for name in varied_names(analysis)]
    columns += [
        Column("active", lambda row: row.contest.label),
        Column("competitor", lambda row: row.one.name),
        *([Column("on cores", _on_cores, right=True)] if any(row.one.core is None for row in rows) else []),
        Column("share", lambda row: f"{row.one.share:.1%}", right=True),
        Column("of a core", _of_a_core, right=True),
        Column("alone", _alone, right=True),
        Column("longest wait", _longest_wait, right=True),
    ]
    title = f"Share of the towers and longest wait of each competitor on {where(run)}"
    return Table(title, rows, columns)


def _level(name: str, row: _Detail) -> str:
    return str(row.contest.varied.get(name, ""))


def _mark(run: Run) -> str:
    """Say where a meter finds when the windows of a run were."""
    pins = dict.fromkeys(one.conditions["mark"] for one in run.measurements if "mark" in one.conditions)
    known = [pin for pin in pins if pin != "none"]
    return f"windows are marked on {' / '.join(known)}" if known else "nothing marks the windows"


def _on_cores(row: _Detail) -> str:
    done = {core: towers for core, towers in enumerate(row.one.by_core) if towers}
    if row.one.core is not None:
        return " ".join(map(str, done))
    if len(done) > _CORES_LISTED:
        return f"{len(done)} cores"
    total = sum(row.one.towers)
    parts = [f"{core}: {towers / total:.0%}" for core, towers in done.items()]
    if total and row.one.unplaced / total >= _SEEN:
        parts.append(f"?: {row.one.unplaced / total:.0%}")
    return " ".join(parts)


def _of_a_core(row: _Detail) -> str:
    return f"{100 * row.one.of_a_core:.1f}–{row.one.of_a_core_at_most:.1%}"


def _alone(row: _Detail) -> str:
    known = [use.alone_us for use in row.contest.cores if row.one.core in (None, use.core)]
    return duration(min(known)) if known else ""


def _longest_wait(row: _Detail) -> str:
    return "" if row.one.longest_wait_us is None else duration(row.one.longest_wait_us)


def _flat_rows(analysis: ContentionAnalysis) -> Iterator[Mapping[str, object]]:
    for contest in analysis.contests:
        was = {one.name: one for one in contest.published}
        for one in contest.competitors:
            yield {
                **contest.varied,
                "at_work": contest.label,
                "row": contest.row,
                "competitor": one.name,
                "does": one.does,
                "windows": contest.windows,
                "window_us": contest.window_us,
                "towers": sum(one.towers),
                "by_core": one.by_core,
                "unplaced": one.unplaced,
                "share": one.share,
                "of_a_core": one.of_a_core,
                "of_a_core_at_most": one.of_a_core_at_most,
                "longest_wait_us": one.longest_wait_us,
                "published_towers": was[one.name].towers if one.name in was else None,
                "published_of_a_core": was[one.name].of_a_core if one.name in was else None,
            }
