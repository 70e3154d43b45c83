"""The published tables of speed-ups: what the package carries, and what a bad one is answered with."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import pytest

from intercore.benchmarks.published import load, published
from intercore.benchmarks.speedup.publication import SpeedupPublication
from intercore.benchmarks.speedup.thresholds import threshold_tables, to_json
from intercore.errors import IntercoreError
from tests.benchmarks.published_file import written

if TYPE_CHECKING:
    from pathlib import Path

GOOD = """
id = "x-1"
label = "Author 2020"
benchmark = "speedup"
usage = "Figures only."
[source]
authors = ["A. Author"]
title = "T"
venue = "V"
year = 2020
doi = "10.1234/x"
table = "Table 1"
[conditions]
chip = "C"
[setting]
workload = "fp"
mode = "create"
join = "unstated"
cores = 2
[figures]
rounding_ms = 0.01
rows = [{ n = 10, t1_ms = 2, tp_ms = 1.5 }]
"""


def test_table_1_of_seed_000_is_carried_over_exactly() -> None:
    (table,) = (table for table in published(SpeedupPublication) if table.id == "seed-000")
    assert table.source.doi == "10.59266/houjs.2026.1179"
    assert [(row.n, row.t1_ms, row.tp_ms, row.speedup, row.efficiency) for row in table.figures.rows] == [
        (1_000, 4.14, 2.97, 1.3909, 0.695),
        (10_000, 40.63, 21.98, 1.8484, 0.925),
        (100_000, 406.22, 203.98, 1.9914, 0.995),
        (1_000_000, 4068.19, 2038.98, 1.9952, 0.997),
        (10_000_000, 40760.67, 20426.98, 1.9954, 0.997),
    ]


def test_the_efficiencies_of_seed_000_are_those_printed_and_not_s_through_p() -> None:
    """Point 5 of issue 17: 1.8484 / 2 is 92.42 %, and 92.5 % is printed."""
    (table,) = (table for table in published(SpeedupPublication) if table.id == "seed-000")
    exact = [100 * row.speedup / 2 for row in table.figures.rows]
    printed = [100 * row.efficiency for row in table.figures.rows]
    rounded, cut = ([each(one * 10) / 10 for one in exact] for each in (round, math.floor))
    assert [one in both for one, *both in zip(printed, rounded, cut, strict=True)] == [True, False, True, True, True]
    assert [one == pytest.approx(each) for one, each in zip(printed, cut, strict=True)][2:] == [True] * 3
    assert printed[1] == pytest.approx(100 * 1.85 / 2), "of an S rounded as the text writes it"
    said = " ".join(table.notes)
    assert "1.8484 / 2 is 92.42 %: likely" in said
    assert "the table has 99.7 % and section 3.3 has 99.8 %" in said


def test_the_three_durations_of_seed_000_stand_beside_what_its_table_implies() -> None:
    (table,) = threshold_tables(0.9)
    rows = {column.title: [column.text(row) for row in table.rows] for column in table.columns}
    assert [text.split("\n")[0] for text in rows["T1"]] == [
        "1.65 ms (0.458 – 2.84)",
        "below 3.00 ms",
        "below 4.00 ms",
        "above 10.0 ms",
        "15.2 ms (4.20 – 26.0)",
    ]
    assert rows["where"] == [
        "Table 1, by its fit", "section 3.3", "abstract", "recommendations (section IV)", "Table 1, by its fit"
    ]  # fmt: skip
    assert rows["E"] == ["50.0%", "64.4%", "70.7%", "85.7%", "90.0%"]
    assert ["extrapolated" in text for text in rows["T1"]] == [True, True, True, False, False]
    assert [text for text in rows["statement"] if "likely" in text] == [rows["statement"][1]]
    (found,) = to_json(0.9).values()
    assert [(one["side"], round(one["ms"], 2)) for one in found] == [
        (None, 1.65), ("below", 3.0), ("below", 4.0), ("above", 10.0), (None, 15.16)
    ]  # fmt: skip


def test_what_is_named_moves_with_the_efficiency_that_is_wanted() -> None:
    (half,) = threshold_tables(0.5)
    assert [row.place for row in half.rows].count("Table 1, by its fit") == 2
    assert half.rows[0].efficiency.value == half.rows[1].efficiency.value == 0.5, "S = 1 of two cores"


@pytest.mark.parametrize("table", published(SpeedupPublication), ids=lambda table: table.id)
def test_printed_ratios_follow_from_printed_durations(table: SpeedupPublication) -> None:
    half = table.figures.rounding_ms / 2
    for row in table.figures.rows:
        lowest = (row.t1_ms - half) / (row.tp_ms + half)
        highest = (row.t1_ms + half) / (row.tp_ms - half)
        assert lowest - 1e-4 <= row.speedup <= highest + 1e-4
        assert row.efficiency == pytest.approx(row.speedup / table.setting.cores, abs=1e-3)


def test_a_table_without_optional_fields_is_read(tmp_path: Path) -> None:
    table = load(written(tmp_path, GOOD))
    assert isinstance(table, SpeedupPublication)
    assert table.setting.tick_hz is None
    assert table.figures.rows[0].t1_ms == 2.0
    assert table.notes == ()


@pytest.mark.parametrize(
    ("old", "new", "field"),
    [
        ('venue = "V"', "", "venue"),
        ('doi = "10.1234/x"', 'doi = "https://doi.org/10.1234/x"', "$.source.doi"),
        ("cores = 2", "cores = 0", "$.setting.cores"),
        ("cores = 2", 'cores = "2"', "$.setting.cores"),
        ("cores = 2", "cores = 2\ncolour = 1", "colour"),
        ('benchmark = "speedup"', 'benchmark = "sppedup"', "$.benchmark"),
        ("t1_ms = 2", "t1_ms = -2", "$.figures.rows[0].t1_ms"),
        ("t1_ms = 2", "t1_ms = nan", "$.figures.rows[0].t1_ms"),
        ("t1_ms = 2", "t1_ms = inf", "t1_ms must be finite"),
        ("rounding_ms = 0.01", "rounding_ms = inf", "rounding_ms must be finite"),
        ("tp_ms = 1.5 }]", "tp_ms = 1.5 }, { n = 10, t1_ms = 3, tp_ms = 2 }]", "the same n"),
        ("rows = [{ n = 10, t1_ms = 2, tp_ms = 1.5 }]", "rows = []", "$.figures.rows"),
    ],
)
def test_a_bad_field_is_named_with_its_file(tmp_path: Path, old: str, new: str, field: str) -> None:
    path = written(tmp_path, GOOD.replace(old, new))
    with pytest.raises(IntercoreError) as error:
        load(path)
    assert str(path) in str(error.value)
    assert field in str(error.value)
