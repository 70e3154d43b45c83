"""`intercore predict`: answers from stored runs, within what was measured, and says what it rests on."""

from __future__ import annotations

import os
import shutil
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np
import pytest

from intercore.benchmarks.message.prediction import MessagePrediction
from intercore.benchmarks.message.prediction import predict as predicted
from intercore.benchmarks.predictions import names
from intercore.board.build import CROSS_COMPILERS
from intercore.record.plan import settings
from intercore.record.store import Store
from tests.benchmarks.message_data import SIZES, campaign, measurement, plan_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from intercore.record.measurement import Measurement
    from tests.cli.tool import Tool


def predict(store: Store, target: str, words: Sequence[str], *, extrapolate: bool) -> MessagePrediction:
    """Predict one setting."""
    found = predicted(store, target, words, extrapolate=extrapolate)
    assert isinstance(found, MessagePrediction)
    return found


RING, QUEUE = (2.0, 20.0), (10.0, 25.0)


def ring(size: int) -> float:
    return RING[0] + RING[1] * size / 1e3


def queue(size: int) -> float:
    return QUEUE[0] + QUEUE[1] * size / 1e3


def keep(store: Store, measurements: Sequence[Measurement], *, simulated: bool = False) -> int:
    """Store measurements as a run of their own."""
    plan = plan_of(measurements, simulated=simulated)
    number = store.create_run(plan, len(measurements))
    by_factors = {tuple(sorted(setting.factors.items())): setting for setting in settings(plan)}
    for one in measurements:
        store.add(number, by_factors[tuple(sorted(one.factors.items()))], one)
    return number


@pytest.fixture
def stored(tool: Tool) -> Tool:
    """A ring that polls, both ways and as a stream, and a queue that polls or blocks, on a simulated chip."""
    with Store(tool.store) as store:
        keep(store, campaign(ring, noise=0.01), simulated=True)
        keep(store, campaign(ring, noise=0.01, from_=1, to=0), simulated=True)
        keep(store, campaign(ring, measure="throughput", count=8), simulated=True)
        keep(store, campaign(queue, noise=0.01, transport="queue"), simulated=True)
        blocked = campaign(lambda size: 3 * queue(size), noise=0.01, transport="queue", receiver="blocked")
        keep(store, blocked, simulated=True)
    return tool


HERE = ("predict", "pico-sim", "message")
SETTING = ("transport=ring", "from=0", "to=1")


def test_a_size_that_was_not_measured_is_predicted_with_intervals_and_what_they_rest_on(stored: Tool) -> None:
    found = stored(*HERE, "size=300", *SETTING, "--format", "json").succeeded().json
    assert found["simulated"] is True
    assert found["median_us"]["low"] <= ring(300) <= found["median_us"]["high"]
    assert found["median_us"]["high"] - found["median_us"]["low"] < 0.1 * ring(300)
    assert found["single_us"]["low"] < found["median_us"]["low"]
    assert found["single_us"]["high"] - found["single_us"]["low"] == pytest.approx(4 * 0.01 * ring(300), rel=0.5)
    assert found["basis"]["runs"] == [1]
    assert (found["basis"]["sizes"], found["basis"]["samples"]) == (list(SIZES), 1100)
    assert (found["by"], found["extrapolated"]) == ("model", False)
    assert found["held_out"] < 0.05


def test_people_are_told_the_same_in_words(stored: Tool) -> None:
    text = stored(*HERE, "size=300", *SETTING).succeeded().out
    assert "8.0" in text
    assert "SIMULATED" in text
    assert "run 1, 1,100 samples of 11 sizes from 4 to 4,096 bytes, measured on 2026-11-21" in " ".join(text.split())


