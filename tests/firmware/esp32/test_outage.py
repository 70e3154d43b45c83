"""The benchmark `outage` on ESP-IDF: the partition that it may erase, and what is said where there is none."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.firmware.esp32.standin import FIRMWARE
from tests.firmware.esp32.test_memory import PLENTY, run

if TYPE_CHECKING:
    from pathlib import Path

SECTOR = 4096


@pytest.mark.measures("outage")
@pytest.mark.parametrize("setting", ["op=both pages=16", "op=program pages=7", "op=erase from=1"])
def test_a_partition_of_that_name_is_erased_and_programmed(program: Path, setting: str) -> None:
    """With a task on the other core that sleeps: a task of the stand-in's kernel runs until it blocks."""
    lines = [f"partition {SECTOR}", "start", f"ask run outage other=task {setting} samples=3", "stop"]
    said = run(program, PLENTY, *lines)
    end = said.last("end")
    assert end["status"] == "ok"
    checks = end["checks"]
    assert isinstance(checks, dict)
    assert (checks["done"], checks["wrong"], checks["lost"]) == (3, 0, 0)


@pytest.mark.measures("outage")
@pytest.mark.parametrize("size", [0, SECTOR - 1])
def test_without_one_that_is_refused_with_what_to_do(program: Path, size: int) -> None:
    said = run(program, PLENTY, f"partition {size}", "start", "ask run outage samples=1", "stop")
    error = said.last("error")
    assert error["code"] == "unsupported"
    assert "data partition named intercore" in str(error["text"])


def test_the_projects_own_table_has_that_partition() -> None:
    board = FIRMWARE / "board" / "esp32"
    lines = (board / "partitions.csv").read_text().splitlines()
    rows = [[word.strip() for word in line.split(",")] for line in lines if not line.startswith("#")]
    (own,) = [row for row in rows if row[0] == "intercore"]
    assert own[1] == "data"
    assert int(own[4], 0) >= SECTOR
    assert 'CONFIG_PARTITION_TABLE_CUSTOM_FILENAME="partitions.csv"' in (board / "sdkconfig.defaults").read_text()
