"""The store: one SQLite file that holds every run. A measurement is in it whole or not at all, whatever happens.

History of the file's format (`PRAGMA user_version`):
  1  campaigns, conditions, measurements, samples: a plan has one benchmark
  2  a plan has parts, a setting belongs to a benchmark, and a series has a unit (Intercore 0.1)
"""

from __future__ import annotations

import hashlib
import sqlite3
import zlib
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, Self

import msgspec
import numpy as np

from intercore import __version__
from intercore.errors import IntercoreError, UsageError
from intercore.record.measurement import Level, Measurement, Part, Plan, Run, Series, Unit
from intercore.record.plan import Setting, canonical

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator, Sequence
    from types import TracebackType

FORMAT = 2
APPLICATION_ID = 0x49436F72  # "ICor" tells our files from other applications' (SQLite file format, 1.3.17)
BUSY_SECONDS = 5.0
"""How long to wait for another process that is writing to the same store."""

_MEASUREMENTS = """(
        id INTEGER PRIMARY KEY, -- ascends in the order of measuring
        campaign INTEGER NOT NULL REFERENCES campaigns,
        setting TEXT NOT NULL,  -- the factors that the plan names, canonical JSON
        repetition INTEGER NOT NULL,
        benchmark TEXT NOT NULL,
        factors TEXT NOT NULL,  -- all factors, defaults included, canonical JSON
        conditions INTEGER NOT NULL REFERENCES conditions,
        checks TEXT NOT NULL,   -- canonical JSON
        started TEXT NOT NULL,  -- UTC, ISO 8601
        crc INTEGER NOT NULL,   -- CRC-32 of the columns from setting on, the conditions and the samples
        UNIQUE (campaign, benchmark, setting, repetition)
    ) STRICT"""

_SAMPLES = """(
        measurement INTEGER NOT NULL REFERENCES measurements,
        position INTEGER NOT NULL, -- of the series in its measurement, from 0
        name TEXT NOT NULL,
        unit TEXT NOT NULL,        -- one of measurement.Unit
        clock TEXT NOT NULL,
        hz INTEGER NOT NULL,
        count INTEGER NOT NULL,
        codec TEXT NOT NULL,
        data BLOB NOT NULL,
        PRIMARY KEY (measurement, position)
    ) STRICT"""

_SCHEMA = (
    # The CRCs are ours because SQLite does not check the content of its pages.
    """CREATE TABLE campaigns (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        plan TEXT NOT NULL,     -- JSON of measurement.Plan
        total INTEGER NOT NULL, -- measurements that the plan needs, as far as is known
        started TEXT NOT NULL,  -- UTC, ISO 8601
        tool TEXT NOT NULL,     -- version of Intercore
        crc INTEGER NOT NULL    -- CRC-32 of the columns above but id
    ) STRICT""",
    """CREATE TABLE conditions (
        id INTEGER PRIMARY KEY,
        hash BLOB NOT NULL UNIQUE, -- SHA-256 of json: measurements under equal conditions share a row
        json TEXT NOT NULL         -- canonical
    ) STRICT""",
    f"CREATE TABLE measurements {_MEASUREMENTS}",
    f"CREATE TABLE samples {_SAMPLES}",
    f"PRAGMA application_id = {APPLICATION_ID}",
    f"PRAGMA user_version = {FORMAT}",
)

_ROWS = (
    "SELECT measurements.id, crc, json, setting, repetition, benchmark, factors, checks, started"
    " FROM measurements LEFT JOIN conditions ON conditions.id = conditions"
)
"""Measurements as they are read, less their samples: id, check sum, conditions, and the row for `_measurement`."""

_CAUSES = {
    sqlite3.SQLITE_BUSY: "it is locked by another process; wait for that one to end, then try again",
    sqlite3.SQLITE_FULL: "the disk is full; free some space, then go on with --resume (what is complete is kept)",
    sqlite3.SQLITE_IOERR: "the disk failed, is full or limits the size of a file (disk I/O error); "
    "mend that, then go on with --resume (what is complete is kept)",
    sqlite3.SQLITE_CORRUPT: "the file is damaged; restore it from a copy, or choose another file",
    sqlite3.SQLITE_NOTADB: "it is not an Intercore store and was left as it is; choose another file",
    sqlite3.SQLITE_READONLY: "it is read-only; make the file and its directory writable, or work on a copy",
    sqlite3.SQLITE_CONSTRAINT_UNIQUE: "that is in it already",
    sqlite3.SQLITE_CONSTRAINT_FOREIGNKEY: "it has no such run",
}
"""What went wrong and what to do, by SQLite's extended result code or else the primary one (its low 8 bits)."""


