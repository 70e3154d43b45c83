"""The store: one SQLite file that holds every run. A measurement is in it whole or not at all, whatever happens."""

from __future__ import annotations

import hashlib
import sqlite3
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Self, TypeVar

import msgspec

from intercore import __version__
from intercore.errors import IntercoreError, UsageError
from intercore.files import bounds
from intercore.record import file_locks, renamed, run_lock, store_format
from intercore.record.measurement import Plan, Run, RunInParts
from intercore.record.meter_recording_rows import TABLES, head_of, recording_of, samples_of
from intercore.record.plan import canonical, run_of
from intercore.record.store_reading import FileForReading
from intercore.record.store_rows import (
    DamagedError,
    check_crc,
    crc_of,
    explanation_of,
    is_of,
    measurement_of,
    packed,
    reading,
)

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterator
    from types import TracebackType

    from intercore.record.explanation import Explanation
    from intercore.record.measurement import Measurement
    from intercore.record.meter_recording import Recording
    from intercore.record.plan import Setting
    from intercore.record.run_lock import RunLock

Found = TypeVar("Found")

BUSY_SECONDS = 5.0
"""How long to wait for another process that is writing to the same store."""

_READS = 5
"""How often a reader starts again because of a writer; then writers are continuous, and their locks hold."""
_TO_READ = "that you may read"
_TO_WRITE = "that you may read and write, in a folder that you may write to"

_CAUSES = {
    sqlite3.SQLITE_BUSY: "the file is locked by another process: wait until that process ends, then try again",
    sqlite3.SQLITE_FULL: "the disk is full: free space, then continue with --resume (complete measurements are kept)",
    sqlite3.SQLITE_IOERR: (
        "the disk failed, is full or limits the size of a file (disk I/O error). Correct that, then continue with "
        "--resume (complete measurements are kept)"
    ),
    sqlite3.SQLITE_CORRUPT: "the file is damaged: restore it from a backup, or use another store (--store FILE)",
    sqlite3.SQLITE_NOTADB: "the file is not an Intercore store and was not changed: use another file (--store FILE)",
    sqlite3.SQLITE_READONLY: "the file is read-only: make the file and its folder writable, or work on a copy",
    sqlite3.SQLITE_ERROR: "the tables in the file are not those of an Intercore store: the file is damaged, or another "
    "program has changed it. Restore the file from a backup, or use another store (--store FILE)",
    sqlite3.SQLITE_TOOBIG: (
        f"a value in the file is longer than {bounds.STORE_VALUE}, the limit of an Intercore store: use another store "
        "(--store FILE)"
    ),
    sqlite3.SQLITE_CONSTRAINT_UNIQUE: "the store already contains this entry",
    sqlite3.SQLITE_CONSTRAINT_FOREIGNKEY: "the store has no such run",
}
"""What went wrong and what to do, by SQLite's extended result code or else the primary one (its low 8 bits)."""


class RunSummary(msgspec.Struct, frozen=True):
    """A run without its measurements."""

    id: int
    plan: Plan
    started: str
    """UTC time at which the run was created, ISO 8601."""
    tool: str
    """Version of Intercore that created the run."""
    total: int
    """Number of measurements that the plan needs; with a stop rule, if known."""
    done: int
    """Number of them that are complete."""
    lacking_energy: int = 0
    """Number of those that a meter was to see and did not."""

    @property
    def complete(self) -> bool:
        """Whether nothing of the plan is missing: no measurement, and the energy of none."""
        return self.done >= self.total and not self.lacking_energy


