"""The table that is exported: one row per sample. docs/export.md says what its columns are."""

from __future__ import annotations

import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec
import numpy as np
import polars as pl
from polars.io.plugins import register_io_source

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from intercore.record.measurement import Measurement, RunInParts, Series

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
COLUMNS = {**_BEFORE, **_AFTER}
"""Those that there are in every export, with their types; those of the factors stand before `repetition`."""

_ROWS = 1 << 16
"""In a piece of the table that is made at once, and a row group of Parquet: 40 MB of a suite's 71 columns."""
_OF_SAMPLES = ("index", "ticks", "ns")
"""Columns that are not the same throughout a series."""


class _Part(NamedTuple):
    """Consecutive samples of a series, in rows of the table that differ in nothing else."""

    same: Mapping[str, Any]
    """What all of its rows have in common, by column."""
    samples: Series
    first: int = 0
    """Index of its first sample in the series."""

    def split(self, count: int) -> tuple[_Part, _Part]:
        """Return its first samples, at most so many, and the rest of them, which may be none."""
        head, rest = (
            msgspec.structs.replace(self.samples, ticks=part) for part in np.split(self.samples.ticks, [count])
        )
        return self._replace(samples=head), self._replace(samples=rest, first=self.first + len(head.ticks))


@contextmanager
def sample_table(run: RunInParts, failed: Callable[[Measurement], bool]) -> Iterator[pl.LazyFrame]:
    """Give every sample of the run, in the order of measuring; `failed` says whether a measurement failed.

    The table is made piece by piece while it is written, so it need not fit into memory. Polars reads the run from a
    thread of its own, and does not any more when the context has ended, whatever ended it.
    """
    factors = _factor_types(run)
    named = {name: f"factor.{name}" if name in COLUMNS else name for name in factors}
    schema = {**_BEFORE, **{named[name]: kind for name, kind in factors.items()}, **_AFTER}

    reading, ended = threading.Lock(), threading.Event()

    def pieces(*_: object) -> Iterator[pl.DataFrame]:  # all columns and rows: nobody selects among them
        found = _pieces(_parts(run, failed, factors, named))
        while True:
            with reading:
                parts = None if ended.is_set() else next(found, None)
            if parts is None:
                break
            yield _frame(parts, schema)

    try:
        yield register_io_source(pieces, schema=schema)
    finally:
        ended.set()
        with reading:  # an interrupt has not waited for the thread
            pass


def _pieces(parts: Iterable[_Part]) -> Iterator[list[_Part]]:
    """Give all samples of the parts, so many at a time as a piece of the table has rows."""
    held: list[_Part] = []
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


def _parts(
    run: RunInParts,
    failed: Callable[[Measurement], bool],
    factors: Mapping[str, type[pl.DataType]],
    named: Mapping[str, str],
) -> Iterator[_Part]:
    """Give every series of the run as one part."""
    for number, measurement in enumerate(run.measurements()):
        levels = {
            named[name]: str(level) if factors[name] is pl.String else level
            for name, level in measurement.factors.items()
        }
        of_measurement = {
            "run": run.id,
            "measurement": number,
            "benchmark": measurement.benchmark,
            **levels,
            "repetition": measurement.repetition,
            "simulated": run.plan.simulated,
            "emulated": run.plan.emulated,
            "target": run.plan.target,
            "failed": failed(measurement),
        }
        for series in measurement.series:
            of_series = {"series": series.name, "unit": series.unit, "clock": series.clock, "hz": series.hz}
            yield _Part({**of_measurement, **of_series}, series)


def _frame(parts: Sequence[_Part], schema: Mapping[str, type[pl.DataType]]) -> pl.DataFrame:
    """Return the rows of some parts."""
    same = {name: kind for name, kind in schema.items() if name not in _OF_SAMPLES}
    rows = pl.DataFrame({name: [part.same.get(name) for part in parts] for name in same}, schema=same)
    counts = [len(part.samples.ticks) for part in parts]
    columns = [
        pl.Series("index", _joined([np.arange(part.first, part.first + len(part.samples.ticks)) for part in parts])),
        pl.Series("ticks", _joined([part.samples.ticks for part in parts])),
        pl.Series("ns", _joined([_ns(part.samples) for part in parts]), pl.Float64, nan_to_null=True),
    ]
    return rows[np.repeat(np.arange(len(parts)), counts)].with_columns(columns).select(schema.keys())


def _joined(arrays: Sequence[NDArray[Any]]) -> NDArray[Any]:
    return np.concatenate([np.zeros(0, np.int64), *arrays])  # not nothing at all, of which there is no array


def _ns(samples: Series) -> NDArray[np.float64]:
    """Return the samples in ns; not a number where they are no times."""
    return samples.ns if samples.is_time else np.full(len(samples.ticks), np.nan)


def _factor_types(run: RunInParts) -> dict[str, type[pl.DataType]]:
    """Return every factor with the type of its column: integers if all its levels are, else text."""
    types: dict[str, type[pl.DataType]] = {}
    for measurement in run.headers():
        for name, level in measurement.factors.items():
            types.setdefault(name, pl.Int64)
            if isinstance(level, str):
                types[name] = pl.String
    return types
