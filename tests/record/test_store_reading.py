"""A store is read as it lies there: where nobody may write, after a kill, beside a writer, in an older format.

What a reader finds there, it leaves there, to the byte.
"""

from __future__ import annotations

import errno
import shutil
import signal
import sqlite3
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from intercore.errors import IntercoreError, UsageError
from intercore.record import store, store_reading
from intercore.record.plan import settings
from intercore.record.store import Store, StoreReader
from intercore.record.store_format import FORMAT
from tests.record.processes import child, forks, reported, unprivileged
from tests.record.store_data import PLAN, TOTAL, content, fill, make_format_1, measured, sql

if TYPE_CHECKING:
    from collections.abc import Callable
    from multiprocessing.connection import Connection

pytestmark = [
    pytest.mark.skipif(sys.platform == "win32", reason="needs fork, signals and permissions"),
    forks,
]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    (tmp_path / "folder").mkdir()
    return tmp_path / "folder" / "runs.db"


def files(path: Path) -> dict[str, bytes]:
    return {entry.name: entry.read_bytes() for entry in path.parent.iterdir()}


def contents(path: Path) -> list[tuple[object, ...]]:
    """What a reader finds, in a folder that nobody may write to, and that it changes nothing."""
    before = files(path)
    path.parent.chmod(0o555)
    try:
        with unprivileged(path.parent), StoreReader(path) as opened:
            found = [content(measurement) for measurement in opened.run().measurements]
    finally:
        path.parent.chmod(0o755)
    assert files(path) == before
    with StoreReader(path) as opened:  # by the one who may write there, too
        assert [content(measurement) for measurement in opened.run().measurements] == found
    assert files(path) == before
    return found


def expected(count: int) -> list[tuple[object, ...]]:
    return [content(measured(setting)) for setting in settings(PLAN)[:count]]


def leave_killed(path: Path, count: int) -> None:
    """Leave the store of a process that was killed after so many measurements."""

    def measure(reports: Connection) -> None:
        opened = Store(path)
        run_id = opened.create_run(PLAN, TOTAL)
        for setting in settings(PLAN)[:count]:
            opened.add(run_id, setting, measured(setting))
        reports.send("measured")
        signal.pause()

    with child(measure) as (process, reports):
        assert reported(reports, 1) == ["measured"]
        process.kill()
        process.join()
    assert Path(f"{path}-wal").stat().st_size > 0


def test_a_store_is_read_in_a_read_only_folder(path: Path) -> None:
    fill(path)
    assert contents(path) == expected(TOTAL)


def test_all_that_a_killed_process_committed_is_read_from_its_log(path: Path) -> None:
    leave_killed(path, 5)
    assert contents(path) == expected(5)


