"""Stores that were made to fill the memory, or to be read for ever: each is refused, and left as it is."""

from __future__ import annotations

import os
import re
import zlib
from typing import TYPE_CHECKING

import pytest

from intercore.errors import IntercoreError
from intercore.files import bounds
from intercore.record.store import Store, StoreReader
from intercore.record.store_rows import DamagedError, unpacked
from tests.record.store_data import fill, sql

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

FOR_EVER = "WITH RECURSIVE r(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM r) SELECT x FROM r"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "store.db"
    fill(path)
    return path


def view(path: Path) -> None:
    sql(path, "ALTER TABLE campaigns RENAME TO hidden")
    columns = "x AS id, '' AS plan, 1 AS total, '' AS started, '' AS tool, 0 AS crc"
    sql(path, f"CREATE VIEW campaigns AS SELECT {columns} FROM ({FOR_EVER})")  # noqa: S608 - ours


def trigger(path: Path) -> None:
    body = f"DELETE FROM samples WHERE position IN ({FOR_EVER})"  # noqa: S608 - ours
    sql(path, f"CREATE TRIGGER t AFTER INSERT ON campaigns BEGIN {body}; END")


def generated(path: Path) -> None:
    sql(path, "ALTER TABLE campaigns RENAME COLUMN tool TO hidden")
    sql(path, "ALTER TABLE campaigns ADD COLUMN tool TEXT AS/**/(hex(zeroblob(100000000)))")


def check(path: Path) -> None:
    sql(path, "CREATE TABLE more (x CHECK (length(hex(zeroblob(100000000))) > x))")


def index(path: Path) -> None:
    sql(path, "CREATE INDEX more ON campaigns (length(hex(zeroblob(total * 1000000))))")


def virtual(path: Path) -> None:
    sql(path, "CREATE VIRTUAL TABLE more USING fts5(x)")


@pytest.mark.parametrize("opened", [StoreReader, Store], ids=["to read", "to write"])
@pytest.mark.parametrize("make", [view, trigger, generated, check, index, virtual], ids=lambda make: make.__name__)
def test_a_file_that_has_sqlite_compute_is_refused_before_it_does(
    path: Path, make: Callable[[Path], None], opened: type[StoreReader]
) -> None:
    make(path)
    before = path.read_bytes()
    with pytest.raises(
        IntercoreError, match=rf"{re.escape(str(path))} is not an Intercore store: its object '(?:campaigns|t|more)'"
    ):
        opened(path)
    assert path.read_bytes() == before


def test_a_run_of_gigabytes_is_refused_before_any_of_it_is_unpacked(path: Path) -> None:
    sql(path, "UPDATE samples SET count = ?", bounds.SERIES_SAMPLES.most)
    with StoreReader(path) as opened, pytest.raises(IntercoreError, match=r"run 1 .* more than 134,217,728 samples"):
        opened.run()


@pytest.mark.parametrize("count", [bounds.SERIES_SAMPLES.most + 1, 2**62])
def test_a_series_of_more_samples_than_any_is_refused_before_it_is_unpacked(count: int) -> None:
    bomb = zlib.compress(bytes(1 << 20), 9)
    with pytest.raises(DamagedError, match="more than 33,554,432 samples"):
        unpacked(("t", "tick", "common", 1, count, "delta-int64le-zlib", bomb))


def test_a_blob_that_unpacks_to_more_than_it_says_is_damaged() -> None:
    with pytest.raises(DamagedError, match="does not hold 3 samples"):
        unpacked(("t", "tick", "common", 1, 3, "delta-int64le-zlib", zlib.compress(bytes(1 << 20), 9)))


def test_a_value_longer_than_any_of_a_store_is_refused_by_sqlite(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bounds, "STORE_VALUE", bounds.Bound("a value", 1 << 20))
    sql(path, "UPDATE conditions SET json = printf('%.*c', 2000000, 'x')")
    with StoreReader(path) as opened, pytest.raises(IntercoreError, match="value in the file is longer than"):
        opened.run()


def test_conditions_are_bounded_and_read_once_however_many_measurements_share_them(path: Path) -> None:
    with StoreReader(path) as opened:
        measurements = opened.run().measurements
    assert len({id(one.conditions) for one in measurements}) == 2, "as many as there are"


@pytest.mark.parametrize("opened", [StoreReader, Store], ids=["to read", "to write"])
def test_a_pipe_is_no_store_and_nobody_waits_for_its_writer(tmp_path: Path, opened: type[StoreReader]) -> None:
    os.mkfifo(tmp_path / "pipe.db")
    with pytest.raises(IntercoreError, match=r"pipe\.db: the path is a pipe"):
        opened(tmp_path / "pipe.db")
