"""The published switches: what the package carries, and what a bad table is answered with."""

from __future__ import annotations

from importlib.resources import files
from typing import TYPE_CHECKING

import pytest

from intercore.benchmarks.published import load, published
from intercore.benchmarks.switch.publication import SwitchPublication
from intercore.errors import IntercoreError

if TYPE_CHECKING:
    from pathlib import Path


def test_the_switches_of_seed_002_are_carried_over_exactly() -> None:
    (table,) = published(SwitchPublication)
    assert table.setting.cpu_hz == 240_000_000
    assert [
        (row.crosses, row.average_ms, row.minimum_ms, row.maximum_ms, row.variance_ms) for row in table.figures.rows
    ] == [
        (False, 0.012, 0.012, 0.012, 0.0),
        (True, 190.334, 190.330, 190.714, 0.004),
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
