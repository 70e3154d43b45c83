"""Meters that are asked for one value after another: what is late, what does not come, and what cannot be."""

from __future__ import annotations

import threading
import time

import numpy as np
import pytest

from intercore.meter.meter import MeterError
from intercore.meter.polled import PolledMeter, Value, checked, trace_of


def test_values_come_at_their_interval_and_between_two_recordings_none_is_kept() -> None:
    meter = PolledMeter("sensor", lambda: Value(0.02, 3.3), 0.005, lambda: None)
    for _ in range(2):
        began = time.monotonic()
        meter.begin()
        time.sleep(0.1)
        trace = meter.end(()).trace
        assert trace is not None
        assert trace.seconds[0] >= began
        assert trace.amps == pytest.approx(0.02)
        assert len(trace.seconds) <= 25
    meter.close()


def test_a_meter_that_does_not_answer_any_more_is_told_of(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("intercore.meter.polled.STALL_S", 0.2)
    answers = threading.Event()
    answers.set()

    def read() -> Value:
        answers.wait(5)
        return Value(0.02, 3.3)

    meter = PolledMeter("sensor", read, 0.01, lambda: None)
    meter.begin()
    time.sleep(0.05)
    answers.clear()
    time.sleep(0.05)
    with pytest.raises(MeterError, match="sensor no longer answers"):
        meter.end(())
    answers.set()


def test_a_pause_that_is_too_long_is_told_of_though_values_came_again() -> None:
    taken = [(moment, Value(0.02, 3.3)) for moment in (0.0, 0.1, 0.2, 3.2, 3.3)]
    with pytest.raises(MeterError, match=r"no value for 3\.0 s"):
        trace_of(taken, "sensor", 2.0)
    with pytest.raises(MeterError, match="delivered 1 value during the"):
        trace_of(taken[:1], "sensor", 2.0)


def test_a_meter_that_fails_at_once_is_known_before_anything_is_measured() -> None:
    def read() -> Value:
        raise MeterError("sensor is gone")

    with pytest.raises(MeterError, match="gone"):
        PolledMeter("sensor", read, 0.01, lambda: None).begin()


@pytest.mark.parametrize(
    "value", [Value(9.9e37, 3.3), Value(-1e6, 3.3), Value(0.1, float("inf")), Value(watts=1e9), Value(volts=3.3)]
)
def test_what_no_meter_can_say_is_refused(value: Value) -> None:
    with pytest.raises(MeterError, match=r"impossible|neither power nor current"):
        checked(value, "sensor")


def test_widths_that_a_meter_knows_join_without_gaps() -> None:
    taken = [
        (0.5, Value(watts=1.0, width=1.0)),
        (1.25, Value(watts=2.0, width=0.5)),
        (2.5, Value(watts=1.0, width=2.0)),
    ]
    trace = trace_of(taken, "counter", 5.0)
    assert np.array_equal(trace.bounds, [0.0, 1.0, 1.5, 3.5])
    assert (trace.power * trace.spans_s).sum() == pytest.approx(4.0)
