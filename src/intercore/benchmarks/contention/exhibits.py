"""The tables of towers and of currents of seed 001 in the numbers of a run."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import msgspec

from intercore.benchmarks import energy
from intercore.benchmarks.claims import another_kernel, chip_name, in_words, is_chip
from intercore.benchmarks.contention.analysis import BENCHMARK
from intercore.benchmarks.contention.charge import discs_of, milli, own_charges, published_charges
from intercore.benchmarks.contention.claims import Evidence, verdicts
from intercore.benchmarks.contention.currents import Bar, bars, whose_currents
from intercore.benchmarks.contention.publication import ContentionPublication
from intercore.benchmarks.contention.towers import bars as towers_bars
from intercore.benchmarks.contention.towers import printed_table
from intercore.benchmarks.published import published
from intercore.record.own_work import PREFIX
from intercore.text import capitalised
from intercore.view.exhibit import Exhibit
from intercore.view.section import where
from intercore.view.table import Column, Table

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from intercore.benchmarks.contention.analysis import ContentionAnalysis
    from intercore.benchmarks.contention.charge import ChargeRow
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
        if not rows:
            continue
        evidence = _evidence(run, analysis, table, rows)
        found = list(verdicts(evidence))
        for one in table.exhibits:
            is_current = one.id == _CURRENTS
            if is_current and not evidence.charges:
                continue
            tables, figures = _currents(run, evidence) if is_current else _towers(run, analysis, evidence, one.id)
            yield table.shown(
                one.id,
                tables=tables,
                figures=figures,
                verdicts=[each for each in found if one.id in each.exhibits],
                untested=" ".join(_untested(evidence, is_current=is_current)),
            )


def _rows(analysis: ContentionAnalysis, table: ContentionPublication) -> list[Contest]:
    """Return the contests of the published rows at one level of the other factors, asleep after a tower as there."""
    known = [one for one in analysis.contests if one.row is not None]
    alike = [one for one in known if one.sleeps == table.figures.sleeps] or known
    return [one for one in alike if one.varied == alike[0].varied and one.sleeps == alike[0].sleeps]


def _evidence(
    run: Run, analysis: ContentionAnalysis, table: ContentionPublication, rows: Sequence[Contest]
) -> Evidence:
    known = energy.analyse(run)
    return Evidence(
        table,
        {tuple(worker.name for worker in one.workers): one for one in rows},
        others=[one for one in analysis.contests if one.row is None],
        main_loop=next((one.conditions["main_loop"] for one in run.measurements if "main_loop" in one.conditions), ""),
        charges=tuple(own_charges(run, rows)),
        estimated=known.path if known is not None and known.kind == "estimated" else "",
        chip="" if is_chip(run, table.conditions["chip"]) else chip_name(run),
        kernel=another_kernel(run),
    )


def _untested(evidence: Evidence, *, is_current: bool) -> Iterator[str]:
    """Say what a target lacks that the publication had."""
    if evidence.chip:
        yield f"The article's chip is another one, an {evidence.table.conditions['chip']}: this is {evidence.chip}."
    if not evidence.has_main_loop:
        yield (
            "There is no Arduino main loop here: a task pinned to core 1 stands in, which spins where the article's "
            "has no work, as an empty loop() likely does."
        )
    if is_current and evidence.estimated:
        yield (
            f"There is no meter: currents are ESTIMATED, by those of {evidence.estimated}, from how long each core was "
            "awake. They cannot tell one core from the other."
        )


def _own(discs: int | None, window_s: float) -> str:
    """Say what work of one's own was done, and for how long: `own: 15 discs, 1 s`."""
    work = "other work" if discs is None else f"{discs} discs"
    return f"own: {work}, {window_s:g} s"


# Towers


