"""A meter beside a target: what it does wrong costs no measurement, and a recording of a whole run is cut up."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import msgspec
import numpy as np
import pytest

from intercore.campaign import metering
from intercore.campaign.metering import Metering, attached
from intercore.errors import IntercoreError
from intercore.meter.meter import Meter, MeterData, MeterError
from intercore.record.measurement import Measurement, Part, Plan, Run
from intercore.record.meter_recording import Trace
from tests.energy.made_up import OFFSET_S, seen, window

if TYPE_CHECKING:
    from collections.abc import Sequence

    from intercore.record.meter_recording import Window

LENGTHS, LEVELS = np.array([0.2, 0.1]), np.array([0.05, 0.03])
GAP = 0.06
WINDOWS = (window(0.2, None, label="both"), window(0.1, GAP, label="one"))
PLAN = Plan("host", None, "contention", (Part("contention", {"discs": [8]}),), repetitions=3, meter="fake:")
STARTED = ("2026-11-24T10:00:00.000", "2026-11-24T10:00:02.000", "2026-11-24T10:00:03.500")


def measurement(repetition: int) -> Measurement:
    return Measurement("contention", {"discs": 8}, repetition, (), {"cpu": "A53"}, {"done": 2}, STARTED[repetition])


class Fake(Meter):
    """Does as it is told, and sees a recording of the whole run."""

    description = "fake"

    def __init__(self, faults: Sequence[str] = (), *, mark: bool = True, afterwards: bool = False) -> None:
        self.faults = list(faults)
        self.mark, self.afterwards = mark, afterwards

    def begin(self) -> None:
        self._fail("begin")

    def end(self, windows: Sequence[Window]) -> MeterData:
        self._fail("end")
        return MeterData(recording_of(len(windows) // 2, mark=self.mark))

    def close(self) -> None:
        pass

    def _fail(self, where: str) -> None:
        if self.faults and self.faults[0] == where:
            self.faults.pop(0)
            raise MeterError(f"it failed at its {where}")


def recording_of(measurements: int, *, mark: bool) -> Trace:
    """Return what a meter sees of some measurements, as far apart as they were asked for, to 0.1 s."""
    moments = np.array([0.0, 2.08, 3.45])[:measurements]
    begins = (moments[:, None] + np.array([0.0, 0.2 + GAP])).ravel()
    lengths, levels = np.tile(LENGTHS, measurements), np.tile(LEVELS, measurements)
    return seen(begins, lengths, levels, 0.01, 5000.0, 1e-4, 0.0, np.random.default_rng(2), mark=mark, tail=1.0)


@pytest.fixture(autouse=True)
def windows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(metering, "windows_of", lambda _: WINDOWS)


def opened(monkeypatch: pytest.MonkeyPatch, meter: Meter) -> tuple[Metering, list[str]]:
    said: list[str] = []
    monkeypatch.setattr(metering, "opened", lambda _: meter)
    return Metering("fake:", ("chip",), said.append), said


@pytest.mark.parametrize("fault", ["begin", "end"])
def test_what_a_meter_does_wrong_is_noted_and_the_next_measurement_has_its_energy(
    monkeypatch: pytest.MonkeyPatch, fault: str
) -> None:
    beside, said = opened(monkeypatch, Fake([fault]))
    first, second = (beside.measure_with_meter(lambda: measurement(0)) for _ in range(2))
    assert first.recording is not None
    assert first.recording.missing == f"it failed at its {fault}"
    assert said == [f"the energy is missing: it failed at its {fault}"]
    assert first.conditions == {"cpu": "A53", "host.meter": "fake", "host.meter_path": "chip"}
    assert msgspec.structs.replace(first, recording=None).checks == measurement(0).checks
    assert second.recording is not None
    assert not second.recording.missing


def test_what_measuring_raises_is_not_the_meters(monkeypatch: pytest.MonkeyPatch) -> None:
    beside, _ = opened(monkeypatch, Fake())

    def lost() -> Measurement:
        raise IntercoreError("the target is gone")

    with pytest.raises(IntercoreError, match="the target is gone"):
        beside.measure_with_meter(lost)


def test_a_meter_that_is_not_there_is_an_error_unless_the_times_are_wanted_anyway(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def absent(_: str) -> Meter:
        raise MeterError("there is none")

    monkeypatch.setattr(metering, "opened", absent)
    with pytest.raises(MeterError):
        Metering("fake:", (), lambda _: None)
    found = Metering("fake:", (), lambda _: None, required=False).measure_with_meter(lambda: measurement(0))
    assert found.recording is not None
    assert found.recording.missing == "there is none"


@pytest.mark.parametrize("mark", [True, False], ids=["by the mark", "by the pattern"])
def test_a_recording_of_a_run_is_cut_into_those_of_its_measurements(
    monkeypatch: pytest.MonkeyPatch, mark: bool
) -> None:
    beside, _ = opened(monkeypatch, Fake(mark=mark, afterwards=True))
    measured = tuple(beside.measure_with_meter(lambda number=number: measurement(number)) for number in range(3))
    assert all(one.recording is not None and one.recording.missing == metering.NOT_YET for one in measured)
    run = Run(1, PLAN, "", "", 3, measured)
    found = list(attached(run, beside))
    assert [setting.repetition for setting, _ in found] == [0, 1, 2]
    for (_, recording), moment in zip(found, (0.0, 2.08, 3.45), strict=True):
        assert not recording.missing
        assert recording.trace is not None
        assert recording.trace.seconds[0] <= OFFSET_S + moment <= recording.trace.seconds[-1]
        assert recording.trace.amps is not None
        assert np.sum(recording.trace.amps > 0.04) == pytest.approx(0.2 * 5000, abs=3), "one window at 50 mA"


def test_a_recording_that_does_not_fit_a_run_is_refused_for_all(monkeypatch: pytest.MonkeyPatch) -> None:
    beside, _ = opened(monkeypatch, Fake(afterwards=True))
    measured = tuple(beside.measure_with_meter(lambda number=number: measurement(number)) for number in range(3))
    monkeypatch.setattr(Fake, "end", lambda *_: MeterData(recording_of(2, mark=True)))
    for _, recording in attached(Run(1, PLAN, "", "", 3, measured), beside):
        assert re.search("4 pulses of the mark pin.* 6 measured windows", recording.missing)
