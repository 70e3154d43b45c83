"""Parquet: the table, and the run's plan, conditions and tool as metadata of the file."""

from __future__ import annotations

from typing import IO, TYPE_CHECKING

import msgspec

from intercore.files.replacement import PARQUET
from intercore.record.plan import canonical

if TYPE_CHECKING:
    import polars as pl

    from intercore.record.measurement import RunInParts

KIND = PARQUET
CARRIES_CONDITIONS = True


def write(table: pl.LazyFrame, run: RunInParts, file: IO[bytes]) -> None:
    """Write the table, with its metadata."""
    table.sink_parquet(file, metadata=_metadata(run))


def _metadata(run: RunInParts) -> dict[str, str]:
    """Return the metadata of the file. Measurements under equal conditions share an entry."""
    groups: dict[str, list[int]] = {}
    for number, measurement in enumerate(run.headers()):
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
