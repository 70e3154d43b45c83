"""The tables of towers and of currents of seed 001 in the numbers of a run."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import msgspec

from intercore.benchmarks import energy
from intercore.benchmarks.claims import in_words
from intercore.benchmarks.contention.analysis import BENCHMARK
from intercore.benchmarks.contention.charge import own_charges, published_charges
from intercore.benchmarks.contention.claims import Held, verdicts
from intercore.benchmarks.contention.currents import Bar, bars, own_model, whose_currents
from intercore.benchmarks.contention.publication import ContentionPublication
from intercore.benchmarks.contention.towers import bars as towers_bars
from intercore.benchmarks.contention.towers import towers_table
from intercore.benchmarks.published import published
from intercore.record.own_work import PREFIX
from intercore.view.exhibit import Exhibit
from intercore.view.quantity import significant
from intercore.view.section import where
from intercore.view.table import Column, Table

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from intercore.benchmarks.contention.analysis import ContentionAnalysis
    from intercore.benchmarks.contention.charge import Charged
    from intercore.benchmarks.contention.contest import Contest
    from intercore.record.measurement import Run
    from intercore.statistics.intervals import Interval
    from intercore.view.figure import Figure

_CURRENTS = "seed-001-currents"


def exhibits(run: Run, analysis: ContentionAnalysis) -> Iterator[Exhibit]:
    """Return those that a run has numbers for: that of currents only with a meter, or an estimate."""
    ours = [one for one in run.measurements if one.benchmark == BENCHMARK]
    if any(str(one.factors.get("workload", "")).startswith(PREFIX) for one in ours):
        return  # it is no tower
    for table in published(ContentionPublication):
        rows = _rows(analysis, table)
        held = _held(run, analysis, table, rows)
        for one in table.exhibits:
            is_current = one.id == _CURRENTS
            if not rows or (is_current and not held.charges):
                continue
            tables, figures = _currents(run, held) if is_current else _towers(run, analysis, rows, one.id)
            yield Exhibit(
                one.id,
                one.name,
                f"{one.name} of {table.label}: {one.shows}",
                msgspec.structs.replace(table.source, table=one.name).citation,
                one.form,
                tables,
                figures,
                list(verdicts(held, one.id)),
                " ".join(_untested(run, held, is_current=is_current)),
            )


def _rows(analysis: ContentionAnalysis, table: ContentionPublication) -> list[Contest]:
    """Return the contests of the published rows at one level of the other factors, asleep after a tower as there."""
    known = [one for one in analysis.contests if one.row is not None]
    alike = [one for one in known if one.sleeps == table.figures.sleeps] or known
    return [one for one in alike if one.varied == alike[0].varied and one.sleeps == alike[0].sleeps]


def _held(run: Run, analysis: ContentionAnalysis, table: ContentionPublication, rows: Sequence[Contest]) -> Held:
    known = energy.analyse(run)
    return Held(
        table,
        {tuple(worker.name for worker in one.workers): one for one in rows},
        [one for one in analysis.contests if one.row is None],
        next((one.conditions["main_loop"] for one in run.measurements if "main_loop" in one.conditions), ""),
        tuple(own_charges(run, rows)),
        own_model(run, analysis),
        known.path if known is not None and known.kind == "estimated" else "",
    )


def _untested(run: Run, held: Held, *, is_current: bool) -> Iterator[str]:
    """Say what a target lacks that the publication had."""
    one = run.measurements[0]
    chip = one.conditions.get("chip") or one.conditions.get("cpu.model") or run.plan.target
    if "ESP32" not in chip:
        yield f"The article's chip is another one, an {held.table.conditions['chip']}: this is {chip}."
    if not held.main_loop or held.main_loop.startswith("none"):
        yield (
            "There is no framework with a main loop here: a task pinned to core 1 stands in, which spins where the "
            "article's has no work, as an empty loop() likely does."
        )
    if is_current and held.estimated:
        yield (
            f"There is no meter: currents are ESTIMATED, by those of {held.estimated}, from how long each core was "
            "awake. They cannot tell one core from the other."
        )


# Towers


def _towers(
    run: Run, analysis: ContentionAnalysis, rows: Sequence[Contest], name: str
) -> tuple[list[Table[Any]], list[Figure]]:
    """Show the rows, and below them what the run has of tasks that are not pinned beside the same main loop."""
    free = [
        one
        for one in analysis.contests
        if one.row is None and one.varied == rows[0].varied and all(each.core is None for each in one.workers)
    ]
    some = msgspec.structs.replace(analysis, contests=(*rows, *free))
    drawn = towers_bars(run, msgspec.structs.replace(analysis, contests=tuple(rows)))
    return [replace(towers_table(run, some), published=True)], [replace(drawn, name=name)]


# Currents


def _currents(run: Run, held: Held) -> tuple[list[Table[Any]], list[Figure]]:
    figures = held.table.figures
    theirs = list(published_charges(figures))
    ours = {one.names: one for one in held.charges}
    volts = next((one.volts for one in held.charges if one.volts is not None), None)
    own = whose_currents(run) + ("" if volts is None else f", {volts:.3g} V")
    discs = f"{figures.discs} discs"

    def of(row: Charged) -> str:
        return "published" if row.is_published else own

    def of_discs(row: Charged, known: Interval) -> Interval:
        return row.of_discs(known, figures.discs)

    columns: list[Column[Charged]] = [
        Column("at work", lambda row: row.label),
        Column("of", of),
        Column("mA", lambda row: in_words(row.amps, _milli), right=True),
        Column("discs", lambda row: f"{row.discs}", right=True),
        Column("window", lambda row: f"{row.window_s:g} s", right=True),
        Column("towers", lambda row: f"{row.towers:,.4g}", right=True),
        Column(f"mA·s, {discs}", lambda row: in_words(of_discs(row, row.coulombs), _milli), right=True),
        Column(
            f"mJ, {discs}",
            lambda row: "" if row.joules is None else in_words(of_discs(row, row.joules), _milli),
            right=True,
        ),
    ]
    rows = [each for one in theirs for each in ([one, ours[one.names]] if one.names in ours else [one])]
    table = Table(
        f"Currents, and what a tower takes, as published and {'ESTIMATED ' * bool(held.estimated)}on {where(run)}",
        rows,
        columns,
        True,
    )
    return [table], list(_figures(held, theirs, ours, own))


def _figures(held: Held, theirs: Sequence[Charged], ours: dict[tuple[str, ...], Charged], own: str) -> Iterator[Figure]:
    label = f"published: {held.table.label}"
    discs = held.table.figures.discs

    def bar(one: Charged, milli: Any) -> Bar:  # noqa: ANN401 - a function of a row
        mine = ours.get(one.names) if one.names else None
        return Bar(one.label, None if mine is None else milli(mine), milli(one))

    yield bars(
        _CURRENTS,
        "Current by what is at work",
        "A USB meter, read by eye in steps of 10 mA. What compares is how rows differ from one another.",
        "mA",
        own,
        label,
        [bar(one, lambda row: 1e3 * row.amps.value) for one in theirs],
    )
    yield bars(
        f"{_CURRENTS}-charge",
        f"Charge of a tower of {discs} discs",
        "Current × window ÷ towers. Own towers of fewer discs are scaled by their moves. Charge at another voltage is "
        "another energy.",
        "mA·s",
        own,
        label,
        [bar(one, lambda row: 1e3 * row.of_discs(row.coulombs, discs).value) for one in theirs],
    )


def _milli(value: float) -> str:
    return significant(1e3 * value)