class Summary(msgspec.Struct, frozen=True):
    """A run without its measurements."""

    id: int
    plan: Plan
    started: str
    """UTC time at which the run was created, ISO 8601."""
    tool: str
    """Version of Intercore that created the run."""
    total: int
    """Number of measurements that the plan needs; with a stop rule, as far as is known."""
    done: int
    """Number of them that are complete."""

    @property
    def complete(self) -> bool:
        """Whether nothing of the plan is missing."""
        return self.done >= self.total


class Store:
    """An open store. Every method raises IntercoreError if the file, the disk or another process is in the way."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        """Open the store at `path`, creating it if there is no file or an empty one. Other files are never changed."""
        self.path = Path(path).absolute()  # absolute, so that ":memory:" is a file like any other
        with _explained(self.path, "open"):
            self._db = sqlite3.connect(self.path, timeout=BUSY_SECONDS, isolation_level=None)
            try:
                self._prepare()
            except BaseException:
                self._db.close()
                raise

    def __enter__(self) -> Self:
        """Return the store itself, already open."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the store."""
        self.close()

    def close(self) -> None:
        """Close the file. Nothing is pending: every method has committed what it wrote."""
        with _explained(self.path, "close"):
            self._db.close()

    def create_run(self, plan: Plan, total: int) -> int:
        """Add a run without measurements and return its id; `total` is the number of measurements that it needs."""
        with self._transaction("add a run to", "IMMEDIATE"):
            row = (msgspec.json.encode(plan).decode(), total, _now(), __version__)
            statement = "INSERT INTO campaigns (plan, total, started, tool, crc) VALUES (?, ?, ?, ?, ?) RETURNING id"
            return self._insert(statement, (*row, _crc(row)))

    def add(self, run_id: int, setting: Setting, measurement: Measurement, total: int | None = None) -> None:
        """Add a complete measurement of `setting` to a run. When this returns, it survives a power cut.

        `total` is the number of measurements that the run needs, now that this one is known; None if that is as before.
        Raises IntercoreError if the measurement is not one of `setting`, is there already, or there is no such run.
        """
        key, factors, checks = canonical(setting.factors), canonical(measurement.factors), canonical(measurement.checks)
        what = f"repetition {setting.repetition} of {setting.benchmark} with {key}"
        if not _belongs(measurement, setting):
            raise IntercoreError(
                f"asked for {what}, the target measured repetition {measurement.repetition} of "
                f"{measurement.benchmark} with {factors}; "
                "it was not stored: please report this"
            )
        conditions = canonical(measurement.conditions)
        row = (key, setting.repetition, measurement.benchmark, factors, checks, measurement.started)
        samples = [_pack(series) for series in measurement.series]
        with self._transaction(f"add {what} to run {run_id} in", "IMMEDIATE"):
            crc = _crc(row, [conditions], *samples)
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
            if total is not None:
                self._update_total(run_id, total)

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
            _compare(crc, _crc([plan, before, started, tool]))
        change = "UPDATE campaigns SET total = ?, crc = ? WHERE id = ?"
        self._db.execute(change, (total, _crc([plan, total, started, tool]), run_id))

    def run(self, run_id: int | None = None) -> Run:
        """Return a run with all its measurements; the newest run if None. UsageError if there is no such run."""
        with self._transaction("read"):
            ids = [number for (number,) in self._db.execute("SELECT id FROM campaigns ORDER BY id DESC")]
            if not ids:
                raise UsageError(f"{self.path} holds no run yet; make one with `intercore run`")
            if run_id is None:
                run_id = ids[0]
            if run_id not in ids:
                known = ", ".join(map(str, ids[:10])) + (", …" if len(ids) > 10 else "")
                raise UsageError(f"there is no run {run_id} in {self.path}; newest first, it holds {known}")
            (summary,) = self._summaries(run_id)
            return Run(
                id=summary.id,
                plan=summary.plan,
                started=summary.started,
                tool=summary.tool,
                total=summary.total,
                measurements=tuple(self._measurements(run_id)),
            )

    def runs(self) -> list[Summary]:
        """Return all runs without their measurements, the oldest first."""
        with self._transaction("read"):
            return self._summaries()

    def newest_unfinished(self) -> int:
        """Return the id of the newest run that is not complete. UsageError if there is none."""
        for summary in reversed(self.runs()):
            if not summary.complete:
                return summary.id
        raise UsageError(f"there is nothing to resume: every run in {self.path} is complete")

    def _prepare(self) -> None:
        """Refuse a file that is not a store of this format; make one of a file that is empty."""
        self._db.execute("PRAGMA foreign_keys = ON")
        self._db.execute("PRAGMA synchronous = FULL")  # in WAL mode, NORMAL may lose commits in a power cut
        if self._format() < FORMAT:
            self._db.execute("PRAGMA foreign_keys = OFF")  # or a table that others refer to could not be replaced
            with self._db:
                self._db.execute("BEGIN IMMEDIATE")
                found = self._format()  # another process may have been faster
                if found == 0:
                    for statement in _SCHEMA:
                        self._db.execute(statement)
                elif found == 1:
                    self._convert_from_1()
            self._db.execute("PRAGMA foreign_keys = ON")
        # Where the file system cannot do WAL, SQLite keeps its rollback journal, which is as safe.
        self._db.execute("PRAGMA journal_mode = WAL")

    def _convert_from_1(self) -> None:
        campaigns = self._db.execute("SELECT id, crc, plan, total, started, tool FROM campaigns").fetchall()
        for number, crc, plan, *rest in campaigns:
            if crc == _crc([plan, *rest]):  # what is damaged stays as it is, and is told when it is read
                old = msgspec.json.decode(plan)
                benchmark, levels = old.pop("benchmark"), old.pop("levels")
                new = msgspec.json.encode({**old, "name": benchmark, "parts": [Part(benchmark, levels)]}).decode()
                change = "UPDATE campaigns SET plan = ?, crc = ? WHERE id = ?"
                self._db.execute(change, (new, _crc([new, *rest]), number))
        ids = [number for (number,) in self._db.execute("SELECT id FROM measurements")]
        for number in ids:
            (_, crc, conditions, *row) = self._db.execute(f"{_ROWS} WHERE measurements.id = ?", (number,)).fetchone()
            columns = "SELECT name, clock, hz, count, codec, data FROM samples WHERE measurement = ? ORDER BY position"
            samples = self._db.execute(columns, (number,)).fetchall()
            if crc == _crc(row, [conditions], *samples):
                with_unit = [(name, "tick", *rest) for name, *rest in samples]
                change = "UPDATE measurements SET crc = ? WHERE id = ?"
                self._db.execute(change, (_crc(row, [conditions], *with_unit), number))
        for statement in (
            f"CREATE TABLE new_measurements {_MEASUREMENTS}",
            "INSERT INTO new_measurements SELECT * FROM measurements",
            "DROP TABLE measurements",
            "ALTER TABLE new_measurements RENAME TO measurements",
            f"CREATE TABLE new_samples {_SAMPLES}",
            "INSERT INTO new_samples"
            " SELECT measurement, position, name, 'tick', clock, hz, count, codec, data FROM samples",
            "DROP TABLE samples",
            "ALTER TABLE new_samples RENAME TO samples",
            f"PRAGMA user_version = {FORMAT}",
        ):
            self._db.execute(statement)

    def _format(self) -> int:
        """Return the format of the file, 0 if it holds nothing at all.

        Raises IntercoreError if it holds anything but a store of a format that this version knows.
        """
        application, version, tables = self._db.execute(
            "SELECT application_id, user_version, (SELECT count(*) FROM sqlite_master)"
            " FROM pragma_application_id, pragma_user_version"
        ).fetchone()
        if (application, version, tables) == (0, 0, 0):
            return 0
        if application != APPLICATION_ID:
            raise IntercoreError(
                f"{self.path} is another application's database and was left as it is; choose another file"
            )
        if not 1 <= version <= FORMAT:
            raise IntercoreError(
                f"{self.path} has format {version}, this Intercore {__version__} reads formats up to {FORMAT}; "
                "use the newest Intercore, or choose another file"
            )
        return int(version)

    @contextmanager
    def _transaction(self, action: str, kind: Literal["DEFERRED", "IMMEDIATE"] = "DEFERRED") -> Iterator[None]:
        """Commit what the block did, or roll all of it back if anything raises. A reader sees one moment's state."""
        with _explained(self.path, action), self._db:
            self._db.execute(f"BEGIN {kind}")
            yield

    def _insert(self, statement: str, values: tuple[Any, ...]) -> int:
        (number,) = self._db.execute(statement, values).fetchone()
        return int(number)

    def _summaries(self, run_id: int | None = None) -> list[Summary]:
        """Return one run, or all of them."""
        rows = self._db.execute(
            "SELECT id, (SELECT count(*) FROM measurements WHERE campaign = campaigns.id), crc,"
            " plan, total, started, tool FROM campaigns WHERE :id IS NULL OR id = :id ORDER BY id",
            {"id": run_id},
        )
        summaries = []
        for number, done, crc, *row in rows:
            with self._reading(f"run {number}"):
                _compare(crc, _crc(row))
                plan, total, started, tool = msgspec.convert(row, tuple[str, int, str, str])
                summaries.append(Summary(number, msgspec.json.decode(plan, type=Plan), started, tool, total, done))
        return summaries

    def _measurements(self, run_id: int) -> list[Measurement]:
        rows = self._db.execute(f"{_ROWS} WHERE campaign = ? ORDER BY measurements.id", (run_id,))
        measurements = []
        for number, crc, conditions, *row in rows:
            samples = self._db.execute(
                "SELECT name, unit, clock, hz, count, codec, data FROM samples WHERE measurement = ? ORDER BY position",
                (number,),
            ).fetchall()
            with self._reading(f"measurement {number} of run {run_id}"):
                _compare(crc, _crc(row, [conditions], *samples))
                measurements.append(_measurement(row, conditions, samples))
        return measurements

    @contextmanager
    def _reading(self, what: str) -> Iterator[None]:
        """Turn whatever an untrusted row can raise into an IntercoreError that says which row it is."""
        try:
            yield
        except (msgspec.MsgspecError, zlib.error, ValueError, OverflowError) as error:
            raise IntercoreError(f"{what} in {self.path} is damaged ({error}); restore the file from a copy") from error


