"""The published currents of seed 001's rows with those of a run, and the current of each core.

A row has one number for the whole board. A linear model, current = rest + core 0 + core 1 (`activity_model`), gives the
current of each core, if rows differ in it. In the published rows core 1 is busy in every one: with its task, with the
main loop's work, or with a main loop that has no work and likely spins. So the model gives core 0 a number, and core 1
none.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from intercore.benchmarks.contention.publication import ContentionPublication
from intercore.benchmarks.energy import analyse, by_label
from intercore.benchmarks.published import published
from intercore.energy.activity_model import ActivityModel, Row, fitted
from intercore.view.axes import Axis
from intercore.view.figure import Bars, Figure, Panel
from intercore.view.quantity import si, significant
from intercore.view.section import where
from intercore.view.table import Column, Table

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from intercore.benchmarks.contention.analysis import ContentionAnalysis
    from intercore.benchmarks.contention.contest import Contest
    from intercore.benchmarks.contention.publication import ContentionFigures, ReferenceCurrent
    from intercore.record.measurement import Run
    from intercore.statistics.intervals import Interval
    from intercore.view.figure import Colour

STEP_A = 0.010
"""The last digit of the published meter, A."""
_BENCHMARK = "contention"
_ROW_HEIGHT = 36  # pixels
_HALF = 0.2


class MeteredCombination(NamedTuple):
    """One combination: what a meter in the supply of a published board showed, and what one's own did."""

    label: str
    busy: tuple[bool, bool] | None
    """The cores on which somebody works or spins; None for another machine."""
    published: float | None
    """mA."""
    beyond: str
    """Above the least of the rows, or above the same machine without work."""
    own: Interval | None
    """A."""


def rows_beside(run: Run, analysis: ContentionAnalysis) -> Iterator[tuple[str, list[MeteredCombination]]]:
    """Return, for each publication with currents, its label and its rows that were measured here, with one's own."""
    contests = {tuple(worker.name for worker in one.workers): one for one in analysis.contests if one.row is not None}
    own = _own(run)
    for table in published(ContentionPublication):
        read = _read(table.figures)
        least = min(read.values(), default=0.0)
        rows = [
            MeteredCombination(one.label, busy(one), current, f"{current - least:+g} mA", own.get(one.label))
            for names, current in read.items()
            if (one := contests.get(names)) is not None
        ]
        if rows:
            others = [
                MeteredCombination(f"{other.label}, {one.state}", None, one.current_ma, _beyond_idle(one), None)
                for other in table.figures.references
                for one in other.currents
            ]
            yield table.label, [*rows, *others]


def busy(contest: Contest) -> tuple[bool, bool]:
    """Return which of two cores never rests in a contest: somebody pinned to it works or spins."""
    known = {one.core for one in contest.competitors if one.does in ("work", "spin")}
    return 0 in known, 1 in known


def published_model() -> ActivityModel:
    """Return the model of the published currents, from these alone: where the main loop has no work, it spins."""
    (table,) = (one for one in published(ContentionPublication) if _read(one.figures))
    rows = [
        Row(_published_label(names), _busy_there(names), current / 1e3)
        for names, current in _read(table.figures).items()
    ]
    return fitted(rows, STEP_A)


def own_model(run: Run, analysis: ContentionAnalysis) -> ActivityModel | None:
    """Return the model of a run's own currents, further contests with pinned tasks included; None if it has too few."""
    own = _own(run)
    pinned = {one.label: one for one in analysis.contests if all(each.core is not None for each in one.competitors)}
    rows = [Row(label, busy(one), own[label].value) for label, one in pinned.items() if label in own]
    return fitted(rows) if len(rows) > 2 and len({row.busy for row in rows}) > 1 else None


def tables(
    run: Run, analysis: ContentionAnalysis, marked: str
) -> Iterator[Table[MeteredCombination] | Table[_Adds] | Table[_Told]]:
    """Return the currents side by side and, if published rows were measured, those of the model."""
    found = list(rows_beside(run, analysis))
    mine = own_model(run, analysis)
    for label, rows in found:
        yield _beside_table(f"Currents of a USB meter, {label}; on {where(run)}: {marked}", rows, run)
    if found:
        models = {"published": published_model(), **({} if mine is None else {whose_currents(run): mine})}
        beside = f"as published; {where(run)}" + (": no meter" if mine is None else "")
        yield _adds_table(models, beside)
        yield _told_table(models, beside)


