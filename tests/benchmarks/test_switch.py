"""What samples of `switch` are taken to say: known times, ratios, offsets and drifts are found again."""

from __future__ import annotations

import io
import json
from typing import TYPE_CHECKING

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from intercore.benchmarks.caveats import Disturbed, disturbed_samples
from intercore.benchmarks.switch.alignment import alignment
from intercore.benchmarks.switch.analysis import SwitchAnalysis, analyse, caveats, samples_us
from intercore.benchmarks.switch.findings import (
    SwitchAlignedAgainstCommon,
    SwitchCounters,
    SwitchExactness,
    SwitchFailedCheck,
    SwitchFalseTimes,
    SwitchNoPriorities,
    SwitchNotAligned,
    SwitchRetaken,
    SwitchSynchronisedCounters,
    SwitchTimeSlices,
)
from intercore.benchmarks.switch.report import report
from intercore.benchmarks.uncertainty import CrossCoreUncertainty
from intercore.statistics.disturbance import Drift
from intercore.terminal.formats.table import print_table
from intercore.view.figure import Cells, Points
from tests.benchmarks.switch_data import ACROSS, FOUR, HZ, SAME, US, found_in, measurement, run

if TYPE_CHECKING:
    from collections.abc import Sequence

    from intercore.record.measurement import Measurement
    from intercore.view.figure import Figure


