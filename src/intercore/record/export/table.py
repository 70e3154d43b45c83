"""The table that is exported: one row per sample.

Columns: `run`, `measurement` (from 0, in the order of measuring), `benchmark`, one for each factor, `repetition`,
`series`, `index` (of the sample in its series, from 0), `ticks` (the sample as it came, in its unit), `unit` (`tick`,
`moment`, `count` or `core`: see docs/protocol.md), `clock`, `hz` (ticks per second), `ns` (null for counts and cores),
`simulated`, `emulated` (then times mean nothing), `target`, `failed` (the target's own checks failed, or samples of the
measurement cannot be: do not use the sample as a result). A factor whose name is one of these is called
`factor.<name>`. A factor that a measurement does not have is null there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl

if TYPE_CHECKING:
    from collections.abc import Collection

    from intercore.record.measurement import Measurement, Run

_BEFORE: dict[str, type[pl.DataType]] = {"run": pl.Int64, "measurement": pl.Int64, "benchmark": pl.String}
_AFTER: dict[str, type[pl.DataType]] = {
    "repetition": pl.Int64,
    "series": pl.String,
    "index": pl.Int64,
    "ticks": pl.Int64,
    "unit": pl.String,
    "clock": pl.String,
    "hz": pl.Int64,
    "ns": pl.Float64,
    "simulated": pl.Boolean,
    "emulated": pl.Boolean,
    "target": pl.String,
    "failed": pl.Boolean,
}


def sample_table(run: Run, failed: Collection[int]) -> pl.DataFrame:
    """Return every sample of the run, in the order of measuring; `failed` are numbers of measurements that failed."""
    factors = _factor_types(run.measurements)
    named = {name: f"factor.{name}" if name in _BEFORE or name in _AFTER else name for name in factors}
    schema = {**_BEFORE, **{named[name]: kind for name, kind in factors.items()}, **_AFTER}
    parts = [pl.DataFrame(schema=schema)]
    for number, measurement in enumerate(run.measurements):
        levels = {
            named[name]: str(level) if factors[name] is pl.String else level
            for name, level in measurement.factors.items()
        }
        for series in measurement.series:
            columns = {
                "run": run.id,
                "measurement": number,
                "benchmark": measurement.benchmark,
                **dict.fromkeys(named.values()),
                **levels,
                "repetition": measurement.repetition,
                "series": series.name,
                "index": np.arange(len(series.ticks)),
                "ticks": series.ticks,
                "unit": series.unit,
                "clock": series.clock,
                "hz": series.hz,
                "ns": series.ns if series.is_time else None,
                "simulated": run.plan.simulated,
                "emulated": run.plan.emulated,
                "target": run.plan.target,
                "failed": number in failed,
            }
            parts.append(pl.DataFrame(columns, schema=schema))
    return pl.concat(parts)


def _factor_types(measurements: tuple[Measurement, ...]) -> dict[str, type[pl.DataType]]:
    """Return every factor with the type of its column: integers if all its levels are, else text."""
    types: dict[str, type[pl.DataType]] = {}
    for measurement in measurements:
        for name, level in measurement.factors.items():
            types.setdefault(name, pl.Int64)
            if isinstance(level, str):
                types[name] = pl.String
    return types
