"""What is in a store, read by other means than the tool's where it matters."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING, Any, NamedTuple

from intercore.record.store import Store

if TYPE_CHECKING:
    from pathlib import Path


class Key(NamedTuple):
    """What may be in a store only once."""

    campaign: int
    setting: str
    repetition: int

    @property
    def factors(self) -> dict[str, Any]:
        factors: dict[str, Any] = json.loads(self.setting)
        return factors


class Content(NamedTuple):
    """All that a measurement says, as fingerprints."""

    samples: str
    rest: str


def contents_of(path: Path) -> dict[Key, Content]:
    """Check a store for integrity, by SQLite's means and by the tool's, and return what it holds."""
    with Store(path) as store:  # opens, and recovers what a kill left in the write-ahead log
        for summary in store.runs():
            run = store.run(summary.id)  # compares every check sum
            assert len(run.measurements) == summary.done
            for measurement in run.measurements:
                for series in measurement.series:
                    assert len(series.ticks)
    with closing(sqlite3.connect(path)) as database:
        assert database.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        assert database.execute("PRAGMA foreign_key_check").fetchall() == []
        rows = database.execute(
            "SELECT measurements.id, campaign, setting, repetition, benchmark, factors, checks, started, json"
            " FROM measurements JOIN conditions ON conditions.id = conditions ORDER BY measurements.id"
        ).fetchall()
        found: dict[Key, Content] = {}
        for number, campaign, setting, repetition, *rest in rows:
            samples = database.execute(
                "SELECT position, name, clock, hz, count, codec, data FROM samples WHERE measurement = ? ORDER BY 1",
                (number,),
            ).fetchall()
            assert samples, "a measurement without samples"
            key = Key(campaign, setting, repetition)
            assert key not in found, "measured twice"
            found[key] = Content(fingerprint(samples), fingerprint(rest))
    return found


def fingerprint(rows: object) -> str:
    return hashlib.sha256(repr(rows).encode()).hexdigest()
