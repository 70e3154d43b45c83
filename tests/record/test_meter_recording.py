"""What a meter saw is in the store beside the samples of time: whole, or with the reason why it is missing."""

from __future__ import annotations

from pathlib import Path

import msgspec
import numpy as np
import pytest

from intercore.errors import IntercoreError
from intercore.record.measurement import Measurement
from intercore.record.meter_recording import Activity, Currents, Reading, Recording, Trace, Window, path_in_words
from intercore.record.plan import settings
from intercore.record.store import Store
from tests.record.store_data import PLAN, TOTAL, content, fill, measured, read, sql

WINDOW = Window("task0, main", 10.0, 118, "tower", "contention", 2, 0.02, 0.01)
TRACE = Trace(
    np.arange(500) * 1e-4,
    np.linspace(0.01, 0.05, 500),
    np.full(500, 3.3),
    None,
    np.arange(500) % 100 < 50,
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "runs.db"


def metered(recording: Recording, number: int = 0) -> Measurement:
    return msgspec.structs.replace(measured(settings(PLAN)[number]), recording=recording)


def store_with(path: Path, *recordings: Recording) -> None:
    with Store(path) as store:
        run_id = store.create_run(PLAN, TOTAL)
        for number, recording in enumerate(recordings):
            store.add(run_id, settings(PLAN)[number], metered(recording, number))


def test_samples_of_a_meter_come_back_to_a_nanoampere(path: Path) -> None:
    store_with(path, Recording("PPK2", "sampled", (WINDOW,), trace=TRACE, besides=("chip", "led")))
    (one,) = read(path).measurements
    assert content(one) == content(measured(settings(PLAN)[0])), "the samples of time are as they were"
    found = one.recording
    assert found is not None
    assert (found.meter, found.kind, found.windows, found.besides) == ("PPK2", "sampled", (WINDOW,), ("chip", "led"))
    assert found.trace is not None
    assert found.trace.seconds == pytest.approx(TRACE.seconds, abs=1e-9)
    assert found.trace.amps == pytest.approx(TRACE.amps, abs=1e-9)
    assert found.trace.watts is None
    assert found.trace.mark is not None
    assert np.array_equal(found.trace.mark, TRACE.mark)


def test_readings_activity_and_currents_come_back(path: Path) -> None:
    currents = Currents("RP2040", 1.1, (0.0, 0.227), (0.0, 0.188), (0.0, 0.117), "datasheet")
    store_with(
        path,
        Recording("read by eye", "read", (WINDOW,), readings=(Reading(0.05, 0.01, 5.0),)),
        Recording("ESTIMATED", "estimated", (WINDOW,), activity=(Activity(1000, (700, 300), 125),), currents=currents),
    )
    first, second = (one.recording for one in read(path).measurements)
    assert first is not None
    assert first.readings == (Reading(0.05, 0.01, 5.0),)
    assert second is not None
    assert (second.activity, second.currents) == ((Activity(1000, (700, 300), 125),), currents)


def test_energy_that_is_missing_keeps_a_run_open_until_it_is_put_in_place(path: Path) -> None:
    missing = Recording("PPK2", "sampled", (WINDOW,), missing="the meter stalled")
    whole = Recording("PPK2", "sampled", (WINDOW,), trace=TRACE)
    store_with(path, *([whole] * (TOTAL - 1)), missing)
    run = read(path)
    assert (len(run.measurements), run.lacking_energy, run.complete) == (TOTAL, 1, False)
    with Store(path) as store:
        (summary,) = store.runs()
        assert (summary.done, summary.lacking_energy, summary.complete) == (TOTAL, 1, False)
        store.set_recording(1, settings(PLAN)[TOTAL - 1], whole)
    after = read(path)
    assert after.complete
    assert [content(one) for one in after.measurements] == [content(one) for one in run.measurements]


def test_a_recording_of_what_was_not_measured_is_refused(path: Path) -> None:
    store_with(path, Recording("PPK2", "sampled", (WINDOW,), trace=TRACE))
    with Store(path) as store, pytest.raises(IntercoreError, match="has no measurement for the energy of"):
        store.set_recording(1, settings(PLAN)[5], Recording("PPK2", "sampled", (WINDOW,), trace=TRACE))


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE recordings SET whole = 0",
        """UPDATE recordings SET head = replace(head, 'PPK2', 'PPK3')""",
        "UPDATE readings SET hz = 7 WHERE position = 1",
        "DELETE FROM readings WHERE position = 0",
    ],
)
def test_damage_to_a_recording_is_told(path: Path, damage: str) -> None:
    store_with(path, Recording("PPK2", "sampled", (WINDOW,), trace=TRACE))
    sql(path, damage)
    with pytest.raises(IntercoreError, match="is damaged"):
        read(path)


def test_a_store_without_a_meter_has_no_tables_of_one(path: Path) -> None:
    fill(path)
    assert sql(path, "SELECT count(*) FROM sqlite_master WHERE name IN ('recordings', 'readings')") == [(0,)]
    assert read(path).complete


def test_what_is_in_a_meters_path_is_said_in_words() -> None:
    assert path_in_words(()) == "not stated"
    assert path_in_words(("chip",)) == "chip"
    assert path_in_words(("regulator", "led")) == "chip + regulator + led"
