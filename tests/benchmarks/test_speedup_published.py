"""The published tables of speed-ups: what the package carries, and what a bad one is answered with."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from intercore.benchmarks.published import load, published
from intercore.benchmarks.speedup.publication import SpeedupPublication
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
