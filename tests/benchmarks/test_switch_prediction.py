"""What a wake-up will take, from those that were measured; what holds for any event is tested here as well."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from intercore.benchmarks.event_prediction import EventPrediction, EventRanking
from intercore.benchmarks.event_prediction_report import prediction_rows, prediction_section
from intercore.benchmarks.switch.prediction import predict
from intercore.errors import UsageError
from intercore.record.plan import setting_of
from tests.benchmarks.predicted_store import measured, stored

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from intercore.record.measurement import Level, Measurement

MEDIANS = {"queue": 20.0, "mutex": 30.0, "notification": 10.0}


def wake_ups(
    medians: dict[str, float] | None = None, *, repetitions: int = 5, between: float = 0.01, **factors: Level
) -> Iterator[Measurement]:
    rng = np.random.default_rng(1)
    for primitive, median in (medians or MEDIANS).items():
        for repetition in range(repetitions):
            times = median * (1 + between * rng.normal()) * (1 + 0.05 * rng.normal(size=50))
            setting: dict[str, Level] = {"primitive": primitive, "from": 0, "to": 1, "target": "idle", "time": "common"}
            yield measured("switch", {"switch": times, "call": times / 2}, {**setting, **factors}, repetition)


def one(
    path: Path, *words: str, extrapolate: bool = False, runs: Sequence[Iterable[Measurement]] = ()
) -> EventPrediction:
    found = predict(stored(path / "db", *(runs or [wake_ups()])), "host", words, extrapolate=extrapolate)
    assert isinstance(found, EventPrediction)
    return found


def test_another_repetition_and_a_single_wake_up_lie_within_what_was_predicted(tmp_path: Path) -> None:
    found = one(tmp_path, "primitive=queue")
    assert found.median_us.low is not None
    assert found.median_us.high is not None
    assert 19 < found.median_us.low < found.median_us.value < found.median_us.high < 21
    assert found.single_us.low == pytest.approx(20 * 0.9, rel=0.05)
    assert found.single_us.high == pytest.approx(20 * 1.1, rel=0.05)
    assert (found.by, found.extrapolated, found.conclusive, found.to_measure) == ("measurements", False, True, None)
    assert (found.basis.runs, found.basis.repetitions, found.basis.samples) == ((1,), 5, 250)
    text = " ".join(prediction_section(found).sentences)
    assert "Setting: primitive=queue from=0 to=1 target=idle time=common opt=O2 on host." in text
    assert "Basis: run 1, 250 samples in 5 repetitions, measured on 2026-11-22." in text


def test_runs_by_turns_are_of_builds_that_somebody_tries_and_not_pooled(tmp_path: Path) -> None:
    store = stored(tmp_path / "db", wake_ups())
    plan = store.run(1).plan
    tried = list(wake_ups({"queue": 200.0}))
    for number in store.create_pair(plan, plan, (len(tried), len(tried))):
        for each in tried:
            store.add(number, setting_of(plan, each), each)
    found = predict(store, "host", ["primitive=queue"], extrapolate=False)
    assert isinstance(found, EventPrediction)
    assert found.basis.runs == (1,)
    assert found.median_us.value == pytest.approx(20, rel=0.05)


def test_what_is_left_open_is_ranked_by_direction_and_ties_are_named(tmp_path: Path) -> None:
    close = {"queue": 20.0, "mutex": 20.1, "notification": 10.0}
    runs = [[*wake_ups(close), *wake_ups({"mutex": 40.0}, **{"from": 1, "to": 0})]]
    found = predict(stored(tmp_path / "db", *runs), "host", (), extrapolate=False)
    assert isinstance(found, EventRanking)
    ranks = [(rank.given["from"], rank.rank, rank.prediction.setting["primitive"]) for rank in found.ranking]
    assert [rank for rank in ranks if rank[0] == 1] == [(1, 1, "mutex")]
    assert (0, 1, "notification") in ranks
    told = {str(rank.prediction.setting["primitive"]): rank.told_from_first for rank in found.ranking}
    assert told == {"notification": True, "queue": True, "mutex": True}
    open_ones = predict(stored(tmp_path / "db2", *runs), "host", ["from=0", "to=1"], extrapolate=False)
    assert isinstance(open_ones, EventRanking)
    assert [rank.rank for rank in open_ones.ranking] == [1, 2, 3]
    assert [row["rank"] for row in prediction_rows(open_ones)] == [1, 2, 3]
    assert "Wake-up latency" in prediction_section(open_ones).title


def test_settings_that_cannot_be_told_from_the_first_are_named(tmp_path: Path) -> None:
    runs = [wake_ups({"queue": 20.0, "mutex": 20.1})]
    found = predict(stored(tmp_path / "db", *runs), "host", (), extrapolate=False)
    assert any("Not significantly different from the first, primitive=queue: primitive=mutex." in one for one in
               prediction_section(found).sentences)  # fmt: skip


def test_an_interval_that_is_no_answer_says_what_to_measure(tmp_path: Path) -> None:
    found = one(tmp_path, "primitive=queue", runs=[wake_ups(repetitions=2, between=0.5)])
    assert not found.conclusive
    assert found.to_measure is not None
    assert found.to_measure.repetitions >= 5
    command = found.to_measure.command
    assert command.startswith("intercore run host switch primitive=queue from=0 to=1 target=idle time=common opt=O2")
    assert any(sentence.startswith("This is inconclusive:") for sentence in prediction_section(found).sentences)


def test_measured_once_it_says_what_it_does_not_know(tmp_path: Path) -> None:
    found = one(tmp_path, "primitive=queue", runs=[wake_ups(repetitions=1)])
    assert any(note.startswith("This was measured once:") for note in found.notes)


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (
            ["primitive=quene"],
            "primitive=quene was not measured; the levels measured are primitive=mutex,notification,queue",
        ),
        (["primitive=queue,mutex"], "primitive is given 2 levels"),
        (["primitve=queue"], "switch has no factor 'primitve'; did you mean 'primitive'?"),
        (["samples=3"], "samples only controls how a benchmark measures"),
        (
            ["primitive=mutex", "from=1"],
            "primitive=mutex from=1 was never measured on host. The nearest measured setting differs by",
        ),
    ],
)
def test_what_was_not_measured_is_refused_with_what_is_there(tmp_path: Path, words: list[str], says: str) -> None:
    runs = [[*wake_ups(), *wake_ups({"queue": 40.0}, **{"from": 1, "to": 0})]]
    with pytest.raises(UsageError) as refused:
        one(tmp_path, *words, runs=runs)
    assert says in str(refused.value)


def test_a_combination_never_measured_is_extrapolated_by_main_effects_and_says_so(tmp_path: Path) -> None:
    runs = [[*wake_ups(), *wake_ups({"queue": 40.0, "notification": 20.0}, **{"from": 1, "to": 0})]]
    words = ("primitive=mutex", "from=1", "to=0")
    found = one(tmp_path, *words, extrapolate=True, runs=runs)
    assert found.median_us.value == pytest.approx(60, rel=0.05)
    assert (found.by, found.extrapolated) == ("main effects", True)
    assert any(note.startswith("Extrapolated: this setting was never measured.") for note in found.notes)


def test_times_by_the_cores_own_counters_are_none_to_predict_from(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="holds no times of switch on host"):
        one(tmp_path, runs=[wake_ups(time="raw-counter")])


def test_a_run_of_another_kernel_is_left_out_and_named(tmp_path: Path) -> None:
    def of(kernel: str, median: float) -> list[Measurement]:
        setting: dict[str, Level] = {"primitive": "queue", "from": 0, "to": 1, "time": "common"}
        return [
            measured("switch", {"switch": [median, median + 0.1, median]}, setting, at, {"os.kernel": kernel})
            for at in range(3)
        ]

    found = one(tmp_path, "primitive=queue", runs=[of("Linux 6.1", 20), of("Linux 6.6", 10)])
    assert found.basis.runs == (2,)
    assert found.median_us.value == pytest.approx(10)
    assert any("Run 1 is left out: it has another kernel (Linux 6.1)" in note for note in found.notes)


def test_numbers_of_a_simulated_chip_say_so(tmp_path: Path) -> None:
    store = stored(tmp_path / "db", wake_ups(), simulated=True)
    found = predict(store, "pico-sim", ["primitive=queue"], extrapolate=False)
    assert found.simulated
    assert isinstance(found, EventPrediction)
    assert "SIMULATED, not measured on a chip." in found.notes
