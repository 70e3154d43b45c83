"""Tables and figures of publications in the numbers of a run: the same axes and rows, and what is whose."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

import msgspec
import pytest
from rich.console import Console

from intercore.benchmarks import published, registry
from intercore.benchmarks.reports import reports
from intercore.campaign import plan_reader
from intercore.page.page import write_page
from intercore.terminal.formats.table import print_table
from intercore.view.figure import Bars, Line, Points
from tests.benchmarks.test_contention_currents import read_by_eye
from tests.built_once import ROOT
from tests.fakes import esp32

if TYPE_CHECKING:
    from pathlib import Path

    from intercore.record.measurement import Run
    from intercore.view.exhibit import Exhibit

OURS = ("seed-000-table-1", "seed-000-figure-2", "seed-001-towers", "seed-001-currents")


def of(run: Run) -> dict[str, Exhibit]:
    return {one.id: one for report in reports(run).reports for one in report.exhibits if one.id in OURS}


def cells(exhibit: Exhibit) -> list[dict[str, str]]:
    (table,) = exhibit.tables
    return [{column.title: column.text(row) for column in table.columns} for row in table.rows]


def without(run: Run, **levels: object) -> Run:
    """The run without the measurements at some level."""
    kept = [one for one in run.measurements if all(one.factors.get(name) != level for name, level in levels.items())]
    return msgspec.structs.replace(run, measurements=tuple(kept))


@pytest.mark.measures("speedup")
def test_table_1_has_every_published_row_and_the_runs_own_in_the_same_columns() -> None:
    rows = cells(of(esp32.run())["seed-000-table-1"])
    theirs = [row for row in rows if row["of"] == "published"]
    assert [row["S"] for row in theirs] == ["1.3909", "1.8484", "1.9914", "1.9952", "1.9954"]
    assert [row["E"] for row in theirs] == ["69.5%", "92.5%", "99.5%", "99.7%", "99.7%"]
    assert len(rows) == 3 * len(theirs), "by join=notify and join=poll-tick"
    assert all(value for row in rows for name, value in row.items() if name != "S here, 95 %")
    assert not {"S / P", "past a tick"} & {*rows[0]}, "they are not the paper's"


@pytest.mark.measures("speedup")
def test_figure_2_has_the_papers_axes_limit_and_both_kinds_of_points() -> None:
    (figure,) = of(esp32.run(simulated=True))["seed-000-figure-2"].figures
    (panel,) = figure.panels
    assert (panel.x.log, panel.y.log) == (True, False)
    limit, *series = panel.series
    assert list(limit.values("y")) == [2, 2]
    assert isinstance(limit, Line)
    assert limit.dash == "solid"
    drawn = {own: [one for one in series if (one.colour != "published") == own] for own in (True, False)}
    assert drawn[True]
    published, ours = drawn[False], drawn[True]
    assert all(one.hollow for one in published if isinstance(one, Points))
    assert all(one.dash == "dashed" for one in published if isinstance(one, Line))
    assert [list(one.values("x"))[:5] for one in published] == [[10**power for power in range(3, 8)]] * 2
    assert all("SIMULATED" in one.name and any(one.values("y")) for one in ours)


@pytest.mark.measures("speedup")
def test_published_points_are_drawn_as_printed() -> None:
    (figure,) = of(esp32.run())["seed-000-figure-2"].figures
    (points,) = [one for one in figure.panels[0].series if isinstance(one, Points) and one.colour == "published"]
    assert points.y == [1.3909, 1.8484, 1.9914, 1.9952, 1.9954]
    assert "S = 1.3909\nE = 69.5" in points.texts[0]


@pytest.mark.measures("speedup")
def test_no_page_shows_a_published_number_other_than_it_is_printed(tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    write_page([reports(esp32.run())], path)
    text = path.read_text(encoding="utf-8")
    assert "1.3909" in text
    assert "1.394" not in text, "4.14 / 2.97, of the printed durations"


@pytest.mark.measures("speedup")
def test_a_run_of_other_work_has_no_table_1() -> None:
    assert not {"seed-000-table-1", "seed-000-figure-2"} & of(without(esp32.run(), workload="fp")).keys()


@pytest.mark.measures("contention")
def test_the_towers_have_the_seven_rows_twice_and_bars_for_either() -> None:
    exhibit = of(esp32.run())["seed-001-towers"]
    rows = [row for row in cells(exhibit) if not row["active"].startswith("Raspberry")]
    assert [row["of"] for row in rows] == ["published", "own: 20 discs, 10 s"] * 7
    assert [row["main (core1)"] for row in rows[::2]] == ["30", "59", "0", "30", "59", "0", "0"], "as printed"
    theirs = [row["active"] for row in cells(exhibit) if row["of"] == "published"]
    assert not [label for label in theirs if "spins" in label or "likely" in label], "our words"
    totals = [row["total"].split()[0] for row in rows]
    assert totals[::2] == totals[1::2] == ["119", "118", "89", "60", "59", "59", "30"], "made up so"
    (figure,) = exhibit.figures
    bars = [one for one in figure.panels[0].series if isinstance(one, Bars)]
    assert sum(len(one.boxes) for one in bars if one.colour == "published") == 12
    assert sum(len(one.boxes) for one in bars if one.colour != "published") == 12
    assert {one.outcome for one in exhibit.verdicts} <= {"agrees", "contradicts", "cannot tell"}


@pytest.mark.measures("contention")
def test_currents_need_a_meter_or_an_estimate() -> None:
    assert "seed-001-currents" not in of(esp32.run())
    exhibit = of(read_by_eye(esp32.run()))["seed-001-currents"]
    rows = cells(exhibit)
    charge = next(name for name in rows[0] if name.startswith("mA·s"))
    theirs = [row for row in rows if row["of"] == "published"]
    assert [row[charge] for row in theirs] == ["4.2", "4.2", "5.6", "1.7", "1.7", "6.8", "3.3", "16", "9.5"]
    assert [row["mA"] for row in theirs] == ["50", "50", "50", "10", "10", "40", "10", "200", "120"], "as printed"
    assert [row["Core"] for row in theirs] == ["0,1", "0,1", "0,1", "1", "1", "0", "1", "0", "0"]
    assert not [row for row in theirs if "likely" in row["at work"]]
    ours = [row for row in rows if row["of"] != "published"]
    assert len(ours) == 7
    assert ours[0][charge].startswith("5.29"), "63 mA * 10 s / 119 towers"
    assert "ESTIMATED" not in "".join(row["of"] for row in rows)
    outcomes = {one.finding: one.outcome for one in exhibit.verdicts}
    assert "agrees" in outcomes.values(), "less than the Pi takes, at 5 V"
    assert [len(figure.panels[0].series) for figure in exhibit.figures] == [2, 2]


@pytest.mark.measures("speedup", "contention")
@pytest.mark.parametrize("origin", ["simulated", "measured"])
def test_the_tables_fit_a_terminal_and_say_what_was_not_measured(origin: str) -> None:
    for exhibit in of(read_by_eye(esp32.run(simulated=origin == "simulated"))).values():
        for table in (*exhibit.tables, exhibit.verdict_table):
            out = io.StringIO()
            print_table(table, Console(file=out, width=100))
            assert max(map(len, out.getvalue().splitlines())) <= 100
        for table in exhibit.tables:
            assert ("SIMULATED" in table.title) == (origin == "simulated")


@pytest.mark.measures("speedup", "contention")
def test_an_exhibit_has_the_verdicts_of_its_own_findings_alone() -> None:
    claims = [one for table in published.published(published.Publication) for one in table.claims]
    for exhibit in of(read_by_eye(esp32.run())).values():
        assert [one.finding for one in exhibit.verdicts] == [one.text for one in claims if exhibit.id in one.exhibits]


def because(run: Run) -> dict[str, str]:
    """Why of each verdict, by the finding."""
    texts = {one.text: one.id for table in published.published(published.Publication) for one in table.claims}
    return {texts[one.finding]: one.because for exhibit in of(run).values() for one in exhibit.verdicts}


def under(run: Run, **conditions: str) -> Run:
    """The run under these conditions alone."""
    known = [msgspec.structs.replace(one, conditions=conditions) for one in run.measurements]
    return msgspec.structs.replace(run, measurements=tuple(known))


@pytest.mark.measures("speedup", "contention")
def test_a_verdict_knows_the_chip_and_the_kernel_of_the_run() -> None:
    run = read_by_eye(esp32.run())
    known = because(run)
    assert not [text for text in known.values() if "another one" in text or "FreeRTOS" in text]
    other = because(under(run, chip="RP2040", tick_hz="1000", **{"freertos.version": "FAKE"}))
    for claim in ("at-the-limit", "no-conflict", "core-0-takes"):
        assert "another one, RP2040, cannot tell" in other[claim], claim
    host = because(under(run, **{"cpu.model": "FAKE"}))
    for claim in ("grows", "fixed-costs", "from-10-ms", "shared-in-halves", "main-has-core-1"):
        assert host[claim].endswith("does not run FreeRTOS."), claim
    assert "another one, FAKE, cannot tell" in host["at-the-limit"], "what a computer calls its processor"
    assert host["core-0-alone"] == known["core-0-alone"], "said of any machine"


@pytest.mark.measures("speedup", "contention")
def test_findings_are_held_against_an_awaited_end_and_against_contests_beside_the_rows() -> None:
    run = esp32.run()
    for each in (run, msgspec.structs.replace(run, measurements=run.measurements[::-1])):
        assert "join=notify" in of(each)["seed-000-table-1"].untested
    assert "beside one that blocks" in because(run)["kept-for-main"]


@pytest.mark.measures("speedup", "contention")
def test_an_emulated_run_has_none() -> None:
    assert not of(esp32.run(emulated=True))


@pytest.mark.measures("speedup", "contention")
def test_a_page_begins_with_what_a_plan_repeats_in_its_order(tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    write_page([reports(read_by_eye(esp32.run()))], path, exhibits=OURS)
    text = path.read_text(encoding="utf-8")
    places = [text.index(f'<section class="exhibit" id="{name}">') for name in OURS]
    assert places == sorted(places)
    assert places[-1] < text.index('<section id="answers">')
    assert [text.count(f'href="#{name}"') for name in OURS] == [2, 2, 2, 2], "in the contents and as a heading"


@pytest.mark.parametrize("path", sorted((ROOT / "plans").glob("seed-00[01]*.toml")), ids=lambda path: path.stem)
def test_a_plan_names_what_it_repeats(path: Path) -> None:
    if not {"speedup", "contention"} <= {*registry.names()}:
        pytest.skip("its benchmark is not here")
    plan = plan_reader.parse(path.read_text(encoding="utf-8"), str(path))
    assert set(plan.exhibits) <= set(published.exhibits())
    assert bool(plan.exhibits) == ("builds" not in path.stem)
    if path.stem in OURS:
        assert plan.exhibits == (path.stem,), "each by one command"
