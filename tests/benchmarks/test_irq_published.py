"""The times of RTEMS that seed 002 cites: carried as rows, beside ours."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from intercore.benchmarks.irq.publication import IrqPublication
from intercore.benchmarks.irq.report import report
from intercore.benchmarks.published import load, published
from intercore.errors import IntercoreError
from tests.benchmarks.test_irq import measurement, run

if TYPE_CHECKING:
    from pathlib import Path


def test_the_times_of_rtems_are_carried_over_exactly() -> None:
    (table,) = published(IrqPublication)
    assert [(row.what, row.ms) for row in table.figures.rows] == [
        ("IRQ latency", 0.12),
        ("post object", 2.98),
        ("receive object", 2.96),
    ]
    assert table.conditions["chip"] == "Altera DE2 board, Nios II/e soft core at 50 MHz"


def test_they_stand_beside_what_is_like_them_and_say_where_they_come_from() -> None:
    found = report(run(measurement("timer-handler", [100] * 30)))
    (table,) = (one for one in found.section.tables if one.title.startswith("RTEMS"))
    cells = [[column.text(row) for column in table.columns] for row in table.rows]
    assert cells[0] == ["published", "IRQ latency", "0.12 ms, kind not stated", "not stated"]
    assert cells[1][1] == "timer-handler, one core"
    assert [row[1] for row in cells[2:]] == ["post object", "receive object"]
    assert any("master thesis" in note and "was not read here" in note for note in found.section.notes)
    (exhibit,) = found.exhibits
    assert exhibit.id == "seed-002-rtems"
    assert [verdict.outcome for verdict in exhibit.verdicts] == ["cannot tell"], "no target of ours runs RTEMS"


def test_without_anything_like_them_they_are_not_shown() -> None:
    found = report(run(measurement("doorbell", [100] * 30, 0, 1)))
    assert not any(table.title.startswith("RTEMS") for table in found.section.tables)
    assert not any("Published" in note for note in found.section.notes)
    assert not found.exhibits


def test_a_time_that_is_none_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "bad.toml"
    path.write_text('id = "x"\nbenchmark = "irq"\n')
    with pytest.raises(IntercoreError, match="not a valid file of published figures"):
        load(path)
