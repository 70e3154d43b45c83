"""A run as a board with an ESP32 would store it: FAKE, made up so that it holds what the published tables hold.

No number of it was measured. It has the effects behind the tables of seeds 000, 001 and 002, each once: completion
polled on the tick, a main loop that spins, counters of two cores that began 190 ms apart, and such that wrap.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import numpy as np

from intercore.benchmarks import registry
from intercore.benchmarks.published import Publication, published
from intercore.record.measurement import Measurement, Part, Plan, Run, Series

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from intercore.record.measurement import Level, Unit

HZ = 240_000_000
US = HZ // 1_000_000
TICK = HZ // 1000
APART = 190_330 * US
"""By how many cycles core 1's counter began later."""
STARTED = "2026-11-21T10:00:00+00:00"
CONDITIONS = {
    "chip": "FAKE ESP32, made up for tests",
    "cores": "2",
    "tick_hz": "1000",
    "mark": "GPIO4",
    "clock.counter_bits": "32",
    "freertos.version": "FAKE",
}
UNITS: Mapping[str, Unit] = {"core": "core", "begins": "count"}
"""Of the series that are no times."""
COMMON: Mapping[str, Level] = {"samples": 3, "dither_us": 1000, "rest_ms": 0, "seed": 1}


def measurement(
    benchmark: str, factors: Mapping[str, Level], *, clock: str = "common", **series: Sequence[int]
) -> Measurement:
    """A measurement whose series are named with _ for the point in `alone.0`."""
    return Measurement(
        benchmark=benchmark,
        factors={**COMMON, **factors},
        repetition=0,
        series=tuple(
            Series(
                name if "." in name else name.replace("_", "."),
                clock,
                HZ,
                np.array(values, np.int64),
                UNITS.get(name, "tick"),
            )
            for name, values in {"timestamp_overhead.0": [12] * 9, "timestamp_overhead.1": [12] * 9, **series}.items()
            if len(values)
        ),
        conditions=CONDITIONS,
        checks={
            "wrong": 0,
            "migrated": 0,
            "lost": 0,
            "preempted": 0,
            "done": 7,
            "migrations_requested": 0,
            "migrations_done": 0,
        },
        started=STARTED,
    )


def publications(benchmark: str) -> tuple[Publication, ...]:
    """What was published of a benchmark."""
    load_type = registry.benchmark(benchmark).load_publication
    assert load_type is not None
    return published(load_type())


def speedups() -> list[Measurement]:
    """Work of 977 cycles a unit; what polls ends 20 µs before a whole tick, as it began 20 µs behind one."""
    found = []
    for row in publications("speedup")[0].figures.rows:
        t1 = 977 * row.n
        awaited = t1 // 2 + 110 * US + row.n // 2
        polled = (awaited // TICK + 1) * TICK - 20 * US
        for join, tp in (("poll-tick", polled), ("notify", awaited)):
            factors: dict[str, Level] = {"workload": "fp", "mode": "create", "join": join, "n": row.n, "cores": 2}
            noise = np.arange(3) * 7
            found.append(measurement("speedup", factors, t1=(t1 + noise).tolist(), tp=(tp + noise).tolist()))
    return found


def contentions() -> list[Measurement]:
    """The published counts, and one of a main loop that blocks: task1 then has the core."""
    window, tower = 10_000 * TICK, 169 * TICK
    factors: dict[str, Level] = {
        "preset": "qiita-table",
        "yield": "tick",
        "discs": 20,
        "window_ms": 10_000,
        "samples": 1,
    }
    ends: dict[str, list[int]] = {"task0_0": [], "task1_1": [], "main_1": []}
    for number, row in enumerate(publications("contention")[0].figures.rows):
        for name, count in row.by_competitor.items():
            on = f"{name}_{0 if name == 'task0' else 1}"
            ends[on] += [number * window + (i + 1) * (window // (count + 1)) for i in range(count)]
    alone = {"alone_0": [tower] * 5, "alone_1": [tower] * 5}
    alone |= {"tower_0": [tower - TICK // 2] * 5, "tower_1": [tower - TICK // 2] * 5}
    waits = {**factors, "preset": "none", "task0": "off", "task1": "work", "main": "block", "free": 0}
    blocked = [(i + 1) * (tower + TICK // 2) for i in range(59)]
    return [
        measurement(
            "contention", factors | {"task0": "work", "task1": "work", "main": "work", "free": 0}, **alone, **ends
        ),
        measurement("contention", waits, **alone, task1_1=blocked),
    ]


def switches() -> list[Measurement]:
    """12 µs on one core, 14 µs across; with raw counters 190 ms to core 0, and the opposite to core 1."""
    found = []
    for first, second, apart in ((0, 0, 0), (1, 1, 0), (0, 1, -APART), (1, 0, APART)):
        took = (12 if first == second else 14) * US + np.arange(60) % 5 * 11
        for time in ("common", "raw-counter"):
            factors: dict[str, Level] = {
                "primitive": "binary-semaphore",
                "from": first,
                "to": second,
                "target": "idle",
                "time": time,
            }
            raw = took + (apart if time == "raw-counter" else 0)
            clock = "common" if time == "common" else "counter"
            found.append(measurement("switch", factors, clock=clock, switch=raw.tolist(), call=[4 * US] * 60))
    return found


def jitters() -> list[Measurement]:
    """Left alone, moved while it waits, stopped by blockers that do not look, and by two counters of 32 bits."""
    factors: dict[str, Level] = {"core": "0", "load": "none", "period_us": 10_000, "work_us": 0, "counted": 0}
    late = (np.arange(300) % 7 * 30 + 9 * US).tolist()
    overdue = np.array([9, 31_000, 21_000, 11_000]) * US
    return [
        measurement("jitter", factors | {"migrate": "none"}, late=late, core=[0] * 300, begins=[0]),
        measurement("jitter", factors | {"migrate": "blockers"}, late=late, core=[0, 1] * 150, begins=[0]),
        measurement("jitter", factors | {"migrate": "unsynchronised"}, late=overdue.tolist(), core=[1] * 4, begins=[0]),
        raw_jitter(factors | {"migrate": "published", "wake": "kept"}),
    ]


def raw_jitter(factors: Mapping[str, Level]) -> Measurement:
    """1000 releases of a task that changes its core each time, by counters of 32 bits that are 205.36 ms apart."""
    late = np.arange(1001) % 5 * 20 + 9 * US
    core = np.arange(1001) % 2
    counters = np.arange(1001) * 10 * TICK + late + core * 205_360 * US
    raw = np.diff(counters) % 2**32
    found = measurement(
        "jitter",
        factors | {"time": "raw-counter"},
        late=late[1:].tolist(),
        core=core[1:].tolist(),
        begins=[0],
        raw=raw.tolist(),
    )
    series = tuple(msgspec.structs.replace(one, clock="counter") if one.name == "raw" else one for one in found.series)
    return msgspec.structs.replace(
        found, series=series, checks=found.checks | {"migrations_requested": 1000, "migrations_done": 1000}
    )


def run(*, simulated: bool = False, emulated: bool = False) -> Run:
    """All four benchmarks, or those of them that this tree has, as one run of a plan file."""
    makers = {"speedup": speedups, "contention": contentions, "switch": switches, "jitter": jitters}
    taken = [one for name, made in makers.items() if name in registry.names() for one in made()]
    parts = tuple(Part(name, {}) for name in dict.fromkeys(one.benchmark for one in taken))
    plan = Plan("fake-esp32", None, "fake", parts, simulated=simulated, emulated=emulated, file="plans/fake.toml")
    return Run(1, plan, STARTED, "0", len(taken), tuple(taken))