class StoreReader:
    """A store that is only read: neither the file nor its folder is written to, whatever state a writer left them in.

    Every method raises IntercoreError if the file or another process is in the way. Its results are a consistent
    snapshot of all that was committed, by a running or a killed writer. A process that has the store open for writing
    reads with that (`Store`), and does not open a reader: see FileForReading.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        """Open the store at `path`, which exists."""
        self.path = Path(path).absolute()  # absolute, so that ":memory:" is a file like any other
        self._open()

    def __enter__(self) -> Self:
        """Return the store itself, already open."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the store."""
        self.close()

    def close(self) -> None:
        """Close the file."""
        with _explained(self.path, "close", _TO_READ):
            self._file.close()

    def run(self, run_id: int | None = None) -> Run:
        """Return a run with all its measurements; the newest run if None. UsageError if there is no such run."""
        return self._read(lambda: self._run(run_id))

    def runs(self) -> list[RunSummary]:
        """Return all runs without their measurements, the oldest first."""
        return self._read(self._summaries)

    def read_in_parts(self, run_id: int, read: Callable[[RunInParts], Found]) -> Found:
        """Return the result of `read` on a run, whose measurements it gets one by one. UsageError if there is none.

        `read` starts again after a concurrent write; its previous result is discarded.
        """

        def read_run() -> Found:
            one = self._summary(run_id)
            headers, measurements = partial(self._headers, one.id), partial(self._measurements, one.id)
            return read(RunInParts(one.id, one.plan, one.started, one.tool, headers, measurements))

        return self._read(read_run)

    def _run(self, run_id: int | None) -> Run:
        one = self._summary(run_id)
        self._check_size(one.id)
        measurements = (
            msgspec.structs.replace(each, run=_run_name(one.id, one.plan, each.repetition))
            for each in self._measurements(one.id)
        )
        return Run(one.id, one.plan, one.started, one.tool, one.total, tuple(measurements))

    def _summary(self, run_id: int | None) -> RunSummary:
        """Return a run without its measurements; the newest run if None."""
        ids = [number for (number,) in self._db.execute("SELECT id FROM campaigns ORDER BY id DESC")]
        if not ids:
            raise UsageError(f"{self.path} holds no run yet: measure something first, e.g. intercore run host speedup")
        if run_id is None:
            run_id = ids[0]
        if run_id not in ids:
            known = ", ".join(map(str, ids[:10])) + (", …" if len(ids) > 10 else "")
            stored = f"the only run is {known}" if len(ids) == 1 else f"the runs are {known}"
            raise UsageError(f"there is no run {run_id} in {self.path}: {stored}")
        (summary,) = self._summaries(run_id)
        return summary

    def _open(self) -> None:
        with _explained(self.path, "open", _TO_READ):
            self._file = FileForReading(self.path, BUSY_SECONDS)
            self._db = self._file.db

    def _read(self, read: Callable[[], Found]) -> Found:
        """Return the result of `read`, once the file has not changed during the reading."""
        for _ in range(_READS):
            if not self._file.is_current:
                self.close()
                self._open()
            failure = None
            try:
                with self._transaction("read"):
                    found = read()
            except IntercoreError as error:
                failure = error
            if self._file.is_current:
                break
        if failure is not None:
            raise failure
        return found

    @contextmanager
    def _transaction(self, action: str, kind: Literal["DEFERRED", "IMMEDIATE"] = "DEFERRED") -> Iterator[None]:
        """Commit what the block did, or roll all of it back if anything raises. A reader sees one moment's state."""
        with _explained(self.path, action), self._db:
            self._db.execute(f"BEGIN {kind}")
            yield

    def _summaries(self, run_id: int | None = None) -> list[RunSummary]:
        """Return one run, or all of them."""
        rows = self._db.execute(
            "SELECT id, (SELECT count(*) FROM measurements WHERE campaign = campaigns.id), crc,"
            " plan, total, started, tool FROM campaigns WHERE :id IS NULL OR id = :id ORDER BY id",
            {"id": run_id},
        )
        summaries = []
        for number, done, crc, *row in rows:
            with self._reading(f"run {number}"):
                check_crc(crc, crc_of(row))
                plan, total, started, tool = msgspec.convert(row, tuple[str, int, str, str])
                decoded, lacking = renamed.plan(msgspec.json.decode(plan, type=Plan)), self._lacking_energy(number)
                summaries.append(RunSummary(number, decoded, started, tool, total, done, lacking))
        return summaries

    @property
    def _has_recordings(self) -> bool:
        return self._has("recordings")

    def _has(self, table: str) -> bool:
        found = self._db.execute("SELECT count(*) FROM sqlite_master WHERE name = ?", (table,)).fetchone()
        return bool(found[0])

    def _lacking_energy(self, run_id: int) -> int:
        if not self._has_recordings:
            return 0
        query = "SELECT count(*) FROM recordings JOIN measurements ON measurement = id WHERE campaign = ? AND NOT whole"
        (count,) = self._db.execute(query, (run_id,)).fetchone()
        return int(count)

    def _headers(self, run_id: int) -> Iterator[Measurement]:
        """Give the measurements of a run without samples, recordings and a look at their check sums."""
        for number, _, conditions, *row in self._rows(run_id):
            with self._reading(f"measurement {number} of run {run_id}"):
                found = measurement_of(row, conditions, [])
            yield found

    def _measurements(self, run_id: int) -> Iterator[Measurement]:
        for number, crc, conditions, *row in self._rows(run_id):
            samples = self._db.execute(
                "SELECT name, unit, clock, hz, count, codec, data FROM samples WHERE measurement = ? ORDER BY position",
                (number,),
            ).fetchall()
            with self._reading(f"measurement {number} of run {run_id}"):
                check_crc(crc, crc_of(row, [conditions], *samples))
                found = measurement_of(row, conditions, samples)
                recording, explanation = self._recording(number), self._explanation(number)
            if recording is not None or explanation is not None:
                found = msgspec.structs.replace(found, recording=recording, explanation=explanation)
            yield found

    def _rows(self, run_id: int) -> Iterator[tuple[Any, ...]]:
        return self._db.execute(f"{store_format.ROWS} WHERE campaign = ? ORDER BY measurements.id", (run_id,))

    def _check_size(self, run_id: int) -> None:
        """Raise IntercoreError for a run that would take gigabytes, before any of it is unpacked."""
        known, most = ["samples", *(["readings"] if self._has_recordings else [])], bounds.SERIES_SAMPLES.most
        total = 0.0
        for table in known:  # a series that claims more is refused as damaged
            counted = f"SELECT total(iif(count BETWEEN 0 AND {most}, count, 0)) FROM {table}"  # noqa: S608 - ours
            query = f"{counted} JOIN measurements ON measurement = id WHERE campaign = ?"
            total += self._db.execute(query, (run_id,)).fetchone()[0]
        if total > bounds.RUN_SAMPLES.most:
            raise IntercoreError(
                f"run {run_id} of {self.path} has more than {bounds.RUN_SAMPLES}, the limit for reading: measure the "
                "same settings in several runs"
            )

    def _recording(self, measurement: int) -> Recording | None:
        if not self._has_recordings:
            return None
        row = self._db.execute(
            "SELECT crc, whole, head FROM recordings WHERE measurement = ?", (measurement,)
        ).fetchone()
        if row is None:
            return None
        crc, whole, head = row
        samples = self._db.execute(
            "SELECT name, unit, clock, hz, count, codec, data FROM readings WHERE measurement = ? ORDER BY position",
            (measurement,),
        ).fetchall()
        check_crc(crc, crc_of([whole, head], *samples))
        return recording_of(head, samples)

    def _explanation(self, measurement: int) -> Explanation | None:
        if not self._has("explanations"):
            return None
        found = self._db.execute("SELECT crc, text FROM explanations WHERE measurement = ?", (measurement,)).fetchone()
        if found is None:
            return None
        crc, text = found
        check_crc(crc, crc_of([text]))
        return explanation_of(text)

    @contextmanager
    def _reading(self, what: str) -> Iterator[None]:
        """Turn any error of an untrusted row into an IntercoreError that names the row."""
        try:
            with reading():
                yield
        except DamagedError as error:
            raise IntercoreError(
                f"{what} in {self.path} is damaged ({error}): restore the file from a backup"
            ) from error


