"""Stores with made up measurements, to predict from."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from intercore.record.measurement import Measurement, Part, Plan, Series
from intercore.record.plan import Setting
from intercore.record.store import Store

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from intercore.record.measurement import Level

HZ = 10**9
USUAL: Mapping[str, Level] = {"seed": 1, "samples": 50, "opt": "O2"}
CONDITIONS: Mapping[str, str] = {"chip": "made up", "clock.sys_hz": "125000000", "os.kernel": "Linux 6.1"}


def measured(
    benchmark: str,
    series: Mapping[str, Sequence[float]],
    factors: Mapping[str, Level],
    repetition: int = 0,
    conditions: Mapping[str, str] | None = None,
) -> Measurement:
    """A measurement whose series are times in µs."""
    made = [Series(name, "common", HZ, np.array([round(1e3 * us) for us in values])) for name, values in series.items()]
    overhead = Series("timestamp_overhead.0", "common", HZ, np.array([30, 30, 30]))
    return Measurement(
        benchmark,
        {**USUAL, **factors},
        repetition,
        (*made, overhead),
        {**CONDITIONS, **(conditions or {})},
        {},
        "2026-11-22T10:00:00.000Z",
    )


def stored(path: Path, *runs: Iterable[Measurement], simulated: bool = False) -> Store:
    """A store with these runs."""
    store = Store(path)
    for run in runs:
        made = list(run)
        name = made[0].benchmark
        plan = Plan("pico-sim" if simulated else "host", None, name, (Part(name, {}),), simulated=simulated)
        number = store.create_run(plan, len(made))
        for one in made:
            store.add(number, Setting(name, dict(one.factors), one.repetition), one)
    return store
