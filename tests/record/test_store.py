"""The store keeps every complete measurement, exactly, whatever happens to the process, the disk or the file."""

from __future__ import annotations

import os
import re
import sqlite3
import sys
import time
import tracemalloc
import zlib
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from intercore import __version__
from intercore.errors import IntercoreError, UsageError
from intercore.record import store
from intercore.record.measurement import Measurement, Part, Plan, Series, Unit
from intercore.record.plan import Setting, remaining, settings
from intercore.record.store import Store, StoreReader
from intercore.record.store_rows import crc_of
from tests.record.processes import child, forks, reported, unprivileged
from tests.record.store_data import INT64, PLAN, TOTAL, content, fill, measured, read, sql

if sys.platform != "win32":
    import resource

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

posix = pytest.mark.skipif(sys.platform == "win32", reason="needs fork, signals and resource limits")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "runs.db"


# What goes in comes out


def test_a_run_reads_back_as_it_was_measured(path: Path) -> None:
    measurements = fill(path)
    run = read(path)
    assert (run.id, run.plan, run.tool, run.total, run.complete) == (1, PLAN, __version__, TOTAL, True)
    assert run.started.endswith("+00:00")
    assert list(map(content, run.measurements)) == list(map(content, measurements))


@given(ticks=st.lists(hnp.arrays(np.int64, st.integers(0, 50)), max_size=3))
@example(ticks=[np.array([INT64.min, INT64.max, INT64.min, 0, -1, INT64.max], dtype=np.int64)])
@example(ticks=[np.arange(20, dtype=np.int64)[::-2]])
def test_any_samples_read_back_exactly(tmp_path_factory: pytest.TempPathFactory, ticks: list[np.ndarray]) -> None:
    units = get_args(Unit)
    path = tmp_path_factory.mktemp("store") / "runs.db"
    series = tuple(Series(f"s{i}", "common", i + 1, array, units[-i]) for i, array in enumerate(ticks))
    original = Measurement("speedup", {}, 0, series, {}, {}, "")
    with Store(path) as opened:
        opened.add(
            opened.create_run(Plan("host", None, "speedup", (Part("speedup", {}),)), 1),
            Setting("speedup", {}, 0),
            original,
        )
        (stored,) = opened.run().measurements
    assert content(stored) == content(original)


@given(
    factors=st.dictionaries(st.text(), st.integers(-(2**63), 2**63 - 1) | st.text(), max_size=5),
    conditions=st.dictionaries(st.text(), st.text(), max_size=5),
    checks=st.dictionaries(st.text(), st.integers(-(2**63), 2**63 - 1), max_size=5),
)
def test_any_factors_conditions_and_checks_read_back_exactly(
    tmp_path_factory: pytest.TempPathFactory,
    factors: dict[str, int | str],
    conditions: dict[str, str],
    checks: dict[str, int],
) -> None:
    path = tmp_path_factory.mktemp("store") / "runs.db"
    plan = Plan("host", None, "b", (Part("b", {name: [level] for name, level in factors.items()}),))
    original = Measurement("b", factors, 0, (), conditions, checks, "")
    with Store(path) as opened:
        run_id = opened.create_run(plan, 1)
        opened.add(run_id, Setting(original.benchmark, factors, 0), original)
        run = opened.run()
    assert content(run.measurements[0]) == content(original)
    assert run.plan == plan
    assert remaining(run) == []


def test_measurements_under_equal_conditions_share_one_row(path: Path) -> None:
    fill(path)
    assert sql(path, "SELECT count(*) FROM conditions") == [(2,)]


def test_runs_are_numbered_from_1_and_the_newest_is_the_default(path: Path) -> None:
    other = Plan("sim", None, "switch", (Part("switch", {"n": [1]}),), simulated=True)
    fill(path)
    with Store(path) as opened:
        assert opened.create_run(other, 1) == 2
        assert opened.run().plan == other
        assert opened.run(1).plan == PLAN
        summaries = [(run.id, run.plan, run.done, run.total, run.complete) for run in opened.runs()]
    assert summaries == [(1, PLAN, 12, 12, True), (2, other, 0, 1, False)]


