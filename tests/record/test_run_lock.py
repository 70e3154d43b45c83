"""One process measures a run: the lock on it ends with its holder, however that ends."""

from __future__ import annotations

import signal
import sys
from typing import TYPE_CHECKING

import pytest

from intercore.errors import IntercoreError
from intercore.record.run_lock import acquired
from intercore.record.store import Store
from tests.record.processes import child, forks, reported
from tests.record.store_data import PLAN, TOTAL

if TYPE_CHECKING:
    from multiprocessing.connection import Connection
    from pathlib import Path


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "runs.db"


def test_a_run_is_measured_by_one_at_a_time_and_other_runs_beside_it(path: Path) -> None:
    with Store(path) as other:
        with Store(path) as first:
            run_id = first.create_run(PLAN, TOTAL)
            first.lock(run_id)  # which it has already
            with pytest.raises(IntercoreError, match=r"another process is measuring run 1 of .*runs\.db: wait until"):
                other.lock(run_id)
            assert other.create_run(PLAN, TOTAL) == 2
        other.lock(run_id)
    assert [entry.name for entry in path.parent.iterdir()] == ["runs.db"]


def test_the_lock_is_there_before_others_can_see_the_run(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Store(path) as store, Store(path) as other:
        seen = []
        lock = store.lock

        def look(run_id: int) -> None:
            seen.append(other.runs())
            lock(run_id)

        monkeypatch.setattr(store, "lock", look)
        store.create_run(PLAN, TOTAL)
        assert seen == [[]]


@pytest.mark.skipif(sys.platform == "win32", reason="needs fork and signals")
@forks
def test_a_kill_releases_the_lock_and_what_it_leaves_behind_is_cleared_away(path: Path) -> None:
    def measure(reports: Connection) -> None:
        store = Store(path)
        reports.send(store.create_run(PLAN, TOTAL))
        signal.pause()

    with child(measure) as (process, reports):
        assert reported(reports, 1) == [1]
        with Store(path) as store, pytest.raises(IntercoreError, match="another process is measuring run 1"):
            store.lock(1)
        process.kill()
        process.join()
    with Store(path) as store:
        store.lock(1)
    assert [entry.name for entry in path.parent.iterdir()] == ["runs.db"]


@pytest.mark.skipif(sys.platform == "win32", reason="a file in use is not removed there")
def test_a_lock_on_a_file_that_its_last_holder_has_just_removed_is_not_taken_for_one(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = acquired(path)
    assert first is not None
    removed = type(path).touch

    def touch_then_lose(self: Path) -> None:
        removed(self)
        monkeypatch.setattr(type(path), "touch", removed)
        first.release()  # between the others' opening the file and their locking it

    monkeypatch.setattr(type(path), "touch", touch_then_lose)
    second = acquired(path)
    assert second is not None
    assert acquired(path) is None, "it holds what others find"
    second.release()
    assert not path.exists()
