"""What people read of jitter: tables that fit a terminal, figures, and the published figures beside ours."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

import msgspec
import numpy as np
import pytest
from rich.console import Console

from intercore.benchmarks.jitter.activations import BY_PROCEDURE
from intercore.benchmarks.jitter.publication import JitterPublication
from intercore.benchmarks.jitter.report import report
from intercore.benchmarks.published import published
from intercore.benchmarks.reports import reports
from intercore.record.measurement import Measurement, Part, Plan, Run
from intercore.terminal.formats.table import print_table
from intercore.view.figure import Line, Points
from tests.benchmarks.esp32_report import cells, page
from tests.benchmarks.esp32_report import report as seeds_report
from tests.benchmarks.jitter_data import counted, measurement
from tests.fakes import esp32 as fake_esp32

if TYPE_CHECKING:
    from pathlib import Path

    from intercore.view.figure import Figure

LATE = [1182 + step % 7 for step in range(600)]
RUN = (
    measurement(LATE),
    measurement(LATE, load="both", core="any", core_series=[0] * 600, samples=600),
    measurement(
        LATE,
        core_series=[0, 1] * 300,
        migrate="blockers",
        load="both",
        checks={"migrations_requested": 600, "migrations_done": 600},
        samples=600,
    ),
    measurement([*LATE, 4_000_000], core_series=[1] * 601, migrate="unsynchronised"),
    measurement(LATE, load="same-priority", more=counted([1182] * 2000, [0] * 2000)),
)


def run(*measurements: Measurement, simulated: bool = False) -> Run:
    plan = Plan("pico-sim" if simulated else "pico", None, "jitter", (Part("jitter", {}),), simulated=simulated)
    return Run(1, plan, "2026-01-01T00:00:00+00:00", "0", len(measurements), measurements)


def test_tables_fit_a_terminal() -> None:
    out = io.StringIO()
    console = Console(file=out, width=100)
    for table in report(run(*RUN)).section.tables:
        print_table(table, console)
    lines = out.getvalue().splitlines()
    assert max(map(len, lines)) <= 100
    assert any("600 of 600" in line for line in lines)
    assert any("2,000" in line for line in lines), "what was counted"


def test_the_published_periods_stand_beside_ours() -> None:
    (table,) = published(JitterPublication)
    found = report(run(*RUN))
    *_, periods = found.section.tables
    assert table.label in periods.title
    cells = [[column.text(row) for column in periods.columns] for row in periods.rows]
    assert cells[0] == ["published", "no", "9.996", "9.632", "10.001", "0.004", "as printed"]
    assert cells[1] == ["published", "yes", "8,957.846", "213.006", "17,700.333", "276.600", "as printed"]
    assert cells[2][2:5] == ["10.000", "10.000", "10.000"]
    (figure,) = [one for one in found.section.figures if one.name == "jitter-periods"]
    (panel,) = figure.panels
    lines = [one for one in panel.series if isinstance(one, Line)]
    averages = [one for one in panel.series if isinstance(one, Points) and one.shape == "circle"]
    assert [one.colour for one in lines][:3] == ["published", "published", "series0"]
    assert lines[1].x == pytest.approx([0.213006, 17.700333])
    assert averages[1].x == pytest.approx([8.957846])
    assert not any("always overdue" in note for note in found.section.notes)


def points(strip: Figure) -> Points:
    """The points of a strip that has those of one kind alone."""
    (panel,) = strip.panels
    (drawn,) = panel.series
    assert isinstance(drawn, Points)
    return drawn


def test_migrations_are_marked_in_the_strip_and_load_is_shaded() -> None:
    strip, *_ = report(run(*RUN)).section.figures
    drawn = [one for one in strip.panels[3].series if isinstance(one, Points)]
    assert {one.shape for one in drawn if one.colour == "series1"} == {"triangle-up"}
    assert sum(len(panel.bands) for panel in strip.panels) == 3


@pytest.mark.parametrize("at", [0, 399, 400, 599])
def test_the_latest_release_is_drawn_however_many_there_are(at: int) -> None:
    late = [*LATE[:at], 70_000, *LATE[at + 1 :]]
    strip, *_ = report(run(measurement(late))).section.figures
    drawn = points(strip)
    assert len(drawn.x) == 400 < len(late)
    assert drawn.x == sorted(set(drawn.x))
    assert at == drawn.x[int(np.argmax(drawn.y))]
    assert {0, 599} & set(drawn.x) == {0, 599}, "the whole run is there"


def test_of_several_repetitions_that_with_the_latest_release_is_drawn() -> None:
    repetitions = [measurement([*LATE[:9], latest], seed=latest) for latest in (1200, 90_000, 1300)]
    strip, *_ = report(run(*repetitions)).section.figures
    assert max(y for y in points(strip).y if y) == pytest.approx(90_000 / 125_000_000)


def test_simulated_numbers_are_labelled() -> None:
    found = report(run(*RUN, simulated=True))
    assert all("SIMULATED" in table.title for table in found.section.tables)


def test_a_run_without_measurements_has_a_report() -> None:
    found = report(run())
    assert found.section.figures == []
    empty = dict.fromkeys(("settings", "false_periods", "deadlines", "explained"), ())
    assert found.json["jitter"] == {**empty, "sentences": []}


def test_the_report_is_json() -> None:
    found = report(run(*RUN))
    assert msgspec.json.decode(msgspec.json.encode([found.json, found.rows]))
    assert [row["moved"] for row in found.rows] == [None, None, None, 600, None]


def test_the_periods_of_seed_002_are_carried_over_exactly() -> None:
    (table,) = published(JitterPublication)
    assert table.figures.period_ms == 10
    assert [
        (row.moved, row.average_ms, row.minimum_ms, row.maximum_ms, row.variance_ms) for row in table.figures.rows
    ] == [
        (False, 9.996, 9.632, 10.001, 0.004),
        (True, 8957.846, 213.006, 17700.333, 276.600),
    ]


def test_the_periods_of_seed_002_stand_beside_ours() -> None:
    rows = cells(seeds_report("jitter"), "Periods of 10 ms")
    assert [row[:2] for row in rows[:2]] == [
        ["published", "no"],
        ["published", "yes"],
    ]
    assert [row[1] for row in rows[2:]] == ["none", "blockers", "unsynchronised", BY_PROCEDURE]
    assert [row[4] for row in rows[2:4]] == ["10.000", "10.000"]
    assert [row[-1] for row in rows[2:]] == ["periods, by one clock"] * 3 + ["FALSE: two counters"]
    assert rows[5][2:6] == ["8,957.849", "215.360", "17,700.337", "276.600"], "the published ones, nearly"


def test_our_periods_beside_published_ones_say_what_was_not_measured() -> None:
    said = reports(fake_esp32.run(simulated=True)).reports
    (found,) = (one for one in said if one.benchmark == "jitter")
    assert cells(found, "Periods of 10 ms")[2][0] == "fake-esp32 (SIMULATED)"


def test_published_periods_are_drawn_in_grey(tmp_path: Path) -> None:
    _, figures = page(tmp_path)
    (panel,) = figures["jitter-periods"].panels
    colours = {one.colour for one in panel.series if isinstance(one, Line) and one.name.startswith("published")}
    assert colours == {"published"}
