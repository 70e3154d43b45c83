"""What samples can be: what cannot is failed and not analysed, in every benchmark; what can be never is."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import msgspec
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from intercore.benchmarks import registry
from intercore.benchmarks.failed import analysable
from intercore.benchmarks.findings import Impossible, ImpossibleSamples, MoreImpossibleSamples
from intercore.benchmarks.plausibility import TOO_LONG, caveats, impossible, is_possible, longer_than
from intercore.benchmarks.reports import reports, run_caveats
from intercore.comparison.analysis import compare
from intercore.document.run import run_document
from intercore.record.measurement import Part, Plan, Run
from tests.benchmarks.series_kinds import KINDS, TIMES, Kind
from tests.fakes import esp32 as fake_esp32

if TYPE_CHECKING:
    from intercore.record.measurement import Measurement

LEAST, MOST = -(2**63), 2**63 - 1
SAMPLES = 25
TOOK_S = 2.0


def test_a_series_of_each_benchmark_is_tried() -> None:
    assert {one.benchmark for one in KINDS} >= set(registry.names())


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_the_least_of_all_samples_cannot_be(kind: Kind) -> None:
    for values in ([LEAST] * SAMPLES, [*range(1, SAMPLES), LEAST]):
        one = kind.measured(values)
        assert impossible(one) or longer_than(one, TOOK_S)


@pytest.mark.parametrize("kind", TIMES, ids=str)
def test_a_clock_that_stands_still_is_noticed_where_what_is_timed_takes_time(kind: Kind) -> None:
    assert is_possible(kind.measured([0] * SAMPLES)) is kind.zero


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_what_may_be_below_0_is_and_nothing_else(kind: Kind) -> None:
    assert is_possible(kind.measured([*range(10**6, 10**6 + SAMPLES), -5])) is kind.negative


@pytest.mark.parametrize("kind", TIMES, ids=str)
def test_sample_longer_than_its_measurement_is_impossible(kind: Kind) -> None:
    one = kind.measured([*range(10**6, 10**6 + SAMPLES), 10**12])  # 17 minutes
    assert longer_than(one, TOOK_S) == (0 if kind.clock == "counter" and kind.negative else 1)
    assert is_possible(one), "how long it took is known only while it is measured"
    assert not is_possible(msgspec.structs.replace(one, checks={TOO_LONG: 1}))
    assert longer_than(one, 900) == 0


def test_a_short_time_may_come_to_less_than_a_tick() -> None:
    assert is_possible(Kind("api", "call").measured([0, 0, 41, 42, 0, 41] * 5)), "a clock in steps of 41.7 ns"
    assert is_possible(Kind("switch", "call").measured([0] * 5)), "too few to tell"
    assert is_possible(Kind("switch", "call").measured([0] * 100, hz=10**6)), "100 times 10 ns are one tick at most"


@pytest.mark.measures("speedup")
def test_much_work_may_not_come_to_less_than_a_tick() -> None:
    assert not is_possible(Kind("speedup", "t1", factors={"n": 100_000}).measured([999, 1_000_000]))
    assert is_possible(Kind("speedup", "t1", factors={"n": 100_000}).measured([1_000, 1_000_000]))
    assert is_possible(Kind("speedup", "t1", factors={"n": 100}).measured([0], hz=10**6))


def test_clocks_that_were_aligned_may_disagree_by_as_much_as_they_say() -> None:
    across = Kind("switch", "switch")
    assert is_possible(across.measured([-12, 3, 7], **{"clock.uncertainty": "12 ticks"}))
    assert not is_possible(across.measured([-13, 3, 7], **{"clock.uncertainty": "12 ticks"}))


def test_no_core_has_a_number_that_there_is_not() -> None:
    assert is_possible(Kind("novel", "core", "core").measured([0, 1, 0]))
    (fault,) = impossible(Kind("novel", "core", "core").measured([0, 2, 0]))
    assert fault == Impossible("core", 1, 3, "no such core")


def test_the_times_of_an_emulated_chip_mean_nothing_and_so_are_not_judged() -> None:
    assert is_possible(Kind("switch", "switch").measured([0] * 100, emulated="by QEMU"))
    assert longer_than(Kind("switch", "switch").measured([10**15], emulated="by QEMU"), TOOK_S) == 0


def drawn(kind: Kind) -> st.SearchStrategy[list[int]]:
    """Samples that a target can send: nothing below what the work takes, nothing beyond the run."""
    if kind.unit == "core":
        return st.lists(st.integers(0, 1), max_size=40)
    if kind.unit == "count":
        return st.lists(st.integers(0, 2**30), max_size=40)
    if kind.unit == "moment":
        return st.lists(st.integers(1, 10**6), max_size=40).map(lambda steps: np.cumsum(steps).tolist())
    return st.lists(st.integers(-(10**9) if kind.negative else 100, 10**9), max_size=40)


@pytest.mark.parametrize("kind", KINDS, ids=str)
@given(data=st.data())
@settings(max_examples=5)
def test_what_can_be_is_never_refused_and_one_sample_that_cannot_be_always_is(kind: Kind, data: st.DataObject) -> None:
    values = data.draw(drawn(kind))
    hz = data.draw(st.sampled_from([10**9, 125_000_000, 10**6]))
    scaled = (
        values if kind.unit in ("count", "core") else [value * hz // 10**9 + (not kind.negative) for value in values]
    )
    one = kind.measured(scaled, hz)
    assert impossible(one) == ()
    assert longer_than(one, TOOK_S) == 0
    at = data.draw(st.integers(0, len(scaled)))
    odd = kind.measured([*scaled[:at], LEAST, *scaled[at:]], hz)
    assert impossible(odd) or longer_than(odd, TOOK_S)


# What becomes of what failed


def as_run(*measured: Measurement, target: str = "host") -> Run:
    names = dict.fromkeys(one.benchmark for one in measured)
    parts = tuple(
        Part(name, {factor: [1] for one in measured if one.benchmark == name for factor in one.factors})
        for name in names
    )
    return Run(1, Plan(target, None, "x", parts), "2026-01-01T00:00:00+00:00", "0", len(measured), measured)


@pytest.mark.parametrize("benchmark", fake_esp32.run().plan.benchmarks)
@pytest.mark.parametrize("ticks", [LEAST, 0, 2**62])
def test_a_setting_that_cannot_be_is_told_as_failed_and_nothing_is_made_of_it(benchmark: str, ticks: int) -> None:
    good = next(one for one in fake_esp32.run().measurements if one.benchmark == benchmark)
    series = tuple(
        msgspec.structs.replace(known, ticks=np.full(SAMPLES, ticks)) if known.is_time else known
        for known in good.series
    )
    bad = msgspec.structs.replace(good, series=series, factors={**good.factors, "samples": 77})
    run, alone = as_run(bad, good), as_run(good)
    assert analysable(run).measurements == (good,)
    (failed,) = [one for one in run_caveats(run) if isinstance(one, ImpossibleSamples)]
    assert failed.benchmark == benchmark
    assert failed.setting["samples"] == 77
    assert failed.severity == "error"
    document, sound = (run_document(reports(each)) for each in (run, alone))
    assert document["analysis"] == sound["analysis"]
    rows = json.loads(msgspec.json.encode(document["measurements"]))
    assert {row["summary"] is None for row in rows if row["factors"]["samples"] == 77} == {True}
    assert all(bool(row["failed"]) == (row["factors"]["samples"] == 77) for row in rows)


def test_each_setting_that_failed_is_named_with_its_repetitions() -> None:
    kind = Kind("irq", "latency", factors={"path": "doorbell"})
    bad, good = kind.measured([-3] * 8), kind.measured([5] * 8)
    other = msgspec.structs.replace(bad, factors={"path": "timer-task"})
    run = as_run(good, msgspec.structs.replace(bad, repetition=1), other)
    worst = Impossible("latency", 8, 8, "below", least=0, worst=-3)
    assert [one for one in run_caveats(run) if isinstance(one, ImpossibleSamples)] == [
        ImpossibleSamples(
            setting={"path": path}, benchmark="irq", failed=1, repetitions=repetitions, worst=worst, others=0
        )
        for path, repetitions in (("doorbell", 2), ("timer-task", 1))
    ]


def test_of_many_settings_that_failed_the_first_are_named_and_the_others_counted() -> None:
    kind = Kind("irq", "latency", factors={"path": "doorbell"})
    bad = [msgspec.structs.replace(kind.measured([-3] * 8), factors={"path": str(number)}) for number in range(13)]
    *named, rest = caveats(as_run(*bad))
    assert [one.setting for one in named] == [{"path": str(number)} for number in range(10)]
    assert rest == MoreImpossibleSamples(settings=3)


def test_what_failed_is_not_compared_and_that_is_said() -> None:
    kind = Kind("irq", "latency", factors={"path": "doorbell"})
    bad = msgspec.structs.replace(kind.measured([LEAST] * 8), repetition=1)
    found = compare([as_run(kind.measured([5] * 8), bad), as_run(kind.measured([10] * 8), target="other")])
    assert [(pair.first.value, pair.first_samples) for pair in found.pairs] == [(0.005, 8)]
    assert found.warnings[0] == "1 measurement on host failed, and is not compared. See intercore show."
