"""What launches of a core and of tasks are taken to say."""

from __future__ import annotations

import numpy as np

from intercore.benchmarks.launch.analysis import analyse, caveats, results
from intercore.benchmarks.launch.answers import answers
from intercore.benchmarks.launch.findings import LaunchCold, LaunchTime
from intercore.benchmarks.launch.report import report
from intercore.record.measurement import Measurement, Part, Plan, Run, Series

HZ = 1_000_000


def measurement(what: str, cache: str, launch: int, call: int, wrong: int = 0) -> Measurement:
    return Measurement(
        benchmark="launch",
        factors={"what": what, "cache": cache, "seed": 1},
        repetition=0,
        series=tuple(
            Series(name, "common", HZ, np.array([ticks] * 9, np.int64), "tick")
            for name, ticks in (("launch", launch), ("call", call))
        ),
        conditions={},
        checks={"wrong": wrong},
        started="",
    )


CORE = measurement("core", "warm", 30, 36)
COLD = measurement("core", "cold", 90, 180)
TASK = measurement("task", "warm", 40, 33)


def test_the_core_comes_first_and_an_empty_cache_is_set_beside_a_warm_one() -> None:
    analysis = analyse([TASK, COLD, CORE])
    assert [(one.what, one.cache) for one in analysis.launches] == [
        ("core", "warm"),
        ("core", "cold"),
        ("task", "warm"),
    ]
    assert [*results(analysis)] == [
        LaunchTime(what="core", cache="warm", launch_us=30, call_us=36),
        LaunchCold(what="core", warm_us=30, cold_us=90),
        LaunchTime(what="task", cache="warm", launch_us=40, call_us=33),
    ]


def test_a_cold_launch_alone_is_told_as_such() -> None:
    (found,) = results(analyse([COLD]))
    assert found == LaunchTime(what="core", cache="cold", launch_us=90, call_us=180)
    assert "empty cache" in found.sentence
    assert [*answers(analyse([COLD]))] == []


def test_each_question_has_the_time_of_the_warm_one() -> None:
    core, task = answers(analyse([TASK, COLD, CORE]))
    assert (core.value and core.value.value, task.value and task.value.value) == (30, 40)
    assert "90.0 µs" in core.about
    assert task.about == ""


def test_an_instruction_before_it_was_asked_for_is_an_error() -> None:
    (found,) = caveats([measurement("task", "warm", 40, 33, wrong=1)])
    assert found.severity == "error"


def test_the_report_has_a_row_for_each_setting() -> None:
    plan = Plan("pico-sim", None, "launch", (Part("launch", {}),), simulated=True)
    shown = report(Run(1, plan, "", "0", 3, (CORE, COLD, TASK)))
    assert [(row["what"], row["launch_median_us"], row["call_max_us"]) for row in shown.rows] == [
        ("core", 30, 36),
        ("core", 90, 180),
        ("task", 40, 33),
    ]
