"""What work takes on two cores, from what other sizes of it took."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from intercore.benchmarks.speedup.prediction import SpeedupPrediction, SpeedupRanking, predict
from intercore.benchmarks.speedup.prediction_report import prediction_rows, prediction_section
from intercore.errors import UsageError
from tests.benchmarks.predicted_store import measured, stored

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from intercore.record.measurement import Level, Measurement

SIZES = (1_000, 10_000, 100_000, 1_000_000)
NS = 10.0
"""That a unit of the work takes."""
OVERHEADS = {"pool": 50.0, "create": 200.0}
LOSS = 0.02


def tp_us(t1_us: float, mode: str) -> float:
    return (1 + LOSS) * t1_us / 2 + OVERHEADS[mode]


def work(
    mode: str, sizes: Sequence[int] = SIZES, *, noise: float = 0.005, repetitions: int = 5, **factors: Level
) -> Iterator[Measurement]:
    rng = np.random.default_rng(1)
    for n in sizes:
        for repetition in range(repetitions):
            t1 = n * NS / 1e3 * (1 + noise * rng.normal(size=20))
            tp = tp_us(n * NS / 1e3, mode) * (1 + noise * rng.normal()) * (1 + noise * rng.normal(size=20))
            setting: dict[str, Level] = {"workload": "fp", "mode": mode, "join": "notify", "n": n, "cores": 2}
            yield measured("speedup", {"t1": t1, "tp": tp}, {**setting, **factors}, repetition)


def one(
    path: Path, *words: str, extrapolate: bool = False, runs: Sequence[Iterable[Measurement]] = ()
) -> SpeedupPrediction:
    found = predict(stored(path / "db", *(runs or [work("pool")])), "host", words, extrapolate=extrapolate)
    assert isinstance(found, SpeedupPrediction)
    return found


def test_a_duration_that_was_not_measured_is_predicted_with_intervals(tmp_path: Path) -> None:
    found = one(tmp_path, "duration=3ms", "mode=pool")
    truth = tp_us(3000, "pool")
    assert found.tp_us.low is not None
    assert found.tp_us.high is not None
    assert found.tp_us.low < truth < found.tp_us.high
    assert found.tp_us.high - found.tp_us.low < 0.1 * truth
    assert found.speedup.value == pytest.approx(3000 / truth, rel=0.01)
    assert found.efficiency.value == pytest.approx(found.speedup.value / 2)
    assert found.pays is True
    assert found.conclusive
    assert not found.extrapolated
    assert found.basis.n == SIZES
    text = " ".join(prediction_section(found).sentences)
    assert "2 cores are faster than one." in text
    assert "400 samples of 4 sizes from 9.9" in text


def test_another_measurement_lies_within_what_was_predicted_in_19_of_20_cases(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    held = 0
    store = stored(tmp_path / "db", work("pool", repetitions=5, noise=0.02))
    found = predict(store, "host", ["duration=3ms"], extrapolate=False)
    assert isinstance(found, SpeedupPrediction)
    assert found.tp_us.low is not None
    assert found.tp_us.high is not None
    for _ in range(200):
        another = tp_us(3000, "pool") * (1 + 0.02 * rng.normal()) * (1 + 0.02 * rng.normal(size=20))
        held += found.tp_us.low <= float(np.median(another)) <= found.tp_us.high
    assert held >= 180


def test_the_duration_alone_ranks_all_settings(tmp_path: Path) -> None:
    store = stored(tmp_path / "db", [*work("pool"), *work("create")])
    found = predict(store, "host", ["duration=300us"], extrapolate=False)
    assert isinstance(found, SpeedupRanking)
    assert [(rank.rank, rank.prediction.setting["mode"]) for rank in found.ranking] == [(1, "pool"), (2, "create")]
    assert [rank.prediction.pays for rank in found.ranking] == [True, False]
    assert all(rank.told_from_first for rank in found.ranking)
    (table,) = prediction_section(found).tables
    assert table.title == "Work of 300 µs on one core: workload=fp opt=O2, on host"
    assert [row["mode"] for row in prediction_rows(found)] == ["pool", "create"]


def test_outside_of_what_was_measured_it_extrapolates_only_when_told_to(tmp_path: Path) -> None:
    with pytest.raises(
        UsageError, match=r"is outside the measured range of .* to 10\.0 ms\. Measure this amount of work"
    ):
        one(tmp_path, "duration=1s")
    (tmp_path / "again").mkdir()
    found = one(tmp_path / "again", "duration=1s", extrapolate=True)
    assert found.extrapolated
    assert any(note.startswith("Extrapolated: 1.00 s on one core is outside") for note in found.notes)


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ((), "the duration of the work is missing: give its time on one core, e.g. duration=3ms"),
        (("duration=3",), "duration=3 is not a duration: give a time above 0"),
        (("duration=0ms",), "duration=0ms is not a duration: give a time above 0"),
        (("duration=٣ms",), "is not a duration: give a time above 0"),
        (("n=3000",), "give the time of the work on one core"),
        (("duration=3ms", "mode=tick"), "mode=tick was not measured; the levels measured are mode=create,pool"),
        (("duration=3ms", "mode=create", "join=poll"), "mode=create join=poll was never measured on host. The nearest"),
        (("duration=3ms", "mood=pool"), "speedup has no factor 'mood'; did you mean 'mode'?"),
    ],
)
def test_what_cannot_be_answered_is_refused_with_what_is_there(
    tmp_path: Path, words: tuple[str, ...], says: str
) -> None:
    runs = [[*work("pool"), *work("create"), *work("pool", join="poll")]]
    with pytest.raises(UsageError) as refused:
        one(tmp_path, *words, runs=runs)
    assert says in str(refused.value)


def test_a_single_size_has_no_model(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"workload=fp mode=pool .* cannot be predicted, .*n=1,000"):
        one(tmp_path, "duration=10us", runs=[work("pool", [1000])])


def test_an_interval_that_is_no_answer_says_what_to_measure(tmp_path: Path) -> None:
    found = one(tmp_path, "duration=1ms", runs=[work("pool", [10_000, 1_000_000], repetitions=2, noise=0.3)])
    assert not found.conclusive
    assert found.to_measure is not None
    assert found.to_measure.command.startswith("intercore run host speedup n=")
    assert "mode=pool" in found.to_measure.command
    assert any("This is inconclusive" in sentence for sentence in prediction_section(found).sentences)
