"""The speed-up analysis: what it finds in known data, in a published table, and in data that says nothing."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, TypeVar

import msgspec
import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from intercore.benchmarks.published import published
from intercore.benchmarks.speedup.analysis import analyse, analyse_published
from intercore.benchmarks.speedup.answers import answers, break_even_findings, break_even_ranges, concerns, remarks
from intercore.benchmarks.speedup.caveats import caveats
from intercore.benchmarks.speedup.document import to_json
from intercore.benchmarks.speedup.findings import (
    SpeedupFailedCheck,
    SpeedupImpossible,
    SpeedupLeftOut,
    SpeedupNoFlash,
    SpeedupOnTicks,
    SpeedupPoorFit,
    SpeedupSlower,
    SpeedupUnstable,
    Start,
)
from intercore.benchmarks.speedup.publication import SpeedupPublication
from intercore.benchmarks.speedup.results import losses, results
from intercore.finding import Finding
from intercore.record.measurement import Level, Measurement, Series
from intercore.statistics.intervals import Interval
from intercore.view.quantity import duration

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from intercore.benchmarks.speedup.analysis import SpeedupAnalysis
    from intercore.benchmarks.speedup.fit import ForkJoinFit
    from intercore.benchmarks.speedup.points import Why
    from intercore.record.origin import Origin

pytestmark = pytest.mark.filterwarnings("error")

SIZES = (100, 1_000, 10_000, 100_000, 1_000_000)
few = settings(max_examples=25)
Kind = TypeVar("Kind", bound=Finding)


def of_kind(kind: type[Kind], findings: Iterable[Finding]) -> list[Kind]:
    return [one for one in findings if isinstance(one, kind)]


def measured(
    t1: Sequence[int],
    tp: Sequence[int],
    *,
    hz: int = 1_000_000,
    tick_hz: str | None = None,
    checks: dict[str, int] | None = None,
    repetition: int = 0,
    **factors: Level,
) -> Measurement:
    setting: dict[str, Level] = {"workload": "fp", "mode": "create", "join": "notify", "n": 1000, "cores": 2}
    return Measurement(
        benchmark="speedup",
        factors=setting | factors,
        repetition=repetition,
        series=(
            Series("t1", "common", hz, np.array(t1, dtype=np.int64)),
            Series("tp", "common", hz, np.array(tp, dtype=np.int64)),
        ),
        conditions={} if tick_hz is None else {"tick_hz": tick_hz},
        checks=checks or {},
        started="2026-01-01T00:00:00Z",
    )


def synthetic(
    *,
    overhead_us: float,
    loss: float = 0.0,
    noise_us: float = 0.0,
    seed: int = 0,
    sizes: Sequence[int] = SIZES,
    cores: int = 2,
    samples: int = 25,
) -> list[Measurement]:
    """Measure work of 4 µs per unit on a clock of 1 ns."""
    rng = np.random.default_rng(seed)
    run = []
    for n in sizes:
        t1 = 4.0 * n + rng.normal(0, 1, samples) * noise_us
        tp = (1 + loss) * 4.0 * n / cores + overhead_us + rng.normal(0, 1, samples) * noise_us
        ticks = (np.rint(1e3 * values).astype(np.int64).tolist() for values in (t1, tp))
        run.append(measured(*ticks, hz=10**9, n=n, cores=cores))
    return run


def only_fit(analysis: SpeedupAnalysis) -> ForkJoinFit:
    (fit,) = analysis.fits
    return fit


def holds(interval: Interval | None, truth: float) -> bool:
    assert interval is not None
    assert interval.low is not None
    assert interval.high is not None
    return interval.low <= truth <= interval.high


@pytest.fixture(scope="module")
def table() -> SpeedupPublication:
    (found,) = (table for table in published(SpeedupPublication) if table.id == "seed-000")
    return found


class TestThePublishedTable:
    def test_implies_an_overhead_of_about_a_millisecond(self, table: SpeedupPublication) -> None:
        overhead = only_fit(analyse_published(table)).overhead_us
        assert 500 < overhead.value < 1500
        assert holds(overhead, 1000)
        assert not holds(overhead, 0)

    def test_implies_a_loss_of_about_two_per_mille(self, table: SpeedupPublication) -> None:
        fit = only_fit(analyse_published(table))
        assert fit.loss is not None
        assert fit.loss.value == pytest.approx(0.0022, abs=2e-4)
        assert fit.loss_compatible_with_zero is False
        assert fit.r_squared is not None
        assert fit.r_squared > 0.99999
        assert fit.largest_residual < 0.05

    def test_would_show_ten_times_the_overhead_were_the_loss_forced_to_zero(self, table: SpeedupPublication) -> None:
        excess_ms = [row.tp_ms - row.t1_ms / 2 for row in table.figures.rows]
        assert 1e3 * np.mean(excess_ms) > 10 * only_fit(analyse_published(table)).overhead_us.value

    def test_implies_90_percent_efficiency_between_its_first_two_rows(self, table: SpeedupPublication) -> None:
        wanted = only_fit(analyse_published(table)).isoefficiency
        assert wanted.t1_us is not None
        assert wanted.n is not None
        assert 4140 < wanted.t1_us.value < 40630
        assert holds(wanted.t1_us, 10_000)  # the paper advises a second core for work of more than 10 ms
        assert 1000 < wanted.n.value < 10_000
        assert not wanted.extrapolated
        assert wanted.reason is None

    def test_implies_a_break_even_below_its_first_row_whose_speed_up_is_above_1(
        self, table: SpeedupPublication
    ) -> None:
        break_even = only_fit(analyse_published(table)).break_even
        assert break_even.place == "below"
        assert break_even.t1_us is not None
        assert break_even.t1_us.value == pytest.approx(1650, rel=0.01)
        assert break_even.t1_us.high is not None
        assert break_even.t1_us.high < 4140

    def test_has_a_tp_of_whole_kernel_ticks_and_a_t1_that_is_not(self, table: SpeedupPublication) -> None:
        quantisation = only_fit(analyse_published(table)).quantisation
        assert quantisation is not None
        assert quantisation.quantised
        assert (quantisation.tick_us, quantisation.sizes) == (1000, 5)
        assert quantisation.resultant > 0.999
        assert quantisation.p_value == pytest.approx(0.00164, abs=1e-4)
        assert -30 < quantisation.phase_us < -15
        assert quantisation.t1_p_value > 0.5

    def test_has_the_intervals_that_statsmodels_gives_for_known_variances(self, table: SpeedupPublication) -> None:
        from statsmodels.regression.linear_model import WLS  # noqa: PLC0415 - takes a second, of each test process

        fit = only_fit(analyse_published(table))
        t1, tp = np.array([(row.t1_ms, row.tp_ms) for row in table.figures.rows]).T * 1e3
        model = WLS(tp - t1 / 2, np.column_stack((np.ones(5), t1 / 2)), weights=np.full(5, 12 / 1000**2))
        expected = model.fit(use_t=False).conf_int()
        for estimate, (low, high) in zip((fit.overhead_us, fit.loss), expected, strict=True):
            assert estimate is not None
            assert estimate.low == pytest.approx(low, abs=0.05 * (high - low))
            assert estimate.high == pytest.approx(high, abs=0.05 * (high - low))

    def test_has_points_without_intervals(self, table: SpeedupPublication) -> None:
        points = analyse_published(table).points
        assert [point.n for point in points] == [1_000, 10_000, 100_000, 1_000_000, 10_000_000]
        assert {(point.samples, point.speedup.low, point.speedup.high) for point in points} == {(0, None, None)}
        assert [point.speedup.value for point in points] == [row.speedup for row in table.figures.rows], "as printed"
        assert [point.efficiency.value for point in points] == [row.efficiency for row in table.figures.rows]

    def test_is_warned_of(self, table: SpeedupPublication) -> None:
        (only,) = caveats(analyse_published(table))
        assert isinstance(only, SpeedupOnTicks)
        assert only.tick_us == 1000
        assert only.p_value < 0.01

    def test_a_loss_is_a_finding_and_no_warning(self, table: SpeedupPublication) -> None:
        (found,) = losses(only_fit(analyse_published(table)))
        assert found.loss_percent == pytest.approx(0.22, abs=0.005)
        assert found.severity == "info"


class TestTheFit:
    @few
    @given(
        scales=st.lists(st.integers(1, 10_000), min_size=3, max_size=8, unique=True),
        cores=st.integers(1, 8),
        loss_per_mille=st.integers(-50, 500),
        overhead=st.integers(0, 10_000),
        samples=st.integers(1, 6),
    )
    def test_recovers_overhead_and_loss_exactly_without_noise(
        self, scales: list[int], cores: int, loss_per_mille: int, overhead: int, samples: int
    ) -> None:
        run = [
            measured(
                [1000 * cores * scale] * samples,
                [(1000 + loss_per_mille) * scale + overhead] * samples,
                n=scale,
                cores=cores,
            )
            for scale in scales
        ]
        fit = only_fit(analyse(run))
        assert fit.loss is not None
        assert fit.overhead_us.value == pytest.approx(overhead, abs=1e-3)
        assert fit.loss.value == pytest.approx(loss_per_mille / 1000, abs=1e-8)
        assert holds(fit.overhead_us, overhead) or fit.overhead_us.value == pytest.approx(overhead, abs=1e-3)
        assert fit.largest_residual < 1e-6

    def test_intervals_hold_the_truth_most_of_the_time(self) -> None:
        fits = [
            only_fit(analyse(synthetic(overhead_us=120, loss=0.01, noise_us=5, seed=seed, samples=15)))
            for seed in range(60)
        ]
        assert sum(holds(fit.overhead_us, 120) for fit in fits) >= 52
        assert sum(holds(fit.loss, 0.01) for fit in fits) >= 52
        assert np.mean([fit.overhead_us.value for fit in fits]) == pytest.approx(120, abs=1)

    def test_intervals_widen_when_settings_differ_by_more_than_their_repetitions(self) -> None:
        run = synthetic(overhead_us=100, noise_us=1)
        drifted = [
            measured(
                measurement.samples("t1").ticks.tolist(),
                (measurement.samples("tp").ticks + shift).tolist(),
                hz=10**9,
                n=int(measurement.factors["n"]),
            )
            for measurement, shift in zip(run, (0, 40_000, -30_000, 20_000, -40_000), strict=True)
        ]
        still, moved = only_fit(analyse(run)), only_fit(analyse(drifted))
        assert moved.reduced_chi_squared is not None
        assert still.reduced_chi_squared is not None
        assert still.reduced_chi_squared < 10
        assert moved.reduced_chi_squared > 100
        assert width(moved.overhead_us) > 10 * width(still.overhead_us)
        assert holds(moved.overhead_us, 100)

    def test_tells_a_loss_from_none(self) -> None:
        lossy = only_fit(analyse(synthetic(overhead_us=100, loss=0.05, noise_us=2)))
        clean = only_fit(analyse(synthetic(overhead_us=100, loss=0.0, noise_us=2, seed=3)))
        assert (lossy.loss_compatible_with_zero, clean.loss_compatible_with_zero) == (False, True)

    def test_of_one_size_gives_the_overhead_alone(self) -> None:
        fit = only_fit(analyse(synthetic(overhead_us=100, loss=0.1, sizes=(1000,), noise_us=1)))
        assert fit.overhead_us.value == pytest.approx(100 + 0.1 * 2000, abs=1)
        assert (fit.loss, fit.loss_compatible_with_zero, fit.r_squared, fit.reduced_chi_squared) == (None,) * 4
        assert holds(fit.overhead_us, 300)

    def test_of_two_sizes_takes_the_loss_to_be_zero(self) -> None:
        fit = only_fit(analyse(synthetic(overhead_us=100, sizes=(1000, 2000), noise_us=1)))
        assert fit.overhead_us.value == pytest.approx(100, abs=1)
        assert fit.loss is None
        assert fit.reduced_chi_squared is not None

    def test_of_sizes_that_take_the_same_time_takes_the_loss_to_be_zero(self) -> None:
        run = [measured([1000] * 5, [600] * 5, n=n) for n in (1, 2, 3)]
        fit = only_fit(analyse(run))
        assert fit.overhead_us.value == pytest.approx(100)
        assert fit.loss is None

    def test_knows_nothing_of_the_spread_of_one_sample_at_one_size(self) -> None:
        fit = only_fit(analyse([measured([1000], [600])]))
        assert fit.overhead_us.value == pytest.approx(100)
        assert fit.overhead_us.low is None

    @few
    @given(st.integers(1, 10**6), st.integers(0, 2**32))
    def test_does_not_depend_on_the_unit_of_the_clock(self, factor: int, seed: int) -> None:
        rng = np.random.default_rng(seed)
        ticks = [(1000 * n + rng.integers(0, 100, 9), 520 * n + 300 + rng.integers(0, 100, 9)) for n in (1, 5, 25)]

        def run(scale: int) -> list[Measurement]:
            return [
                measured((t1 * scale).tolist(), (tp * scale).tolist(), hz=1_000_000 * scale, n=n)
                for n, (t1, tp) in zip((1, 5, 25), ticks, strict=True)
            ]

        one, other = analyse(run(1)), analyse(run(factor))
        for point, same in zip(one.points, other.points, strict=True):
            assert numbers(point.speedup) == pytest.approx(numbers(same.speedup), rel=1e-9)
            assert numbers(point.tp_us) == pytest.approx(numbers(same.tp_us), rel=1e-9)
        # A finer clock only changes how much of the weights is resolution.
        assert only_fit(one).overhead_us.value == pytest.approx(only_fit(other).overhead_us.value, abs=2)

    @few
    @given(st.permutations(range(9)), st.integers(0, 2**32))
    def test_does_not_depend_on_the_order_of_repetitions(self, order: list[int], seed: int) -> None:
        rng = np.random.default_rng(seed)
        ticks = {n: (1000 * n + rng.integers(0, 50, 9), 510 * n + 300 + rng.integers(0, 50, 9)) for n in (1, 5, 25)}
        first = analyse([measured(t1.tolist(), tp.tolist(), n=n) for n, (t1, tp) in ticks.items()])
        second = analyse([measured(t1[order].tolist(), tp[order].tolist(), n=n) for n, (t1, tp) in ticks.items()])
        assert [point.speedup.value for point in first.points] == [point.speedup.value for point in second.points]
        assert holds(only_fit(first).overhead_us, only_fit(second).overhead_us.value)

    def test_does_not_depend_on_the_order_of_measurements(self) -> None:
        again = [msgspec.structs.replace(m, repetition=1) for m in synthetic(overhead_us=110, noise_us=5, seed=1)]
        run = synthetic(overhead_us=100, noise_us=5) + again
        assert to_json(analyse(run)) == to_json(analyse(run[::-1]))


class TestPoints:
    @few
    @given(
        st.lists(st.tuples(st.integers(1, 10**9), st.integers(1, 10**9)), min_size=1, max_size=9),
        st.integers(1, 16),
    )
    def test_obey_the_identities_of_speed_up(self, pairs: list[tuple[int, int]], cores: int) -> None:
        (point,) = analyse([measured(*zip(*pairs, strict=True), cores=cores)]).points
        s = point.speedup.value
        assert s == pytest.approx(np.median([t1 for t1, _ in pairs]) / np.median([tp for _, tp in pairs]))
        assert point.efficiency.value == pytest.approx(s / cores)
        if cores == 1:
            assert point.karp_flatt is None
        else:
            assert point.karp_flatt is not None
            # Amdahl's law with the Karp–Flatt metric as its serial fraction gives S back.
            serial = point.karp_flatt.value
            assert serial + (1 - serial) / cores == pytest.approx(1 / s, rel=1e-6, abs=1e-9)

    def test_pool_the_repetitions_of_a_setting(self) -> None:
        run = [measured([10, 20], [5, 10], repetition=0, seed=1), measured([30], [15], repetition=1, seed=2)]
        (point,) = analyse(run).points
        assert (point.samples, point.t1_us.value, point.tp_us.value) == (3, 20, 10)

    def test_leave_out_the_unpaired_end_of_an_aborted_run(self) -> None:
        (point,) = analyse([measured([10, 20, 99], [5, 10])]).points
        assert (point.samples, point.t1_us.value) == (2, 15)

    def test_are_grouped_by_every_factor_that_varies(self) -> None:
        run = [
            measured([100 * n], [60 * n], n=n, opt=opt, mode=mode, priority=2)
            for n in (20, 10)
            for opt in ("O3", "O0")
            for mode in ("spin", "create")
        ]
        analysis = analyse(run)
        assert [fit.group for fit in analysis.fits] == [
            f"workload=fp mode={mode} join=notify cores=2 opt={opt}"
            for mode in ("create", "spin")
            for opt in ("O0", "O3")
        ]
        assert [point.n for point in analysis.points] == [10, 20] * 4
        assert analysis.points[0].varied == {"opt": "O0"}
        assert {point.group for point in analysis.points} == {fit.group for fit in analysis.fits}

    def test_are_ordered_by_the_value_of_a_level(self) -> None:
        run = [measured([100], [60], priority=level) for level in (10, "high", 9)]
        assert [point.varied["priority"] for point in analyse(run).points] == [9, 10, "high"]

    def test_of_other_benchmarks_are_none(self) -> None:
        other = Measurement("switch", {}, 0, (), {}, {"lost": 1}, "2026-01-01T00:00:00Z")
        analysis = analyse([other])
        assert (analysis.points, analysis.fits, analysis.left_out) == ((), (), ())
        assert not [*caveats(analysis, [other])]


class TestQuantisation:
    TICK_US = 1000

    def run(
        self, tp: Callable[[float], float], *, t1: Callable[[int], int] = lambda n: 4_137 * n, tick_hz: str = "1000"
    ) -> list[Measurement]:
        return [
            measured([t1(n)] * 5, [round(tp(t1(n) / 2 + 700))] * 5, n=n, tick_hz=tick_hz) for n in (1, 3, 11, 29, 101)
        ]

    def to_tick(self, us: float) -> float:
        return math.ceil(us / self.TICK_US) * self.TICK_US + 15

    def test_is_found_where_completion_is_polled_on_the_tick(self) -> None:
        quantisation = only_fit(analyse(self.run(self.to_tick))).quantisation
        assert quantisation is not None
        assert quantisation.quantised
        assert quantisation.phase_us == pytest.approx(15, abs=1)
        assert quantisation.resultant > 0.99

    def test_widens_the_interval_of_the_overhead_to_the_tick(self) -> None:
        polled = only_fit(analyse(self.run(self.to_tick))).overhead_us
        unknown = only_fit(analyse(self.run(self.to_tick, tick_hz="?"))).overhead_us
        assert holds(polled, 700 + self.TICK_US / 2)
        assert width(polled) > self.TICK_US / 4
        assert unknown.value == pytest.approx(polled.value, rel=0.3)

    def test_is_not_found_where_completion_is_notified(self) -> None:
        quantisation = only_fit(analyse(self.run(lambda us: us))).quantisation
        assert quantisation is not None
        assert not quantisation.quantised

    def test_is_not_blamed_on_the_join_if_t1_falls_on_ticks_too(self) -> None:
        quantisation = only_fit(analyse(self.run(self.to_tick, t1=lambda n: 4000 * n))).quantisation
        assert quantisation is not None
        assert quantisation.t1_p_value < 0.01
        assert not quantisation.quantised

    def test_is_not_tested_below_half_a_tick_or_with_fewer_than_four_sizes(self) -> None:
        assert only_fit(analyse(self.run(self.to_tick)[:3])).quantisation is None
        assert only_fit(analyse(self.run(lambda us: us, tick_hz="1"))).quantisation is None

    @pytest.mark.parametrize("tick_hz", ["", "0", "-5", "fast", "1e3", "9" * 5000, "²"])
    def test_is_not_tested_if_the_tick_is_not_known(self, tick_hz: str) -> None:
        assert only_fit(analyse(self.run(self.to_tick, tick_hz=tick_hz))).quantisation is None


class TestJson:
    def test_has_the_documented_shape(self) -> None:
        document = to_json(analyse(synthetic(overhead_us=100, loss=0.01, noise_us=1)))
        assert list(document) == ["speedup", "overhead_us", "break_even", "isoefficiency", "quantised"]
        group = "workload=fp mode=create join=notify cores=2"
        assert (
            list(document["overhead_us"]) == list(document["isoefficiency"]) == list(document["quantised"]) == [group]
        )
        point = document["speedup"][0]
        assert (point["workload"], point["mode"], point["join"], point["n"], point["cores"]) == (
            "fp", "create", "notify", 100, 2,
        )  # fmt: skip
        for name in ("t1_us", "tp_us", "speedup", "efficiency", "karp_flatt"):
            assert point[f"{name}_low"] <= point[name] <= point[f"{name}_high"]
        assert point["samples"] == 25
        overhead = document["overhead_us"][group]
        assert overhead["low"] < overhead["value"] < overhead["high"]
        assert overhead["loss"] == pytest.approx(0.01, abs=1e-4)
        break_even = document["break_even"][group]
        assert (break_even["place"], break_even["reason"]) == ("below", None)
        assert break_even["t1_us"] == pytest.approx(100 / (1 - 1.01 / 2), rel=0.02)
        assert isinstance(break_even["n"], int)
        break_even = document["isoefficiency"][group]
        assert break_even["efficiency"] == 0.9
        assert isinstance(break_even["n"], int)
        assert break_even["n_low"] <= break_even["n"] <= break_even["n_high"]
        assert document["quantised"][group] is None

    def test_names_the_factors_that_vary(self) -> None:
        document = to_json(analyse([measured([100], [60], opt=opt) for opt in ("O0", "O2")]))
        assert [point["opt"] for point in document["speedup"]] == ["O0", "O2"]

    @settings(max_examples=60)
    @given(
        st.lists(
            st.tuples(
                st.lists(st.integers(-3, 2000) | st.just(0) | st.integers(0, 2**62), max_size=4),
                st.lists(st.integers(-3, 2000) | st.just(0) | st.integers(0, 2**62), max_size=4),
                st.integers(-1, 5),
                st.integers(-1, 3),
            ),
            max_size=6,
        ),
        st.sampled_from([1, 1000, 10**9]),
    )
    @example(rows=[([3184525533], [1], 0, 2), ([1], [1], 1, 2), ([1], [1], 2, 2)], hz=1)
    @example(rows=[([0, 1], [1, 352], 0, 2), ([0, 2], [0, -2], 0, 2)], hz=1)
    def test_is_finite_whatever_was_measured(self, rows: list[tuple[list[int], list[int], int, int]], hz: int) -> None:
        run = [measured(t1, tp, n=n, cores=cores, hz=hz, tick_hz="1000") for t1, tp, n, cores in rows]
        analysis = analyse(run)
        text = json.dumps(to_json(analysis), allow_nan=False)
        assert len(json.loads(text)["speedup"]) == len(analysis.points)
        assert len(analysis.points) + len(analysis.left_out) == len({(n, cores) for _, _, n, cores in rows})
        found = [*results(analysis, run, 0.9), *caveats(analysis, run)]
        assert all(json.dumps(one.to_json(), allow_nan=False) for one in found)


class TestFewSizes:
    def test_fewer_than_three_tell_no_work_for_an_efficiency(self) -> None:
        """A loss of 5 % moves it from 1.8 to 3.3 ms, and two sizes do not tell a loss from an overhead."""
        for sizes in ((10, 2_000), (200,)):
            found = analyse(synthetic(overhead_us=100, loss=0.05, noise_us=1, sizes=sizes))
            well = only_fit(found).isoefficiency
            assert (well.t1_us, well.n) == (None, None)
            assert well.reason is not None
            assert not any(
                "% efficiency" in one.text or "efficiency" in one.question for one in answers(found, 0.9) if one.value
            )
            assert [way.efficient for told in break_even_findings(found, 0.9) for way in told.ways] == [None]
            (told,) = (one for one in answers(found, 0.9) if "efficiency" in one.question)
            assert "not reached" not in told.about, "whether some does is not known"
            assert list(break_even_ranges(found, 0.9)) == []
        three = analyse(synthetic(overhead_us=100, loss=0.05, noise_us=1, sizes=(10, 200, 2_000)))
        assert holds(only_fit(three).isoefficiency.t1_us, 0.9 * 2 * 100 / (1 - 0.9 * 1.05))

    def test_one_that_reaches_it_is_a_bound(self) -> None:
        """That needs no model: all the work that was measured has that efficiency."""
        found = analyse(synthetic(overhead_us=10, noise_us=1, sizes=(2_000, 4_000)))
        (told,) = break_even_findings(found, 0.9)
        (way,) = told.ways
        assert way.tasks == "create"
        assert way.efficient == Start(Interval(pytest.approx(8000, rel=0.01)), "or less")


def test_work_that_takes_longer_on_more_cores_stands_out() -> None:
    slower = SpeedupSlower(times=2.0, t1_us=50.0, cores=2, mode="create")
    assert [*remarks(analyse([measured([100] * 5, [60] * 5), measured([50] * 5, [100] * 5, n=500)]))] == [slower]
    assert not [*remarks(analyse([measured([100] * 5, [60] * 5)]))]


@pytest.mark.parametrize(
    ("modes", "concerned"),
    [((), True), (("create",), True), (("spin", "create"), True), (("spin",), False)],
)
def test_a_caveat_marks_the_answers_of_the_ways_that_it_is_about(modes: tuple[str, ...], *, concerned: bool) -> None:
    run = [measured([100] * 5, [60] * 5, n=n, mode=mode) for n in (1000, 2000) for mode in ("create", "spin")]
    (answer,) = (one for one in answers(analyse(run), 0.9) if one.question == "created tasks break even")
    failed = SpeedupFailedCheck(benchmark="speedup", check="preempted", count=3, factor="mode", levels=modes)
    assert concerns(failed, answer) == concerned
    if len(modes) == 1:
        misfit = SpeedupPoorFit(residual_percent=9.0, cause="disturbances", setting={"mode": modes[0]})
        assert concerns(misfit, answer) == concerned


class TestWarnings:
    def test_of_a_clean_run_are_none(self) -> None:
        run = synthetic(overhead_us=100, noise_us=1)
        assert not [*caveats(analyse(run), run)]

    @pytest.mark.parametrize("check", ["wrong", "migrated", "lost", "preempted"])
    def test_tell_of_disturbed_measurements(self, check: str) -> None:
        modes = (("create", 0), ("spin", 3))
        run = [measured([100] * 5, [60] * 5, mode=mode, checks={"done": 5, check: count}) for mode, count in modes]
        (found,) = of_kind(SpeedupFailedCheck, caveats(analyse(run), run))
        assert (found.check, found.count, found.levels) == (check, 3, ("spin",))
        assert found.severity == ("error" if check == "wrong" else "warning")

    @pytest.mark.parametrize(
        ("workload", "read", "warned"),
        [
            ("flash", "none, a table in ram stands in for it", True),
            ("flash", "the region flash, through the cache", False),
            ("fp", "none, a table in ram stands in for it", False),
        ],
    )
    def test_tell_that_flash_was_not_read_where_there_is_none(self, workload: str, read: str, *, warned: bool) -> None:
        run = [measured([1000] * 5, [600] * 5, workload=workload)]
        run = [msgspec.structs.replace(one, conditions={"memory.flash": read}) for one in run]
        found = of_kind(SpeedupNoFlash, caveats(analyse(run), run))
        assert found == [SpeedupNoFlash(condition="memory.flash", read=read)] * warned

    def test_tell_of_unstable_settings_and_name_the_worst(self) -> None:
        run = [measured([1000, 1010] * 5, [600] * 10, n=1), measured([1000, 2000] * 5, [600] * 10, n=2)]
        (found,) = of_kind(SpeedupUnstable, caveats(analyse(run), run))
        assert (found.unstable, found.settings, found.modes) == (1, 2, ("create",))
        assert found.worst == {"mode": "create", "n": 2}
        assert found.width_percent > 5
        assert found.cause == "disturbances"

    def test_tell_of_no_other_programs_on_a_simulated_chip(self) -> None:
        run = [measured([1000, 2000] * 5, [600] * 10, n=1)]
        (found,) = of_kind(SpeedupUnstable, caveats(analyse(run), run, "simulated"))
        assert found.cause == "placement"

    def test_tell_of_a_speed_up_beyond_the_number_of_cores(self) -> None:
        run = [measured([1000] * 5, [450] * 5), measured([1000] * 5, [900] * 5, n=2)]
        (found,) = of_kind(SpeedupImpossible, caveats(analyse(run), run))
        assert found == SpeedupImpossible(speedup=pytest.approx(1000 / 450), cores=2, setting={"n": 1000})

    @pytest.mark.parametrize(("origin", "cause"), [("measured", "disturbances"), ("simulated", "uneven growth")])
    def test_tell_of_a_poor_fit(self, origin: Origin, cause: str) -> None:
        run = [measured([1000 * n] * 5, [tp] * 5, n=n) for n, tp in ((1, 600), (2, 1800), (4, 2100), (8, 6000))]
        (found,) = of_kind(SpeedupPoorFit, caveats(analyse(run), run, origin))
        assert found.cause == cause
        assert found.residual_percent == pytest.approx(100 * only_fit(analyse(run)).largest_residual)

    def test_tell_of_a_fit_that_leaves_the_work_for_an_efficiency_known_to_a_factor(self) -> None:
        """Blocks of a checksum on the simulated Pico, µs: beside small work, starting takes 95 to 100 µs."""
        t1 = {2: [16.94] * 3, 4: [32.95] * 3, 8: [64.98] * 3, 16: [129.05] * 3, 48: [385.3, 385.3, 387.5]}
        tp = {2: 104.04, 4: 116.71, 8: 131.3, 16: 163.79, 48: 294.23}
        run = [
            measured([round(us * 1000) for us in t1[n]] * 5, [round(us * 1000)] * 15, hz=10**9, n=n)
            for n, us in tp.items()
        ]
        fit = only_fit(analyse(run))
        assert fit.largest_residual < 0.05
        assert fit.isoefficiency.is_rough
        assert of_kind(SpeedupPoorFit, caveats(analyse(run), run))
        told = [one.text for one in answers(analyse(run), 0.9)]
        assert not any("90% used from" in text and duration(fit.isoefficiency.t1_us.value) in text for text in told)
        noisy = synthetic(overhead_us=100, noise_us=30, samples=9, sizes=(50, 100, 200, 400))
        assert only_fit(analyse(noisy)).isoefficiency.is_rough
        assert not of_kind(SpeedupPoorFit, caveats(analyse(noisy), noisy)), "noise is no misfit"

    def test_tell_one_cause_of_what_falls_on_ticks(self) -> None:
        """A fit to whole ticks is poor, and that the work was polled for is why."""
        sizes = ((137, 1000), (411, 1000), (1507, 2000), (3973, 3000), (13837, 8000))
        run = [measured([t1] * 5, [tp] * 5, n=t1, tick_hz="1000") for t1, tp in sizes]
        assert only_fit(analyse(run)).largest_residual > 0.05
        found = [*caveats(analyse(run), run)]
        assert [one.tick_us for one in of_kind(SpeedupOnTicks, found)] == [1000]
        assert not of_kind(SpeedupPoorFit, found)

    def test_do_not_tell_of_a_loss_which_is_a_finding(self) -> None:
        run = synthetic(overhead_us=100, loss=0.05, noise_us=1)
        assert not [*caveats(analyse(run), run)]
        (found,) = losses(only_fit(analyse(run)))
        assert found.loss_percent == pytest.approx(5, abs=0.5)

    @pytest.mark.parametrize(
        ("measurement", "why", "names"),
        [
            (measured([], []), "samples", ()),
            (measured([5, 5], [0, 0]), "zero", ()),
            (measured([0, 0], [5, 5]), "zero", ()),
            (measured([5], [5], cores=0), "cores", ()),
            (measured([5], [5], n="many"), "factors", ("n",)),
            (Measurement("speedup", {}, 0, (), {}, {}, ""), "factors", ("workload", "mode", "join", "n", "cores")),
            (Measurement("speedup", measured([], []).factors, 0, (), {}, {}, ""), "series", ("t1", "tp")),
        ],
    )
    def test_tell_of_settings_without_a_ratio(self, measurement: Measurement, why: Why, names: tuple[str, ...]) -> None:
        analysis = analyse([measurement])
        assert analysis.points == ()
        assert [*caveats(analysis, [measurement])] == [SpeedupLeftOut(why=why, names=names)]

    def test_name_the_setting_without_a_ratio_among_others(self) -> None:
        analysis = analyse([measured([5] * 5, [3] * 5), measured([], [], mode="spin")])
        assert analysis.left_out == (SpeedupLeftOut(why="samples", names=(), setting={"mode": "spin"}),)


def width(interval: Interval) -> float:
    assert interval.low is not None
    assert interval.high is not None
    return interval.high - interval.low


def numbers(interval: Interval) -> tuple[float | None, float | None, float | None]:
    return interval.value, interval.low, interval.high


@pytest.mark.parametrize(
    ("low", "value", "high", "below"),
    [
        (1.0, 2.0, 3.0, None),
        (-4.0, 1.0, 5.0, 5.0),
        (-5.73, -5.42, -2.93, 5.73),
        (None, -2.0, None, 2.0),
        (None, 2.0, None, None),
    ],
    ids=["told from 0", "around 0", "below 0", "below 0 without an interval", "without an interval"],
)
def test_an_overhead_that_cannot_be_told_from_0_is_a_bound(
    table: SpeedupPublication, low: float | None, value: float, high: float | None, below: float | None
) -> None:
    fit = only_fit(analyse_published(table))
    assert msgspec.structs.replace(fit, overhead_us=Interval(value, low, high)).resolution_us == below
