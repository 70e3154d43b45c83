"""The format of the store's file: its tables, how it is recognised, and how an older one is converted.

History (`PRAGMA user_version`):
  1  campaigns, conditions, measurements, samples: a plan has one benchmark
  2  a plan has parts, a setting belongs to a benchmark, and a series has a unit (Intercore 0.1)

Meter recordings are in separate tables (`recording_rows`), and what samples went to is in another one (`explanations`),
which a store has from the first of these on. An older Intercore reads such a store without them.
"""

from __future__ import annotations

import re
import sqlite3
from contextlib import suppress
from typing import TYPE_CHECKING

import msgspec

from intercore import __version__
from intercore.errors import IntercoreError
from intercore.files import bounds
from intercore.record.measurement import Part
from intercore.record.store_rows import crc_of
from intercore.text import printable

if TYPE_CHECKING:
    from pathlib import Path

FORMAT = 2
APPLICATION_ID = 0x49436F72  # "ICor" identifies our files (SQLite file format, 1.3.17)

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

EXPLANATIONS_TABLE = """CREATE TABLE IF NOT EXISTS explanations (
        measurement INTEGER PRIMARY KEY REFERENCES measurements,
        text TEXT NOT NULL, -- JSON of explanation.Explanation
        crc INTEGER NOT NULL -- CRC-32 of the text
    ) STRICT"""

ROWS = (
    "SELECT measurements.id, crc, json, setting, repetition, benchmark, factors, checks, started"
    " FROM measurements LEFT JOIN conditions ON conditions.id = conditions"
)
"""Measurements as they are read, less their samples: id, check sum, conditions, and the row for `measurement_of`."""


_COMPUTES = re.compile(r"\b(?:AS|CHECK|DEFAULT)(?:\s|/\*.*?\*/|--[^\n]*\n)*\(", re.IGNORECASE | re.DOTALL)
"""What makes SQLite compute where a table is read or written: a generated column, a constraint, a default."""


def check_plain_file(path: Path) -> None:
    """Raise IntercoreError for a folder, which SQLite reports as a disk failure, and OSError for a pipe or device."""
    if path.is_dir():
        raise IntercoreError(f"cannot open {path}: the path is a folder, so choose a file")
    with suppress(FileNotFoundError):
        bounds.check_plain(path)


def limit(db: sqlite3.Connection) -> None:
    """Bound what a file that may come from anyone can have SQLite do: what it holds at a time, and call."""
    db.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, bounds.STORE_VALUE.most)
    db.execute("PRAGMA trusted_schema = OFF")


def prepare(db: sqlite3.Connection, path: Path) -> None:
    """Refuse a file that is not a store of this format; make one of a file that is empty, or of an older format.

    Raises IntercoreError for a file that is refused, and what SQLite raises.
    """
    limit(db)
    db.execute("PRAGMA foreign_keys = ON")
    db.execute("PRAGMA synchronous = FULL")  # in WAL mode, NORMAL may lose commits in a power cut
    if _format_of(db, path) < FORMAT:
        db.execute("PRAGMA foreign_keys = OFF")  # or a table that others refer to could not be replaced
        with db:
            db.execute("BEGIN IMMEDIATE")
            _convert(db, _format_of(db, path))  # another process may have been faster
        db.execute("PRAGMA foreign_keys = ON")
    # Where the file system cannot do WAL, SQLite keeps its rollback journal, which is as safe.
    db.execute("PRAGMA journal_mode = WAL")


def current(db: sqlite3.Connection, path: Path) -> sqlite3.Connection:
    """Return a connection to what `db` holds, in this format: `db` itself, or a converted copy in memory.

    Raises IntercoreError for a file that is refused, and what SQLite raises.
    """
    found = _format_of(db, path)
    if found == FORMAT:
        return db
    copy = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
    try:
        db.backup(copy)
        _convert(copy, found)
    except BaseException:
        copy.close()
        raise
    return copy


def _convert(db: sqlite3.Connection, found: int) -> None:
    """Make the tables of the format `found` those of this one; 0 is that of a file without any."""
    if found == 0:
        for statement in _SCHEMA:
            db.execute(statement)
    elif found == 1:
        _convert_from_1(db)


def _convert_from_1(db: sqlite3.Connection) -> None:
    """Make the tables those of format 2."""
    campaigns = db.execute("SELECT id, crc, plan, total, started, tool FROM campaigns").fetchall()
    for number, crc, plan, *rest in campaigns:
        if crc == crc_of([plan, *rest]):  # damaged rows stay, and are reported when read
            old = msgspec.json.decode(plan)
            benchmark, levels = old.pop("benchmark"), old.pop("levels")
            new = msgspec.json.encode({**old, "name": benchmark, "parts": [Part(benchmark, levels)]}).decode()
            change = "UPDATE campaigns SET plan = ?, crc = ? WHERE id = ?"
            db.execute(change, (new, crc_of([new, *rest]), number))
    ids = [number for (number,) in db.execute("SELECT id FROM measurements")]
    for number in ids:
        (_, crc, conditions, *row) = db.execute(f"{ROWS} WHERE measurements.id = ?", (number,)).fetchone()
        columns = "SELECT name, clock, hz, count, codec, data FROM samples WHERE measurement = ? ORDER BY position"
        samples = db.execute(columns, (number,)).fetchall()
        if crc == crc_of(row, [conditions], *samples):
            with_unit = [(name, "tick", *rest) for name, *rest in samples]
            change = "UPDATE measurements SET crc = ? WHERE id = ?"
            db.execute(change, (crc_of(row, [conditions], *with_unit), number))
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
        db.execute(statement)


def _format_of(db: sqlite3.Connection, path: Path) -> int:
    """Return the format of the file, 0 if it holds nothing at all.

    Raises IntercoreError if it holds anything but a store of a format that this version knows.
    """
    application, version, tables = db.execute(
        "SELECT application_id, user_version, (SELECT count(*) FROM sqlite_master)"
        " FROM pragma_application_id, pragma_user_version"
    ).fetchone()
    if (application, version, tables) == (0, 0, 0):
        return 0
    if application != APPLICATION_ID:
        raise IntercoreError(
            f"{path} is another application's database and was not changed: use another file (--store FILE)"
        )
    if not 1 <= version <= FORMAT:
        raise IntercoreError(
            f"{path} has store format {version}, but this version of Intercore ({__version__}) reads only formats up "
            f"to {FORMAT}: use the newest Intercore, or another store (--store FILE)"
        )
    _check_tables(db, path)
    return int(version)


def _check_tables(db: sqlite3.Connection, path: Path) -> None:
    """Raise IntercoreError if the file has more than tables: a view or a trigger may compute for ever."""
    for name, sql in db.execute("SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL"):
        # Not by its type, which may be anything: SQLite executes the text.
        if not re.match(r"CREATE\s+TABLE\b", str(sql), re.IGNORECASE) or _COMPUTES.search(str(sql)):
            raise IntercoreError(
                f"{path} is not an Intercore store: its object '{printable(str(name))}' is not a table of values but "
                "makes SQLite run code. The file was not changed: use another file (--store FILE)"
            )
