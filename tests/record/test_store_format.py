"""The format of the store's file: what is no store stays as it is, and an older one is read and goes on."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from intercore.errors import IntercoreError
from intercore.record.store import Store
from intercore.record.store_format import APPLICATION_ID, FORMAT
from tests.record.store_data import PLAN, TOTAL, content, fill, make_format_1, read, sql

if TYPE_CHECKING:
    from collections.abc import Callable


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "runs.db"


def test_an_empty_file_becomes_a_store_and_a_store_stays_one(path: Path) -> None:
    path.touch()
    for _ in range(2):
        with Store(path) as opened:
            assert opened.runs() == []
    assert sql(path, "PRAGMA application_id") == [(APPLICATION_ID,)]
    assert sql(path, "PRAGMA user_version") == [(FORMAT,)]
    assert sql(path, "PRAGMA journal_mode") == [("wal",)]


# Files of older versions


def test_a_store_of_format_1_is_read_and_goes_on(path: Path) -> None:
    measurements = fill(path)
    make_format_1(path)
    run = read(path)
    assert run.plan == PLAN
    assert [content(one) for one in run.measurements] == [content(one) for one in measurements]
    assert sql(path, "PRAGMA user_version") == [(FORMAT,)]
    assert sql(path, "PRAGMA foreign_key_check") == []
    fill(path)
    assert len(read(path, 2).measurements) == TOTAL


def test_what_is_damaged_in_a_store_of_format_1_is_told_and_the_rest_is_read(path: Path) -> None:
    fill(path)
    fill(path)
    fill(path)
    make_format_1(path)
    sql(path, "UPDATE campaigns SET total = 13 WHERE id = 1")
    sql(path, "UPDATE samples SET hz = 7 WHERE measurement = 17 AND position = 1")
    with pytest.raises(IntercoreError, match=r"run 1 in .* is damaged"):
        read(path, 1)
    with pytest.raises(IntercoreError, match=r"measurement 17 of run 2 in .* is damaged"):
        read(path, 2)
    assert len(read(path, 3).measurements) == TOTAL


def text_file(path: Path) -> None:
    path.write_text("n,ticks\n" * 1000)


def short_file(path: Path) -> None:
    path.write_bytes(b"ok")


def foreign_tables(path: Path) -> None:
    sql(path, "CREATE TABLE bookmarks (url TEXT)")


def foreign_application(path: Path) -> None:
    sql(path, "PRAGMA application_id = 252006673")


def foreign_version(path: Path) -> None:
    sql(path, "PRAGMA user_version = 1")


def newer_format(path: Path) -> None:
    fill(path)
    sql(path, f"PRAGMA user_version = {FORMAT + 1}")


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (text_file, "not an Intercore store"),
        (short_file, "not an Intercore store"),
        (foreign_tables, "another application's database"),
        (foreign_application, "another application's database"),
        (foreign_version, "another application's database"),
        (newer_format, f"has store format {FORMAT + 1}.*use the newest Intercore"),
    ],
)
def test_a_file_that_is_not_ours_is_refused_and_left_as_it_is(
    path: Path, make: Callable[[Path], None], message: str
) -> None:
    make(path)
    before = path.read_bytes()
    with pytest.raises(IntercoreError, match=message) as caught:
        Store(path)
    assert str(path) in str(caught.value)
    assert path.read_bytes() == before


def test_a_missing_directory_is_named(tmp_path: Path) -> None:
    with pytest.raises(IntercoreError, match=f"no folder {tmp_path / 'missing'}"):
        Store(tmp_path / "missing" / "runs.db")


def test_a_directory_is_not_a_store(tmp_path: Path) -> None:
    with pytest.raises(IntercoreError, match=f"cannot open {tmp_path}: the path is a folder, so choose a file"):
        Store(tmp_path)


def test_memory_is_a_file_name_like_any_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Store(":memory:").close()
    assert (tmp_path / ":memory:").exists()
