"""What an interrupt will take, from those that were measured."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from intercore.benchmarks.event_prediction import EventPrediction, EventRanking
from intercore.benchmarks.irq.prediction import predict
from tests.benchmarks.predicted_store import measured, stored

if TYPE_CHECKING:
    from pathlib import Path

    from intercore.record.measurement import Measurement


def latencies(path: str, median: float, *, to: int = 1) -> list[Measurement]:
    setting = {"path": path, "from": 0, "to": to, "interrupted": "idle"}
    times = [median * factor for factor in (0.99, 1, 1, 1, 1.01)] * 10
    return [measured("irq", {"latency": times}, setting, at) for at in range(5)]


def test_an_interrupt_is_predicted_by_its_path(tmp_path: Path) -> None:
    store = stored(tmp_path / "db", [*latencies("doorbell", 3.0), *latencies("handler-task", 12.0)])
    found = predict(store, "host", ["path=doorbell"], extrapolate=False)
    assert isinstance(found, EventPrediction)
    assert found.median_us.value == pytest.approx(3)
    assert found.event == "From a doorbell to its handler on the other core"
    ranking = predict(store, "host", (), extrapolate=False)
    assert isinstance(ranking, EventRanking)
    assert [one.rank for one in ranking.ranking] == [1, 1]  # nobody chooses a path by how fast it is


def test_a_timers_handler_has_no_other_core(tmp_path: Path) -> None:
    both = [*latencies("timer-handler", 2.0, to=0), *latencies("timer-handler", 2.0, to=1)]
    for at, one in enumerate(both):
        assert one.repetition == at % 5
    found = predict(stored(tmp_path / "db", both), "host", ["path=timer-handler"], extrapolate=False)
    assert isinstance(found, EventPrediction)
    assert "to" not in found.setting
    assert found.basis.repetitions == 10