def _towers(
    run: Run, analysis: ContentionAnalysis, evidence: Evidence, name: str
) -> tuple[list[Table[Any]], list[Figure]]:
    """Show the rows, and below them what the run has of tasks that are not pinned beside the same main loop."""
    rows = list(evidence.rows.values())
    free = [
        one
        for one in evidence.others
        if one.varied == rows[0].varied and all(each.core is None for each in one.workers)
    ]

    def own(contest: Contest) -> str:
        return _own(discs_of(run, contest), contest.window_us / 1e6)

    # Bars of both kinds share their names, which are those of the article.
    named = tuple(msgspec.structs.replace(one, label=", ".join(names)) for names, one in evidence.rows.items())
    drawn = towers_bars(run, msgspec.structs.replace(analysis, contests=named))
    figures = evidence.table.figures
    theirs = f"{figures.discs} discs, {figures.window_ms / 1e3:g} s"
    caption = f"{drawn.caption} Published: {theirs}; {own(rows[0])}."
    title = (
        f"Towers in a window, published ({theirs}) and on {where(run)}; own ones with parts of what a core does alone"
    )
    table = printed_table(title, figures, [(one, own(one)) for one in (*rows, *free)])
    return [table], [replace(drawn, name=name, caption=caption)]


# Currents


def _currents(run: Run, evidence: Evidence) -> tuple[list[Table[Any]], list[Figure]]:
    figures = evidence.table.figures
    theirs = list(published_charges(figures))
    ours = {one.names: one for one in evidence.charges}
    volts = next((one.volts for one in evidence.charges if one.volts is not None), None)
    estimated = ", ESTIMATED" if evidence.estimated else ""
    at = "" if volts is None else f", {volts:.3g} V"
    own = f"{whose_currents(run)}{at}"
    discs = f"{figures.discs} discs"

    def of(row: ChargeRow) -> str:
        return "published" if row.is_published else f"{_own(row.discs, row.window_s)}{estimated}{at}"

    def current(row: ChargeRow) -> str:
        return f"{1e3 * row.amps.value:g}" if row.is_published else in_words(row.amps, milli)

    def charge(row: ChargeRow) -> str:
        known = of_discs(row, row.coulombs)
        return milli(known.value, 2) if row.is_published else in_words(known, milli)

    def of_discs(row: ChargeRow, known: Interval) -> Interval:
        return row.of_discs(known, figures.discs)

    columns: list[Column[ChargeRow]] = [
        Column("at work", lambda row: row.label),
        Column("Core", lambda row: ",".join(map(str, row.cores))),
        Column("of", of),
        Column("mA", current, right=True),
        Column("towers", lambda row: f"{row.towers:,.4g}", right=True),
        Column(f"mA·s, {discs}", charge, right=True),
        Column(
            f"mJ, {discs}",
            lambda row: "" if row.joules is None else in_words(of_discs(row, row.joules), milli),
            right=True,
        ),
    ]
    rows = [each for one in theirs for each in ([one, ours[one.names]] if one.names in ours else [one])]
    table = Table(
        f"Currents, published ({discs}, {figures.window_ms / 1e3:g} s) and {'ESTIMATED ' * bool(evidence.estimated)}on "
        f"{where(run)}; the charge of a tower is computed from them",
        rows,
        columns,
        published=True,
        is_theirs=lambda row: row.is_published,
    )
    return [table], list(_figures(evidence, theirs, ours, own))


def _figures(
    evidence: Evidence, theirs: Sequence[ChargeRow], ours: dict[tuple[str, ...], ChargeRow], own: str
) -> Iterator[Figure]:
    label = f"published: {evidence.table.label}"
    discs = evidence.table.figures.discs

    def bar(one: ChargeRow, of: Any) -> Bar:  # noqa: ANN401 - a function of a row
        mine = ours.get(one.names) if one.names else None
        return Bar(one.label, None if mine is None else of(mine), of(one))

    yield bars(
        _CURRENTS,
        "Current by what is at work",
        "The article's USB meter was read by eye in steps of 10 mA. Compare only differences between rows.",
        "mA",
        own,
        label,
        [bar(one, lambda row: 1e3 * row.amps.value) for one in theirs],
    )
    yield bars(
        f"{_CURRENTS}-charge",
        f"Charge of a tower of {discs} discs",
        "Computed here, not printed in the article: current × window ÷ towers. "
        f"{capitalised(_done(evidence))}. Own towers of other discs are scaled by their moves. At another voltage the "
        "same charge is another energy.",
        "mA·s",
        own,
        f"computed from published: {evidence.table.label}",
        [bar(one, lambda row: 1e3 * row.of_discs(row.coulombs, discs).value) for one in theirs],
    )


def _done(evidence: Evidence) -> str:
    """Say of which towers one's own currents are."""
    return ", ".join(dict.fromkeys(_own(one.discs, one.window_s) for one in evidence.charges))