def test_throughput_is_predicted_too(stored: Tool) -> None:
    found = stored(*HERE, "size=300", "measure=throughput", *SETTING, "--format", "json").succeeded().json
    assert found["bytes_per_s"]["value"] == pytest.approx(300 / ring(300) * 1e6, rel=0.01)
    assert found["single_us"] is None
    row = stored(*HERE, "size=300", "measure=throughput", *SETTING, "--format", "csv").succeeded().out.splitlines()
    assert len(row) == 2
    assert row[0].startswith("target,simulated,emulated,measure,size,transport,")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (SETTING, "the size of the message is missing"),
        (("size=3OO", *SETTING), "size=3OO is not a number"),
        (("size=0", *SETTING), "size=0 is not a number"),
        (("size=100,200", *SETTING), "size is given 2 levels"),
        (("size", *SETTING), "write name=value"),
        (("size=8192", *SETTING), "outside the measured range of 4 to 4,096 bytes"),
        (("size=99999999999999999999999999", *SETTING), "is not a number of bytes"),
        (("size=301", *SETTING), "not a multiple of 4 bytes"),
        (
            ("size=300", "transport=pipe"),
            "transport=pipe was not measured; the levels measured are transport=queue,ring",
        ),
        (("size=300", "transprot=ring"), "did you mean 'transport'"),
        (("size=300", "samples=4", *SETTING), "samples only controls how a benchmark measures"),
        (("size=300", "measure=jitter", *SETTING), "the factor measure has no level 'jitter'"),
        (
            ("size=300", "transport=ring", "receiver=blocked"),
            "was never measured on pico-sim. The nearest measured setting differs by receiver=polling (run 2)",
        ),
    ],
)
def test_what_cannot_be_answered_is_refused_with_what_is_there(stored: Tool, words: Sequence[str], said: str) -> None:
    error = stored(*HERE, *words).failed(2).error
    assert said in error


def test_the_size_alone_ranks_all_settings_by_direction(stored: Tool) -> None:
    found = stored(*HERE, "size=300", "--format", "json").succeeded().json
    told = [
        (
            one["given"]["from"],
            one["rank"],
            one["prediction"]["setting"]["transport"],
            one["prediction"]["setting"]["receiver"],
        )
        for one in found["ranking"]
    ]
    assert told == [
        (0, 1, "ring", "polling"), (0, 2, "queue", "polling"), (0, 3, "queue", "blocked"), (1, 1, "ring", "polling"),
    ]  # fmt: skip
    first, second, third, _ = found["ranking"]
    assert (first["told_from_first"], second["told_from_first"]) == (True, True)
    assert second["times_first"] == pytest.approx(queue(300) / ring(300), rel=0.02)
    assert third["times_first"] == pytest.approx(3 * queue(300) / ring(300), rel=0.02)
    assert found["left_out"] == []
    assert found["to_measure"] is None
    text = " ".join(stored(*HERE, "size=300").succeeded().out.split())
    assert "Latency of messages of 300 bytes: 0 → 1, on pico-sim, SIMULATED" in text
    assert "Latency of messages of 300 bytes: 1 → 0, on pico-sim, SIMULATED" in text
    assert "1 ring, polling 8.0" in text
    rows = stored(*HERE, "size=300", "--format", "csv").succeeded().out.splitlines()
    assert rows[0].startswith("rank,target,simulated,emulated,measure,size,")
    assert len(rows) == 5


def test_no_setting_is_hidden_however_many_there_are(tool: Tool) -> None:
    transports = [f"transport-{number:02}" for number in range(12)]
    with Store(tool.store) as store:
        for number, transport in enumerate(transports):
            keep(store, campaign(lambda size, by=number: ring(size) + by, noise=0.001, transport=transport))
    text = tool("predict", "host", "message", "size=300").succeeded().out
    assert all(transport in text for transport in transports)


def test_settings_as_fast_as_the_first_are_named(tool: Tool) -> None:
    with Store(tool.store) as store:
        for seed, transport in enumerate(("ring", "queue", "pipe")):
            slower = 1.5 if transport == "pipe" else 1.0
            times = campaign(
                lambda size, by=slower: by * ring(size), noise=0.03, size_noise=0.02,
                rng=np.random.default_rng(seed), transport=transport,
            )  # fmt: skip
            keep(store, times)
    text = " ".join(tool("predict", "host", "message", "size=300").succeeded().out.split())
    assert "Not significantly different from the first, ring: queue." in text


def test_a_setting_that_cannot_be_predicted_is_named_with_the_reason(stored: Tool) -> None:
    with Store(stored.store) as store:
        keep(store, campaign(queue, sizes=(4, 64, 256), transport="fifo"), simulated=True)
    found = stored(*HERE, "size=300", "--format", "json").succeeded().json
    (reason,) = found["left_out"]
    assert reason.startswith("fifo 0 → 1")
    assert "outside the measured range of 4 to 256 bytes" in reason
    assert "Left out: fifo 0 → 1" in stored(*HERE, "size=300").out
    refused = stored(*HERE, "size=8192").failed(2).error
    assert "none of the 5 settings can be predicted" in refused
    assert "outside the measured range" in refused


