"""From which work on several cores are faster than one (S = 1), and from which on they are used as well as wanted."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from intercore.benchmarks.speedup.analysis import analyse
from intercore.errors import UsageError
from intercore.statistics.intervals import Interval
from tests.benchmarks.test_speedup import few, holds, measured, numbers, only_fit, synthetic, width

pytestmark = pytest.mark.filterwarnings("error")


class TestTheBreakEven:
    @settings(max_examples=10)
    @given(st.floats(250, 2e6), st.floats(0, 0.3), st.integers(2, 8), st.integers(0, 2**32))
    def test_is_where_all_cores_are_as_fast_as_one_whatever_efficiency_is_wanted(
        self, t1_us: float, loss: float, cores: int, seed: int
    ) -> None:
        # TP = (1 + loss) T1/P + overhead is T1 itself at T1 = overhead / (1 - (1 + loss) / P).
        overhead = t1_us * (1 - (1 + loss) / cores)
        run = synthetic(overhead_us=overhead, loss=loss, noise_us=0.5, cores=cores, seed=seed)
        found = {efficiency: only_fit(analyse(run, efficiency)).break_even for efficiency in (0.3, 0.9)}
        assert found[0.3] == found[0.9]
        break_even = found[0.9]
        assert break_even.t1_us is not None
        assert break_even.t1_us.value == pytest.approx(t1_us, rel=0.02)
        assert break_even.place == ("within" if t1_us > 400 else "below")
        assert break_even.n is not None
        assert break_even.n.value == pytest.approx(t1_us / 4, rel=0.05, abs=2)

    def test_lies_far_below_the_work_that_reaches_an_efficiency_of_90_percent(self) -> None:
        fit = only_fit(analyse(synthetic(overhead_us=1000, loss=0.03, noise_us=1)))
        assert fit.break_even.t1_us is not None
        assert fit.isoefficiency.t1_us is not None
        assert fit.isoefficiency.t1_us.value > 10 * fit.break_even.t1_us.value

    def test_agrees_with_the_measured_sizes_where_the_model_does_not(self) -> None:
        """Work that outgrows a cache between two sizes: a line through all of them crosses S = 1 elsewhere."""
        run = [measured([t1] * 9, [tp] * 9, n=t1) for t1, tp in ((100, 210), (200, 260), (400, 290), (8000, 7000))]
        break_even = only_fit(analyse(run)).break_even
        assert break_even.t1_us is not None
        # Between 200 (TP is 60 more) and 400 (110 less).
        assert break_even.t1_us.value == pytest.approx(200 + 200 * 60 / 170)

    def test_is_the_last_crossing_if_there_are_several(self) -> None:
        run = [measured([t1] * 9, [tp] * 9, n=t1) for t1, tp in ((100, 90), (200, 220), (400, 300))]
        break_even = only_fit(analyse(run)).break_even
        assert break_even.t1_us is not None
        assert break_even.t1_us.value == pytest.approx(200 + 200 * 20 / 120)

    def test_interval_holds_the_truth_and_follows_that_of_the_speed_up(self) -> None:
        held, widths = 0, []
        for seed in range(20):
            run = synthetic(overhead_us=800, noise_us=40, seed=seed, sizes=(200, 400, 800), samples=15)
            t1_us = only_fit(analyse(run)).break_even.t1_us
            assert t1_us is not None
            held += holds(t1_us, 1600)
            widths.append(width(t1_us))
        assert held >= 17
        # A median of 15 is known to 1.25 * 40 / sqrt(15) µs, TP - T1 to sqrt(2) of that, and S falls by 1/2 of T1.
        assert 4 * 18 < np.median(widths) < 4 * 18 * 3

    def test_below_the_smallest_size_is_bounded_by_what_was_measured_there(self) -> None:
        break_even = only_fit(analyse(synthetic(overhead_us=150, noise_us=20))).break_even
        assert break_even.place == "below"
        assert break_even.extrapolated
        assert break_even.t1_us is not None
        assert holds(break_even.t1_us, 300)
        assert break_even.t1_us.high is not None
        assert break_even.t1_us.high <= 400

    def test_far_below_the_smallest_size_is_not_guessed(self) -> None:
        break_even = only_fit(analyse(synthetic(overhead_us=2, noise_us=0.1))).break_even
        assert (break_even.place, break_even.t1_us) == ("below", None)
        assert break_even.reason is not None
        assert break_even.reason.startswith("below the smallest size measured, where S = 1.9")

    def test_of_two_sizes_is_not_extrapolated_as_they_do_not_tell_a_loss_from_an_overhead(self) -> None:
        break_even = only_fit(analyse(synthetic(overhead_us=100, loss=0.03, noise_us=1, sizes=(1000, 3000)))).break_even
        assert (break_even.place, break_even.t1_us) == ("below", None)
        assert break_even.reason is not None
        assert break_even.reason.startswith("below the smallest size measured, where S = 1.8")

    def test_above_the_largest_size_is_extrapolated_and_says_so(self) -> None:
        break_even = only_fit(analyse(synthetic(overhead_us=1000, noise_us=1, sizes=(50, 100, 200)))).break_even
        assert (break_even.place, break_even.extrapolated) == ("above", True)
        assert break_even.t1_us is not None
        assert break_even.t1_us.value == pytest.approx(2000, rel=0.02)

    def test_of_one_size_that_is_slower_on_all_cores_lies_above_it(self) -> None:
        break_even = only_fit(analyse(synthetic(overhead_us=1000, noise_us=1, sizes=(50,)))).break_even
        assert (break_even.place, break_even.t1_us) == ("above", None)
        assert break_even.reason is not None
        assert break_even.reason.startswith("above the largest size measured, where S = 0.18")

    def test_is_never_reached_if_each_core_loses_more_than_the_others_bring(self) -> None:
        break_even = only_fit(analyse(synthetic(overhead_us=100, loss=1.2, noise_us=1))).break_even
        assert (break_even.place, break_even.t1_us) == ("never", None)
        assert break_even.reason == (
            "never reached: the work loses 120% per core, so 2 cores are slower than one at any size"
        )

    def test_of_one_core_does_not_exist(self) -> None:
        break_even = only_fit(analyse(synthetic(overhead_us=10, noise_us=1, cores=1))).break_even
        assert break_even.t1_us is None
        assert break_even.reason == "one core is compared with itself"

    def test_has_no_interval_where_the_speed_up_has_none(self) -> None:
        run = [measured([t1], [tp], n=t1) for t1, tp in ((100, 150), (300, 250))]
        assert numbers(only_fit(analyse(run)).break_even.t1_us or Interval(0.0)) == (200, None, None)

    def test_may_be_anywhere_below_if_the_smallest_speed_up_cannot_be_told_from_1(self) -> None:
        run = [measured([t1] * 9, tp, n=t1) for t1, tp in ((100, [60] * 4 + [120] * 5), (300, [200] * 9))]
        t1_us = only_fit(analyse(run)).break_even.t1_us
        assert t1_us is not None
        assert t1_us.low == 0


class TestTheWantedEfficiency:
    @few
    @given(st.floats(0.5, 0.97), st.floats(30, 2000), st.floats(0, 0.02), st.integers(2, 8), st.integers(0, 2**32))
    def test_is_where_the_model_reaches_the_wanted_efficiency(
        self, efficiency: float, overhead: float, loss: float, cores: int, seed: int
    ) -> None:
        fit = only_fit(
            analyse(synthetic(overhead_us=overhead, loss=loss, noise_us=0.5, cores=cores, seed=seed), efficiency)
        )
        t1 = fit.isoefficiency.t1_us
        assert t1 is not None
        assert fit.loss is not None
        tp = (1 + fit.loss.value) * t1.value / cores + fit.overhead_us.value
        assert t1.value / (cores * tp) == pytest.approx(efficiency)
        assert fit.isoefficiency.n is not None
        assert fit.isoefficiency.n.value == pytest.approx(t1.value / 4, rel=0.05, abs=2)

    def test_is_never_reached_with_a_large_loss(self) -> None:
        wanted = only_fit(analyse(synthetic(overhead_us=100, loss=0.2, noise_us=1))).isoefficiency
        assert wanted.t1_us is None
        assert wanted.reason == "never reached: the work loses 20.0% per core at any size"

    def test_is_passed_at_the_smallest_size_if_there_is_no_overhead(self) -> None:
        wanted = only_fit(analyse(synthetic(overhead_us=0, noise_us=5))).isoefficiency
        assert wanted.n is None
        assert wanted.reason == "already reached at the smallest size measured"

    def test_is_not_claimed_if_the_overhead_drowns_in_noise(self) -> None:
        wanted = only_fit(analyse([measured([1000, 9000, 5000], [9000, 1000, 2600])], 0.98)).isoefficiency
        assert wanted.t1_us is None
        assert wanted.reason is not None
        assert "not significantly above 0" in wanted.reason

    def test_outside_the_measured_sizes_says_so(self) -> None:
        inside = only_fit(analyse(synthetic(overhead_us=100, noise_us=1))).isoefficiency
        outside = only_fit(analyse(synthetic(overhead_us=100, noise_us=1, sizes=(40, 80, 160)))).isoefficiency
        assert (inside.extrapolated, outside.extrapolated) == (False, True)

    def test_far_outside_the_measured_sizes_is_not_guessed(self) -> None:
        wanted = only_fit(analyse(synthetic(overhead_us=100, loss=0.09, noise_us=1, sizes=(20, 40, 80)))).isoefficiency
        assert wanted.t1_us is None
        assert wanted.reason is not None
        assert wanted.reason.startswith("far above the largest size measured, where E = ")

    def test_has_no_upper_bound_if_it_may_never_be_reached(self) -> None:
        run = synthetic(overhead_us=1000, loss=0.1, noise_us=400, sizes=(1000, 2000, 4000))
        wanted = only_fit(analyse(run, 0.88)).isoefficiency
        assert wanted.t1_us is not None
        assert wanted.t1_us.low is not None
        assert wanted.t1_us.high is None

    def test_has_no_size_if_time_is_not_proportional_to_it(self) -> None:
        run = [measured([1000 * 4**n] * 3, [500 * 4**n + 300] * 3, n=n) for n in range(1, 7)]
        wanted = only_fit(analyse(run)).isoefficiency
        assert wanted.t1_us is not None
        assert wanted.n is None
        assert wanted.reason is not None
        assert "proportional to n" in wanted.reason

    @pytest.mark.parametrize("efficiency", [0, 1, -0.5, 90, math.nan])
    def test_is_refused_for_an_impossible_efficiency(self, efficiency: float) -> None:
        with pytest.raises(UsageError, match="above 0 and below 1"):
            analyse([], efficiency)