def figures(run: Run, analysis: ContentionAnalysis) -> Iterator[Figure]:
    """Draw the rows that one's own meter saw, with the published ones."""
    for label, rows in rows_beside(run, analysis):
        if any(row.own is not None for row in rows):
            yield _figure(run, label, rows)


NOTES = (
    "Currents of the article on the ESP32 by a linear model, current = rest + core 0 + core 1, from its seven rows "
    "alone: in all of them core 1 is busy, because a main loop without work likely spins, so the part of core 1 "
    "cannot be separated from rest. That is likely why the published table has 30 to 40 mA for core 0 and almost "
    "nothing for core 1: the rows differ in core 0 only. For task0 alone (40 mA) the model gives the same current as "
    "for task0 with others (50 mA): the difference is one step of the meter. With a main loop that blocks, only the "
    "row of task0 would read less: by what core 1 adds, which these rows do not show; it is at most their current of "
    "rest. If core 1 added the same as core 0, rest would be below 0, so either a sleeping core saves the chip more "
    "than the other core's work takes, or the meter reads small currents as too small. Your own run with main=block "
    "shows which.",
)


# What is known


def _own(run: Run) -> dict[str, Interval]:
    return {label: took.amps for label, took in by_label(run, _BENCHMARK).items() if took.amps is not None}


def _read(figures: ContentionFigures) -> dict[tuple[str, ...], float]:
    return {tuple(row.by_competitor): row.current_ma for row in figures.rows if row.current_ma is not None}


def _busy_there(names: Sequence[str]) -> tuple[bool, bool]:
    """Return which cores are busy in a published row: core 1 always, as the main loop works or spins."""
    return "task0" in names, True


def _published_label(names: Sequence[str]) -> str:
    return ", ".join(names) + ("" if "main" in names else " (main spins)")


def _beyond_idle(current: ReferenceCurrent) -> str:
    return f"{current.current_ma - current.idle_ma:+g} mA on {current.idle_ma:g}"


def whose_currents(run: Run) -> str:
    """Name a run's target in a cell next to published currents, and whether its currents are ESTIMATED."""
    analysis = analyse(run)
    return f"{run.plan.target}{', ESTIMATED' if analysis is not None and analysis.kind == 'estimated' else ''}"


# Tables


class _Adds(NamedTuple):
    """The currents of each core by a model."""

    of: str
    model: ActivityModel


class _Told(NamedTuple):
    """A row, and what a model makes of it."""

    of: str
    label: str
    amps: float
    predicted: float
    residual: float
    blocking: Interval | None


def _beside_table(title: str, rows: Sequence[MeteredCombination], run: Run) -> Table[MeteredCombination]:
    columns: list[Column[MeteredCombination]] = [
        Column("active", lambda row: row.label),
        Column("busy cores", _busy_text, right=True),
        Column("published", lambda row: "" if row.published is None else f"{row.published:g} mA", right=True),
        Column("above the lowest", lambda row: row.beyond, right=True),
    ]
    if any(row.own is not None for row in rows):
        columns.append(
            Column(whose_currents(run), lambda row: "" if row.own is None else si(row.own.value, "A"), right=True)
        )
    return Table(title, rows, columns, published=all(row.own is None for row in rows))


def _adds_table(models: Mapping[str, ActivityModel], beside: str) -> Table[_Adds]:
    return Table(
        f"What a busy core adds: current = rest + core 0 + core 1, {beside}",
        [_Adds(of, model) for of, model in models.items()],
        [
            Column("of", lambda row: row.of),
            Column("rest", lambda row: _milliamps(row.model.rest), right=True),
            Column("core 0 adds", lambda row: _core_text(row.model, 0), right=True),
            Column("core 1 adds", lambda row: _core_text(row.model, 1), right=True),
            Column("largest residual", lambda row: f"{1e3 * row.model.largest_residual:.1f} mA", right=True),
        ],
        published=len(models) == 1,
    )