def test_an_unfinished_run_knows_what_it_lacks(path: Path) -> None:
    with Store(path) as opened:
        unfinished = opened.create_run(PLAN, TOTAL)
        opened.add(unfinished, settings(PLAN)[0], measured(settings(PLAN)[0]))
        assert [run.complete for run in opened.runs()] == [False]
        assert remaining(opened.run(unfinished)) == settings(PLAN)[1:]


# What does not belong in


def test_a_measurement_is_stored_once(path: Path) -> None:
    measurements = fill(path)
    with (
        Store(path) as opened,
        pytest.raises(IntercoreError, match=r'repetition 0 of .*"n":.* run 1 .*the store already contains this entry'),
    ):
        opened.add(1, settings(PLAN)[0], measurements[0])
    assert len(read(path).measurements) == TOTAL


@pytest.mark.parametrize(
    "asked", [Setting("speedup", {"n": 10, "mode": "pool"}, 1), Setting("speedup", {"n": 20, "mode": "pool"}, 0)]
)
def test_a_measurement_of_another_setting_is_refused(path: Path, asked: Setting) -> None:
    with Store(path) as opened:
        run_id = opened.create_run(PLAN, TOTAL)
        with pytest.raises(IntercoreError, match="the target measured repetition 0"):
            opened.add(run_id, asked, measured(Setting("speedup", {"n": 10, "mode": "pool"}, 0)))
        assert opened.run().measurements == ()


def test_a_measurement_of_a_run_that_does_not_exist_is_refused_whole(path: Path) -> None:
    setting = settings(PLAN)[0]
    with Store(path) as opened, pytest.raises(IntercoreError, match=r"run 3 .*no such run"):
        opened.add(3, setting, measured(setting))
    assert sql(path, "SELECT count(*) FROM conditions") == [(0,)]


def test_values_that_no_file_can_hold_are_an_error_and_not_a_crash(path: Path) -> None:
    odd = Measurement("b", {}, 0, (Series("\ud800", "common", 1, np.zeros(1, np.int64)),), {}, {}, "")
    with Store(path) as opened, pytest.raises(IntercoreError, match="cannot add repetition 0"):
        opened.add(opened.create_run(PLAN, TOTAL), Setting("b", {}, 0), odd)
    with Store(path) as opened, pytest.raises(IntercoreError, match="cannot add a run"):
        opened.create_run(Plan("\ud800", None, "b", (Part("b", {}),)), 1)
    with Store(path) as opened, pytest.raises(IntercoreError, match="cannot add a run"):
        opened.create_run(PLAN, 2**64)


def test_a_run_that_does_not_exist_names_those_that_do(path: Path) -> None:
    with Store(path) as opened:
        with pytest.raises(UsageError, match="no run yet"):
            opened.run()
        for _ in range(12):
            opened.create_run(PLAN, TOTAL)
        with pytest.raises(UsageError, match=r"no run 99 .*: the runs are 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, …$"):
            opened.run(99)
        for absurd in (0, -1, 10**30):
            with pytest.raises(UsageError, match="there is no run"):
                opened.run(absurd)


def test_measurements_of_two_benchmarks_with_the_same_factors_are_both_kept(path: Path) -> None:
    plan = Plan("host", None, "suite", tuple(Part(benchmark, {"seed": [1]}) for benchmark in ("clock", "switch")))
    with Store(path) as opened:
        run_id = opened.create_run(plan, 2)
        for setting in settings(plan):
            opened.add(run_id, setting, Measurement(setting.benchmark, {"seed": 1}, 0, (), {}, {}, ""))
        assert remaining(opened.run()) == []
        assert [one.benchmark for one in opened.run().measurements] == ["clock", "switch"]


# Damaged files


@pytest.mark.parametrize("seed", range(60))
def test_damaged_bytes_are_noticed_and_never_become_samples(path: Path, seed: int) -> None:
    originals = list(map(content, fill(path)))
    rng = np.random.default_rng(seed)
    data = bytearray(path.read_bytes())
    for _ in range(rng.choice([1, 3, 100])):
        data[rng.integers(100, len(data))] ^= rng.integers(1, 256)
    path.write_bytes(data)
    try:
        run = read(path)
    except IntercoreError as error:
        noticed = str(error)
    else:
        noticed = ""
    assert not LIBRARY.search(noticed)
    if noticed:
        return  # what is not noticed must have hit bytes that are not in use
    assert (run.plan, run.total) == (PLAN, TOTAL)
    assert all(content(measurement) in originals for measurement in run.measurements)


