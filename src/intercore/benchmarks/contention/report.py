"""The report of the benchmark `contention`: what each competitor got, beside what was published."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from intercore.benchmarks.contention import currents
from intercore.benchmarks.contention.analysis import BENCHMARK, analyse, caveats
from intercore.benchmarks.contention.answers import answers, remarks
from intercore.benchmarks.contention.contest import PINNED
from intercore.benchmarks.contention.publication import ContentionPublication
from intercore.benchmarks.contention.results import is_its_chip, results, work_of
from intercore.benchmarks.published import published
from intercore.finding import texts
from intercore.view.axes import Axis
from intercore.view.figure import Bars, Figure, Panel, colour_of
from intercore.view.quantity import duration
from intercore.view.section import Report, Section, where
from intercore.view.table import Column, Table

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from intercore.benchmarks.contention.analysis import ContentionAnalysis
    from intercore.benchmarks.contention.contest import Competitor, Contest, CoreUse
    from intercore.record.measurement import Run
    from intercore.view.figure import Hatch

_HATCHES: tuple[Hatch, ...] = ("outlined", "rising", "crossed")  # of the published bars, which are all grey
_HALF = 0.2  # of a bar's width, in contests
_CONTEST_HEIGHT = 42  # pixels
_CORES_LISTED = 4  # in one cell
_SEEN = 0.005  # of a task's work, from which on it is told that it is not known where it was done


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
            "Who gets the processor (contention)",
            texts(found),
            [_table(run, analysis), _details(run, analysis), *currents.tables(run, analysis, _mark(run))],
            [_bars(run, analysis), *currents.figures(run, analysis)] if analysis.contests else [],
            [*_NOTES, asked(run), *_sources(analysis)],
        ),
        topic="both cores",
        answers=tuple(answers(analysis, work_of(run.measurements))),
        remarks=tuple(remarks(analysis)),
    )


_NOTES = (
    "A tower of Hanoi, moved by recursion, is one piece of the work. It counts if it ended within the window, which "
    "began and ended at the same moments for all. All competitors have the same priority; the task that runs the "
    "console is below them and sleeps meanwhile.",
    "The part of a core is a competitor's towers × the time of a tower alone on that core, taken just before, ÷ the "
    "window. The unfinished tower at the end is missing from it; with one tower more per window it would be the larger "
    "number in the table. With yield=tick the time alone includes the sleep, because competitors and the published "
    "program sleep. So two on one core may come to more than one: each works while the other sleeps. Cores used: the "
    "part of the windows for which the work done on each core, without sleeps, keeps it busy. Work of a free task "
    "counts on the core it ran on, by parts of a tower of 63 moves. If the task changed cores within such a part, it "
    "is not known where that part was done; this gives the bounds.",
    "The main loop of an Arduino program is a task of priority 1 on core 1 that calls loop() forever. Where loop() has "
    "nothing to do and returns, that task never waits: it spins, and takes turns with any other task of its priority "
    "there. That is likely why the article's task on core 1 came to half, whether or not the main loop had work.",
)
_IS_IT_KEPT = "The article asks whether half of the core is kept for the main loop. "
_ASKED_ON_ITS_CHIP = (
    f"{_IS_IT_KEPT}On this chip, which is the article's, rows of a task beside main=spin, main=delay and main=block "
    "answer that."
)
_ASKED_ELSEWHERE = (
    f"{_IS_IT_KEPT}On the simulated Pico it is not: a task gets the core beside main=block or main=delay, and half of "
    "it beside main=spin. The kernel of an ESP32 also lets tasks of equal priority take turns, so the same is likely "
    "there."
)


def asked(run: Run) -> str:
    """Say what speaks to the question of the article, which only its chip can answer."""
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


class _Row(NamedTuple):
    contest: Contest | None
    """None for another machine of a publication."""
    label: str
    origin: str
    """`published`, or the target."""
    cells: Mapping[str, str]
    """By competitor."""
    total: str
    cores: str


def _table(run: Run, analysis: ContentionAnalysis) -> Table[_Row]:
    """Show what each competitor got, and the published figures in the row below."""
    names = dict.fromkeys(_column(worker) for one in analysis.contests for worker in one.workers)
    columns: list[Column[_Row]] = [Column(name, _varied(name)) for name in _varied_names(analysis)]
    columns += [
        Column("at work", lambda row: row.label),
        Column("of", lambda row: row.origin),
        *(Column(name, _cell(name), right=True) for name in names),
        Column("total", lambda row: row.total, right=True),
        Column("cores used", lambda row: row.cores, right=True),
    ]
    rows = [row for one in analysis.contests for row in _rows(run.plan.target, one)]
    rows += _references(analysis)
    return Table(
        f"Towers (pieces of work) in a window, and parts of what a core does alone, on {where(run)}", rows, columns
    )


def _rows(target: str, contest: Contest) -> Iterator[_Row]:
    pools: dict[str, list[Competitor]] = defaultdict(list)
    for one in contest.workers:
        pools[_column(one)].append(one)
    cells = {
        name: _count(sum(one.per_window for one in pool), sum(one.of_a_core for one in pool))
        for name, pool in pools.items()
    }
    cores = [_used(one) for one in contest.cores]
    used = " ".join(cores) if len(cores) <= _CORES_LISTED else f"{_busy(contest):.1f} of {len(cores)}"
    yield _Row(contest, contest.label, target, cells, _total(contest.total, contest.of_a_core), used)
    if contest.published:
        cells = {one.name: _count(one.towers, one.of_a_core) for one in contest.published}
        total = sum(one.towers for one in contest.published)
        parts = sum(one.of_a_core for one in contest.published)
        yield _Row(contest, contest.label, "published", cells, _total(total, parts), "")


def _references(analysis: ContentionAnalysis) -> Iterator[_Row]:
    """Show the other machines of publications whose rows were measured."""
    if any(one.published for one in analysis.contests):
        for table in published(ContentionPublication):
            for other in table.figures.references:
                yield _Row(None, other.label, "published", {}, f"{other.towers}", "")


def _used(core: CoreUse) -> str:
    """Write how busy a core was: bounds where they differ."""
    low, high = f"{core.used:.0%}", f"{core.used_at_most:.0%}"
    return low if low == high else f"{low.removesuffix('%')}–{high}"


def _busy(contest: Contest) -> float:
    """Return how many cores all work kept busy, wherever it was done."""
    mean_us = sum(core.tower_us for core in contest.cores) / len(contest.cores)
    unplaced = sum(one.unplaced for one in contest.workers) * mean_us / (contest.windows * contest.window_us)
    return sum(core.used for core in contest.cores) + unplaced


def _column(one: Competitor) -> str:
    """Name the column that a competitor is counted in: free tasks share one."""
    return "free" if one.core is None else one.name


def _count(towers: float, of_a_core: float) -> str:
    return f"{_number(towers)} {of_a_core:.0%}"


def _total(towers: float, of_a_core: float) -> str:
    return f"{_number(towers)} {of_a_core:.2f}"


def _number(towers: float) -> str:
    """Write a mean of counts: whole if it is one."""
    return f"{towers:,.0f}" if towers == round(towers) else f"{towers:,.1f}"


def _cell(name: str) -> Callable[[_Row], str]:
    return lambda row: row.cells.get(name, "")


def _varied_names(analysis: ContentionAnalysis) -> list[str]:
    return list(analysis.contests[0].varied) if analysis.contests else []


def _varied(name: str) -> Callable[[_Row | _Detail], str]:
    return lambda row: "" if row.contest is None else str(row.contest.varied.get(name, ""))


class _Detail(NamedTuple):
    contest: Contest
    one: Competitor


def _details(run: Run, analysis: ContentionAnalysis) -> Table[_Detail]:
    """Show what else is known of each competitor at work."""
    rows = [_Detail(contest, one) for contest in analysis.contests for one in contest.workers]
    columns: list[Column[_Detail]] = [Column(name, _varied(name)) for name in _varied_names(analysis)]
    columns += [
        Column("at work", lambda row: row.contest.label),
        Column("competitor", lambda row: row.one.name),
        *([Column("on cores", _on_cores, right=True)] if any(row.one.core is None for row in rows) else []),
        Column("share", lambda row: f"{row.one.share:.1%}", right=True),
        Column("of a core", _of_a_core, right=True),
        Column("alone", _alone, right=True),
        Column("longest wait", _longest_wait, right=True),
    ]
    title = f"Shares of the towers, and how long each competitor waited for its next, on {where(run)}"
    return Table(title, rows, columns)


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


# The figure


def _bars(run: Run, analysis: ContentionAnalysis) -> Figure:
    """Stack the competitors of each contest, ours above published."""
    parts = list(_parts(analysis))
    names = [*PINNED, *sorted({part.name for part in parts} - PINNED.keys())]
    bars: dict[tuple[bool, str], list[_Part]] = defaultdict(list)
    for part in sorted(parts, key=lambda part: (part.is_published, names.index(part.name))):
        bars[part.is_published, part.name].append(part)
    names_of_rows = [_heading(one).replace(" (", "\n(") for one in analysis.contests]
    caption = (
        f"Work done in a window, as parts of what one core does alone: {where(run)} in colours, and the published "
        "figures below them in grey. Where competitors sleep after each piece of work, two on a core may come to more "
        "than one."
    )
    # The parts of one bar follow one another, in the order of their competitors.
    filled: dict[float, float] = defaultdict(float)
    series = [_competitor(found, names, filled) for found in bars.values()]
    x = Axis("cores' worth of work").around((end for one in series for end in one.values("x")), from_zero=True)
    y = Axis().of_names(names_of_rows, down=True)
    title = "Parts of what a core does alone"
    return Figure("contention", title, caption, [Panel(x, y, series, _CONTEST_HEIGHT * len(names_of_rows))])


class _Part(NamedTuple):
    """A competitor's part of a bar."""

    name: str
    is_published: bool
    at: float
    """Where the bar is: the number of the contest, and half a bar above or below."""
    of_a_core: float
    text: str


