"""The published table of towers under contention: what the package carries, and what a bad one is answered with."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from intercore.benchmarks.contention.publication import ContentionPublication
from intercore.benchmarks.published import load, published
from intercore.errors import IntercoreError
from tests.benchmarks.published_file import written

if TYPE_CHECKING:
    from pathlib import Path


def test_the_table_of_seed_001_is_carried_over_exactly() -> None:
    (table,) = (table for table in published(ContentionPublication) if table.id == "seed-001")
    assert (table.figures.discs, table.figures.window_ms) == (20, 10_000)
    totals = [119, 118, 89, 60, 59, 59, 30]  # as printed
    assert [sum(row.by_competitor.values()) for row in table.figures.rows] == totals
    assert [(row.task0, row.task1, row.main) for row in table.figures.rows] == [
        (59, 30, 30),
        (59, None, 59),
        (59, 30, None),
        (None, 30, 30),
        (None, None, 59),
        (59, None, None),
        (None, 30, None),
    ]
    assert [row.current_ma for row in table.figures.rows] == [50, 50, 50, 10, 10, 40, 10]


def test_the_raspberry_pi_of_seed_001_is_carried_over_with_its_currents() -> None:
    (table,) = (table for table in published(ContentionPublication) if table.id == "seed-001")
    (other,) = table.figures.references
    assert (other.label, other.towers) == ("Raspberry Pi Zero W", 126)
    assert [one.current_ma for one in other.currents] == [200, 120], "as printed, in one cell"
    assert [one.idle_ma for one in other.currents] == [100, 20], "from the text"
    assert all("likely" in one.state for one in other.currents), "which is which is not said"


def test_what_seed_001_asks_is_not_called_its_conclusion() -> None:
    (table,) = (table for table in published(ContentionPublication) if table.id == "seed-001")
    assert any("It is a question there, not a conclusion" in note for note in table.notes)
    assert any("loop() is likely empty" in note for note in table.notes), "inferred"


COUNTS = """
id = "x-2"
label = "Author 2021"
benchmark = "contention"
usage = "Figures only."
conditions = {}
source = { authors = ["A. Author"], title = "T", venue = "V", table = "Table 2" }
figures = { discs = 3, window_ms = 10, rows = [{ task0 = 5 }, { task0 = 5, main = 0 }] }
"""


@pytest.mark.parametrize(
    ("old", "new", "field"),
    [
        (", main = 0", "", "the same competitors"),
        ("{ task0 = 5 }", "{}", "has no competitors"),
        ("main = 0", "main = -1", "$.figures.rows[1].main"),
        ("task0 = 5 },", "task2 = 5 },", "task2"),
        ("window_ms = 10", "window_ms = 0", "$.figures.window_ms"),
    ],
)
def test_a_bad_table_of_counts_is_refused(tmp_path: Path, old: str, new: str, field: str) -> None:
    load(written(tmp_path, COUNTS))
    with pytest.raises(IntercoreError) as error:
        load(written(tmp_path, COUNTS.replace(old, new, 1)))
    assert field in str(error.value)
