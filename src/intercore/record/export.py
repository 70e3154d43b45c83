"""Export of a run's raw samples for other tools: Parquet and CSV, one row per sample.

Columns: `run`, `measurement` (from 0, in the order of measuring), `benchmark`, one for each factor, `repetition`,
`series`, `index` (of the sample in its series, from 0), `ticks` (the sample as it came, in its unit), `unit` (`tick`,
`moment`, `count` or `core`: see docs/protocol.md), `clock`, `hz` (ticks per second), `ns` (null for counts and cores),
`simulated`, `emulated` (then times mean nothing), `target`, `failed` (the target's own checks failed: do not use the
sample as a result). A factor whose name is one of these is called `factor.<name>`. A factor that a measurement does not
have is null there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import numpy as np
import polars as pl

from intercore.errors import IntercoreError, UsageError
from intercore.record.plan import canonical
from intercore.replacement import replacement

if TYPE_CHECKING:
    from pathlib import Path

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
_FATAL_CHECKS = ("wrong", "migrated", "lost")  # docs/protocol.md: `status` is `failed` when one of them is not 0


def export(run: Run, path: Path) -> None:
    """Write every sample of the run to `path`, as Parquet or CSV by its suffix (`.parquet`, `.csv`).

    Parquet also carries the run's plan, conditions and tool as metadata of the file. An existing file is replaced
    only when the new one is complete.

    Raises UsageError for another suffix or a run without measurements, IntercoreError if the file cannot be written.
    """
    suffix = path.suffix.lower()
    if suffix not in {".parquet", ".csv"}:
        raise UsageError(f"cannot export to {path}: its name must end in .parquet or .csv")
    if not run.measurements:
        raise UsageError(f"run {run.id} has no measurement to export yet; go on with --resume")
    table = _table(run)
    try:
        with replacement(path) as file:
            if suffix == ".parquet":
                table.write_parquet(file, metadata=_metadata(run))
            else:
                table.write_csv(file)
    except pl.exceptions.PolarsError as error:
        raise IntercoreError(f"cannot write {path}: {error}; free space or choose another place") from error


def _table(run: Run) -> pl.DataFrame:
    factors = _factor_types(run.measurements)
    named = {name: f"factor.{name}" if name in _BEFORE or name in _AFTER else name for name in factors}
    schema = {**_BEFORE, **{named[name]: kind for name, kind in factors.items()}, **_AFTER}
    parts = [pl.DataFrame(schema=schema)]
    for number, measurement in enumerate(run.measurements):
        failed = any(measurement.checks.get(check) for check in _FATAL_CHECKS)
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
                "failed": failed,
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


def _metadata(run: Run) -> dict[str, str]:
    """Return what does not fit in a column. Measurements under equal conditions share an entry."""
    groups: dict[str, list[int]] = {}
    for number, measurement in enumerate(run.measurements):
        groups.setdefault(canonical(measurement.conditions), []).append(number)
    conditions = [
        {"measurements": numbers, "conditions": msgspec.Raw(text.encode())} for text, numbers in groups.items()
    ]
    return {
        "intercore.run": str(run.id),
        "intercore.started": run.started,
        "intercore.tool": run.tool,
        "intercore.plan": msgspec.json.encode(run.plan).decode(),
        "intercore.conditions": msgspec.json.encode(conditions).decode(),
    }
