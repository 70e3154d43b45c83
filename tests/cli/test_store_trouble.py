"""A store that cannot be used: one sentence that says why and what to do, and the file stays as it is."""

from __future__ import annotations

import os
import random
import shutil
import sqlite3
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING

import pytest

from intercore.record.store_format import FORMAT
from tests.cli.tool import NOBODY, QUICK

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.cli.conftest import FakeBoard
    from tests.cli.tool import Tool

RUN = ("run", "host", *QUICK)
COMMANDS = (RUN, ("run", "--resume"), ("show",), ("runs",), ("report",), ("export", "1", "--to", "x.csv"))


def make_garbage(path: Path) -> None:
    path.write_bytes(random.Random(1).randbytes(20_000))  # noqa: S311 - repeatable, not secret


def make_text(path: Path) -> None:
    path.write_text("These are my notes about the second core.\n" * 100)


def make_foreign(path: Path) -> None:
    with closing(sqlite3.connect(path)) as database, database:
        database.execute("CREATE TABLE recipes (name TEXT, minutes INTEGER)")
        database.execute("INSERT INTO recipes VALUES ('pho', 240)")


def make_foreign_of_the_same_name(path: Path) -> None:
    with closing(sqlite3.connect(path)) as database, database:
        database.execute("CREATE TABLE campaigns (id INTEGER PRIMARY KEY, slogan TEXT)")


def make_newer(path: Path) -> None:
    with closing(sqlite3.connect(path)) as database:
        database.execute(f"PRAGMA user_version = {FORMAT + 1}")


