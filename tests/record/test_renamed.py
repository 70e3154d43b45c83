"""A run that was stored with names of an earlier version shows what it would with those of today."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import numpy as np

from intercore.benchmarks.reports import reports
from intercore.comparison import baseline_file
from intercore.document.run import run_document
from intercore.record.conditions import disagreement, lasting
from intercore.record.measurement import Excluded, Measurement, Part, Plan, Series
from intercore.record.meter_recording import Recording
from intercore.record.plan import Setting, remaining, settings
from intercore.record.store import Store
from tests.record.store_data import PLAN, TOTAL, measured, read

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from intercore.record.measurement import Level, Run

HZ = 125_000_000
SAMPLES = {"samples": 4, "dither_us": 0, "rest_ms": 0, "seed": 1}
CONDITIONS = {"cores": "2", "tick_hz": "1000", "memory.word_bytes": "4", "memory.regions": "sram4 4096 bytes"}
OLD_CONDITIONS = {"cpu": "A53", "desk.faults": "uart-out:flip=1e-4", "desk.link": "/dev/ttyACM0", "desk.tool": "0.1.0"}
NEW_CONDITIONS = {"cpu": "A53", "host.faults": "uart-out:flip=1e-4", "host.link": "/dev/ttyACM0", "host.tool": "0.1.0"}


def jitter(*, old: bool) -> Measurement:
    factors: dict[str, Level] = {
        "core": "any",
        "period_us": 1000,
        "priority": 4,
        "load": "none",
        "migrate": "affinity",
        "counted": 0,
    }
    names = ("asked", "moved") if old else ("migrations_requested", "migrations_done")
    series = {"late": [30, 31, 32, 33], "period": [125_000] * 4}
    wake = {"wake": "anew" if old else "reset"}
    return measurement("jitter", factors | wake, series, dict.fromkeys(names, 4), old=old)


def lock(*, old: bool) -> Measurement:
    factors: dict[str, Level] = {
        "lock": "mutex",
        "from": 0,
        "to": 1,
        "cores": 2,
        "hold": 10,
        "pause": 10,
        "rounds": 32,
        "batch": 100,
    }
    level = {"measure": "hand-over" if old else "hand-off"}
    checks = {"rings_lost" if old else "recovered_doorbells": 1}
    return measurement("lock", factors | level, {"there": [2000] * 4, "back": [1900] * 4}, checks, old=old)


def memory(*, old: bool) -> Measurement:
    factors: dict[str, Level] = {
        "access": "read",
        "region": "sram4",
        "core": 0,
        "bytes": 1024,
        "other": "copy",
        "other_region": "sram4",
    }
    name = "beside" if old else "contended"
    series = {"alone": [900, 1000, 1000, 1100], name: [1000, 1200, 1200, 1300]}
    return measurement("memory", factors | {"mark": name}, series, {}, old=old)


def switch(*, old: bool) -> Measurement:
    factors: dict[str, Level] = {"primitive": "yield", "from": 0, "to": 0, "target": "idle", "time": "common"}
    checks = {"retaken" if old else "repeated_turns": 2}
    return measurement("switch", factors, {"switch": [100] * 4, "call": [20] * 4}, checks, old=old)


def measurement(
    benchmark: str,
    factors: Mapping[str, Level],
    series: Mapping[str, list[int]],
    checks: Mapping[str, int],
    *,
    old: bool,
) -> Measurement:
    overhead = "looking" if old else "timestamp_overhead"
    taken = {f"{overhead}.0": [36] * 9, f"{overhead}.1": [37] * 9, **series}
    return Measurement(
        benchmark,
        {**factors, **SAMPLES},
        0,
        tuple(Series(name, "common", HZ, np.array(ticks, np.int64)) for name, ticks in taken.items()),
        CONDITIONS,
        {"repetitions": 4, "done": 4, "wrong": 0, "migrated": 0, "preempted": 0, "lost": 0, **checks},
        "2026-01-01T00:00:00+00:00",
    )


def stored(path: Path, *, old: bool) -> Run:
    taken = [make(old=old) for make in (jitter, lock, memory, switch)]
    parts = tuple(Part(one.benchmark, {name: [level] for name, level in one.factors.items()}) for one in taken)
    excluded = Excluded("jitter", {"wake": "anew" if old else "reset"}, "not here")
    plan = Plan("pico-sim", None, "suite", parts, simulated=True, excluded=(excluded,))
    with Store(path) as store:
        run_id = store.create_run(plan, len(taken))
        for one in taken:
            store.add(run_id, Setting(one.benchmark, dict(one.factors), 0), one)
        return store.run()


def test_a_run_with_old_names_is_read_with_those_of_today_and_shows_the_same(tmp_path: Path) -> None:
    old, new = (stored(tmp_path / f"{is_old}.db", old=is_old) for is_old in (True, False))
    assert old.plan == new.plan
    assert [known.checks for known in old.measurements] == [known.checks for known in new.measurements]
    shown = [msgspec.json.encode(run_document(reports(msgspec.structs.replace(run, started="")))) for run in (old, new)]
    assert shown[0] == shown[1]


def test_a_run_with_old_names_is_complete_and_its_energy_is_added(tmp_path: Path) -> None:
    run = stored(tmp_path / "old.db", old=True)
    assert not remaining(run)
    with Store(tmp_path / "old.db") as store:
        for one in run.measurements:
            store.set_recording(
                run.id,
                Setting(one.benchmark, dict(one.factors), 0),
                Recording("meter", "sampled", (), missing="unplugged"),
            )
        assert store.run().lacking_energy == len(run.measurements)


def test_a_baseline_with_old_names_is_read_with_those_of_today() -> None:
    head = '{"kind":"intercore baseline","version":2,"tool":"0.1.0","target":"pico-sim","origin":"simulated"}\n'
    line = (
        '{"kind":"series","benchmark":"memory","factors":{"mark":"%s"},"series":"%s",'
        '"unit":"us","n":8,"median":2,"min":1,"max":3}\n'
    )
    old, new = (baseline_file.parse(head + line % (name, name), "baseline") for name in ("beside", "contended"))
    assert baseline_file.text_of(old) == baseline_file.text_of(new)


def test_a_stored_run_has_the_current_names_and_goes_on_under_them(tmp_path: Path) -> None:
    path = tmp_path / "old.db"
    first, second, *_ = settings(PLAN)
    with Store(path) as store:
        number = store.create_run(PLAN, TOTAL)
        store.add(number, first, msgspec.structs.replace(measured(first), conditions=OLD_CONDITIONS))
        store.add(number, second, msgspec.structs.replace(measured(second), conditions=NEW_CONDITIONS))
    earlier, later = read(path).measurements
    assert earlier.conditions == later.conditions == NEW_CONDITIONS
    assert list(earlier.conditions) == sorted(NEW_CONDITIONS)
    assert disagreement(earlier.conditions, later.conditions) == []
    assert lasting(earlier.conditions) == {"cpu": "A53", "host.faults": "uart-out:flip=1e-4"}


def test_a_baseline_of_an_earlier_version_has_the_current_names() -> None:
    text = (
        '{"kind":"intercore baseline","version":2,"tool":"0.1.0","target":"pico-sim","origin":"simulated"}\n'
        '{"kind":"condition","name":"desk.faults","value":"uart-out:flip=1e-4"}\n'
        '{"kind":"series","benchmark":"switch","factors":{"to":1},"series":"switch","unit":"us","n":10,"median":12.5,'
        '"min":12,"max":13}\n'
    )
    (kept,) = baseline_file.parse(text, "old.jsonl").measurements
    assert kept.conditions == {"host.faults": "uart-out:flip=1e-4"}