def test_time_that_no_size_changes_is_said_to_be_so(tool: Tool) -> None:
    with Store(tool.store) as store:
        keep(store, campaign(lambda _: 12.5, sizes=(16, 256, 4096), transport="notification"))
    text = " ".join(tool("predict", "host", "message", "size=300").succeeded().out.split())
    assert "Model: 12.5 µs; the size makes no difference in the measured range" in text
    assert "0.0000" not in text


def test_a_slope_that_may_be_0_and_may_be_much_is_said_to_be_unknown(tool: Tool) -> None:
    times = {16: 20.0, 256: 12.0, 4096: 60.0}
    with Store(tool.store) as store:
        keep(store, campaign(times.__getitem__, sizes=times))
    text = " ".join(tool("predict", "host", "message", "size=1024").succeeded().out.split())
    assert "the effect of the size is not significant" in text


def test_an_interval_that_is_no_answer_says_what_to_measure(tool: Tool) -> None:
    times = {16: 14.3, 256: 23.0, 4096: 113.0}
    with Store(tool.store) as store:
        keep(store, campaign(times.__getitem__, sizes=times, noise=0.001, count=20))
    found = tool("predict", "host", "message", "size=300", "--format", "json").succeeded().json
    assert found["conclusive"] is False
    advice = found["to_measure"]
    assert advice["sizes"] == [76, 152, 300, 600, 1200]
    assert advice["repetitions"] == 5
    assert advice["command"] == (
        "intercore run host message measure=latency size=76,152,300,600,1200 transport=ring from=0 to=1 "
        "region=sram-striped receiver=polling load=none --repetitions 5"
    )
    text = " ".join(tool("predict", "host", "message", "size=300").succeeded().out.split())
    assert f"This is inconclusive: the interval is wider than ±50 %. To measure it: {advice['command']}" in text
    assert "that needs at least 39 samples of 256 and of 4,096 bytes, and there are 20 and 20" in text
    with Store(tool.store) as store:
        keep(store, campaign(lambda size: 14 + 0.025 * size, sizes=advice["sizes"], noise=0.001))
    again = tool("predict", "host", "message", "size=300", "--format", "json").succeeded().json
    assert (again["conclusive"], again["to_measure"]) == (True, None)


def test_medians_that_scatter_are_to_be_repeated_more_often(tool: Tool) -> None:
    with Store(tool.store) as store:
        keep(store, campaign(ring, sizes=(64, 128, 256), noise=0.6, count=10))
    found = tool("predict", "host", "message", "size=128", "--format", "json").succeeded().json
    assert found["conclusive"] is False
    assert found["to_measure"]["repetitions"] > 5


def test_help_names_the_benchmarks_that_have_a_model(tool: Tool) -> None:
    assert f"One of {', '.join(names())}." in " ".join(tool("predict", "--help").succeeded().out.split())


def test_other_benchmarks_other_targets_and_empty_stores_are_refused(stored: Tool) -> None:
    refused = stored("predict", "pico-sim", "jitter", "size=3").failed(2).error
    assert f"not available for the benchmark jitter, only for {', '.join(names())}" in refused
    assert (
        "holds no times of message with measure=latency on host"
        in stored("predict", "host", "message", "size=3").failed(2).error
    )
    assert "there is no target 'hots'" in stored("predict", "hots", "message", "size=3").failed(2).error
    missing = stored("predict", "host", "message", "size=3", "--store", "none.db").failed(2)
    assert "there is no store none.db" in missing.error


def test_outside_of_what_was_measured_it_extrapolates_only_when_told_to(stored: Tool) -> None:
    found = stored(*HERE, "size=8192", *SETTING, "--extrapolate", "--format", "json").succeeded().json
    assert found["extrapolated"] is True
    assert found["median_us"]["value"] == pytest.approx(ring(8192), rel=0.01)
    assert any("outside the measured range" in note for note in found["notes"])


def test_a_combination_never_measured_is_extrapolated_by_main_effects(stored: Tool) -> None:
    words = ("size=300", "transport=ring", "receiver=blocked", "from=0", "to=1", "--extrapolate", "--format", "json")
    found = stored(*HERE, *words).succeeded().json
    assert (found["by"], found["extrapolated"], found["alpha_us"]) == ("main effects", True, None)
    assert found["median_us"]["value"] == pytest.approx(3 * ring(300), rel=0.02)
    assert any("never measured" in note for note in found["notes"])
    assert sorted(found["basis"]["runs"]) == [1, 2, 4, 5]


