"""What activations are taken to say: known latencies, deviations, migrations and bounds are found again."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from intercore.benchmarks.benchmark import Role
from intercore.benchmarks.disturbance import in_words
from intercore.benchmarks.jitter.activations import activations
from intercore.benchmarks.jitter.analysis import JitterAnalysis, analyse, caveats, results
from intercore.benchmarks.jitter.findings import (
    Deviation,
    JitterBlocked,
    JitterBound,
    JitterEarly,
    JitterFewMigrations,
    JitterMoved,
    JitterNoBound,
    JitterNotMoved,
)
from intercore.benchmarks.plausibility import impossible
from intercore.benchmarks.series import role
from intercore.record.measurement import Part, Plan, Run, Series, Unit
from intercore.statistics.histogram import quantile
from tests.benchmarks.jitter_data import HZ, counted, measurement

if TYPE_CHECKING:
    from intercore.record.measurement import Measurement

Kind = TypeVar("Kind")


def found_in(*measurements: Measurement, kind: type[Kind]) -> Kind:
    (found,) = (one for one in results(analyse(measurements)) if isinstance(one, kind))
    return found


def test_known_latencies_and_deviations_are_found() -> None:
    (one,) = analyse([measurement([1000, 1250, 875, 1000])]).settings
    assert (one.lateness_us.min, one.lateness_us.median.value, one.lateness_us.max) == (7.0, 8.0, 10.0)
    assert (one.lateness_min_ticks, one.lateness_max_ticks) == (875, 1250)
    assert one.deviation_us is not None
    assert one.bound_us == (-3.0, 2.0)
    assert one.deviation_us.n == 3
    assert (one.missed, one.migrations, one.asked, one.moved) == (0, 0, None, None)
    assert one.activations_by_core == {"0": 4}


def test_periods_are_within_stretches_only() -> None:
    """Between stretches the grid begins anew: what is between is no period."""
    (one,) = analyse([measurement([100, 100, 900, 900], core_series=[0, 0, 1, 1], begins=[0, 2])]).settings
    assert one.bound_us == (0.0, 0.0)
    assert one.migrations == 0
    assert one.stretches == 2


def test_a_single_release_has_no_period() -> None:
    analysis = analyse([measurement([1000])])
    (one,) = analysis.settings
    assert one.deviation_us is None
    assert one.bound_us is None
    assert msgspec.json.encode(analysis)


def test_nothing_measured_says_nothing() -> None:
    assert analyse([]) == JitterAnalysis((), (), ())
    assert analyse([measurement([])]).settings == ()
    assert list(caveats([])) == []


def test_migrations_are_counted_by_core() -> None:
    (one,) = analyse(
        [
            measurement(
                [10, 20, 10, 20],
                core_series=[1, 0, 1, 0],
                migrate="affinity",
                checks={"migrations_requested": 4, "migrations_done": 4},
            )
        ]
    ).settings
    assert one.migrations == 3
    assert (one.asked, one.moved) == (4, 4)
    assert one.activations_by_core == {"0": 2, "1": 2}
    assert one.lateness_by_core_us == {"0": pytest.approx(0.16), "1": pytest.approx(0.08)}


def test_forced_migrations_are_told_with_their_bound_beside_rest() -> None:
    rest = measurement([1000, 1000, 1000])
    moved = measurement(
        [1000, 1125, 1000],
        core_series=[1, 0, 1],
        migrate="affinity",
        checks={"migrations_requested": 3, "migrations_done": 3},
    )
    unmoved = Deviation(0.0, (10_000.0,))
    expected = JitterMoved(published=False, deviation_us=1.0, unmoved=unmoved, asked=3, moved=3)
    assert found_in(moved, rest, kind=JitterMoved) == expected


def test_migrations_that_did_not_happen_are_told() -> None:
    moved = measurement(
        [1000] * 3, core_series=[1, 0, 0], migrate="blockers", checks={"migrations_requested": 3, "migrations_done": 2}
    )
    found = found_in(moved, kind=JitterMoved)
    assert (found.asked, found.moved) == (3, 2)
    expected = JitterNotMoved(label="blockers", load="none", migrate="blockers", asked=3, moved=2)
    assert list(caveats([moved])) == [expected]


def test_movers_that_came_too_late_are_told() -> None:
    moved = measurement(
        [1000] * 3, core_series=[1, 0, 0], migrate="affinity", checks={"migrations_requested": 2, "migrations_done": 2}
    )
    expected = JitterFewMigrations(label="affinity", load="none", migrate="affinity", asked=2, activations=3)
    assert list(caveats([moved])) == [expected]


def test_overdue_releases_leave_no_bound() -> None:
    period = HZ // 100
    late = measurement([1000, period, 3 * period, 1000], load="same-priority")
    assert analyse([late]).settings[0].missed == 2
    found = found_in(late, kind=JitterNoBound)
    assert (found.missed, found.activations) == (2, 4)


def test_whether_the_bound_holds_is_told_by_the_second_half() -> None:
    for last, half in ((1125, 1.0), (1250, 2.0)):
        releases_of = measurement([1000, 1125, 1000, 1000, last, 1000])
        assert analyse([releases_of]).settings[0].halves_us == (1.0, half)
        found = found_in(releases_of, kind=JitterBound)
        assert (found.label, found.first_half_us, found.second_half_us) == ("core 0", 1.0, half)


def test_what_unsynchronised_blockers_do_is_not_told_as_a_bound() -> None:
    period = HZ // 100
    analysis = analyse([measurement([1000, 3 * period, 2 * period], core_series=[0, 0, 1], migrate="unsynchronised")])
    assert [type(one) for one in results(analysis)] == [JitterBlocked]


def test_releases_before_they_were_due_are_an_error_of_the_clock() -> None:
    (found,) = caveats([measurement([-1, 2], checks={"wrong": 1})])
    assert found == JitterEarly(label="core 0", load="none", migrate="none", activations=1)
    assert found.severity == "error"


def test_settings_that_differ_in_their_seed_alone_are_pooled() -> None:
    found = analyse([measurement([10, 20], seed=1), measurement([30, 40], seed=2, begins=[0])])
    (one,) = found.settings
    assert (one.lateness_us.n, one.stretches) == (4, 2)
    assert one.deviation_us is not None
    assert one.deviation_us.n == 2


def test_settings_are_told_apart_by_what_varies() -> None:
    found = analyse([measurement([10], opt="O3", period_us=1000), measurement([10], opt="O0", load="both")])
    assert [one.label for one in found.settings] == ["core 0, opt=O3, 1.00 ms", "core 0, both busy, opt=O0, 10.0 ms"]


@given(st.lists(st.integers(0, 10**7), min_size=1, max_size=60), st.data())
def test_deviations_add_up_to_the_change_of_latency(late: list[int], data: st.DataObject) -> None:
    others = data.draw(st.sets(st.integers(1, max(1, len(late) - 1)), max_size=5))
    begins = [0, *sorted(one for one in others if one < len(late))]
    known = activations(measurement(late, begins=begins))
    assert len(known.deviation) == len(late) - len(begins)
    ends = [*begins[1:], len(late)]
    assert known.deviation.sum() == sum(late[end - 1] - late[begin] for begin, end in zip(begins, ends, strict=True))


# Histograms


def test_a_quantile_of_counted_releases_is_not_beyond_the_longest_one() -> None:
    (one,) = analyse([measurement([1000, 1000], more=counted([990, 990], [0]))]).settings
    assert one.counted is not None
    assert (
        one.counted.lateness_median_us == one.counted.lateness_max_us == pytest.approx(990 * 1e6 / HZ)
    )  # its bin ends at 991


def test_counted_releases_widen_the_bound() -> None:
    (one,) = analyse([measurement([1000, 1000], more=counted([990, 1250], [-125, 250]))]).settings
    assert one.counted is not None
    assert (one.counted.activations, one.counted.periods) == (2, 2)
    assert one.bound_us == (-1.0, 2.0)
    assert one.largest_us == 10.0
    assert one.activations == 4


@given(st.lists(st.integers(0, 2**32 - 1), min_size=1, max_size=200))
def test_quantiles_of_a_histogram_are_close_to_those_of_the_values(values: list[int]) -> None:
    counts = np.array(counted(values, [0])["late.counts"], np.int64)
    for fraction in (0.01, 0.5, 0.99):
        true = int(np.quantile(values, fraction, method="inverted_cdf"))
        assert true <= quantile(counts, fraction) <= true * (1 + 1 / 32)


def test_an_empty_histogram_has_no_quantile() -> None:
    with pytest.raises(ValueError, match="no quantile"):
        quantile(np.zeros(3, np.int64), 0.5)


@pytest.mark.parametrize("counts", [[-1, 5], [2**40 + 1], [2**62, 2**62], [2**62, 1]])
def test_a_histogram_that_can_be_none_cannot_be(counts: list[int]) -> None:
    (fault,) = impossible(measurement([1000, 1000], more={**counted([990], [0]), "late.counts": counts}))
    assert fault.series == "late.counts"


def test_latencies_are_the_result_and_histograms_stand_beside_them() -> None:
    units: dict[str, Unit] = {"late": "tick", "begins": "count", "extremes": "tick", "late.counts": "count"}
    ticks = np.array([1, 2])
    roles = {name: role("jitter", Series(name, "common", 10**6, ticks, unit)) for name, unit in units.items()}
    assert roles == {
        "late": Role.RESULT,
        "begins": Role.AUXILIARY,
        "extremes": Role.AUXILIARY,
        "late.counts": Role.HISTOGRAM,
    }


def test_a_task_that_is_moved_on_purpose_is_not_disturbed() -> None:
    def moved(**checks: int) -> str:
        one = measurement([1182] * 9, migrate="blockers", core_series=[0] * 9, checks=checks)
        return in_words(Run(1, Plan("pico", None, "jitter", (Part("jitter", {}),)), one.started, "0", 1, (one,)))

    assert moved(preempted=30) == ""
    assert "a result was wrong once" in moved(preempted=30, wrong=1)
