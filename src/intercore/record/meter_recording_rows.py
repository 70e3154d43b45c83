"""Recordings of meters as rows of the store: whole numbers, compressed, with what is to be known of them as JSON.

Their tables come into a store with the first recording (`store_format`): one without has never seen a meter.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np

from intercore.record.measurement import Series
from intercore.record.meter_recording import Activity, Besides, Currents, Kind, Reading, Recording, Trace, Window
from intercore.record.store_rows import packed, unpacked

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from numpy.typing import NDArray

TABLES = (
    """CREATE TABLE IF NOT EXISTS recordings (
        measurement INTEGER PRIMARY KEY REFERENCES measurements,
        whole INTEGER NOT NULL, -- 0 where energy is missing
        head TEXT NOT NULL,     -- JSON of all but samples
        crc INTEGER NOT NULL    -- CRC-32 of whole, head and the samples
    ) STRICT""",
    """CREATE TABLE IF NOT EXISTS readings (
        measurement INTEGER NOT NULL REFERENCES recordings,
        position INTEGER NOT NULL,
        name TEXT NOT NULL,     -- what was sampled, and in which unit: current_na
        unit TEXT NOT NULL,
        clock TEXT NOT NULL,
        hz INTEGER NOT NULL,
        count INTEGER NOT NULL,
        codec TEXT NOT NULL,
        data BLOB NOT NULL,
        PRIMARY KEY (measurement, position)
    ) STRICT""",
)
_SCALES = {"seconds": ("time_ns", 1e9), "amps": ("current_na", 1e9), "volts": ("voltage_uv", 1e6)}
_SCALES |= {"watts": ("power_nw", 1e9), "widths": ("width_ns", 1e9)}
_MARK = "mark"


class _Head(msgspec.Struct, frozen=True):
    """All of a recording but its samples."""

    meter: str
    kind: Kind
    windows: tuple[Window, ...]
    readings: tuple[Reading, ...]
    activity: tuple[Activity, ...]
    currents: Currents | None
    besides: tuple[Besides, ...]
    missing: str


def head_of(recording: Recording) -> str:
    """Return all of a recording but its samples as JSON."""
    names = _Head.__struct_fields__
    return msgspec.json.encode(_Head(**{name: getattr(recording, name) for name in names})).decode()


def samples_of(recording: Recording) -> list[tuple[str, str, str, int, int, str, bytes]]:
    """Return its samples as rows of the table `readings`, less where they belong; finer than any meter."""
    return [packed(series) for series in _series(recording.trace)]


def recording_of(head: object, samples: Iterable[Sequence[Any]]) -> Recording:
    """Return a recording of its rows. Raises what `intercore.record.store_rows.reading` turns into a DamagedError."""
    known = msgspec.json.decode(msgspec.convert(head, str), type=_Head)
    trace = _trace([unpacked(tuple(row)) for row in samples])
    return Recording(**msgspec.structs.asdict(known), trace=trace)


def _series(trace: Trace | None) -> Iterator[Series]:
    if trace is None:
        return
    for field, (name, scale) in _SCALES.items():
        values: NDArray[np.float64] | None = getattr(trace, field)
        if values is not None:
            yield Series(name, "meter", 1, np.rint(values * scale).astype(np.int64), "count")
    if trace.mark is not None:
        yield Series(_MARK, "meter", 1, trace.mark.astype(np.int64), "count")


def _trace(series: Sequence[Series]) -> Trace | None:
    if not series:
        return None
    known = {one.name: one.ticks for one in series}
    fields = {field: known[name] / scale for field, (name, scale) in _SCALES.items() if name in known}
    if "seconds" not in fields or len({len(values) for values in known.values()}) != 1:
        raise ValueError("the columns of a meter's recording do not fit together")
    return Trace(**fields, mark=known[_MARK] != 0 if _MARK in known else None)
