"""Rows of the store: what a measurement and its samples are as columns, and the check sums over these."""

from __future__ import annotations

import zlib
from contextlib import contextmanager
from functools import lru_cache
from typing import TYPE_CHECKING, Annotated, Any, Literal

import msgspec
import numpy as np

from intercore.files.bounds import CONDITIONS_TEXT, SERIES_SAMPLES
from intercore.record import renamed
from intercore.record.explanation import Explanation
from intercore.record.measurement import Level, Measurement, Series, Unit
from intercore.record.plan import Setting

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_Natural = Annotated[int, msgspec.Meta(ge=0)]


class DamagedError(Exception):
    """Rows that are not what was stored: a clause about what they stand for."""


@contextmanager
def reading() -> Iterator[None]:
    """Turn whatever an untrusted row can raise into a DamagedError, in words that do not depend on the library."""
    try:
        yield
    except msgspec.MsgspecError:
        raise DamagedError("a column holds something other than what Intercore stores there") from None
    except zlib.error:
        raise DamagedError("the samples cannot be unpacked") from None
    except (ValueError, OverflowError):
        raise DamagedError("a value is out of range") from None


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


def unpacked(row: tuple[Any, ...]) -> Series:
    """Return the series of a row of the table `samples`, within `reading`. Raises DamagedError for one that is none."""
    samples = msgspec.convert(row, _Samples)
    if samples.count > SERIES_SAMPLES.most:
        raise DamagedError(f"series {samples.name} states a count of more than {SERIES_SAMPLES}")
    size = 8 * samples.count
    inflate = zlib.decompressobj()
    data = inflate.decompress(samples.data, size + 1)  # bounded, whatever the blob would grow to; 0 means no bound
    if len(data) != size or not inflate.eof:
        raise DamagedError(f"series {samples.name} does not hold {samples.count} samples")
    ticks = np.cumsum(np.frombuffer(data, "<i8"), dtype=np.int64)
    return Series(samples.name, samples.clock, samples.hz, ticks, samples.unit)


def measurement_of(row: list[Any], conditions: object, samples: list[tuple[Any, ...]]) -> Measurement:
    """Return a measurement of its row, its conditions and the rows of its samples.

    Raises DamagedError for rows that are none, or within `reading` what becomes one.
    """
    setting, repetition, benchmark, factors, checks, started = msgspec.convert(
        row, tuple[str, _Natural, str, str, str, str]
    )
    measurement = Measurement(
        benchmark=benchmark,
        factors=_levels(benchmark, factors),
        repetition=repetition,
        series=tuple(renamed.series(benchmark, unpacked(sample)) for sample in samples),
        conditions=_conditions(msgspec.convert(conditions, str)),
        checks=renamed.checks(msgspec.json.decode(checks, type=dict[str, int])),
        started=started,
    )
    if not is_of(measurement, Setting(benchmark, _levels(benchmark, setting), repetition)):
        raise DamagedError(f"the stored factors {factors} are not those of the stored setting {setting}")
    return measurement


def _levels(benchmark: str, text: str) -> dict[str, Level]:
    return renamed.levels(benchmark, msgspec.json.decode(text, type=dict[str, Level]))


def explanation_of(text: object) -> Explanation:
    """Return what is stored of a sample, within `reading`. Raises DamagedError if its parts are not all of it."""
    found = msgspec.json.decode(msgspec.convert(text, str), type=Explanation)
    if sum(part.cycles for part in found.parts) != found.cycles:
        raise DamagedError("the parts of a sample do not add up to it")
    return found


@lru_cache(maxsize=16)
def _conditions(text: str) -> dict[str, str]:
    """Parse conditions, once for all measurements that share the text."""
    if len(text) > CONDITIONS_TEXT.most:
        raise DamagedError(f"the conditions are larger than {CONDITIONS_TEXT}")
    return renamed.conditions(msgspec.json.decode(text, type=dict[str, str]))


def is_of(measurement: Measurement, setting: Setting) -> bool:
    """Whether the measurement is of this setting: its factors include the setting's, plus defaults."""
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
    """Raise DamagedError if a stored check sum is not that of what was read."""
    if stored != computed:
        raise DamagedError("the check sum is wrong")
