"""Published tables: the ones that the package carries, and what a bad file is answered with."""

from __future__ import annotations

from importlib.resources import files
from typing import TYPE_CHECKING

import pytest

from intercore.benchmarks.contention.publication import ContentionPublication
from intercore.benchmarks.published import Publication, load, published
from intercore.benchmarks.speedup.publication import SpeedupPublication
from intercore.benchmarks.switch.publication import SwitchPublication
from intercore.errors import IntercoreError

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


def test_the_switches_of_seed_002_are_carried_over_exactly() -> None:
    (table,) = published(SwitchPublication)
    assert table.setting.cpu_hz == 240_000_000
    assert [(row.crosses, row.average_ms, row.minimum_ms, row.maximum_ms) for row in table.figures.rows] == [
        (False, 0.012, 0.012, 0.012),
        (True, 190.334, 190.330, 190.714),
    ]


def test_a_bad_table_of_switches_is_refused(tmp_path: Path) -> None:
    text = (files("intercore.benchmarks") / "switch" / "published" / "seed-002-switch.toml").read_text()
    for old, new, field in (
        ("average_ms = 190.334", "average_ms = 1.5", "average_ms"),
        ("maximum_ms = 190.714", "maximum_ms = inf", "maximum_ms"),
        ("crosses = true", "crosses = false", "two rows"),
        ('primitive = "semaphore"', "", "primitive"),
    ):
        assert text.count(old) == 1
        path = tmp_path / "bad.toml"
        path.write_text(text.replace(old, new))
        with pytest.raises(IntercoreError, match=field):
            load(path)


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


def test_every_table_is_read_as_its_kind() -> None:
    tables = published(Publication)
    assert {type(table) for table in tables} >= {SpeedupPublication, ContentionPublication}
    assert len({table.id for table in tables}) == len(tables)
    assert "(None)" not in " ".join(table.source.citation for table in tables)


def test_a_source_is_cited_with_all_that_it_has() -> None:
    (dated,) = (table for table in published(Publication) if table.id == "seed-000")
    (undated,) = (table for table in published(Publication) if table.id == "seed-001")
    assert dated.source.citation.startswith("Quách Thị Hạnh and Nguyễn Thị Tố Uyên, “Performance analysis")
    assert dated.source.citation.endswith("(2026), Table 1, doi:10.59266/houjs.2026.1179")
    assert undated.source.citation.endswith("Qiita, tables of towers and of currents by competitors")


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


@pytest.mark.parametrize("content", [b"id = ", b"\xff\xfe", b"id = 1\nid = 2"])
def test_a_file_that_is_not_toml_is_refused_with_its_name(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "bad.toml"
    path.write_bytes(content)
    with pytest.raises(IntercoreError, match=r"bad\.toml: is not TOML"):
        load(path)


def test_a_missing_file_is_refused_with_its_name(tmp_path: Path) -> None:
    with pytest.raises(IntercoreError, match=r"none\.toml: cannot be read"):
        load(tmp_path / "none.toml")


def written(folder: Path, text: str) -> Path:
    path = folder / "table.toml"
    path.write_text(text, encoding="utf-8")
    return path
