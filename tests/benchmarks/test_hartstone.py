"""What missed deadlines are taken to say: the load at which a set breaks down is found again."""

from __future__ import annotations

import io
import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.console import Console

from intercore.benchmarks import hartstone as benchmark
from intercore.benchmarks.benchmark import Role
from intercore.benchmarks.hartstone import TASKS
from intercore.benchmarks.hartstone.analysis import analyse, caveats, results
from intercore.benchmarks.hartstone.findings import HartstoneBreakdown, HartstoneGain, HartstoneUneven
from intercore.benchmarks.hartstone.report import report
from intercore.benchmarks.series import role
from intercore.record.measurement import Measurement, Part, Plan, Run, Series
from intercore.terminal.formats.table import print_table

HZ = 1_000_000
PERIOD_US = 1000


def measurement(
    load: int, missed: int = 0, placement: str = "one-core", *, alone_us: float | None = None, cores: str = "2"
) -> Measurement:
    """A repetition in which task 4 missed so many deadlines, and each response took half of the task's period."""
    alone = load / 100 / TASKS * PERIOD_US if alone_us is None else alone_us
    ticks = {"alone": [round(alone)]}
    for task in range(TASKS):
        ticks[f"response.{task}"] = [PERIOD_US << task >> 1] * (16 >> task)
        ticks[f"missed.{task}"] = [missed if task == TASKS - 1 else 0]
    return Measurement(
        benchmark="hartstone",
        factors={"placement": placement, "load": load, "period_us": PERIOD_US, "seed": 1},
        repetition=0,
        series=tuple(Series(name, "common", HZ, np.array(of, np.int64)) for name, of in ticks.items()),
        conditions={"cores": cores},
        checks={"wrong": 0},
        started="",
    )


def test_breakdown_lies_between_last_kept_and_first_missed_load() -> None:
    (found,) = analyse([measurement(100, missed=1), measurement(90), measurement(95), measurement(120, 1)]).sets
    assert [one.load for one in found.loads] == [90, 95, 100, 120]
    assert (found.kept_percent, found.missed_percent) == (95, 100)
    assert (found.kept_of_all_percent, found.uneven) == (95, None)
    assert [one.activations for one in found.loads] == [31] * 4
    assert found.loads[-1].missed_of_task == (0, 0, 0, 0, 1)
    assert (found.loads[0].longest, found.loads[0].longest_of_task) == (0.5, 0)


def test_the_load_is_what_was_measured_and_not_what_was_asked_for() -> None:
    (found,) = analyse([measurement(90, alone_us=200)]).sets
    assert found.loads[0].percent == pytest.approx(100)


def test_one_miss_in_any_repetition_is_a_miss() -> None:
    (found,) = analyse([measurement(90), measurement(90, missed=1)]).sets
    assert (found.kept_percent, found.missed_percent) == (None, 90)
    assert found.loads[0].activations == 62


@pytest.mark.parametrize(("cores", "share"), [("2", 80), ("4", 40), ("64", 32), ("x", None)])
def test_a_load_is_shared_by_as_many_cores_as_there_are_tasks_for(cores: str, share: float | None) -> None:
    (found,) = analyse([measurement(160, placement="free", cores=cores)]).sets
    assert found.kept_of_all_percent == share


def test_several_cores_are_set_beside_one() -> None:
    measured = [measurement(90), measurement(100, 1), measurement(180, 0, "free"), measurement(200, 2, "free")]
    *breakdowns, gain = results(analyse(measured))
    assert [(one.placement, one.kept_percent) for one in breakdowns if isinstance(one, HartstoneBreakdown)] == [
        ("one-core", 90),
        ("free", 180),
    ]
    assert gain == HartstoneGain(placement="free", least_times=1.8, most_times=pytest.approx(200 / 90))
    assert list(results(analyse(measured[:3]))) == [*results(analyse(measured[:3]))][:2], "unbounded: nothing is said"


def test_a_miss_below_a_load_that_was_kept_is_doubted() -> None:
    measured = [measurement(80), measurement(90, missed=1), measurement(95), measurement(100, 1)]
    (found,) = caveats(measured)
    assert found == HartstoneUneven(placement="one-core", missed_percent=90, kept_percent=95)
    assert list(caveats([measurement(80), measurement(90, missed=1)])) == []


@pytest.mark.parametrize(
    ("measured", "words"),
    [
        ([measurement(80), measurement(90, 1)], "no deadline was missed up to a load of 80.0 % of one core, and some"),
        ([measurement(80), measurement(90)], "no deadline was missed at any load measured, up to 90.0 %"),
        ([measurement(80, 1)], "deadlines were missed at every load measured, from 80.0 % of one core on."),
        ([measurement(160, 0, "free")], "up to 160.0 % of one core (80.0 % of all cores)."),
    ],
)
def test_what_was_found_is_told_in_a_sentence(measured: list[Measurement], words: str) -> None:
    (found,) = results(analyse(measured))
    assert words in found.sentence


def test_responses_are_results_and_what_the_load_is_known_by_is_not() -> None:
    series = {one.name: role("hartstone", one) for one in measurement(50).series}
    assert [name for name, of in series.items() if of is Role.RESULT] == [f"response.{task}" for task in range(TASKS)]
    assert set(benchmark.BENCHMARK.series.results or {}) == {name for name in series if name.startswith("response")}


def test_nothing_measured_is_nothing_found() -> None:
    assert analyse([]).sets == ()


PLACEMENTS = st.sampled_from(["one-core", "free"])


@given(st.lists(st.builds(measurement, st.integers(5, 500), st.integers(0, 16), PLACEMENTS), max_size=8))
@settings(max_examples=20)
def test_every_run_has_a_document_and_tables(measured: list[Measurement]) -> None:
    plan = Plan("pico-sim", None, "hartstone", (Part("hartstone", {}),), simulated=True)
    found = report(Run(1, plan, "", "0", len(measured), tuple(measured)))
    json.dumps(found.json, allow_nan=False)
    for table in found.section.tables:
        print_table(table, Console(file=io.StringIO(), width=100))
    for one in analyse(measured).sets:
        assert (one.missed_percent is None) == (not any(load.missed for load in one.loads))