@pytest.mark.parametrize("part", [0.001, 0.01, 0.1, 0.3, 0.5, 0.9, 0.999])
def test_a_truncated_file_is_an_error(path: Path, part: float) -> None:
    fill(path)
    os.truncate(path, int(path.stat().st_size * part))
    with pytest.raises(IntercoreError, match=r"runs\.db.*(damaged|not an Intercore store)"):
        read(path)


LIBRARY = re.compile(r"codec|Could not|Expected `|malformed|Invalid|Python|ssize_t|Error -|no such|truncated|object")
"""Words of Python, SQLite and other libraries, which are no help to who has a damaged file."""

DAMAGE = [
    "UPDATE samples SET data = zeroblob(40) WHERE measurement = 4",
    "UPDATE samples SET data = substr(data, 1, length(data) - 4) WHERE measurement = 4",
    "UPDATE samples SET data = x'' WHERE measurement = 4",
    "UPDATE samples SET count = count + 1 WHERE measurement = 4",
    "UPDATE samples SET count = count - 1 WHERE measurement = 4",
    "UPDATE samples SET count = -1 WHERE measurement = 4",
    "UPDATE samples SET count = 0x7fffffffffffffff WHERE measurement = 4",
    "UPDATE samples SET hz = 0 WHERE measurement = 4",
    "UPDATE samples SET unit = 'parsec' WHERE measurement = 4",
    "UPDATE samples SET codec = 'future' WHERE measurement = 4",
    "UPDATE measurements SET factors = '{' WHERE id = 4",
    "UPDATE measurements SET factors = '[1]' WHERE id = 4",
    "UPDATE measurements SET factors = '{\"n\": 1.5}' WHERE id = 4",
    "UPDATE measurements SET factors = '{}' WHERE id = 4",
    "UPDATE measurements SET setting = '' WHERE id = 4",
    "UPDATE measurements SET repetition = -1 WHERE id = 4",
    "UPDATE measurements SET checks = 'null' WHERE id = 4",
    "UPDATE measurements SET conditions = (SELECT id FROM conditions WHERE json = '{') WHERE id = 4",
    "UPDATE measurements SET conditions = 99 WHERE id = 4",
]


def mend_check_sums(path: Path) -> None:
    """Make the check sums right again, as whoever crafts a file would."""
    with closing(sqlite3.connect(path)) as db:
        rows = db.execute(
            "SELECT measurements.id, json, setting, repetition, benchmark, factors, checks, started"
            " FROM measurements LEFT JOIN conditions ON conditions.id = conditions"
        ).fetchall()
        for number, conditions, *row in rows:
            query = (
                "SELECT name, unit, clock, hz, count, codec, data FROM samples WHERE measurement = ? ORDER BY position"
            )
            samples = db.execute(query, (number,)).fetchall()
            crc = crc_of(row, [conditions], *samples)
            db.execute("UPDATE measurements SET crc = ? WHERE id = ?", (crc, number))
        for number, *row in db.execute("SELECT id, plan, total, started, tool FROM campaigns").fetchall():
            db.execute("UPDATE campaigns SET crc = ? WHERE id = ?", (crc_of(row), number))
        db.commit()


@pytest.mark.parametrize("crafted", [False, True], ids=["accident", "crafted"])
@pytest.mark.parametrize("statement", DAMAGE)
def test_a_bad_row_is_an_error_that_names_the_measurement(path: Path, statement: str, crafted: bool) -> None:
    fill(path)
    sql(path, "INSERT INTO conditions (hash, json) VALUES (x'', '{')")
    sql(path, statement)
    if crafted:
        mend_check_sums(path)
    with pytest.raises(IntercoreError, match=r"measurement 4 of run 1 in .* is damaged") as caught:
        read(path)
    assert not LIBRARY.search(str(caught.value))


