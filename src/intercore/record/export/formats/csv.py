"""CSV: the table alone."""

from __future__ import annotations

from typing import IO, TYPE_CHECKING

from intercore.files.replacement import CSV

if TYPE_CHECKING:
    import polars as pl

    from intercore.record.measurement import RunInParts

KIND = CSV
CARRIES_CONDITIONS = False


def write(table: pl.LazyFrame, run: RunInParts, file: IO[bytes]) -> None:  # noqa: ARG001 - a text has no place for more
    """Write the table."""
    table.sink_csv(file)
