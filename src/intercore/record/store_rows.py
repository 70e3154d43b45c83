"""Rows of the store: what a measurement and its samples are as columns, and the check sums over these."""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING, Annotated, Any, Literal

import msgspec
import numpy as np

from intercore.record.measurement import Level, Measurement, Series, Unit
from intercore.record.plan import Setting

if TYPE_CHECKING:
    from collections.abc import Sequence

_Natural = Annotated[int, msgspec.Meta(ge=0)]


class _Samples(msgspec.Struct, array_like=True, frozen=True):
    """A row of the table `samples`, less where it belongs."""

    name: str
    unit: Unit
    clock: str
    hz: Annotated[int, msgspec.Meta(ge=1)]
    count: _Natural
    codec: Literal["delta-int64le-zlib"]
    data: bytes


def packed(series: Series) -> tuple[str, str, str, int, int, str, bytes]:
    """Return a series as a row of the table `samples`, less where it belongs."""
    # Differences compress better than values. They wrap around in 64 bits, and so does the sum that undoes them.
    deltas = np.diff(series.ticks, prepend=np.int64(0)).astype("<i8", casting="safe")
    data = zlib.compress(deltas.tobytes(), level=1)
    return series.name, series.unit, series.clock, series.hz, len(series.ticks), "delta-int64le-zlib", data


def _unpack(row: tuple[Any, ...]) -> Series:
    samples = msgspec.convert(row, _Samples)
    size = 8 * samples.count
    inflate = zlib.decompressobj()
    data = inflate.decompress(samples.data, size + 1)  # bounded, whatever the blob would grow to; 0 means no bound
    if len(data) != size or not inflate.eof:
        raise ValueError(f"series {samples.name} does not hold {samples.count} samples")
    ticks = np.cumsum(np.frombuffer(data, "<i8"), dtype=np.int64)
    return Series(samples.name, samples.clock, samples.hz, ticks, samples.unit)


def measurement_of(row: list[Any], conditions: object, samples: list[tuple[Any, ...]]) -> Measurement:
    """Return a measurement of its row, its conditions and the rows of its samples.

    Raises ValueError, MsgspecError, zlib.error or OverflowError for rows that are none.
    """
    setting, repetition, benchmark, factors, checks, started = msgspec.convert(
        row, tuple[str, _Natural, str, str, str, str]
    )
    measurement = Measurement(
        benchmark=benchmark,
        factors=msgspec.json.decode(factors, type=dict[str, Level]),
        repetition=repetition,
        series=tuple(_unpack(sample) for sample in samples),
        conditions=msgspec.json.decode(msgspec.convert(conditions, str), type=dict[str, str]),
        checks=msgspec.json.decode(checks, type=dict[str, int]),
        started=started,
    )
    if not is_of(measurement, Setting(benchmark, msgspec.json.decode(setting, type=dict[str, Level]), repetition)):
        raise ValueError(f"its factors {factors} are not those of its setting {setting}")
    return measurement


def is_of(measurement: Measurement, setting: Setting) -> bool:
    """Whether the measurement is one of this setting: its factors hold the setting's, and defaults besides."""
    return (measurement.benchmark, measurement.repetition) == (
        setting.benchmark,
        setting.repetition,
    ) and setting.factors.items() <= dict(measurement.factors).items()


def crc_of(*rows: Sequence[object]) -> int:
    """CRC-32 over every column of the rows: blobs as they are, what stands between them as JSON."""
    crc = 0
    for row in rows:
        crc = zlib.crc32(msgspec.json.encode([value for value in row if not isinstance(value, bytes)]), crc)
        for value in row:
            if isinstance(value, bytes):
                crc = zlib.crc32(value, crc)
    return crc


def check_crc(stored: int, computed: int) -> None:
    """Raise ValueError if a stored check sum is not that of what was read."""
    if stored != computed:
        raise ValueError("its check sum is wrong")