@pytest.mark.parametrize("crafted", [False, True], ids=["accident", "crafted"])
@pytest.mark.parametrize("plan", ["", "{}", "[]", '{"target":1}'])
def test_a_bad_plan_is_an_error_that_names_the_run(path: Path, plan: str, crafted: bool) -> None:
    fill(path)
    sql(path, "UPDATE campaigns SET plan = ?", plan)
    if crafted:
        mend_check_sums(path)
    with pytest.raises(IntercoreError, match=r"run 1 in .* is damaged") as caught:
        read(path)
    assert not LIBRARY.search(str(caught.value))


@pytest.mark.parametrize(
    ("statement", "says"),
    [
        ("UPDATE campaigns SET started = CAST(x'fffe' AS TEXT)", "the file is damaged: restore it"),
        ("UPDATE conditions SET json = CAST(x'7bff7d' AS TEXT)", "the file is damaged: restore it"),
        ("UPDATE samples SET clock = CAST(x'eda080' AS TEXT)", "the file is damaged: restore it"),
        (
            "ALTER TABLE campaigns RENAME COLUMN plan TO plam",
            "the tables in the file are not those of an Intercore store",
        ),
        ("DROP TABLE samples", "the tables in the file are not those of an Intercore store"),
    ],
)
def test_what_is_no_text_and_tables_that_were_changed_are_told_in_our_words(
    path: Path, statement: str, says: str
) -> None:
    fill(path)
    sql(path, statement)
    with pytest.raises(IntercoreError, match=f"cannot read {path}: {says}"):
        read(path)


def test_a_blob_that_would_fill_the_memory_is_cut_short(path: Path) -> None:
    fill(path)
    sql(path, "UPDATE samples SET data = ? WHERE measurement = 4", zlib.compress(bytes(50_000_000)))
    mend_check_sums(path)
    tracemalloc.start()
    with pytest.raises(IntercoreError, match=r"measurement 4 of run 1 in .* does not hold 50 samples"):
        read(path)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 5_000_000


# Full disks, other processes


def test_a_full_disk_loses_only_the_measurement_at_hand(path: Path) -> None:
    first, second, *_ = settings(PLAN)
    with Store(path) as opened:
        run_id = opened.create_run(PLAN, TOTAL)
        opened.add(run_id, first, measured(first))
        pages = opened._db.execute("PRAGMA page_count").fetchone()[0]
        opened._db.execute(f"PRAGMA max_page_count = {pages + 10}")
        with pytest.raises(IntercoreError, match=r"cannot add .* in .*the disk is full: free space"):
            opened.add(run_id, second, measured(second, samples=100_000))
        assert remaining(opened.run()) == settings(PLAN)[1:]
        opened._db.execute(f"PRAGMA max_page_count = {pages + 10_000}")
        opened.add(run_id, second, measured(second))
    assert list(map(content, read(path).measurements)) == [content(measured(first)), content(measured(second))]
    assert sql(path, "PRAGMA integrity_check") == [("ok",)]


@posix
@forks
def test_a_file_that_may_not_grow_loses_only_the_measurement_at_hand(path: Path) -> None:
    def grow(reports: Connection) -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (1_000_000, 1_000_000))
        with Store(path) as opened:
            run_id = opened.create_run(PLAN, TOTAL)
            for setting in settings(PLAN):
                try:
                    opened.add(run_id, setting, measured(setting, samples=20_000))
                    reports.send("added")
                except IntercoreError as error:
                    reports.send(str(error))
                    break

    with child(grow) as (process, reports):
        process.join()
    *added, error = reported(reports)
    assert "disk I/O error" in error
    run = read(path)
    assert len(run.measurements) == len(added) > 0
    assert all(
        content(measurement) == content(measured(setting, samples=20_000))
        for measurement, setting in zip(run.measurements, settings(PLAN), strict=False)
    )
    assert sql(path, "PRAGMA integrity_check") == [("ok",)]


