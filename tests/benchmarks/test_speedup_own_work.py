"""Which unit of a user's own work was wrong first, whichever benchmark did it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import numpy as np
import pytest

from intercore.benchmarks.contention import doubts as contention_doubts
from intercore.benchmarks.memory import analysis as memory
from intercore.benchmarks.own_work import without_own_wrong, wrong_units
from intercore.benchmarks.speedup import doubts as speedup_doubts
from intercore.benchmarks.speedup.analysis import analyse
from intercore.record.measurement import Series
from tests.benchmarks.test_speedup import measured

if TYPE_CHECKING:
    from intercore.record.measurement import Level

pytestmark = pytest.mark.measures("speedup", "contention", "memory")


@pytest.mark.parametrize(
    ("series", "checks", "told"),
    [
        (
            "beyond",
            {"wrong": 1},
            "fft with n=64 on 2 cores writes beyond its part: unit 7, by itself, changes what is not its own.",
        ),
        (
            "around",
            {"wrong": 1},
            "fft with n=64 on 2 cores writes around its buffer, in a window or part that begins with unit 7; none of "
            "its units does so by itself.",
        ),
        (
            "differs",
            {"wrong": 1},
            "fft with n=64 on 2 cores gives another result than on one core: the first unit that differs is 7. "
            "State that parts share, or the order of units, comes into it.",
        ),
        (
            "depends",
            {"wrong": 1},
            "fft with n=64 on 2 cores gives another sum than its parts: the first unit that differs is 7. It adds "
            "something else behind others than by itself, so it depends on the order, on the split, or on what a call "
            "leaves behind.",
        ),
        (
            "unexpected",
            {"wrong": 1},
            "fft with n=64 on 2 cores is not what its file says is right: the first unit that differs is 7.",
        ),
        (
            None,
            {"wrong": 1},
            "fft with n=64 on 2 cores gives another sum than its parts, and no unit by itself does: it depends on the "
            "order, on the split, or on state that parts share.",
        ),
        (None, {"wrong": 0}, None),
    ],
)
def test_what_was_wrong_first_is_named(series: str | None, checks: dict[str, int], told: str | None) -> None:
    factors: dict[str, Level] = {"workload": "own:fft", "n": 64}
    one = measured([100] * 3, [60] * 3, checks=checks, **factors)
    if series is not None:
        found = Series(series, "common", 1, np.array([7], dtype=np.int64))
        one = msgspec.structs.replace(one, series=(*one.series, found))
    assert [*wrong_units([one])] == ([] if told is None else [told])


def test_a_unit_that_was_found_is_told_before_a_window_in_which_none_was() -> None:
    factors: dict[str, Level] = {"workload": "own:fft", "n": 64}
    without = measured([100] * 3, [60] * 3, checks={"wrong": 1}, **factors)
    found = Series("differs", "common", 1, np.array([7], dtype=np.int64))
    (told,) = wrong_units([without, msgspec.structs.replace(without, series=(*without.series, found))])
    assert "the first unit that differs is 7" in told


@pytest.mark.parametrize(
    ("benchmark", "factors"), [("contention", {"workload": "own:fft"}), ("memory", {"other": "own:fft"})]
)
def test_other_benchmarks_tell_the_unit_of_a_buffer_and_where_that_of_a_sum_is_looked_for(
    benchmark: str, factors: dict[str, Level]
) -> None:
    wrong = msgspec.structs.replace(measured([1], [1], checks={"wrong": 1}), benchmark=benchmark, factors=factors)
    assert [*wrong_units([wrong])] == [
        f"fft in {benchmark} has not passed what is checked, and {benchmark} does not look for the unit: speedup "
        "workload=own:fft does."
    ]
    found = Series("beyond", "common", 1, np.array([3], dtype=np.int64))
    assert [*wrong_units([msgspec.structs.replace(wrong, series=(found,))])] == [
        f"fft in {benchmark} writes beyond its part: unit 3, by itself, changes what is not its own."
    ]


def test_work_of_the_tree_is_not_told_of() -> None:
    assert [*wrong_units([measured([1], [1], checks={"wrong": 1})])] == []


def test_wrong_results_of_a_users_own_work_are_blamed_on_nothing_else() -> None:
    """The warnings of each benchmark look for causes in the target."""
    wrong = {"wrong": 1, "lost": 2}
    ours = measured([1], [1], checks=wrong, workload="own:fft")
    theirs = measured([1], [1], checks=wrong)
    assert [one.checks for one in without_own_wrong([ours, theirs])] == [{"lost": 2}, wrong]
    assert not any("wrong" in sentence for sentence in speedup_doubts.warnings(analyse([ours]), [ours]))
    assert any("suspect the compiler" in sentence for sentence in speedup_doubts.warnings(analyse([theirs]), [theirs]))
    assert not any("checksum" in sentence for sentence in contention_doubts.disturbances([ours]))
    beside = msgspec.structs.replace(ours, benchmark="memory", factors={"other": "own:fft", "region": "ram"})
    assert not any("faulty" in sentence for sentence in memory.warnings([beside]))
