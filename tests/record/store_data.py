"""A run for the tests of the store, and what looks into its file."""

from __future__ import annotations

import re
import sqlite3
import zlib
from contextlib import closing
from pathlib import Path

import msgspec
import numpy as np

from intercore.record.measurement import Measurement, Part, Plan, Run, Series
from intercore.record.plan import Setting, settings
from intercore.record.store import Store
from intercore.record.store_rows import crc_of

PLAN = Plan(
    "host",
    "spy://",
    "speedup",
    (Part("speedup", {"n": [10, 20, 30], "mode": ["create", "pool"]}),),
    repetitions=2,
    seed=5,
)
TOTAL = 12
INT64 = np.iinfo(np.int64)


def measured(setting: Setting, samples: int = 50) -> Measurement:
    """The one measurement that this setting gives, whoever asks and whenever."""
    rng = np.random.default_rng(zlib.crc32(f"{setting}".encode()))
    return Measurement(
        benchmark="speedup",
        factors={**setting.factors, "join": "notify"},
        repetition=setting.repetition,
        series=(
            Series("tp", "common", 10**9, rng.integers(INT64.min, INT64.max, samples, endpoint=True)),
            Series("timestamp_overhead.0", "cycles.0", 133_000_000, rng.normal(40, 3, samples).astype(np.int64)),
        ),
        conditions={"cpu": "A53", "governor": "none" if setting.factors.get("n") == 10 else "performance"},
        checks={"repetitions": samples, "lost": 0},
        started="2026-01-01T00:00:00+00:00",
    )


def content(measurement: Measurement) -> tuple[object, ...]:
    """All that a measurement says, in a form that compares."""
    return (
        measurement.benchmark,
        dict(measurement.factors),
        measurement.repetition,
        [(s.name, s.unit, s.clock, s.hz, s.ticks.dtype, s.ticks.tolist()) for s in measurement.series],
        dict(measurement.conditions),
        dict(measurement.checks),
        measurement.started,
    )


def fill(path: Path, plan: Plan = PLAN) -> list[Measurement]:
    """Make a store with one complete run; return its measurements."""
    measurements = [measured(setting) for setting in settings(plan)]
    with Store(path) as opened:
        run_id = opened.create_run(plan, TOTAL)
        for setting, measurement in zip(settings(plan), measurements, strict=True):
            opened.add(run_id, setting, measurement)
    return measurements


def read(path: Path, run_id: int | None = None) -> Run:
    with Store(path) as opened:
        return opened.run(run_id)


def sql(path: Path, statement: str, *values: object) -> list[tuple[object, ...]]:
    """Run a statement as another program would; return its rows."""
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        return db.execute(statement, values).fetchall()


def make_format_1(path: Path) -> None:
    """Make of a store what version 1 of its format would have been."""
    old = {"target": "host", "url": "spy://", "benchmark": "speedup", "levels": PLAN.parts[0].levels, "seed": 5}
    old |= {"repetitions": 2, "simulated": False, "baud": 115200}
    for number, total, started, tool in sql(path, "SELECT id, total, started, tool FROM campaigns"):
        row = (msgspec.json.encode(old).decode(), total, started, tool)
        sql(path, "UPDATE campaigns SET plan = ?, crc = ? WHERE id = ?", row[0], crc_of(row), number)
    for number, conditions, *row in sql(
        path,
        "SELECT measurements.id, json, setting, repetition, benchmark, factors, checks, started"
        " FROM measurements JOIN conditions ON conditions.id = conditions",
    ):
        query = "SELECT name, clock, hz, count, codec, data FROM samples WHERE measurement = ? ORDER BY position"
        samples = sql(path, query, number)
        sql(path, "UPDATE measurements SET crc = ? WHERE id = ?", crc_of(row, [conditions], *samples), number)
    schemas = dict(sql(path, "SELECT name, sql FROM sqlite_master WHERE type = 'table'"))
    older = str(schemas["measurements"]).replace("campaign, benchmark, setting,", "campaign, setting,")
    without_unit = re.sub(r"unit TEXT.*", "", str(schemas["samples"]))
    for statement in (
        older.replace("measurements", "older", 1),
        "INSERT INTO older SELECT * FROM measurements",
        "DROP TABLE measurements",
        "ALTER TABLE older RENAME TO measurements",
        re.sub('"?samples"?', "older", without_unit, count=1),
        "INSERT INTO older SELECT measurement, position, name, clock, hz, count, codec, data FROM samples",
        "DROP TABLE samples",
        "ALTER TABLE older RENAME TO samples",
        "PRAGMA user_version = 1",
    ):
        sql(path, statement)
