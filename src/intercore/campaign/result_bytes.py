"""The result of a cluster's worker as bytes, validated as strictly as rows of a store, because workers are not trusted.

Measurements are sent as rows of a store (`intercore.record.store_rows`), so there is one format to validate.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, TypeAlias

import msgspec

from intercore.campaign.batch import Failure, Result
from intercore.errors import IntercoreError
from intercore.record.measurement import Measurement
from intercore.record.meter_recording_rows import head_of, recording_of, samples_of
from intercore.record.plan import canonical
from intercore.record.store_rows import DamagedError, is_of, measurement_of, packed, reading
from intercore.text import printable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from intercore.record.plan import Setting

MOST_BYTES = 256 << 20
"""Most bytes of one result, packed and unpacked: a batch is about a second of measuring."""
_MOST_TEXT = 4000  # characters of a sentence
_MOST_MESSAGES = 1000  # sentences

_Text: TypeAlias = Annotated[str, msgspec.Meta(max_length=_MOST_TEXT)]
_Count: TypeAlias = Annotated[int, msgspec.Meta(ge=0, le=MOST_BYTES // 8)]
_Samples: TypeAlias = list[tuple[str, str, str, int, _Count, str, bytes]]


class _Measured(msgspec.Struct, array_like=True, tag="measured"):
    """A measurement as the columns of a store."""

    row: tuple[str, int, str, str, str, str]
    conditions: str
    samples: _Samples
    recording: tuple[str, _Samples] | None

    @property
    def size(self) -> int:
        """Bytes of all samples, unpacked."""
        recorded = [] if self.recording is None else self.recording[1]
        return 8 * sum(count for *_, count, _codec, _data in (*self.samples, *recorded))


class _Failed(msgspec.Struct, array_like=True, tag="failed"):
    """A setting that was not measured; see Failure."""

    why: _Text
    kind: str


class _Returned(msgspec.Struct, array_like=True):
    """See Result."""

    outcomes: list[_Measured | _Failed]
    seconds: Annotated[float, msgspec.Meta(ge=0, le=1e7)]
    messages: Annotated[list[_Text], msgspec.Meta(max_length=_MOST_MESSAGES)]


def as_bytes(settings: Sequence[Setting], result: Result) -> bytes:
    """Encode the result of a batch of these settings."""
    outcomes = [
        _Failed(one.why[:_MOST_TEXT], one.kind) if isinstance(one, Failure) else _measured(setting, one)
        for setting, one in zip(settings, result.outcomes, strict=True)
    ]
    messages = [text[:_MOST_TEXT] for text in result.messages[:_MOST_MESSAGES]]
    return msgspec.msgpack.encode(_Returned(outcomes, result.seconds, messages))


def refusal_as_bytes(why: str) -> bytes:
    """Encode the reason why a worker does not measure."""
    return msgspec.msgpack.encode(why[:_MOST_TEXT])


def from_bytes(settings: Sequence[Setting], data: object, worker: str) -> Result:
    """Decode the result of a batch of these settings from `data`, which errors attribute to `worker`.

    Raises IntercoreError if it is not a result of this batch, or if the worker refuses to measure.
    """
    try:
        with reading():
            returned = _returned(settings, data)
            if isinstance(returned, _Returned):
                outcomes = tuple(map(_outcome, settings, returned.outcomes))
                return Result(outcomes, returned.seconds, tuple(map(printable, returned.messages)))
    except DamagedError as error:
        raise IntercoreError(f"{worker} returned an invalid result: {error}") from None
    raise IntercoreError(printable(returned))


def _returned(settings: Sequence[Setting], data: object) -> _Returned | str:
    """Decode a result within all bounds; its samples are still packed."""
    if not isinstance(data, bytes):
        raise DamagedError("the result is not binary data")
    if len(data) > MOST_BYTES:
        raise DamagedError(f"the result is larger than {MOST_BYTES >> 20} MiB")
    returned = msgspec.msgpack.decode(data, type=_Returned | _Text)
    if isinstance(returned, str):
        return returned
    if len(returned.outcomes) != len(settings):
        raise DamagedError(f"the result has {len(returned.outcomes)} outcomes for {len(settings)} settings")
    if sum(one.size for one in returned.outcomes if isinstance(one, _Measured)) > MOST_BYTES:
        raise DamagedError(f"the samples in the result are larger than {MOST_BYTES >> 20} MiB")
    return returned


def _measured(setting: Setting, measurement: Measurement) -> _Measured:
    recording = measurement.recording
    return _Measured(
        (
            canonical(setting.factors),
            measurement.repetition,
            measurement.benchmark,
            canonical(measurement.factors),
            canonical(measurement.checks),
            measurement.started,
        ),
        canonical(measurement.conditions),
        [packed(series) for series in measurement.series],
        None if recording is None else (head_of(recording), samples_of(recording)),
    )


def _outcome(setting: Setting, returned: _Measured | _Failed) -> Measurement | Failure:
    if isinstance(returned, _Failed):
        return msgspec.convert({"why": printable(returned.why), "kind": returned.kind}, Failure)
    measurement = measurement_of(list(returned.row), returned.conditions, list(returned.samples))
    if not is_of(measurement, setting):
        raise DamagedError(
            f"the result contains a measurement of the benchmark {printable(measurement.benchmark)} that was not "
            "requested"
        )
    if returned.recording is None:
        return measurement
    return msgspec.structs.replace(measurement, recording=recording_of(*returned.recording))