def _parts(analysis: ContentionAnalysis) -> Iterator[_Part]:
    for number, contest in enumerate(analysis.contests):
        heading = _heading(contest)
        for one in contest.workers:
            text = f"{one.name}\n{heading}\n{_number(one.per_window)} towers, {one.of_a_core:.1%} of a core"
            yield _Part(one.name, False, number - _HALF * bool(contest.published), one.of_a_core, text)
        for was in contest.published:
            text = f"published: {was.name}\n{heading}\n{was.towers} towers, {was.of_a_core:.1%} of a core"
            yield _Part(was.name, True, number + _HALF, was.of_a_core, text)


def _heading(contest: Contest) -> str:
    varied = ", ".join(f"{name}={level}" for name, level in contest.varied.items())
    return f"{contest.label}, {varied}" if varied else contest.label


def _competitor(parts: Sequence[_Part], names: Sequence[str], filled: dict[float, float]) -> Bars:
    """Draw a competitor's parts of all bars, each behind what is filled of its bar; published ones grey and hatched."""
    name, is_published = parts[0].name, parts[0].is_published
    index = names.index(name)
    half = _HALF - 0.02
    boxes = []
    for part in parts:
        begin = filled[part.at]
        filled[part.at] += part.of_a_core
        boxes.append((begin, filled[part.at], part.at - half, part.at + half))
    return Bars(
        f"published: {name}" if is_published else name,
        "published" if is_published else colour_of(index),
        boxes,
        [part.text for part in parts],
        _HATCHES[index % len(_HATCHES)] if is_published else None,
    )