def test_runs_under_the_same_conditions_count_together_and_others_are_left_out(tool: Tool) -> None:
    with Store(tool.store) as store:
        keep(store, campaign(lambda size: 9 * ring(size)))  # before the compiler was changed
        for seed in (1, 2):
            newer = campaign(ring, noise=0.01, rng=np.random.default_rng(seed), seed=seed)
            keep(store, [msgspec.structs.replace(one, conditions={**one.conditions, "compiler": "2"}) for one in newer])
        found = predict(store, "host", ["size=300"], extrapolate=False)
    assert found.basis.runs == (3, 2)
    assert found.basis.samples == 2200
    assert found.median_us.value == pytest.approx(ring(300), rel=0.01)
    assert any("Run 1 is left out: it differs in compiler" in note for note in found.notes)
    assert found.simulated is False


def test_odd_sizes_that_go_their_own_way_are_not_predicted_from_whole_words(tool: Tool) -> None:
    odd = [measurement([110.0, 600.0] * 20, size=size) for size in (4090, 2046, 1022)]
    with Store(tool.store) as store:
        keep(store, [*campaign(ring, noise=0.001), *odd[:1]])
        refused = tool("predict", "host", "message", "size=301").failed(2)
        assert "not a multiple of 4 bytes do not follow this model" in refused.error
        keep(store, [*campaign(ring, noise=0.001), *odd])
        found = predict(store, "host", ["size=2002"], extrapolate=False)
    assert found.median_us.value > 5 * ring(2002)


def test_one_size_or_a_few_samples_promise_nothing(tool: Tool) -> None:
    with Store(tool.store) as store:
        keep(store, campaign(ring, sizes=(64,)))
    assert "a message of 64 bytes cannot be predicted" in tool("predict", "host", "message", "size=64").failed(2).error
    with Store(tool.store) as store:
        keep(store, campaign(queue, sizes=(4, 64), count=3))
        found = predict(store, "host", ["size=32"], extrapolate=False)
    assert (found.median_us.low, found.single_us is not None and found.single_us.low) == (None, None)


# Not itself: without it the code lies otherwise in the banks, and the interval is of some ten cycles.
@pytest.mark.measures("speedup")
@pytest.mark.skipif(
    shutil.which(CROSS_COMPILERS["Arm"].program) is None and "INTERCORE_NO_SKIP" not in os.environ,
    reason=f"no {CROSS_COMPILERS['Arm'].program} here",
)
def test_the_simulated_chip_takes_what_was_predicted_from_other_sizes(tool: Tool) -> None:
    words = ("run", "pico-sim", "message", "transport=queue", "measure=latency", "from=0", "to=1", "samples=40")
    analysis = tool(*words, "size=4,16,64,256,1024,2048", "--format", "json").succeeded().json["analysis"]["message"]
    (row,) = analysis["latency"]
    assert row["alpha_us"]["low"] <= row["alpha_us"]["value"] <= row["alpha_us"]["high"]
    assert row["checks"]["wrong"] == row["checks"]["lost"] == 0
    assert analysis["held_out"]["median"] <= 0.05
    found = tool("predict", "pico-sim", "message", "size=512", "--format", "json").succeeded().json
    assert found["simulated"] is True
    (measured,) = tool(*words, "size=512", "--format", "json").succeeded().json["analysis"]["message"]["latency"]
    truth = measured["sizes"][0]["latency_us"]["median"]["value"]
    assert found["median_us"]["value"] == pytest.approx(truth, rel=0.05)
    assert found["median_us"]["low"] <= truth <= found["median_us"]["high"]


def test_intervals_for_a_single_message_hold_nineteen_of_twenty(tool: Tool) -> None:
    """A line that sizes scatter about, and messages that scatter about their median: both are in the interval."""
    rng = np.random.default_rng(5)
    inside = np.zeros(2)
    trials = 20
    for trial in range(trials):
        with Store(tool.directory / f"{trial}.db") as store:
            keep(store, campaign(ring, noise=0.03, size_noise=0.02, rng=rng))
            found = predict(store, "host", ["size=300"], extrapolate=False)
        middle = ring(300) * (1 + 0.02 * rng.normal())
        single = middle * (1 + 0.03 * rng.normal(size=200))
        for place, (estimate, truth) in enumerate(((found.median_us, np.array([middle])), (found.single_us, single))):
            assert estimate is not None
            assert estimate.low is not None
            assert estimate.high is not None
            inside[place] += float(np.mean((estimate.low <= truth) & (truth <= estimate.high)))
    assert inside[0] >= 0.8 * trials
    assert 0.92 * trials <= inside[1]


