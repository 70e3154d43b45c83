"""Measurements of the benchmark `switch` with known truth, in ticks of a clock of 125 MHz."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

import numpy as np

from intercore.benchmarks.switch.analysis import analyse
from intercore.benchmarks.switch.results import results
from intercore.finding import Finding
from intercore.record.measurement import Measurement, Part, Plan, Run, Series

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from intercore.record.measurement import Level

Kind = TypeVar("Kind", bound=Finding)

HZ = 125_000_000
US = HZ // 1_000_000


def measurement(
    ticks: Sequence[int],
    call: Sequence[int] = (600, 601),
    *,
    checks: Mapping[str, int] | None = None,
    conditions: Mapping[str, str] | None = None,
    extra: Mapping[str, Sequence[int]] | None = None,
    overhead: int = 46,
    **factors: Level,
) -> Measurement:
    known: dict[str, Level] = {
        "primitive": "notification", "from": 0, "to": 1, "target": "idle", "time": "common",
        "samples": len(ticks), "seed": 1,
    }  # fmt: skip
    known |= {name.removesuffix("_"): level for name, level in factors.items()}
    clock = "common" if known["time"] == "common" else "counter"
    values = {
        "timestamp_overhead.0": [overhead] * 9,
        "timestamp_overhead.1": [overhead] * 9,
        "switch": ticks,
        "call": call,
        **(extra or {}),
    }
    return Measurement(
        benchmark="switch",
        factors=known,
        repetition=0,
        series=tuple(
            Series(name, "simulator" if name == "true" else clock, HZ, np.array(numbers, np.int64))
            for name, numbers in values.items()
        ),
        conditions=conditions or {},
        checks=checks or {},
        started="",
    )


def run(*measurements: Measurement, simulated: bool = False) -> Run:
    plan = Plan("pico-sim" if simulated else "pico", None, "switch", (Part("switch", {}),), simulated=simulated)
    return Run(1, plan, "2026-01-01T00:00:00+00:00", "0", len(measurements), measurements)


SAME = [1200 + step % 3 for step in range(60)]
ACROSS = [2400 + step % 3 for step in range(60)]
FOUR = (
    measurement(SAME, from_=0, to=0),
    measurement(SAME, from_=1, to=1),
    measurement(ACROSS, from_=0, to=1),
    measurement(ACROSS, from_=1, to=0),
)


def found_in(*measurements: Measurement, kind: type[Kind] = Finding) -> list[Kind]:  # type: ignore[assignment]
    """Return the results of measurements that are of a kind."""
    return [one for one in results(analyse(measurements), measurements) if isinstance(one, kind)]