def _told_table(models: Mapping[str, ActivityModel], beside: str) -> Table[_Told]:
    rows = [
        _Told(of, row.label, row.amps, row.amps - row.residual, row.residual, _blocking(model, row.label, row.busy))
        for of, model in models.items()
        for row in model.rows
    ]
    return Table(
        f"The rows by that model, and with a main loop that blocks without work, {beside}",
        rows,
        [
            Column("of", lambda row: row.of),
            Column("active", lambda row: row.label),
            Column("read", lambda row: f"{1e3 * row.amps:.3g} mA", right=True),
            Column("model", lambda row: f"{1e3 * row.predicted:.3g} mA", right=True),
            Column("residual", _residual_text, right=True),
            Column("main blocks", _blocking_text, right=True),
        ],
        published=len(models) == 1,
    )


def _blocking(model: ActivityModel, label: str, busy_now: Sequence[bool]) -> Interval | None:
    """Return the current of a row if the main loop waited where it spins: core 1 rests unless its task works."""
    spins = "main spins" in label
    return model.predicted((busy_now[0], "task1" in label.split(" (", maxsplit=1)[0] or not spins))


def _busy_text(row: MeteredCombination) -> str:
    return "0" if row.busy is None else " ".join(str(core) for core, is_busy in enumerate(row.busy) if is_busy)


def _core_text(model: ActivityModel, core: int) -> str:
    (one,) = (each for each in model.cores if each.core == core)
    if one.amps is not None:
        return _milliamps(one.amps)
    return "part of rest: busy in every row" if one.always else "unknown"


def _residual_text(row: _Told) -> str:
    return f"{round(1e3 * row.residual, 1) + 0.0:+.1f} mA"  # no -0.0


def _blocking_text(row: _Told) -> str:
    found = row.blocking
    if found is None:
        return "unknown"
    if found.low is None or found.high is None:
        return _milliamps(found)
    return f"{significant(1e3 * found.low)} – {significant(1e3 * found.high)} mA"


def _milliamps(value: Interval) -> str:
    if value.low is None or value.high is None:
        return f"{1e3 * value.value:.3g} mA"
    return f"{significant(1e3 * value.value)} mA ({significant(1e3 * value.low)} – {significant(1e3 * value.high)})"


# The figure


class Bar(NamedTuple):
    """A bar of a picture that sets one's own numbers with published ones."""

    label: str
    own: float | None
    published: float | None


def _figure(run: Run, label: str, rows: Sequence[MeteredCombination]) -> Figure:
    known = [Bar(row.label, None if row.own is None else 1e3 * row.own.value, row.published) for row in rows]
    caption = (
        "Mean current of each combination, with the published ones: a USB meter, read by eye in steps of 10 mA. "
        "Boards and chips differ: compare only differences between rows."
    )
    return bars("currents", "Current by active tasks", caption, "mA", whose_currents(run), f"published: {label}", known)


def bars(name: str, title: str, caption: str, unit: str, own: str, published: str, rows: Sequence[Bar]) -> Figure:
    """Draw, for each row, a measured bar above the published one in grey."""
    known: dict[str, tuple[Colour, float, int, list[float | None]]] = {
        own: ("series0", -_HALF, 3, [row.own for row in rows]),
        published: ("published", _HALF, 2, [row.published for row in rows]),  # read in steps of 10 mA
    }
    half = _HALF - 0.02
    series = []
    for legend, (colour, shift, digits, values) in known.items():
        shown = [(at + shift, value) for at, value in enumerate(values) if value is not None]
        boxes = [(0.0, value, at - half, at + half) for at, value in shown]
        series.append(
            Bars(legend, colour, boxes, [f"{legend}\n{significant(value, digits)} {unit}" for _, value in shown])
        )
    names = [row.label.replace(" (", "\n(").replace(", likely", "\nlikely") for row in rows]
    x = Axis(unit).around((end for one in series for end in one.values("x")), from_zero=True)
    y = Axis().of_names(names, down=True)
    return Figure(name, title, caption, [Panel(x, y, series, _ROW_HEIGHT * len(rows))])
