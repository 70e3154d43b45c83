"""What Rhealstone's components are taken to say: known times, ratios and figures of merit are found again."""

from __future__ import annotations

import io
import json

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from intercore.benchmarks.rhealstone import analysis as rhealstone
from intercore.benchmarks.rhealstone.analysis import COMPONENTS
from intercore.benchmarks.rhealstone.findings import (
    RhealstoneDeadlockBroken,
    RhealstoneFailedCheck,
    RhealstoneFigureOfMerit,
    RhealstoneSwitching,
    RhealstoneWaking,
)
from intercore.benchmarks.rhealstone.report import report
from intercore.record.measurement import Measurement, Part, Plan, Run, Series
from intercore.terminal.formats.table import print_table

HZ = 125_000_000


def measurement(
    component: str, cycles: list[int], form: str = "same", core: int = 0, wrong: int = 0, opt: str = "O2"
) -> Measurement:
    values = {f"timestamp_overhead.{core}": [46] * 9, "time": cycles}
    return Measurement(
        benchmark="rhealstone",
        factors={"component": component, "form": form, "core": core, "opt": opt, "seed": 1},
        repetition=0,
        series=tuple(Series(name, "common", HZ, np.array(ticks, np.int64)) for name, ticks in values.items()),
        conditions={"clock.sys_hz": str(HZ)},
        checks={"wrong": wrong},
        started="",
    )


def run_of(measurements: list[Measurement]) -> Run:
    plan = Plan("pico-sim", None, "rhealstone", (Part("rhealstone", {}),), simulated=True)
    return Run(1, plan, "", "0", len(measurements), tuple(measurements))


def test_the_ratio_is_to_the_same_component_on_the_same_core() -> None:
    analysis = rhealstone.analyse(
        [
            measurement("preemption", [1000, 1250, 9000]),
            measurement("preemption", [2500], "cross"),
            measurement("preemption", [5000], "cross", core=1),
            measurement("task-switching", [700]),
        ]
    )
    found = {(one.component, one.form, one.core): one for one in analysis.times}
    assert found["preemption", "same", 0].samples_us.median.value == pytest.approx(10)
    assert found["preemption", "same", 0].median_cycles == pytest.approx(1250)
    assert found["preemption", "same", 0].samples_us.max == pytest.approx(72)
    assert found["preemption", "cross", 0].factor == pytest.approx(2)
    assert found["preemption", "cross", 1].factor is None
    assert [one.component for one in analysis.times[:3]] == ["task-switching", "preemption", "preemption"]


def test_task_switching_is_told_apart_because_its_forms_are_unlike() -> None:
    known = {"task-switching": (100, 210), "preemption": (100, 110), "message-latency": (100, 105)}
    measured = [
        measurement(component, [ticks], form)
        for component, both in known.items()
        for form, ticks in zip(("same", "cross"), both, strict=True)
    ]
    waking, switching = rhealstone.results(rhealstone.analyse(measured))
    assert waking == RhealstoneWaking(
        least_times=pytest.approx(1.05), least="message-latency", most_times=pytest.approx(1.1), most="preemption"
    )
    assert switching == RhealstoneSwitching(least_times=pytest.approx(2.1), most_times=pytest.approx(2.1))


@given(st.lists(st.integers(1, 10**6), min_size=6, max_size=6))
def test_the_figure_of_merit_is_one_over_the_mean_of_the_six(cycles: list[int]) -> None:
    measured = [measurement(component, [took]) for component, took in zip(COMPONENTS, cycles, strict=True)]
    analysis = rhealstone.analyse(measured)
    (merit,) = analysis.figures_of_merit
    assert merit.per_s == pytest.approx(HZ / (sum(cycles) / 6))
    assert list(rhealstone.results(analysis)) == [
        RhealstoneFigureOfMerit(form="same", core=0, per_s=merit.per_s, mean_us=merit.mean_us)
    ]
    assert rhealstone.analyse(measured[:5]).figures_of_merit == (), "five are not six"


@given(
    st.lists(
        st.tuples(
            st.sampled_from([*COMPONENTS, "unheard-of"]),
            st.lists(st.integers(0, 2**40), min_size=1, max_size=9),
            st.sampled_from(["same", "cross"]),
            st.sampled_from([0, 1]),
            st.sampled_from(["O0", "O2"]),
        ),
        max_size=8,
    )
)
def test_any_samples_give_a_report_that_is_json_and_fits(taken: list[tuple[str, list[int], str, int, str]]) -> None:
    run = run_of([measurement(name, cycles, form, core, opt=opt) for name, cycles, form, core, opt in taken])
    found = report(run)
    json.dumps(found.json, allow_nan=False)
    for table in found.section.tables:
        print_table(table, Console(file=io.StringIO(), width=100))


def test_the_table_has_both_forms_in_one_row_and_is_labelled() -> None:
    measured = [
        measurement(component, [took * 1000], form)
        for took, component in enumerate(COMPONENTS, 1)
        for form in ("same", "cross")
    ]
    found = report(run_of(measured))
    console = Console(file=io.StringIO(), width=100)
    print_table(found.section.tables[0], console)
    lines = [line for line in console.file.getvalue().splitlines() if line.strip()]  # type: ignore[attr-defined]
    assert "SIMULATED" in lines[0]
    assert len(lines) == 3 + 6, "no cell is folded"
    assert [line.split()[0] for line in lines[3:]] == list(COMPONENTS)
    assert all(line.split()[-1] == "1.00" for line in lines[3:])


def test_a_deadlock_across_cores_that_is_broken_is_reported_with_its_time() -> None:
    both = [measurement("deadlock-breaking", [1000], form) for form in ("same", "cross")]
    assert RhealstoneDeadlockBroken(median_us=8.0) in rhealstone.results(rhealstone.analyse(both))
    assert list(rhealstone.results(rhealstone.analyse(both[:1]))) == []


@pytest.mark.parametrize(
    ("component", "check"), [("deadlock-breaking", "wrong"), ("preemption", "lost"), ("preemption", "preempted")]
)
def test_a_failed_check_is_reported_with_its_component(component: str, check: str) -> None:
    one = msgspec.structs.replace(measurement(component, [1]), checks={"wrong": 0, check: 3})
    (found,) = rhealstone.caveats([one])
    assert found == RhealstoneFailedCheck(
        benchmark="rhealstone", check=check, count=3, factor="component", levels=(component,)
    )
    assert found.severity == ("error" if check == "wrong" else "warning")
    assert list(rhealstone.caveats([measurement(component, [1])])) == []