_Natural = Annotated[int, msgspec.Meta(ge=0)]


class _Samples(msgspec.Struct, array_like=True, frozen=True):
    """A row of the table `samples`, less where it belongs."""

    name: str
    unit: Unit
    clock: str
    hz: Annotated[int, msgspec.Meta(ge=1)]
    count: _Natural
    codec: Literal["delta-int64le-zlib"]
    data: bytes


def _pack(series: Series) -> tuple[str, str, str, int, int, str, bytes]:
    # Differences compress better than values. They wrap around in 64 bits, and so does the sum that undoes them.
    deltas = np.diff(series.ticks, prepend=np.int64(0)).astype("<i8", casting="safe")
    data = zlib.compress(deltas.tobytes(), level=1)
    return series.name, series.unit, series.clock, series.hz, len(series.ticks), "delta-int64le-zlib", data


def _unpack(row: tuple[Any, ...]) -> Series:
    samples = msgspec.convert(row, _Samples)
    size = 8 * samples.count
    inflate = zlib.decompressobj()
    data = inflate.decompress(samples.data, size + 1)  # bounded, whatever the blob would grow to; 0 means no bound
    if len(data) != size or not inflate.eof:
        raise ValueError(f"series {samples.name} does not hold {samples.count} samples")
    ticks = np.cumsum(np.frombuffer(data, "<i8"), dtype=np.int64)
    return Series(samples.name, samples.clock, samples.hz, ticks, samples.unit)