def test_a_store_that_another_process_is_writing_to_is_said_to_be_locked(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(path)
    monkeypatch.setattr(store, "BUSY_SECONDS", 0.05)
    setting = settings(PLAN)[0]
    with Store(path) as opened, closing(sqlite3.connect(path)) as other:
        run_id = opened.create_run(PLAN, TOTAL)
        other.execute("BEGIN EXCLUSIVE")
        with pytest.raises(IntercoreError, match=r"runs\.db: the file is locked by another process"):
            opened.add(run_id, setting, measured(setting))
        assert opened.run().measurements == ()  # reading goes on
        other.rollback()
        opened.add(run_id, setting, measured(setting))
        assert len(opened.run().measurements) == 1


def test_a_file_that_another_process_has_locked_whole_cannot_be_opened(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store, "BUSY_SECONDS", 0.05)
    with closing(sqlite3.connect(path)) as other:
        other.execute("BEGIN EXCLUSIVE")
        with pytest.raises(IntercoreError, match="locked by another process"):
            Store(path)


@posix
@forks
def test_processes_that_make_the_same_store_at_once_all_succeed(path: Path) -> None:
    def make(reports: Connection) -> None:
        with Store(path) as opened:
            reports.send(opened.create_run(PLAN, TOTAL))

    with child(make) as (a, from_a), child(make) as (b, from_b), child(make) as (c, from_c):
        for process in (a, b, c):
            process.join()
    assert sorted(reported(from_a) + reported(from_b) + reported(from_c)) == [1, 2, 3]


@posix
def test_a_read_only_store_can_be_read_but_not_written(path: Path) -> None:
    fill(path)
    path.chmod(0o444)
    with unprivileged(path.parent), Store(path) as opened:
        assert len(opened.run().measurements) == TOTAL
        with pytest.raises(IntercoreError, match="the file is read-only: make the file and its folder writable"):
            opened.create_run(PLAN, TOTAL)


@posix
def test_a_store_in_a_read_only_directory_says_so(path: Path) -> None:
    fill(path)
    path.parent.chmod(0o555)
    with unprivileged(path.parent), pytest.raises(IntercoreError, match="read-only: make the file and its folder"):
        Store(path)


# Sudden death


@posix
@forks
def test_a_store_survives_40_kills_at_random_moments(path: Path) -> None:
    plan = Plan("host", None, "speedup", (Part("speedup", {"n": list(range(100))}),))

    def measure(reports: Connection) -> None:
        with Store(path) as opened:
            if all(run.complete for run in opened.runs()):
                opened.create_run(plan, 100)
            run = opened.run(max(run.id for run in opened.runs() if not run.complete))
            for setting in remaining(run):
                opened.add(run.id, setting, measured(setting, samples=5_000))
                reports.send((run.id, setting.factors["n"]))

    rng = np.random.default_rng(2)
    complete: set[tuple[int, int]] = set()
    for _ in range(40):
        with child(measure) as (process, reports):
            before = int(
                rng.integers(6)
            )  # measurements to wait for; with none, it dies while it opens or makes the store
            complete.update(reported(reports, before))
            time.sleep(rng.uniform(0, 0.05 if before == 0 else 0.005))
            process.kill()
            process.join()
        complete.update(reported(reports))
        check(path, complete)
    with child(measure) as (process, reports):
        process.join()
        complete.update(reported(reports))
    stored = check(path, complete)
    assert stored == {(run_id, n) for run_id in {run_id for run_id, _ in stored} for n in range(100)}


def check(path: Path, complete: set[tuple[int, int]]) -> set[tuple[int, int]]:
    """Check that the store is whole and holds what was reported complete, once each and equal; return what it holds.

    A reader finds the same before any writer comes and moves the log into the database.
    """
    read = {}
    if path.exists():
        with StoreReader(path) as reader:
            read = {run.id: [one.factors["n"] for one in reader.run(run.id).measurements] for run in reader.runs()}
    with Store(path) as opened:
        runs = [opened.run(summary.id) for summary in opened.runs()]
    assert read == {run.id: [one.factors["n"] for one in run.measurements] for run in runs}
    stored: list[tuple[int, Any]] = [
        (run.id, measurement.factors["n"]) for run in runs for measurement in run.measurements
    ]
    assert sql(path, "PRAGMA integrity_check") == [("ok",)]
    assert sql(path, "PRAGMA foreign_key_check") == []
    assert complete <= set(stored)
    assert len(stored) == len(set(stored))
    for run in runs:
        for measurement in run.measurements:
            setting = Setting("speedup", {"n": measurement.factors["n"]}, 0)
            assert content(measurement) == content(measured(setting, samples=5_000))
    return set(stored)
