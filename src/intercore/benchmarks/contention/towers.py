"""The table and the figure of towers by competitor, with the published ones."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, NamedTuple

from intercore.benchmarks.contention.contest import PINNED
from intercore.benchmarks.contention.publication import ContentionPublication
from intercore.benchmarks.published import published
from intercore.view.axes import Axis
from intercore.view.figure import Bars, Figure, Panel, colour_of
from intercore.view.section import where
from intercore.view.table import Column, Table

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from intercore.benchmarks.contention.analysis import ContentionAnalysis
    from intercore.benchmarks.contention.contest import Competitor, Contest, CoreUse
    from intercore.benchmarks.contention.publication import ContentionFigures
    from intercore.record.measurement import Run
    from intercore.view.figure import Hatch

_HATCHES: tuple[Hatch, ...] = ("outlined", "rising", "crossed")  # of the published bars, which are all grey
_HALF = 0.2  # of a bar's width, in contests
_CONTEST_HEIGHT = 42  # pixels
_CORES_LISTED = 4  # in one cell


class Row(NamedTuple):
    """A contest of a run, or of a publication."""

    contest: Contest | None
    """None for another machine of a publication."""
    label: str
    origin: str
    """`published`, or the target."""
    cells: Mapping[str, str]
    """By competitor."""
    total: str
    cores: str


def towers_table(run: Run, analysis: ContentionAnalysis) -> Table[Row]:
    """Show the result of each competitor, with the published figures in the row below."""
    names = dict.fromkeys(_column(worker) for one in analysis.contests for worker in one.workers)
    columns: list[Column[Row]] = [Column(name, _varied(name)) for name in varied_names(analysis)]
    columns += [
        Column("active", lambda row: row.label),
        Column("of", lambda row: row.origin),
        *(Column(name, _cell(name), right=True) for name in names),
        Column("total", lambda row: row.total, right=True),
        Column("cores used", lambda row: row.cores, right=True),
    ]
    rows = [row for one in analysis.contests for row in _rows(run.plan.target, one)]
    rows += _references(analysis)
    return Table(f"Towers (pieces of work) per window, and their share of a core alone, on {where(run)}", rows, columns)


def printed_table(title: str, figures: ContentionFigures, own: Sequence[tuple[Contest, str]]) -> Table[Row]:
    """Show the rows of a publication as printed, and the contests."""
    known = {tuple(row.by_competitor): row for row in figures.rows}
    rows: list[Row] = []
    for contest, said in own:
        found = known.get(tuple(worker.name for worker in contest.workers)) if contest.row is not None else None
        if found is not None:
            counts = {name: f"{found.by_competitor.get(name, 0)}" for name in PINNED}
            total = sum(found.by_competitor.values())
            rows.append(Row(None, ", ".join(found.by_competitor), "published", counts, f"{total}", ""))
        (mine, *_) = _rows(said, contest)
        rows.append(mine)
    for other in figures.references:
        core = [name for name, pinned in PINNED.items() if pinned == other.core][:1]
        counts = dict.fromkeys(core, f"{other.towers}")
        rows.append(Row(None, other.label, "published", counts, f"{other.towers}", ""))
    names = dict.fromkeys([*PINNED, *(name for row in rows for name in row.cells)])
    return Table(
        title,
        rows,
        [
            Column("active", lambda row: row.label),
            Column("of", lambda row: row.origin),
            *(Column(_HEADS.get(name, name), _cell(name), right=True) for name in names),
            Column("total", lambda row: row.total, right=True),
        ],
        published=True,
        is_theirs=lambda row: row.origin == "published",
    )


_HEADS: Mapping[str, str] = {"task0": "core0", "task1": "core1", "main": "main (core1)"}
"""The columns of the article."""


def _rows(target: str, contest: Contest) -> Iterator[Row]:
    pools: dict[str, list[Competitor]] = defaultdict(list)
    for one in contest.workers:
        pools[_column(one)].append(one)
    cells = {
        name: _count(sum(one.per_window for one in pool), sum(one.of_a_core for one in pool))
        for name, pool in pools.items()
    }
    cores = [_used(one) for one in contest.cores]
    used = " ".join(cores) if len(cores) <= _CORES_LISTED else f"{_busy(contest):.1f} of {len(cores)}"
    yield Row(contest, contest.label, target, cells, _total(contest.total, contest.of_a_core), used)
    if contest.published:
        cells = {one.name: _count(one.towers, one.of_a_core) for one in contest.published}
        names = ", ".join(one.name for one in contest.published)
        total = sum(one.towers for one in contest.published)
        parts = sum(one.of_a_core for one in contest.published)
        yield Row(contest, names, "published", cells, _total(total, parts), "")


def _references(analysis: ContentionAnalysis) -> Iterator[Row]:
    """Show the other machines of publications whose rows were measured."""
    if any(one.published for one in analysis.contests):
        for table in published(ContentionPublication):
            for other in table.figures.references:
                yield Row(None, other.label, "published", {}, f"{other.towers}", "")


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


def _cell(name: str) -> Callable[[Row], str]:
    return lambda row: row.cells.get(name, "")


def varied_names(analysis: ContentionAnalysis) -> list[str]:
    """Return the factors that distinguish contests, in addition to their active tasks."""
    return list(analysis.contests[0].varied) if analysis.contests else []


def _varied(name: str) -> Callable[[Row], str]:
    return lambda row: "" if row.contest is None else str(row.contest.varied.get(name, ""))


# The figure


def bars(run: Run, analysis: ContentionAnalysis) -> Figure:
    """Stack the competitors of each contest, ours above published."""
    parts = list(_parts(analysis))
    names = [*PINNED, *sorted({part.name for part in parts} - PINNED.keys())]
    bars: dict[tuple[bool, str], list[_Part]] = defaultdict(list)
    for part in sorted(parts, key=lambda part: (part.is_published, names.index(part.name))):
        bars[part.is_published, part.name].append(part)
    names_of_rows = [_heading(one).replace(" (", "\n(") for one in analysis.contests]
    caption = (
        f"Work done in a window, relative to one core alone: {where(run)} in colours, with the published figures "
        "below them in grey. Where competitors sleep after each piece of work, two on a core can reach more than one "
        "core in total."
    )
    # The parts of one bar follow one another, in the order of their competitors.
    filled: dict[float, float] = defaultdict(float)
    series = [_competitor(found, names, filled) for found in bars.values()]
    x = Axis("work, in cores").around((end for one in series for end in one.values("x")), from_zero=True)
    y = Axis().of_names(names_of_rows, down=True)
    title = "Work relative to one core alone"
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
            names = ", ".join(each.name for each in contest.published)
            text = f"published: {was.name}\n{names}\n{was.towers} towers, {was.of_a_core:.1%} of a core"
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