def exchanges(ahead: Sequence[int], at: int, trips: Sequence[int], when: str) -> dict[str, list[int]]:
    """What exchanges give when the other counter is `ahead` and half of each round trip goes there."""
    return {
        f"{when}.at": [at + i for i in range(len(trips))],
        f"{when}.there": [offset + trip // 2 for offset, trip in zip(ahead, trips, strict=True)],
        f"{when}.back": [trip - trip // 2 - offset for offset, trip in zip(ahead, trips, strict=True)],
    }


def aligned(wake_up: int, offset: int, drift_per_tick: float = 0.0) -> Measurement:
    """A measurement whose truth is known: each wake-up takes `wake_up`, the other counter is ahead and drifts."""
    end = 10_000_000
    moments = np.linspace(100_000, end - 100_000, 20).astype(int)
    raw = [wake_up + offset + round(drift_per_tick * moment) for moment in moments]
    trips = [400, 166, 300]
    extra = {
        **exchanges([offset] * 3, 0, trips, "before"),
        **exchanges([offset + round(drift_per_tick * end)] * 3, end, trips, "after"),
        "moment": moments.tolist(),
    }
    return measurement(raw, extra=extra, time="aligned")


# Times and ratios


def test_a_known_wake_up_is_found_again() -> None:
    (found,) = analyse([measurement([1250, 1000, 1125, 1125, 1125])]).wake_ups
    assert (found.primitive, found.first, found.second, found.target) == ("notification", 0, 1, "idle")
    assert found.wake_up_us.median.value == 1125 / US
    assert (found.wake_up_us.min, found.wake_up_us.max) == (8, 10)
    assert found.call_us.median.value == pytest.approx(600.5 / US)
    assert (found.median_ticks, found.hz) == (1125, HZ)
    assert found.timestamp_overhead_us == {"0": 46 / US, "1": 46 / US}
    assert found.within_us == 0


def test_swapping_from_and_to_swaps_what_is_said() -> None:
    forth = [measurement([1000] * 9, from_=0, to=1), measurement([3000] * 9, from_=1, to=0)]
    there, back = analyse(forth).wake_ups
    assert (there.first, there.median_ticks, back.first, back.median_ticks) == (0, 1000, 1, 3000)


def test_a_busy_target_is_apart_and_says_nothing_of_one_core() -> None:
    busy = [measurement(SAME, from_=0, to=0, target="busy"), measurement(ACROSS, target="busy")]
    analysis = analyse([*FOUR, *busy])
    assert [one.target for one in analysis.wake_ups] == [None, None, "idle", "idle", "busy"]
    assert next(one for one in analysis.wake_ups if (one.first, one.second) == (0, 0)).wake_up_us.n == 120
    assert [(ratio.first, ratio.target) for ratio in analysis.ratios] == [(0, "idle"), (1, "idle"), (0, "busy")]


def test_repetitions_are_pooled_and_other_factors_are_not() -> None:
    found = analyse([measurement([1000] * 5), measurement([1010] * 5, seed=2)]).wake_ups
    assert [one.wake_up_us.n for one in found] == [10]
    found = analyse([measurement([1000] * 5, opt="O2"), measurement([2000] * 5, opt="O0")]).wake_ups
    assert sorted((str(one.varied["opt"]), one.median_ticks) for one in found) == [("O0", 2000), ("O2", 1000)]


def test_without_measurements_there_is_nothing_to_say() -> None:
    assert analyse([]) == SwitchAnalysis((), (), ())
    assert list(caveats([])) == []
    assert analyse([measurement([])]).wake_ups == ()


def test_a_clock_too_coarse_to_see_a_wake_up_has_a_finite_ratio() -> None:
    analysis = analyse([measurement([0] * 9, from_=0, to=0), measurement([100] * 9)])
    assert np.isfinite(analysis.ratios[0].ratio.value)


def test_the_truth_is_compared_where_one_clock_was_read() -> None:
    more = {"true": [961, 962, 963, 900]}
    known = measurement([1000, 1001, 1002, 1300], extra=more, checks={"interrupted": 1})
    (found,) = analyse([known]).wake_ups
    assert found.exactness is not None
    assert (found.exactness.difference, found.exactness.spread, found.exactness.largest) == (39, 0, 400)
    exact = SwitchExactness(wake_ups=3, least_ticks=39, most_ticks=39, spread_ticks=0, constant=True, interrupted=1)
    assert exact in found_in(known)
    (found_apart,) = found_in(measurement([1000, 1003], extra={"true": [961, 961]}), kind=SwitchExactness)
    assert (found_apart.spread_ticks, found_apart.constant) == (3, False)
    raw = measurement([1000], extra={"true": [961]}, time="raw-counter")
    assert analyse([raw]).wake_ups[0].exactness is None


# Alignment


def test_of_the_exchanges_the_shortest_round_trip_is_taken() -> None:
    found = alignment(aligned(1500, -200_000))
    assert found is not None
    assert found.before.ahead_us == -200_000 / US
    assert found.before.within_us == 83 / US
    assert found.within_us == 83 / US
    assert found.drift_ppm == 0
    assert found.drift_within_ppm == pytest.approx(2 * 83 / 10_000_000 * 1e6, rel=1e-3)


@given(
    wake_up=st.integers(1, 10**6),
    offset=st.integers(-(10**14), 10**14),
    drift=st.floats(-1e-4, 1e-4),
)
def test_offset_and_drift_are_taken_out_of_each_sample(wake_up: int, offset: int, drift: float) -> None:
    one = aligned(wake_up, offset, drift)
    (corrected,) = samples_us([one]).values()
    # Rounded to ticks thrice, and a float holds 15 digits of what is subtracted.
    assert corrected == pytest.approx(wake_up / US, abs=3 / US + abs(offset) / US * 1e-14)
    (found,) = analyse([one]).wake_ups
    assert found.alignment is not None
    assert found.alignment.drift_ppm == pytest.approx(drift * 1e6, abs=0.3 + abs(offset) * 1e-15 / 10_000_000 * 1e6)


@given(
    ahead=st.integers(-(10**9), 10**9),
    ways=st.lists(st.tuples(st.integers(0, 10**6), st.integers(0, 10**6)), min_size=1, max_size=20),
)
def test_the_true_offset_is_always_within_the_bound(ahead: int, ways: list[tuple[int, int]]) -> None:
    extra = {}
    for when, at in (("before", 0), ("after", 10**7)):
        extra |= {
            f"{when}.at": [at + i for i in range(len(ways))],
            f"{when}.there": [ahead + way for way, _ in ways],
            f"{when}.back": [way - ahead for _, way in ways],
        }
    found = alignment(measurement([1], extra={**extra, "moment": [5]}, time="aligned"))
    assert found is not None
    for one in (found.before, found.after):
        assert abs(one.ahead_us - ahead / US) <= one.within_us + 1e-6
        assert one.within_us == pytest.approx(min(there + back for there, back in ways) / 2 / US)


def test_what_was_not_aligned_is_left_out_and_warned_of() -> None:
    broken = measurement([1000], time="aligned")
    assert analyse([broken]).wake_ups == ()
    assert list(caveats([broken])) == [SwitchNotAligned(measurements=1)]
    on_one_core = measurement([1000], time="aligned", from_=0, to=0)
    assert len(analyse([on_one_core]).wake_ups) == 1
    assert list(caveats([on_one_core])) == []


def test_aligned_counters_are_compared_with_the_common_clock() -> None:
    near = [measurement([1500] * 20), aligned(1540, -200_000)]
    (differ,) = found_in(*near, kind=SwitchAlignedAgainstCommon)
    assert differ.explained
    assert differ.within_us == pytest.approx(0.664)
    (counters,) = found_in(*near, kind=SwitchCounters)
    assert abs(counters.ahead_us) == pytest.approx(1600, abs=1)
    (differ,) = found_in(measurement([1500] * 20), aligned(1700, -200_000), kind=SwitchAlignedAgainstCommon)
    assert not differ.explained
    (counters,) = found_in(aligned(1500, 12), kind=SwitchCounters)
    assert abs(counters.ahead_us) <= counters.ahead_within_us


# False times


def test_raw_counters_are_said_to_be_false() -> None:
    raw = [
        measurement([-198_308] * 20, time="raw-counter", from_=0, to=1),
        measurement([201_467] * 20, time="raw-counter", from_=1, to=0),
    ]
    analysis = analyse([*FOUR, *raw])
    assert [(one.first, one.is_plain) for one in analysis.false_times] == [(0, True), (1, True)]
    assert analysis.false_times[0].true_us == 2401 / US
    (false,) = found_in(*FOUR, *raw, kind=SwitchFalseTimes)
    assert (false.first, false.second) == (1, 0)
    assert (false.false_us, false.back_us) == pytest.approx((201_467 / US, -198_308 / US))
    assert false.true_us == 2401 / US
    assert [one.time for one in analysis.ratios] == ["common", "common"], "nothing is compared with a false time"


def test_a_false_time_stands_beside_the_other_way_of_the_same_primitive_and_load() -> None:
    """Where that was not measured there is none beside it, whatever else went the other way."""

    def raw(us: int, first: int, **factors: str) -> Measurement:
        return measurement([us * US] * 20, time="raw-counter", from_=first, to=1 - first, **factors)

    others = [raw(-2110, 0, primitive="queue"), raw(-2120, 0, primitive="mutex"), raw(-2130, 0, target="busy")]
    known = [measurement(ACROSS, from_=core, to=1 - core, primitive="mutex", target="busy") for core in (0, 1)]
    worst, back = raw(2200, 1, primitive="mutex", target="busy"), raw(-2190, 0, primitive="mutex", target="busy")
    (alone,) = found_in(*others, *known, worst, kind=SwitchFalseTimes)
    assert (alone.false_us, alone.back_us) == (2200, None)
    (beside,) = found_in(*others, *known, worst, back, kind=SwitchFalseTimes)
    assert (beside.false_us, beside.back_us) == (2200, -2190)


def test_synchronised_counters_are_not_called_false() -> None:
    raw = [measurement(ACROSS, time="raw-counter"), measurement(ACROSS)]
    assert SwitchSynchronisedCounters() in found_in(*raw)
    one_core = analyse([measurement(SAME, time="raw-counter", from_=0, to=0)])
    assert one_core.false_times == ()


# What makes it doubtful


def test_early_yields_are_blamed_on_time_slicing_before_the_clock() -> None:
    sliced, whole = ({"freertos.time_slicing": on} for on in "10")
    early = measurement([1], primitive="yield", checks={"wrong": 5}, conditions=sliced)
    assert list(caveats([early])) == [SwitchTimeSlices(count=5, condition="freertos.time_slicing")]
    for broken in (
        measurement([1], primitive="yield", checks={"wrong": 5}, conditions=whole),
        measurement([1], primitive="queue", checks={"wrong": 5}, conditions=sliced),
        measurement([1], primitive="yield", checks={"wrong": 5, "repeated_turns": 15}, conditions=sliced),
    ):
        (found,) = caveats([broken])
        assert isinstance(found, SwitchFailedCheck)
        assert (found.check, found.count, found.severity) == ("wrong", 5, "error")


def test_turns_that_were_taken_again_are_counted_and_nothing_to_warn_of() -> None:
    taken = measurement([1], primitive="yield", checks={"repeated_turns": 2}, conditions={"freertos.time_slicing": "1"})
    assert found_in(taken)[-1] == SwitchRetaken(turns=2)
    assert list(caveats([taken])) == []


def test_checks_are_warned_of() -> None:
    checks = {"wrong": 2, "migrated": 3, "lost": 4, "preempted": 5}
    found = [one for one in caveats([measurement([1], checks=checks)]) if isinstance(one, SwitchFailedCheck)]
    assert {one.check: one.count for one in found} == checks
    shared = measurement([1], conditions={"scheduler.policy": "SCHED_OTHER"})
    assert list(caveats([shared])) == [SwitchNoPriorities()]


def test_disturbances_are_said_of_true_times_only() -> None:
    drifting = [1000 + 10 * step + step % 7 for step in range(100)]
    (found,) = caveats([measurement(drifting)])
    assert isinstance(found, Disturbed)
    assert found.samples.levels == {"primitive": "notification", "from": 0, "to": 1}
    assert [type(one) for one in found.disturbances] == [Drift]
    assert list(caveats([measurement(drifting, time="raw-counter")])) == []
    many = [measurement(drifting, primitive=name) for name in ("mutex", "queue", "event-group", "yield", "x", "y")]
    *first, others = caveats(many)
    assert len(first) == 3
    assert [one.levels["primitive"] for one in disturbed_samples(others)] == ["x", "y", "yield"]


# The report


EVERYTHING = (
    *FOUR,
    measurement(ACROSS, target="busy"),
    measurement([30_000] * 60, primitive="counting-semaphore", from_=0, to=0),
    measurement([779] * 60, primitive="yield", from_=1, to=1),
    aligned(1500, -200_000),
    measurement([-198_308] * 20, time="raw-counter"),
)


def test_tables_fit_a_terminal_and_print_the_ratio() -> None:
    out = io.StringIO()
    found = report(run(*EVERYTHING, simulated=True))
    for table in found.section.tables:
        print_table(table, Console(file=out, width=100))
        assert "SIMULATED" in table.title
    lines = out.getvalue().splitlines()
    assert max(map(len, lines)) <= 100
    rows = [line for line in lines if line.split()[-4:] == ["2.00", "2.00", "–", "2.00"]]
    assert [row.split()[:4] for row in rows] == [
        ["notification", "0", "→", "1"],
        ["notification", "1", "→", "0"],
        ["notification", "0", "→", "1,"],
    ]
    assert ["yield", "1", "→", "1", "6.23", "µs", "–", "–", "–"] in [line.split() for line in lines]
    assert any("190.3340" in line and "published" in line for line in lines)
    assert any("-1.5865" in line for line in lines)


def test_the_json_is_finite_and_of_the_documented_type() -> None:
    found = report(run(*EVERYTHING))
    text = json.dumps(found.json["switch"], allow_nan=False)
    assert msgspec.json.decode(text, type=SwitchAnalysis) == analyse(EVERYTHING)
    assert [row["from"] for row in found.rows] == [one.first for one in analyse(EVERYTHING).wake_ups]


def figure(name: str, *measurements: Measurement) -> Figure:
    (found,) = [one for one in report(run(*measurements)).section.figures if one.name == name]
    return found


def test_the_heat_map_has_a_row_for_each_core_that_signals() -> None:
    drawn = figure("switch-core-to-core", *FOUR[:3])
    (panel,) = drawn.panels
    (cells,) = panel.series
    assert isinstance(cells, Cells)
    assert cells.rows == [[1201 / US, 2401 / US], [None, 1201 / US]]
    assert panel.y.names == ((0, "0"), (1, "1"))
    assert panel.y.low > panel.y.high, "the first core is on top"
    assert len(figure("switch-core-to-core", *EVERYTHING).panels) == 3


def test_the_false_time_is_drawn_beside_the_true_and_the_published_one() -> None:
    (panel,) = figure("switch-false-time", *EVERYTHING).panels
    rows = dict(panel.y.names)
    series = [one for one in panel.series if isinstance(one, Points)]
    points = {one.name: {rows[y or 0]: x for x, y in zip(one.x, one.y, strict=True)} for one in series}
    assert points["by one clock"]["notification 0 → 1"] == pytest.approx(2401 / HZ)
    assert points["raw counters"] == {"notification 0 → 1": pytest.approx(198_308 / HZ)}
    assert points["published"] == {
        "Arm et al. 2022, ESP32, one core": pytest.approx(12e-6),
        "Arm et al. 2022, ESP32, across cores": pytest.approx(0.190334),
    }
    (raw,) = [one for one in series if one.name == "raw counters"]
    assert raw.words == ["−1.586 ms"]
    assert any("190.334 ms" in note for note in report(run(*EVERYTHING)).section.notes)
    assert not any("190.334 ms" in note for note in report(run(*FOUR)).section.notes)


def test_a_machine_of_many_cores_still_fits() -> None:
    cores = range(16)
    many = [measurement([1200 + a + b] * 9, from_=a, to=b) for a in cores for b in cores]
    out = io.StringIO()
    found = report(run(*many))
    for table in found.section.tables:
        print_table(table, Console(file=out, width=100))
    assert max(map(len, out.getvalue().splitlines())) <= 100
    assert "in the quickest and the slowest direction" in " ".join(out.getvalue().split())
    (panel,) = figure("switch-core-to-core", *many).panels
    (cells,) = panel.series
    assert isinstance(cells, Cells)
    assert np.shape(cells.rows) == (16, 16)


# A common clock that is made of a counter for each core


def test_wake_ups_across_cores_carry_the_uncertainty_of_a_clock_of_two_counters() -> None:
    said = {"clock.uncertainty": "25 ticks"}
    known = [measurement(SAME, from_=0, to=0, conditions=said), measurement(ACROSS, conditions=said)]
    analysis = analyse(known)
    assert [one.within_us for one in analysis.wake_ups] == [0, 25 / US], "on one core there is none"
    assert CrossCoreUncertainty(times_of="wake-up", within_us=25 / US) in found_in(*known)
    found = report(run(*known))
    assert any("±200 ns" in table.title for table in found.section.tables)
    assert found_in(*FOUR, kind=CrossCoreUncertainty) == []


def test_what_aligned_counters_and_such_a_clock_leave_open_is_added() -> None:
    one = aligned(1100, 1_000_000)
    known = [one, measurement([1190] * 20, conditions={"clock.uncertainty": "10 ticks"}, overhead=46)]
    assert [one.explained for one in found_in(*known, kind=SwitchAlignedAgainstCommon)] == [True], (
        "83 and 10 ticks explain 90"
    )
    known[1] = measurement([1190] * 20, conditions={"clock.uncertainty": "1 ticks"})
    assert [one.explained for one in found_in(*known, kind=SwitchAlignedAgainstCommon)] == [False]


@pytest.mark.parametrize("text", ["", "some", "-3 ticks", "7", "٣ ticks", "9" * 400 + " ticks"])
def test_an_uncertainty_that_makes_no_sense_is_none(text: str) -> None:
    (found,) = analyse([measurement(ACROSS, conditions={"clock.uncertainty": text})]).wake_ups
    assert found.within_us == 0