def _measurement(row: list[Any], conditions: object, samples: list[tuple[Any, ...]]) -> Measurement:
    setting, repetition, benchmark, factors, checks, started = msgspec.convert(
        row, tuple[str, _Natural, str, str, str, str]
    )
    measurement = Measurement(
        benchmark=benchmark,
        factors=msgspec.json.decode(factors, type=dict[str, Level]),
        repetition=repetition,
        series=tuple(_unpack(sample) for sample in samples),
        conditions=msgspec.json.decode(msgspec.convert(conditions, str), type=dict[str, str]),
        checks=msgspec.json.decode(checks, type=dict[str, int]),
        started=started,
    )
    if not _belongs(measurement, Setting(benchmark, msgspec.json.decode(setting, type=dict[str, Level]), repetition)):
        raise ValueError(f"its factors {factors} are not those of its setting {setting}")
    return measurement


def _belongs(measurement: Measurement, setting: Setting) -> bool:
    """Whether the measurement is one of this setting: its factors hold the setting's, and defaults besides."""
    return (measurement.benchmark, measurement.repetition) == (
        setting.benchmark,
        setting.repetition,
    ) and setting.factors.items() <= dict(measurement.factors).items()


def _crc(*rows: Sequence[object]) -> int:
    """CRC-32 over every column of the rows: blobs as they are, what stands between them as JSON."""
    crc = 0
    for row in rows:
        crc = zlib.crc32(msgspec.json.encode([value for value in row if not isinstance(value, bytes)]), crc)
        for value in row:
            if isinstance(value, bytes):
                crc = zlib.crc32(value, crc)
    return crc


def _compare(stored: int, computed: int) -> None:
    if stored != computed:
        raise ValueError("its check sum is wrong")


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


@contextmanager
def _explained(path: Path, action: str) -> Iterator[None]:
    """Turn errors of the file into an IntercoreError with what, where and what to do."""
    try:
        yield
    except sqlite3.Error as error:
        raise IntercoreError(f"cannot {action} {path}: {_cause(error, path)}") from error
    except (OSError, OverflowError, UnicodeError) as error:  # the latter two: a value that SQLite has no room for
        raise IntercoreError(f"cannot {action} {path}: {error}") from error


def _cause(error: sqlite3.Error, path: Path) -> str:
    code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR)  # errors of the Python module have none
    if code == sqlite3.SQLITE_CANTOPEN and not path.parent.is_dir():
        return f"there is no directory {path.parent}; make it, or choose another file"
    unknown = f"{error}; make sure that it is a file that you may read and write, in a directory that you may write to"
    return _CAUSES.get(code) or _CAUSES.get(code & 0xFF) or unknown
