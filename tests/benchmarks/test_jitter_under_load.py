"""A release at rest that is later than under load does not read as what load does."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from intercore.benchmarks.caveats import disturbed_samples
from intercore.benchmarks.jitter.activations import FORCED, LOADS
from intercore.benchmarks.jitter.analysis import analyse, caveats, results
from intercore.benchmarks.jitter.answers import answers, concerns
from intercore.benchmarks.jitter.findings import JitterLateness, JitterLeftOut, MissedActivations
from tests.benchmarks.jitter_data import HZ, measurement

PERIOD = HZ // 100

ticks = st.lists(st.integers(1, 3 * PERIOD), min_size=1, max_size=20)


@given(ticks, ticks)
def test_a_worst_case_that_is_later_at_rest_is_said_to_be_disturbed_and_no_other(
    rest: list[int], load: list[int]
) -> None:
    analysis = analyse([measurement(rest), measurement(load, load="both")])
    at_rest, loaded = answers(analysis)
    assert at_rest.value is not None
    assert loaded.value is not None
    assert at_rest.worst
    assert loaded.worst
    worse_without_load = at_rest.value.value > loaded.value.value
    assert at_rest.headline == (f"likely disturbed ({at_rest.number})" if worse_without_load else at_rest.number)
    assert loaded.headline == loaded.number
    first = next(results(analysis))
    assert isinstance(first, JitterLateness)
    assert (first.worse_without_load is not None) == worse_without_load


@pytest.mark.parametrize("load", ["none", "same-priority"])
def test_without_load_of_lower_priority_nothing_is_said_of_it(load: str) -> None:
    analysis = analyse([measurement([1000, 2 * PERIOD]), measurement([10], load=load, core="1")])
    assert not any("disturbed" in one.about for one in answers(analysis))
    assert not any(isinstance(one, JitterLateness) and one.worse_without_load for one in results(analysis))


def test_what_was_late_is_told_by_how_many_measurements_it_came_in() -> None:
    quiet = [measurement([1000] * 3, seed=seed) for seed in range(1, 4)]
    hit = measurement([1000, PERIOD, 2 * PERIOD], seed=9)
    analysis = analyse([*quiet, hit, measurement([500] * 3, load="both")])
    at_rest, loaded = answers(analysis)
    missed = "median 8.00 µs; 2 of them a period or more late, in 1 of 4 measurements; later"
    assert f"period 10.0 ms; {missed}" in at_rest.about
    assert "a period or more late" not in loaded.about
    first = next(results(analysis))
    assert isinstance(first, JitterLateness)
    assert first.worse_without_load is not None
    assert first.worse_without_load.missed == MissedActivations(2, 1, 4)
    assert first.worse_without_load.shorter_median_us == 4.0


@pytest.mark.parametrize("load", LOADS)
@pytest.mark.parametrize("core", ["0", "any"])
def test_what_disturbed_a_setting_concerns_the_answer_that_it_is_part_of(load: str, core: str) -> None:
    drifting = [*range(1000, 1100), *range(1300, 1400)]
    (found,) = caveats([measurement(drifting, core_series=[0, 1] * 100, load=load, core=core)])
    at_rest, loaded = answers(analyse([measurement([1000] * 9), measurement([1000] * 9, load="both")]))
    assert [one.levels["load"] for one in disturbed_samples(found)] == [load]
    assert [concerns(found, one) for one in (at_rest, loaded)] == {
        "none": [True, False],
        "same-priority": [False, False],
    }.get(load, [False, True])


def test_fault_of_a_moved_task_does_not_mark_the_others() -> None:
    moved = measurement([10] * 3, migrate=FORCED[0], checks={"migrations_requested": 3, "migrations_done": 2})
    told = list(answers(analyse([measurement([1000] * 9), measurement([1000] * 9, load="both")])))
    (found,) = caveats([moved])
    assert not any(concerns(found, one) for one in told)
    assert all(concerns(JitterLeftOut(measurements=2), one) for one in told)
