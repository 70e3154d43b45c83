"""The exported table, made in pieces: docs/export.md describes its columns."""

from __future__ import annotations

import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, cast

import polars as pl
from polars.io.plugins import register_io_source

from intercore.record.export import columns, frames

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from intercore.record.export.columns import SeriesPart
    from intercore.record.measurement import Measurement, RunInParts

_ROWS = 1 << 16
"""In a piece of the table that is made at once, and a row group of Parquet: 40 MB of a suite's 71 columns."""


@contextmanager
def sample_table(run: RunInParts, failed: Callable[[Measurement], bool]) -> Iterator[pl.LazyFrame]:
    """Give every sample of the run, in the order of measuring; `failed` says whether a measurement failed.

    The table is made piece by piece while it is written, so it need not fit into memory. Polars reads the run in a
    separate thread, which stops reading when the context ends.
    """
    factors = columns.factor_kinds(run.headers())
    kinds = columns.columns(factors)

    reading, ended = threading.Lock(), threading.Event()

    def pieces(*_: object) -> Iterator[pl.DataFrame]:  # all columns and rows: no selection
        found = _pieces(columns.series_parts(run, failed, factors))
        while True:
            with reading:
                parts = None if ended.is_set() else next(found, None)
            if parts is None:
                break
            yield cast("pl.DataFrame", frames.of_samples(parts, kinds, "polars"))

    try:
        yield register_io_source(pieces, schema={name: getattr(pl, kind) for name, kind in kinds.items()})
    finally:
        ended.set()
        with reading:  # an interrupt has not waited for the thread
            pass


def _pieces(parts: Iterable[SeriesPart]) -> Iterator[list[SeriesPart]]:
    """Give all samples of the parts, so many at a time as a piece of the table has rows."""
    held: list[SeriesPart] = []
    room = _ROWS
    for part in parts:
        rest = part
        while len(rest.samples.ticks):
            head, rest = rest.split(room)
            held.append(head)
            room -= len(head.samples.ticks)
            if not room:
                yield held
                held, room = [], _ROWS
    yield held
