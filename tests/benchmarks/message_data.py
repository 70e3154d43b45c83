"""Measurements of the benchmark `message` with known truth: what a target would send if a message took so long."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from intercore.record.measurement import Measurement, Part, Plan, Run, Series

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from intercore.record.measurement import Level

HZ = 1_000_000_000
SIZES = (4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096)
FACTORS: Mapping[str, Level] = {
    "transport": "ring",
    "measure": "latency",
    "size": 64,
    "from": 0,
    "to": 1,
    "region": "sram-striped",
    "receiver": "polling",
    "load": "none",
    "messages": 64,
    "samples": 100,
    "dither_us": 1000,
    "rest_ms": 0,
    "seed": 1,
}


def measurement(
    us: Sequence[float] | np.ndarray[tuple[int, ...], np.dtype[np.float64]],
    *,
    hz: int = HZ,
    checks: Mapping[str, int] | None = None,
    conditions: Mapping[str, str] | None = None,
    repetition: int = 0,
    started: str = "2026-11-21T10:00:00.000+00:00",
    **factors: Level,
) -> Measurement:
    """One measurement whose messages took `us` each; of a stream, its share of the window."""
    known = {**FACTORS, **{name.rstrip("_"): level for name, level in factors.items()}}
    streams = known["measure"] == "throughput"
    times = np.asarray(us, dtype=np.float64) * (int(known["messages"]) if streams else 1)
    ticks = np.rint(times * hz / 1e6).astype(np.int64)
    series = [Series("window" if streams else "latency", "common", hz, ticks)]
    if not streams:
        series.append(Series("send", "common", hz, ticks // 2))
    return Measurement(
        benchmark="message",
        factors=known,
        repetition=repetition,
        series=(*series, Series("timestamp_overhead.0", "common", hz, np.array([40] * 9, np.int64))),
        conditions={"memory.word_bytes": "4", **(conditions or {})},
        checks={"checked": len(ticks), "wrong": 0, "lost": 0, **(checks or {})},
        started=started,
    )


def line(alpha: float, beta_ns: float) -> Callable[[int], float]:
    """Return what a message takes in µs by its size."""
    return lambda size: alpha + beta_ns * size / 1e3


def campaign(
    time_us: Callable[[int], float],
    sizes: Iterable[int] = SIZES,
    *,
    noise: float = 0.0,
    size_noise: float = 0.0,
    count: int = 100,
    rng: np.random.Generator | None = None,
    **factors: Level,
) -> list[Measurement]:
    """Measurements of messages that take `time_us` of their size.

    Each sample differs from that by a normal fraction of standard deviation `noise`, all of a size by `size_noise`.
    """
    rng = rng or np.random.default_rng(1)
    made = []
    for size in sizes:
        middle = time_us(size) * (1 + size_noise * rng.normal())
        made.append(measurement(middle * (1 + noise * rng.normal(size=count)), size=size, **factors))
    return made


def run_of(measurements: Sequence[Measurement], *, number: int = 1, simulated: bool = False) -> Run:
    plan = plan_of(measurements, simulated=simulated)
    return Run(number, plan, "2026-11-21T10:00:00+00:00", "0", len(measurements), tuple(measurements))


def plan_of(measurements: Sequence[Measurement], *, simulated: bool = False) -> Plan:
    levels: dict[str, list[Level]] = {}
    for one in measurements:
        for name, level in one.factors.items():
            if level not in levels.setdefault(name, []):
                levels[name].append(level)
    parts = (Part("message", levels),)
    return Plan("pico-sim" if simulated else "host", None, "message", parts, simulated=simulated)
