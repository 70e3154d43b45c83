"""The series of every benchmark as the firmware sends them, and what of them may be 0 or below."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from intercore.benchmarks import registry
from intercore.record.measurement import Measurement, Series, Unit

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from intercore.record.measurement import Level


class Kind(NamedTuple):
    """A series of a benchmark as the firmware sends it."""

    benchmark: str
    name: str
    unit: Unit = "tick"
    clock: str = "common"
    zero: bool = False
    """Whether each sample may be 0."""
    negative: bool = False
    """Whether each may be below."""
    factors: Mapping[str, Level] = {}

    def __str__(self) -> str:
        return f"{self.benchmark}-{self.name}-{self.clock}"

    def measured(self, values: Sequence[int], hz: int = 10**9, **conditions: str) -> Measurement:
        series = Series(self.name, self.clock, hz, np.array(values, np.int64), self.unit)
        known = {"cores": "2", **conditions}
        return Measurement(self.benchmark, self.factors, 0, (series,), known, {}, "2026-01-01T00:00:00+00:00")


ALL = (
    Kind("speedup", "t1", factors={"n": 1000}),
    Kind("speedup", "tp", factors={"n": 1000, "cores": 2}),
    Kind("speedup", "timestamp_overhead.0"),
    Kind("contention", "alone.0"),
    Kind("contention", "tower.0"),
    Kind("contention", "task0.0", "moment"),
    Kind("contention", "ran0.0", "count", zero=True),
    Kind("contention", "moved0", "count", zero=True),
    Kind("switch", "switch"),
    Kind("switch", "switch", clock="counter", zero=True, negative=True),
    Kind("switch", "call"),
    Kind("switch", "before.at", "moment", "counter"),
    Kind("switch", "before.there", clock="counter", zero=True, negative=True),
    Kind("switch", "after.back", clock="counter", zero=True, negative=True),
    Kind("jitter", "late", zero=True, negative=True),
    Kind("jitter", "extremes", zero=True, negative=True),
    Kind("jitter", "period"),
    Kind("jitter", "raw", clock="counter", zero=True, negative=True),
    Kind("jitter", "core", "core", zero=True),
    Kind("jitter", "begins", "count", zero=True),
    Kind("jitter", "late.counts", "count", zero=True),
    Kind("irq", "latency"),
    Kind("api", "call", factors={"batch": 8}),
    Kind("rhealstone", "time"),
    Kind("threadmetric", "count", "count", zero=True),
    Kind("threadmetric", "window"),
    Kind("hartstone", "response.0"),
    Kind("hartstone", "missed.0", "count", zero=True),
    Kind("hartstone", "alone"),
    Kind("lock", "there"),
    Kind("lock", "bout", factors={"rounds": 32}),
    Kind("lock", "round_trips", factors={"batch": 100}),
    Kind("lock", "taken.0", "moment"),
    Kind("memory", "alone", factors={"bytes": 65536}),
    Kind("message", "latency"),
    Kind("message", "round_trip"),
    Kind("message", "send"),
    Kind("message", "window", factors={"messages": 100, "size": 16}),
    Kind("clock", "interval"),
    Kind("clock", "common.0", "moment"),
    Kind("launch", "launch"),
    Kind("launch", "call"),
    Kind("outage", "longest"),
    Kind("outage", "missed", "count", zero=True),
    Kind("outage", "write"),
    Kind("outage", "gave_up", "count", zero=True),
    Kind("novel", "time"),
)
KINDS = tuple(one for one in ALL if one.benchmark in (*registry.names(), "novel"))
"""Of the benchmarks that there are, and of one that this tool does not know."""
TIMES = [one for one in KINDS if one.unit in ("tick", "moment")]
