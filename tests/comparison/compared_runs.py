"""Runs made up for comparing: what was measured, on which target."""

from __future__ import annotations

from collections import Counter
from itertools import count
from typing import TYPE_CHECKING

import msgspec
import numpy as np

from intercore.record.measurement import Measurement, Part, Plan, Run, Series
from intercore.record.plan import canonical

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from intercore.record.measurement import Level

_numbers = count(1)


def measured(
    ticks: Sequence[int],
    benchmark: str = "switch",
    series: str = "switch",
    conditions: Mapping[str, str] | None = None,
    **factors: Level,
) -> Measurement:
    factors = {name.rstrip("_"): level for name, level in factors.items()}
    of = Series(series, "common", 10**6, np.array(ticks))  # ticks of a microsecond
    overhead = Series("timestamp_overhead.0", "common", 10**6, np.array([1, 1, 1]))
    return Measurement(benchmark, factors, 0, (of, overhead), conditions or {}, {}, "2026-01-01T00:00:00Z")


def run(target: str, *measurements: Measurement, simulated: bool = True) -> Run:
    parts = tuple(Part(name, {}) for name in dict.fromkeys(one.benchmark for one in measurements))
    plan = Plan(target, None, "x", parts, simulated=simulated)
    return Run(next(_numbers), plan, "2026-01-01T00:00:00+00:00", "0", len(measurements), measurements)


def in_runs(measured_run: Run) -> Run:
    """The same with each repetition of a setting in a run of its own."""
    seen: Counter[str] = Counter()
    made = []
    for one in measured_run.measurements:
        key = canonical({**one.factors, "benchmark": one.benchmark})
        seen[key] += 1
        made.append(msgspec.structs.replace(one, run=f"{measured_run.id}.{seen[key]}"))
    return msgspec.structs.replace(measured_run, measurements=tuple(made))
