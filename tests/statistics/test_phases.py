"""Whether two programs differ by more than their phases: few false alarms, and real changes are found."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from intercore.statistics.intervals import Interval
from intercore.statistics.phases import LEAST_PHASES, Phase, difference, phase
from intercore.statistics.repetitions import Medians, medians

PHASES = st.lists(st.builds(Phase, st.floats(1e-3, 1e6), st.floats(0, 1)), min_size=LEAST_PHASES, max_size=5)


def known(*values: float) -> Medians:
    return medians([np.array(values)])


@given(PHASES, st.builds(Phase, st.floats(1e-3, 1e6), st.floats(0, 1)))
def test_the_interval_holds_what_was_measured_and_turns_with_the_sides(phases: list[Phase], other: Phase) -> None:
    found, turned = (difference(phases, other, is_second=is_second) for is_second in (True, False))
    assert found is not None
    assert turned is not None
    low, value, high = found.ratio.low, found.ratio.value, found.ratio.high
    assert low is not None
    assert high is not None
    assert low <= value <= high
    assert value == pytest.approx(other.median / phases[0].median)
    assert (turned.ratio.value, turned.ratio.high) == pytest.approx((1 / value, 1 / low), rel=1e-6)
    assert 0 <= found.chance <= 1
    assert turned.chance == pytest.approx(found.chance)


def test_of_programs_that_do_not_differ_few_are_said_to() -> None:
    rng = np.random.default_rng(7)
    chances = []
    for _ in range(4000):
        *phases, other = (Phase(math.exp(rng.normal(2, 0.01)), 0.0) for _ in range(6))
        found = difference(phases, other, is_second=True)
        assert found is not None
        chances.append(found.chance)
    assert np.mean(np.array(chances) < 0.05) == pytest.approx(0.05, abs=0.01)


def test_a_change_far_beyond_the_phases_is_found_and_one_within_them_is_not() -> None:
    phases = [Phase(median, 0.0) for median in (4.968, 4.968, 4.944, 4.992, 4.976)]
    slower, moved = (difference(phases, Phase(median, 0.0), is_second=True) for median in (5.888, 4.99))
    assert slower is not None
    assert moved is not None
    assert slower.chance < 1e-5
    assert moved.chance > 0.1


def test_a_program_that_no_phase_moves_is_changed_by_a_single_cycle() -> None:
    phases = [Phase(2.968, 0.0)] * 5
    found = difference(phases, Phase(2.976, 0.0), is_second=True)
    assert found is not None
    assert found.chance == 0
    same = difference(phases, Phase(2.968, 0.0), is_second=True)
    assert same is not None
    assert (same.chance, same.ratio) == (1, Interval(1, 1, 1))


def test_a_median_that_jumps_between_two_values_of_its_samples_is_no_change() -> None:
    """As where the kernel's tick falls into one sample of eight, or into five."""
    few, many = [64.768] * 2 + [64.784] * 5 + [65.28], [64.784] * 2 + [65.28] * 5 + [66.96]
    before, after = (phase(known(*values), min(values), max(values), len(values)) for values in (few, many))
    assert before is not None
    assert after is not None
    found = difference([before] * 5, after, is_second=True)
    assert found is not None
    assert found.chance > 0.05


@given(st.lists(st.floats(1, 2), min_size=2, max_size=40))
def test_the_error_of_a_median_is_there_where_samples_differ(values: list[float]) -> None:
    found = phase(known(*values), min(values), max(values), len(values))
    assert found is not None
    assert found.median == pytest.approx(float(np.median(values)))
    if min(values) == max(values):
        assert found.error == 0
    assert 0 <= found.error <= math.log(max(values) / min(values)) / 1.1 + 1e-12


def test_what_has_a_sample_that_is_not_above_0_has_no_ratio() -> None:
    assert phase(known(0, 1, 1), 0, 1, 3) is None


def test_two_medians_say_nothing_of_how_they_scatter() -> None:
    assert difference([Phase(1, 0)] * (LEAST_PHASES - 1), Phase(2, 0), is_second=True) is None
