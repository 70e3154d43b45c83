"""What a worker of a cluster returns, and what it may not."""

from __future__ import annotations

import random

import msgspec
import numpy as np
import pytest

from intercore.campaign.batch import Failure, Result
from intercore.campaign.result_bytes import MOST_BYTES, as_bytes, from_bytes, refusal_as_bytes
from intercore.errors import IntercoreError
from intercore.record.measurement import Measurement, Series
from intercore.record.meter_recording import Activity, Recording, Window
from intercore.record.plan import Setting

SETTINGS = (Setting("clock", {"samples": 3}, 0), Setting("clock", {"samples": 3}, 1))
MEASUREMENT = Measurement(
    "clock",
    {"samples": 3, "opt": "O2"},
    0,
    (Series("t", "common", 125_000_000, np.array([5, -(1 << 63), (1 << 63) - 1])),),
    {"chip": "RP2040"},
    {"wrong": 0},
    "2026-01-01T00:00:00Z",
    Recording(
        "estimated", "estimated", (Window("all", 1.0, 3.0, "reading", "r", 1),), activity=(Activity(9, (4, 5), 1),)
    ),
)
RESULT = Result((MEASUREMENT, Failure("it hangs", "broken")), 0.5, ("hello",))
WORKER = "a worker of tcp://h:1"


def test_a_result_comes_back_as_it_was() -> None:
    back = from_bytes(SETTINGS, as_bytes(SETTINGS, RESULT), WORKER)
    assert (back.seconds, back.messages, back.outcomes[1]) == (RESULT.seconds, RESULT.messages, RESULT.outcomes[1])
    measurement = back.outcomes[0]
    assert isinstance(measurement, Measurement)
    assert np.array_equal(measurement.series[0].ticks, MEASUREMENT.series[0].ticks)
    for name in ("benchmark", "factors", "repetition", "conditions", "checks", "started"):
        assert getattr(measurement, name) == getattr(MEASUREMENT, name)
    assert repr(measurement.recording) == repr(MEASUREMENT.recording)


def test_a_refusal_is_an_error_without_control_characters() -> None:
    with pytest.raises(IntercoreError) as error:
        from_bytes(SETTINGS, refusal_as_bytes("other \x1b[2J versions"), WORKER)
    assert str(error.value) == "other \ufffd[2J versions"


def test_damaged_bytes_are_an_error_and_nothing_else() -> None:
    good, chance = as_bytes(SETTINGS, RESULT), random.Random(1)  # noqa: S311
    for _ in range(3000):
        bad = bytearray(good)
        for _ in range(chance.randint(1, 3)):
            bad[chance.randrange(len(bad))] = chance.randrange(256)
        try:
            from_bytes(SETTINGS, bytes(bad[: chance.randint(1, 2 * len(bad))]), WORKER)
        except IntercoreError:
            continue


def _changed(**changes: object) -> Result:
    return Result((msgspec.structs.replace(MEASUREMENT, **changes), RESULT.outcomes[1]), 0.5)


@pytest.mark.parametrize(
    ("result", "settings"),
    [
        (_changed(repetition=1), SETTINGS),
        (_changed(benchmark="switch"), SETTINGS),
        (_changed(factors={"samples": 4}), SETTINGS),
        (RESULT, SETTINGS[::-1]),
        (RESULT, (*SETTINGS, SETTINGS[0])),
    ],
)
def test_what_was_not_asked_for_is_not_taken(result: Result, settings: tuple[Setting, ...]) -> None:
    data = as_bytes(SETTINGS, result)
    with pytest.raises(IntercoreError, match=f"{WORKER} returned"):
        from_bytes(settings, data, WORKER)


@pytest.mark.parametrize("data", [None, "text", {"a": 1}, RESULT, b"", b"\xc1", bytearray(3)])
def test_what_are_no_bytes_of_ours_is_refused(data: object) -> None:
    with pytest.raises(IntercoreError, match=f"{WORKER} returned"):
        from_bytes(SETTINGS, data, WORKER)


def test_samples_are_counted_before_they_are_unpacked() -> None:
    returned = msgspec.msgpack.decode(as_bytes(SETTINGS, RESULT))
    sample = returned[0][0][3][0]
    for count, series in ((MOST_BYTES // 8 + 1, 1), (MOST_BYTES // 8, 2), (1 << 62, 1)):
        sample[4] = count
        returned[0][0][3] = [sample] * series
        with pytest.raises(IntercoreError, match=f"{WORKER} returned"):
            from_bytes(SETTINGS, msgspec.msgpack.encode(returned), WORKER)