def test_a_log_that_was_copied_without_its_index_is_read_too_and_no_copy_stays(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    leave_killed(path, 5)
    Path(f"{path}-shm").unlink()
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    scratch.chmod(0o777)
    monkeypatch.setattr(tempfile, "tempdir", str(scratch))
    assert contents(path) == expected(5)
    assert list(scratch.iterdir()) == []


@pytest.mark.skipif(not store_reading.MEMORY.is_dir(), reason="needs a file system in memory")
def test_a_copy_is_made_in_memory_if_the_disk_has_no_room(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    leave_killed(path, 5)
    Path(f"{path}-shm").unlink()
    copyfile, refused = shutil.copyfile, []

    def full(source: Path, target: Path) -> Path:
        if store_reading.MEMORY not in target.parents:
            refused.append(target)
            raise OSError(errno.ENOSPC, "No space left on device", str(target))
        return copyfile(source, target)

    monkeypatch.setattr(shutil, "copyfile", full)
    assert contents(path) == expected(5)
    assert refused


def test_no_room_for_a_copy_is_said_with_what_to_do(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    leave_killed(path, 5)
    Path(f"{path}-shm").unlink()
    monkeypatch.setattr(tempfile, "tempdir", str(path.parent / "missing"))
    monkeypatch.setattr(store_reading, "MEMORY", path.parent / "missing")
    with pytest.raises(IntercoreError, match=r"runs\.db: .*needs a copy to be read.*no space.*Set TMPDIR"):
        StoreReader(path)


def test_what_a_live_process_commits_is_read_as_it_comes(path: Path) -> None:
    ready = 3

    def measure(reports: Connection) -> None:
        with Store(path) as opened:
            run_id = opened.create_run(PLAN, TOTAL)
            for count, setting in enumerate(settings(PLAN)[: ready + 2]):
                if count >= ready:
                    reports.recv()
                opened.add(run_id, setting, measured(setting))
                if count >= ready - 1:
                    reports.send(count + 1)

    with child(measure) as (process, reports):
        assert reported(reports, 1) == [ready]
        assert contents(path) == expected(ready)
        with StoreReader(path) as opened:
            for count in (ready + 1, ready + 2):
                reports.send("go on")
                assert reported(reports, 1) == [count]
                assert len(opened.run().measurements) == count
            process.join()  # it closes the store, which moves the log into the database
            assert [content(one) for one in opened.run().measurements] == expected(ready + 2)


def add_one(path: Path) -> None:
    """Have another process add a run."""

    def add(_: Connection) -> None:
        with Store(path) as opened:
            opened.create_run(PLAN, TOTAL)

    with child(add) as (process, _):
        process.join()


def test_what_is_added_between_two_readings_is_found(path: Path) -> None:
    fill(path)
    with StoreReader(path) as opened:
        assert len(opened.runs()) == 1
        add_one(path)
        assert len(opened.runs()) == 2


def test_what_a_writer_came_into_is_read_again(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fill(path)
    with StoreReader(path) as opened:
        read, readings = opened._summaries, []

        def disturbed() -> Any:  # noqa: ANN401 - whatever it returns
            readings.append(found := read())
            if len(readings) == 1:
                add_one(path)
            return found

        monkeypatch.setattr(opened, "_summaries", disturbed)
        assert len(opened.runs()) == 2
    assert len(readings) == 2


def test_an_error_that_a_writer_caused_is_none(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fill(path)
    with StoreReader(path) as opened:
        read, failures = opened._summaries, [sqlite3.DatabaseError("database disk image is malformed")]

        def disturbed() -> Any:  # noqa: ANN401 - whatever it returns
            if failures:
                add_one(path)
                raise failures.pop()
            return read()

        monkeypatch.setattr(opened, "_summaries", disturbed)
        assert len(opened.runs()) == 2


def test_a_store_of_format_1_is_read_without_being_converted(path: Path) -> None:
    fill(path)
    make_format_1(path)
    assert contents(path) == expected(TOTAL)
    assert sql(path, "PRAGMA user_version") == [(1,)]


def test_a_transaction_that_a_kill_cut_short_is_undone_in_what_is_read(path: Path) -> None:
    """Without WAL, which some file systems cannot do, what is not committed may stand in the database already."""
    fill(path)

    def spill(reports: Connection) -> None:
        db = sqlite3.connect(path, isolation_level=None)
        db.execute("PRAGMA journal_mode = DELETE")
        db.execute("PRAGMA cache_size = 1")
        db.execute("BEGIN")
        db.execute("UPDATE samples SET data = randomblob(5000)")
        reports.send("spilled")
        signal.pause()

    with child(spill) as (process, reports):
        assert reported(reports, 1) == ["spilled"]
        process.kill()
        process.join()
    assert Path(f"{path}-journal").stat().st_size > 0
    assert contents(path) == expected(TOTAL)


def test_a_process_that_keeps_the_file_for_itself_is_waited_for_and_then_told(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(path)
    monkeypatch.setattr(store, "BUSY_SECONDS", 0.05)

    def keep(reports: Connection) -> None:
        db = sqlite3.connect(path, isolation_level=None)
        db.execute("PRAGMA journal_mode = DELETE")
        db.execute("BEGIN EXCLUSIVE")
        reports.send("kept")
        signal.pause()

    with child(keep) as (_, reports):
        assert reported(reports, 1) == ["kept"]
        with pytest.raises(IntercoreError, match="locked by another process"):
            StoreReader(path)


def test_an_empty_file_is_a_store_without_runs_and_stays_empty(path: Path) -> None:
    path.touch()
    with StoreReader(path) as opened:
        assert opened.runs() == []
        with pytest.raises(UsageError, match="holds no run yet"):
            opened.run()
    assert files(path) == {"runs.db": b""}


def text_file(path: Path) -> None:
    path.write_text("n,ticks\n" * 1000)


def foreign_tables(path: Path) -> None:
    sql(path, "CREATE TABLE bookmarks (url TEXT)")


def newer_format(path: Path) -> None:
    fill(path)
    sql(path, f"PRAGMA user_version = {FORMAT + 1}")


def folder(path: Path) -> None:
    (path / "in it").mkdir(parents=True)


def nothing(path: Path) -> None:
    del path


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (text_file, "not an Intercore store"),
        (foreign_tables, "another application's database"),
        (newer_format, f"has store format {FORMAT + 1}.*use the newest Intercore"),
        (folder, r"the path is a folder, so choose a file"),
        (nothing, r"make sure that it is a file that you may read$"),
    ],
)
def test_what_is_no_store_is_refused_by_its_name(path: Path, make: Callable[[Path], None], message: str) -> None:
    make(path)
    before = sorted(path.parent.rglob("*"))
    with pytest.raises(IntercoreError, match=message) as caught:
        StoreReader(path)
    assert str(path) in str(caught.value)
    assert sorted(path.parent.rglob("*")) == before