def cut_in_half(path: Path) -> None:
    os.truncate(path, path.stat().st_size // 2)


def destroy_header(path: Path) -> None:
    with path.open("r+b") as file:
        file.write(b"XXXXXXXX")


def make_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


UNUSABLE = {
    "garbage": (make_garbage, "not an Intercore store and was not changed"),
    "text": (make_text, "not an Intercore store and was not changed"),
    "foreign": (make_foreign, "another application's database and was not changed"),
    "foreign of the same name": (make_foreign_of_the_same_name, "another application's database"),
    "newer": (make_newer, f"has store format {FORMAT + 1}"),
    "cut in half": (cut_in_half, "damaged"),
    "without its header": (destroy_header, "not an Intercore store"),
    "folder": (make_folder, "intercore.db"),
}


def contents(path: Path) -> dict[str, bytes | None]:
    return {entry.name: entry.read_bytes() if entry.is_file() else None for entry in path.iterdir()}


@pytest.mark.parametrize(
    ("what", "words"),
    [(what, words) for what in UNUSABLE for words in (COMMANDS if what in {"garbage", "newer"} else COMMANDS[:3:2])],
    ids=lambda value: value if isinstance(value, str) else " ".join(value[:2]),
)
def test_a_file_that_is_no_usable_store_is_refused_and_kept(measured: Tool, what: str, words: tuple[str, ...]) -> None:
    spoil, hint = UNUSABLE[what]
    if spoil in {make_foreign, make_foreign_of_the_same_name}:
        measured.store.unlink()
    spoil(measured.store)
    before = contents(measured.directory)
    result = measured(*words).failed(1)
    assert hint in result.error
    assert "intercore.db" in result.error
    assert contents(measured.directory) == before


def test_an_empty_file_is_a_store_without_runs(tool: Tool) -> None:
    tool.store.touch()
    assert "holds no run yet: measure something first" in tool("show").failed(2).error
    tool(*RUN).succeeded()


def test_a_damaged_sample_is_found_and_named(measured: Tool) -> None:
    with closing(sqlite3.connect(measured.store)) as database, database:
        database.execute("UPDATE samples SET data = zeroblob(length(data)) WHERE rowid = 5")
        (number,) = database.execute("SELECT measurement FROM samples WHERE rowid = 5").fetchone()
    for words in (("show",), ("report",), ("export", "1", "--to", "x.csv")):
        result = measured(*words).failed(1)
        assert f"measurement {number} of run 1" in result.error
        assert "from a backup" in result.error


def test_a_single_damaged_byte_never_goes_unnoticed(measured: Tool) -> None:
    """It either is in a part that nothing uses, or it is an error: no number changes."""
    good = measured("show", "--format", "json").out
    original = measured.store.read_bytes()
    rng = random.Random(2)  # noqa: S311 - repeatable, not secret
    noticed = 0
    for _ in range(20):
        at = rng.randrange(len(original))
        damaged = bytearray(original)
        damaged[at] ^= 1 << rng.randrange(8)
        measured.store.write_bytes(damaged)
        result = measured("show", "--format", "json")
        if result.status == 0:
            assert result.out == good, f"byte {at}"
        else:
            result.failed(result.status)
            noticed += 1
    assert noticed


@contextmanager
def locked(path: Path, how: str) -> Iterator[None]:
    with closing(sqlite3.connect(path, isolation_level=None)) as database:
        database.execute(f"BEGIN {how}")
        yield
        database.execute("ROLLBACK")


def test_a_locked_store_is_waited_for_and_then_an_error(measured: Tool) -> None:
    with locked(measured.store, "IMMEDIATE"):
        result = measured(*RUN).failed(1)
    assert "the file is locked by another process" in result.error
    assert [row["run"] for row in measured("runs", "--format", "json").succeeded().json] == [1]
    measured(*RUN).succeeded()


def test_a_store_that_another_process_writes_to_can_be_read(measured: Tool) -> None:
    with locked(measured.store, "IMMEDIATE"):
        measured("show").succeeded()
        measured("runs").succeeded()


def test_a_store_that_another_process_keeps_for_itself_is_an_error(measured: Tool) -> None:
    with closing(sqlite3.connect(measured.store, isolation_level=None)) as database:
        database.execute("PRAGMA journal_mode = DELETE")
        database.execute("BEGIN EXCLUSIVE")
        assert "the file is locked by another process" in measured("show").failed(1).error


def test_a_store_in_a_missing_directory_is_an_error(tool: Tool) -> None:
    result = tool(*RUN, "--store", "missing/runs.db").failed(1)
    assert f"there is no folder {tool.directory / 'missing'}. Create it" in result.error


# The programs of `host` lie in the cache of whoever runs the tests: for another user a board is easier to reach.


def test_a_read_only_directory_without_a_store_is_an_error(for_everyone: Tool, board: FakeBoard) -> None:
    for_everyone.directory.chmod(0o555)
    result = for_everyone("run", "serial", "example", "--port", board.url, "n=10", unprivileged=True).failed(1)
    assert "intercore.db" in result.error
    assert "in a folder that you may write to" in result.error
    assert not for_everyone.store.exists()


def test_a_read_only_store_is_not_written_to(for_everyone: Tool, measured_store: Path, board: FakeBoard) -> None:
    shutil.copyfile(measured_store, for_everyone.store)
    for_everyone.store.chmod(0o444)
    for_everyone.directory.chmod(0o555)
    before = for_everyone.store.read_bytes()
    for words in (("run", "serial", "example", "--port", board.url, "n=10"), ("run", "--resume")):
        assert "read-only" in for_everyone(*words, unprivileged=True).failed(1).error
    assert for_everyone.store.read_bytes() == before


def test_a_read_only_store_in_a_directory_of_ones_own_can_be_read(for_everyone: Tool, measured_store: Path) -> None:
    shutil.copyfile(measured_store, for_everyone.store)
    for_everyone.store.chmod(0o444)
    if os.geteuid() == 0:
        os.chown(for_everyone.directory, NOBODY, NOBODY)
    (row,) = for_everyone("runs", "--format", "json", unprivileged=True).succeeded().json
    assert row["done"] == 12
