"""What a lock will take, from what was measured: hand-overs both ways, acquisitions, ways of a word."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from intercore.benchmarks.event_prediction import EventPrediction, EventRanking
from intercore.benchmarks.lock.prediction import predict
from intercore.errors import UsageError
from tests.benchmarks.predicted_store import measured, stored

if TYPE_CHECKING:
    from pathlib import Path

    from intercore.record.measurement import Level, Measurement
    from intercore.record.store import Store

FACTORS: dict[str, Level] = {"from": 0, "to": 1, "cores": 2, "hold": 10, "pause": 10, "rounds": 4, "batch": 10}


def hand_overs(lock: str, there: float, back: float) -> list[Measurement]:
    setting = {**FACTORS, "lock": lock, "measure": "hand-off"}
    return [measured("lock", {"there": [there] * 50, "back": [back] * 50}, setting, at) for at in range(5)]


@pytest.fixture
def store(tmp_path: Path) -> Store:
    contended = {**FACTORS, "lock": "mutex", "measure": "contention"}
    # Two bouts of 12 and 20 µs, of four acquisitions each.
    taken = np.array([3.0, 6, 9, 12, 17, 22, 27, 32])
    bouts = {"bout": [12.0, 20.0], "taken.0": taken[::2].tolist(), "taken.1": taken[1::2].tolist()}
    word = {**FACTORS, "lock": "atomic-add", "measure": "ping-pong"}
    run = [
        *hand_overs("mutex", 13.0, 14.0),
        *hand_overs("spinlock", 0.5, 0.6),
        *(measured("lock", bouts, contended, at) for at in range(5)),
        *(measured("lock", {"round_trips": [30.0] * 50}, word, at) for at in range(5)),
    ]
    return stored(tmp_path / "db", run)


def one(store: Store, *words: str) -> EventPrediction:
    found = predict(store, "host", words, extrapolate=False)
    assert isinstance(found, EventPrediction)
    return found


def test_a_hand_over_is_predicted_both_ways(store: Store) -> None:
    assert one(store, "lock=mutex", "from=0", "to=1").median_us.value == pytest.approx(13)
    assert one(store, "lock=mutex", "from=1", "to=0").median_us.value == pytest.approx(14)


def test_locks_are_ranked_by_direction(store: Store) -> None:
    found = predict(store, "host", (), extrapolate=False)
    assert isinstance(found, EventRanking)
    ranks = [(one.given["from"], one.rank, one.prediction.setting["lock"]) for one in found.ranking]
    assert ranks == [(0, 1, "spinlock"), (0, 2, "mutex"), (1, 1, "spinlock"), (1, 2, "mutex")]


def test_contention_is_told_by_acquisition_and_a_ping_pong_by_one_way(store: Store) -> None:
    contended = one(store, "measure=contention")
    assert contended.median_us.value == pytest.approx(4)  # of 3 and 5
    assert contended.event == "Each acquisition under contention"
    assert "from" not in contended.setting
    assert one(store, "measure=ping-pong").median_us.value == pytest.approx(1.5)


def test_a_lock_that_has_no_such_measure_is_refused(store: Store) -> None:
    with pytest.raises(UsageError, match=r"measure=ping-pong lock=mutex was never measured on host\. The nearest"):
        one(store, "measure=ping-pong", "lock=mutex")