# Which kernel it rests on

RELEASED = {"freertos.version": "V11.2.0 SMP", "freertos.sources": "ff265a60962f88d4, unmodified", "image.digest": "1"}
PATCHED = {"freertos.version": "V11.2.0 SMP", "freertos.sources": "0123456789abcdef, modified", "image.digest": "2"}
BEFORE = {"freertos.version": "V11.2.0 SMP"}


def of_kernel(measurements: Sequence[Measurement], conditions: Mapping[str, str]) -> list[Measurement]:
    """The measurements, taken under these conditions besides their own."""
    return [msgspec.structs.replace(one, conditions={**one.conditions, **conditions}) for one in measurements]


def asked(tool: Tool, *words: str) -> Any:  # noqa: ANN401 - what JSON holds
    return tool(*HERE, "size=300", *words, "--format", "json").succeeded().json


def test_two_kernels_are_not_put_together_and_it_says_which_one_it_rests_on(tool: Tool) -> None:
    with Store(tool.store) as store:
        keep(store, of_kernel(campaign(ring, noise=0.01), RELEASED), simulated=True)
        keep(store, of_kernel(campaign(lambda size: 4 * ring(size), noise=0.01), PATCHED), simulated=True)
    found = asked(tool)
    assert found["median_us"]["value"] == pytest.approx(4 * ring(300), rel=0.01)
    assert found["basis"]["runs"] == [2]
    (note,) = [note for note in found["notes"] if "Run 1" in note]
    assert note.startswith("Run 1 is left out: it has another kernel (FreeRTOS V11.2.0 SMP, sources ff265")
    assert "0123456789abcdef, modified" in note


def test_a_run_that_mixes_kernels_is_left_out_or_else_nothing_is_predicted(tool: Tool) -> None:
    half = len(SIZES) // 2
    slow = campaign(lambda size: 4 * ring(size))
    mixed = [*of_kernel(campaign(ring)[:half], RELEASED), *of_kernel(slow[half:], PATCHED)]
    with Store(tool.store) as store:
        keep(store, mixed, simulated=True)
    assert "run 1 is left out: it mixes several kernels" in tool(*HERE, "size=300").failed(2).error.lower()
    with Store(tool.store) as store:
        keep(store, of_kernel(campaign(ring), RELEASED), simulated=True)
    found = asked(tool)
    assert found["basis"]["runs"] == [2]
    assert found["median_us"]["value"] == pytest.approx(ring(300), rel=0.01)
    assert any("Run 1 is left out: it mixes several kernels" in note for note in found["notes"])


def test_a_run_whose_kernel_nobody_knows_is_left_out_beside_one_that_is_known(tool: Tool) -> None:
    with Store(tool.store) as store:
        keep(store, of_kernel(campaign(lambda size: 4 * ring(size)), BEFORE), simulated=True)
        assert any("The kernel's sources are unknown" in note for note in asked(tool)["notes"])
        keep(store, of_kernel(campaign(ring), RELEASED), simulated=True)
    found = asked(tool)
    assert found["basis"]["runs"] == [2]
    assert any("Run 1 is left out: its kernel is unknown" in note for note in found["notes"])


def test_effects_of_factors_are_not_taken_from_two_kernels(tool: Tool) -> None:
    with Store(tool.store) as store:
        keep(store, of_kernel(campaign(ring, noise=0.01), RELEASED), simulated=True)
        keep(store, of_kernel(campaign(queue, noise=0.01, transport="queue"), RELEASED), simulated=True)
        keep(store, of_kernel(campaign(queue, receiver="blocked", transport="queue"), PATCHED), simulated=True)
    refused = tool(*HERE, "size=300", "transport=ring", "receiver=blocked", "--extrapolate").failed(2)
    assert "runs 3, 2, 1 may have different kernels" in refused.error


def test_two_images_of_one_kernel_are_put_together_and_told(tool: Tool) -> None:
    with Store(tool.store) as store:
        keep(store, of_kernel(campaign(ring), RELEASED), simulated=True)
        keep(store, of_kernel(campaign(ring), {**RELEASED, "image.digest": "3"}), simulated=True)
    found = asked(tool)
    assert found["basis"]["runs"] == [2, 1]
    assert "It uses several images (3 / 1): the program was not always the same." in found["notes"]
