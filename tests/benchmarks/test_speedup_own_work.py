"""Which unit of a user's own work was wrong first, whichever benchmark did it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, get_args

import msgspec
import numpy as np
import pytest

from intercore.benchmarks.caveats import FailedCheck
from intercore.benchmarks.contention import analysis as contention
from intercore.benchmarks.memory import analysis as memory
from intercore.benchmarks.own_work import (
    Mistake,
    OwnWorkWrong,
    OwnWorkWrongUnit,
    WorkSplit,
    without_own_wrong,
    wrong_units,
)
from intercore.benchmarks.speedup import caveats as speedup
from intercore.benchmarks.speedup.analysis import analyse
from intercore.record.measurement import Series
from tests.benchmarks.test_speedup import measured

if TYPE_CHECKING:
    from intercore.record.measurement import Level, Measurement

pytestmark = pytest.mark.measures("speedup", "contention", "memory")

FACTORS: dict[str, Level] = {"workload": "own:fft", "n": 64}
CONTEST: dict[str, Level] = {"preset": "none", "window_ms": 100, "samples": 1}


def with_unit(one: Measurement, mistake: Mistake, unit: int) -> Measurement:
    found = Series(mistake, "common", 1, np.array([unit], dtype=np.int64))
    return msgspec.structs.replace(one, series=(*one.series, found))


ON_TWO_CORES: dict[str, Any] = {"work": "fft", "benchmark": "speedup", "split": WorkSplit(64, 2)}


@pytest.mark.parametrize("mistake", get_args(Mistake))
def test_the_first_wrong_unit_is_named(mistake: Mistake) -> None:
    one = with_unit(measured([100] * 3, [60] * 3, checks={"wrong": 1}, **FACTORS), mistake, 7)
    assert [*wrong_units([one])] == [OwnWorkWrongUnit(**ON_TWO_CORES, mistake=mistake, unit=7)]


def test_no_unit_is_named_where_none_was_found() -> None:
    wrong, right = (measured([100] * 3, [60] * 3, checks={"wrong": count}, **FACTORS) for count in (1, 0))
    assert [*wrong_units([wrong])] == [OwnWorkWrong(**ON_TWO_CORES, is_sought=True)]
    assert [*wrong_units([right])] == []


def test_a_unit_that_was_found_is_told_before_a_window_in_which_none_was() -> None:
    without = measured([100] * 3, [60] * 3, checks={"wrong": 1}, **FACTORS)
    found = [*wrong_units([without, with_unit(without, "differs", 7)])]
    assert found == [OwnWorkWrongUnit(**ON_TWO_CORES, mistake="differs", unit=7)]


@pytest.mark.parametrize(
    ("benchmark", "factors"), [("contention", {"workload": "own:fft"}), ("memory", {"other": "own:fft"})]
)
def test_other_benchmarks_tell_the_unit_of_a_buffer_and_do_not_look_for_that_of_a_sum(
    benchmark: str, factors: dict[str, Level]
) -> None:
    wrong = msgspec.structs.replace(measured([1], [1], checks={"wrong": 1}), benchmark=benchmark, factors=factors)
    where: dict[str, Any] = {"work": "fft", "benchmark": benchmark, "split": None}
    assert [*wrong_units([wrong])] == [OwnWorkWrong(**where, is_sought=False)]
    found = [*wrong_units([with_unit(msgspec.structs.replace(wrong, series=()), "beyond", 3)])]
    assert found == [OwnWorkWrongUnit(**where, mistake="beyond", unit=3)]


def test_work_of_the_tree_is_not_told_of() -> None:
    assert [*wrong_units([measured([1], [1], checks={"wrong": 1})])] == []


def test_wrong_results_of_a_users_own_work_are_blamed_on_nothing_else() -> None:
    """The warnings of each benchmark look for causes in the target."""
    wrong = {"wrong": 1, "lost": 2}
    ours = measured([1], [1], checks=wrong, workload="own:fft")
    theirs = measured([1], [1], checks=wrong)
    assert [one.checks for one in without_own_wrong([ours, theirs])] == [{"lost": 2}, wrong]
    failed = [
        [one.check for one in speedup.caveats(analyse([each]), [each]) if isinstance(one, FailedCheck)]
        for each in (ours, theirs)
    ]
    assert failed == [["lost"], ["wrong", "lost"]]
    elsewhere = msgspec.structs.replace(ours, benchmark="contention", factors={**CONTEST, "workload": "own:fft"})
    assert [one.check for one in contention.caveats([elsewhere]) if isinstance(one, FailedCheck)] == ["lost"]
    beside = msgspec.structs.replace(ours, benchmark="memory", factors={"other": "own:fft", "region": "ram"})
    assert [one.check for one in memory.caveats([beside]) if isinstance(one, FailedCheck)] == ["lost"]
