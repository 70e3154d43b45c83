"""Activations made up for the analysis and the report of jitter."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from intercore.record.measurement import Measurement, Series
from intercore.statistics.histogram import bin_bounds

if TYPE_CHECKING:
    from collections.abc import Sequence

HZ = 125_000_000


def measurement(
    late: Sequence[int],
    *,
    core_series: Sequence[int] = (),
    begins: Sequence[int] = (0,),
    more: dict[str, Sequence[int]] | None = None,
    checks: dict[str, int] | None = None,
    **factors: int | str,
) -> Measurement:
    """Return what a target sends; latencies are in cycles of 8 ns."""
    series = {"late": late, "core": core_series, "begins": begins, **(more or {})}
    return Measurement(
        benchmark="jitter",
        factors={"core": "0", "load": "none", "migrate": "none", "period_us": 10_000, "seed": 1, **factors},
        repetition=0,
        series=tuple(Series(name, "common", HZ, np.array(ticks, np.int64)) for name, ticks in series.items() if ticks),
        conditions={},
        checks={"wrong": 0, "migrated": 0, "lost": 0, **(checks or {})},
        started="",
    )


def counted(values: Sequence[int], deviations: Sequence[int]) -> dict[str, Sequence[int]]:
    """Return the series that a target sends of a long run."""
    low, high = bin_bounds(896)

    def bins(of: Sequence[int]) -> list[int]:
        numbers = np.searchsorted(high, of)
        return np.bincount(numbers).tolist() if len(numbers) else []

    assert low[0] == 0
    return {
        "late.counts": bins(values),
        "longer.counts": bins([one for one in deviations if one >= 0]),
        "shorter.counts": bins([-one for one in deviations if one < 0]),
        "extremes": [min(values), max(values), min(deviations), max(deviations)],
    }