class Store(StoreReader):
    """A store that runs and measurements are added to, and read from; a full disk or another writer can be in the way.

    It holds the lock on each run that it created or locked, until it is closed.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        """Open the store at `path`, creating it if there is no file or an empty one. Other files are never changed."""
        self.path = Path(path).absolute()
        self._locks: dict[int, RunLock] = {}
        with _explained(self.path, "open", _TO_WRITE):
            store_format.check_plain_file(self.path)
            self._db = sqlite3.connect(self.path, timeout=BUSY_SECONDS, isolation_level=None)
            try:
                store_format.prepare(self._db, self.path)
            except BaseException:
                self._db.close()
                raise

    def close(self) -> None:
        """Release the locks and close the file. Nothing is pending: every method has committed what it wrote."""
        for lock in self._locks.values():
            lock.release()
        self._locks.clear()
        with _explained(self.path, "close", _TO_WRITE):
            self._db.close()

    def lock(self, run_id: int) -> None:
        """Keep other processes from measuring a run as well. Raises IntercoreError if one is at it.

        The lock ends with the process, however that ends.
        """
        if run_id in self._locks:
            return
        path = self.path.with_name(f"{self.path.name}-run-{run_id}.lock")
        with _explained(path, "lock", _TO_WRITE):
            lock = run_lock.acquired(path)
        if lock is None:
            raise IntercoreError(
                f"another process is measuring run {run_id} of {self.path}: wait until that process ends, or end it"
            )
        self._locks[run_id] = lock

    def create_run(self, plan: Plan, total: int) -> int:
        """Add a run without measurements, locked, and return its id; `total` is how many measurements it needs."""
        with self._transaction("add a run to", "IMMEDIATE"):
            run_id = self._insert_run(plan, total)
            self.lock(run_id)  # before others can see the run
            return run_id

    def create_pair(self, first: Plan, second: Plan, totals: tuple[int, int]) -> tuple[int, int]:
        """Add two runs that are to be measured by turns, each the partner of the other, as `create_run` adds one."""
        with self._transaction("add two runs to", "IMMEDIATE"):
            mine = self._insert_run(first, totals[0])
            theirs = self._insert_run(msgspec.structs.replace(second, partner=mine), totals[1])
            (started, tool) = self._db.execute("SELECT started, tool FROM campaigns WHERE id = ?", (mine,)).fetchone()
            plan = msgspec.json.encode(msgspec.structs.replace(first, partner=theirs)).decode()
            change = "UPDATE campaigns SET plan = ?, crc = ? WHERE id = ?"
            self._db.execute(change, (plan, crc_of([plan, totals[0], started, tool]), mine))
            for run_id in (mine, theirs):
                self.lock(run_id)  # before others can see the run
            return mine, theirs

    def _insert_run(self, plan: Plan, total: int) -> int:
        row = (msgspec.json.encode(plan).decode(), total, _now(), __version__)
        statement = "INSERT INTO campaigns (plan, total, started, tool, crc) VALUES (?, ?, ?, ?, ?) RETURNING id"
        return self._insert(statement, (*row, crc_of(row)))

    def add(self, run_id: int, setting: Setting, measurement: Measurement, total: int | None = None) -> None:
        """Add a complete measurement of `setting` to a run. When this returns, it survives a power cut.

        `total` is the number of measurements that the run needs, now that this one is known; None if that is as before.
        Raises IntercoreError if the measurement is not one of `setting`, is there already, or there is no such run.
        """
        key, factors, checks = canonical(setting.factors), canonical(measurement.factors), canonical(measurement.checks)
        what = f"repetition {setting.repetition} of {setting.benchmark} with {key}"
        if not is_of(measurement, setting):
            raise IntercoreError(
                f"{what} was requested, but the target measured repetition {measurement.repetition} of "
                f"{measurement.benchmark} with {factors}. The measurement was not stored. This is a bug of Intercore "
                "or of the firmware: please report it"
            )
        conditions = canonical(measurement.conditions)
        row = (key, setting.repetition, measurement.benchmark, factors, checks, measurement.started)
        samples = [packed(series) for series in measurement.series]
        with self._transaction(f"add {what} to run {run_id} in", "IMMEDIATE"):
            crc = crc_of(row, [conditions], *samples)
            digest = hashlib.sha256(conditions.encode()).digest()
            self._db.execute(
                "INSERT INTO conditions (hash, json) VALUES (?, ?) ON CONFLICT DO NOTHING", (digest, conditions)
            )
            number = self._insert(
                "INSERT INTO measurements"
                " (campaign, setting, repetition, benchmark, factors, checks, started, crc, conditions)"
                " VALUES (?, ?, ?, ?, ?, ?, ?, ?, (SELECT id FROM conditions WHERE hash = ?)) RETURNING id",
                (run_id, *row, crc, digest),
            )
            self._db.executemany(
                "INSERT INTO samples (measurement, position, name, unit, clock, hz, count, codec, data)"
                " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                ((number, position, *sample) for position, sample in enumerate(samples)),
            )
            if measurement.recording is not None:
                self._put_recording(number, measurement.recording)
            if total is not None:
                self._update_total(run_id, total)

    def set_recording(self, run_id: int, setting: Setting, recording: Recording) -> None:
        """Put a recording in the place of one that is missing: that of a measurement of `setting` in a run.

        The samples of time stay as they are. Raises IntercoreError if the run has no such measurement.
        """
        key = canonical(setting.factors)
        what = f"the energy of repetition {setting.repetition} of {setting.benchmark} with {key}"
        with self._transaction(f"add {what} to run {run_id} in", "IMMEDIATE"):
            number = self._number(run_id, setting, what)
            self._put_recording(number, recording)

    def _number(self, run_id: int, setting: Setting, what: str) -> int:
        """Return the id of a run's measurement of a setting. Raises IntercoreError if there is none."""
        key = canonical(setting.factors)
        found = self._db.execute(
            "SELECT id, setting FROM measurements WHERE campaign = ? AND benchmark = ? AND repetition = ?",
            (run_id, setting.benchmark, setting.repetition),
        )
        with self._reading(what):
            number = next((int(each) for each, old in found if renamed.setting(setting.benchmark, old) == key), None)
        if number is None:
            raise IntercoreError(f"run {run_id} of {self.path} has no measurement for {what}")
        return number

    def _put_recording(self, measurement: int, recording: Recording) -> None:
        for table in TABLES:
            self._db.execute(table)
        whole, head, samples = int(not recording.missing), head_of(recording), samples_of(recording)
        for table in ("readings", "recordings"):
            self._db.execute(f"DELETE FROM {table} WHERE measurement = ?", (measurement,))  # noqa: S608 - one of two
        self._db.execute(
            "INSERT INTO recordings (measurement, whole, head, crc) VALUES (?, ?, ?, ?)",
            (measurement, whole, head, crc_of([whole, head], *samples)),
        )
        self._db.executemany(
            "INSERT INTO readings (measurement, position, name, unit, clock, hz, count, codec, data)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            ((measurement, position, *sample) for position, sample in enumerate(samples)),
        )

    def set_explanation(self, run_id: int, setting: Setting, explanation: Explanation) -> None:
        """Add what the longest sample of a measurement of `setting` went to, in place of what was known of it.

        Raises IntercoreError if the run has no such measurement.
        """
        with self._transaction(f"explain a sample of run {run_id} in", "IMMEDIATE"):
            number = self._number(run_id, setting, "an explanation")
            self._db.execute(store_format.EXPLANATIONS_TABLE)
            text = msgspec.json.encode(explanation).decode()
            self._db.execute(
                "INSERT OR REPLACE INTO explanations (measurement, text, crc) VALUES (?, ?, ?)",
                (number, text, crc_of([text])),
            )

    def set_total(self, run_id: int, total: int) -> None:
        """Change the number of measurements that a run needs. Raises IntercoreError if there is no such run."""
        with self._transaction(f"change run {run_id} in", "IMMEDIATE"):
            self._update_total(run_id, total)

    def _update_total(self, run_id: int, total: int) -> None:
        columns = "SELECT crc, plan, total, started, tool FROM campaigns WHERE id = ?"
        found = self._db.execute(columns, (run_id,)).fetchone()
        if found is None:
            raise IntercoreError(f"there is no run {run_id} in {self.path}")
        crc, plan, before, started, tool = found
        with self._reading(f"run {run_id}"):
            check_crc(crc, crc_of([plan, before, started, tool]))
        change = "UPDATE campaigns SET total = ?, crc = ? WHERE id = ?"
        self._db.execute(change, (total, crc_of([plan, total, started, tool]), run_id))

    def _read(self, read: Callable[[], Found]) -> Found:
        with self._transaction("read"):
            return read()

    def _insert(self, statement: str, values: tuple[Any, ...]) -> int:
        (number,) = self._db.execute(statement, values).fetchone()
        return int(number)


