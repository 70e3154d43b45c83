"""What Thread-Metric's counts are taken to say: known rates and ratios are found again."""

from __future__ import annotations

import io
import json

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from intercore.benchmarks.benchmark import Role
from intercore.benchmarks.series import quantity, role
from intercore.benchmarks.threadmetric import analysis as threadmetric
from intercore.benchmarks.threadmetric.analysis import TESTS
from intercore.benchmarks.threadmetric.answers import remarks
from intercore.benchmarks.threadmetric.findings import (
    ThreadmetricAtOnce,
    ThreadmetricFailedCheck,
    ThreadmetricLockBound,
    ThreadmetricNoTurns,
    ThreadmetricPassed,
    ThreadmetricSlowerTogether,
)
from intercore.benchmarks.threadmetric.report import report
from intercore.record.measurement import Measurement, Part, Plan, Run, Series
from intercore.terminal.formats.table import print_table

HZ = 125_000_000


def measurement(
    test: str,
    counts: list[int],
    form: str = "same",
    *,
    core: int = 0,
    seconds: float = 0.1,
    apart: int | None = None,
) -> Measurement:
    values = {"count": counts, "window": [round(seconds * HZ)] * len(counts)}
    if apart is not None:
        values |= {"least": [100] * len(counts), "most": [100 + apart] * len(counts)}
    return Measurement(
        benchmark="threadmetric",
        factors={"test": test, "form": form, "core": core, "window_ms": 100, "seed": 1},
        repetition=0,
        series=tuple(Series(name, "common", HZ, np.array(of, np.int64)) for name, of in values.items()),
        conditions={},
        checks={"wrong": 0},
        started="",
    )


def run_of(measurements: list[Measurement]) -> Run:
    plan = Plan("pico-sim", None, "threadmetric", (Part("threadmetric", {}),), simulated=True)
    return Run(1, plan, "", "0", len(measurements), tuple(measurements))


def test_rounds_that_are_passed_on_are_compared_with_those_of_one_core() -> None:
    measured = [measurement("message", [1_000_000]), measurement("message", [570], form="cross")]
    (found,) = threadmetric.results(threadmetric.analyse(measured))
    times = pytest.approx(0.00057)
    assert found == ThreadmetricPassed(least_times=times, least="message", most_times=times, most="message")


def test_counts_are_given_for_thirty_seconds_of_the_true_window() -> None:
    (found,) = threadmetric.analyse([measurement("message", [100, 110, 250], seconds=0.11)]).counts
    assert found.per_s == pytest.approx(1000)
    assert found.per_30_s == pytest.approx(30_000)
    assert found.each_us == pytest.approx(1000)
    assert (found.lowest_per_s, found.highest_per_s) == pytest.approx((100 / 0.11, 250 / 0.11))


def test_windows_of_other_lengths_come_to_the_same_count_where_targets_are_compared() -> None:
    short, long = (measurement("message", [counts], seconds=seconds) for counts, seconds in ((100, 0.1), (1000, 1.0)))
    results = [[(series.name, role("threadmetric", series)) for series in one.series] for one in (short, long)]
    assert results == [[("count", Role.RESULT), ("window", Role.AUXILIARY)]] * 2
    found = [quantity(one, one.series[0]) for one in (short, long)]
    assert [(one.name, one.unit) for one in found] == [("count_30s", "count")] * 2
    assert [one.values.tolist() for one in found] == [pytest.approx([30_000])] * 2


def test_forms_and_the_basic_count_are_compared_on_the_same_core() -> None:
    measured = [
        measurement("basic", [50]),
        measurement("memory", [200]),
        measurement("memory", [300], "cross"),
        measurement("memory", [500], "cross", core=1),
    ]
    found = {(one.test, one.form, one.core): one for one in threadmetric.analyse(measured).counts}
    assert found["memory", "cross", 0].factor == pytest.approx(1.5)
    assert found["memory", "same", 0].factor is None
    assert found["memory", "same", 0].per_basic == pytest.approx(4)
    assert found["memory", "cross", 1].factor is None


def test_two_cores_that_get_less_done_than_one_are_told() -> None:
    measured = [measurement("synchronisation", [200]), measurement("synchronisation", [60], "cross")]
    analysis = threadmetric.analyse(measured)
    assert list(threadmetric.results(analysis)) == [
        ThreadmetricAtOnce(times={"synchronisation": pytest.approx(0.3)}),
        ThreadmetricLockBound(test="synchronisation"),
    ]
    assert list(remarks(analysis)) == [
        ThreadmetricSlowerTogether(times=pytest.approx(200 / 60), test="synchronisation"),
    ]


def test_tasks_that_do_not_take_turns_are_warned_of_on_one_core_only() -> None:
    apart = threadmetric.caveats([measurement("cooperative", [500], apart=40)])
    assert list(apart) == [ThreadmetricNoTurns(test="cooperative", apart=40)]
    assert list(threadmetric.caveats([measurement("cooperative", [500], apart=2)])) == []
    assert list(threadmetric.caveats([measurement("cooperative", [500], "cross", apart=40)])) == []


def test_failed_checks_are_reported_with_their_test() -> None:
    one = msgspec.structs.replace(measurement("message", [1]), checks={"wrong": 1, "lost": 2, "preempted": 3})
    found = list(threadmetric.caveats([one]))
    assert all(isinstance(each, ThreadmetricFailedCheck) and each.levels == ("message",) for each in found)
    assert {each.check: each.count for each in found if isinstance(each, ThreadmetricFailedCheck)} == one.checks
    assert [each.severity for each in found] == ["error", "warning", "warning"]


@given(
    st.lists(
        st.tuples(
            st.sampled_from([*TESTS, "unheard-of"]),
            st.lists(st.integers(0, 2**32), min_size=1, max_size=5),
            st.sampled_from(["same", "cross"]),
            st.sampled_from([0, 1]),
            st.sampled_from([0.0, 0.01, 30.0]),
        ),
        max_size=8,
    )
)
def test_any_counts_give_a_report_that_is_json_and_fits(taken: list[tuple[str, list[int], str, int, float]]) -> None:
    run = run_of([measurement(test, counts, form, core=core, seconds=s) for test, counts, form, core, s in taken])
    found = report(run)
    json.dumps(found.json, allow_nan=False)
    for table in found.section.tables:
        print_table(table, Console(file=io.StringIO(), width=100))


def test_the_table_fits_with_both_forms_in_one_row() -> None:
    measured = [measurement(test, [10_000_000], form) for test in TESTS for form in ("same", "cross")]
    found = report(run_of(measured))
    console = Console(file=io.StringIO(), width=100)
    print_table(found.section.tables[0], console)
    lines = [line for line in console.file.getvalue().splitlines() if line.strip()]  # type: ignore[attr-defined]
    assert "SIMULATED" in lines[0]
    assert len(lines) == 3 + 8, "no cell is folded"
    assert [figure.name for figure in found.section.figures] == ["threadmetric"]