def _run_name(run_id: int, plan: Plan, repetition: int) -> str:
    """Return which run a repetition is from. On a simulated chip nothing differs between two, so these have no name."""
    if plan.simulated:
        return ""
    return f"{run_id}.{run_of(plan, repetition) + 1}" if plan.runs > 1 else str(run_id)


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


@contextmanager
def _explained(path: Path, action: str, needed: str = _TO_WRITE) -> Iterator[None]:
    """Turn errors of the file into an IntercoreError with what, where and what to do: a file as `needed`."""
    try:
        yield
    except sqlite3.Error as error:
        raise IntercoreError(f"cannot {action} {path}: {_cause(error, path, needed)}") from error
    except UnicodeDecodeError as error:  # in the message of SQLite's module
        raise IntercoreError(f"cannot {action} {path}: {_CAUSES[sqlite3.SQLITE_CORRUPT]}") from error
    except UnicodeError as error:
        raise IntercoreError(f"cannot {action} {path}: a text is not valid; use UTF-8") from error
    except OverflowError as error:
        raise IntercoreError(f"cannot {action} {path}: a number is too large for the store") from error
    except OSError as error:
        raise IntercoreError(f"cannot {action} {path}: {error.strerror or error}") from error


def _cause(error: sqlite3.Error, path: Path, needed: str) -> str:
    code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR)  # errors of the Python module have none
    if code == sqlite3.SQLITE_CANTOPEN and not path.parent.is_dir():
        return f"there is no folder {path.parent}. Create it, or choose another path"
    if code == sqlite3.SQLITE_CANTOPEN and path.is_dir():
        return "it is a folder; choose a file"
    if code == sqlite3.SQLITE_CANTOPEN:
        return f"make sure that it is a file {needed}"
    if "Could not decode" in str(error):  # of the Python module, for a text that is not UTF-8
        code = sqlite3.SQLITE_CORRUPT
    if code & 0xFF == sqlite3.SQLITE_BUSY and (why := file_locks.reason_for_no_locks(path.parent)) is not None:
        return why
    return _CAUSES.get(code) or _CAUSES.get(code & 0xFF) or f"{error}; make sure that it is a file {needed}"
