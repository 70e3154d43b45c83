"""What intervals of the clock are taken to say: known differences and offsets are found again."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import numpy as np
import pytest

from intercore.benchmarks.clock import analysis as clock
from intercore.benchmarks.clock.findings import (
    ClockCounterDrift,
    ClockCountersApart,
    ClockCountersSynchronised,
    ClockExactness,
    ClockFailedCheck,
    ClockInterrupted,
    ClockMisaligned,
    ClockOfCounters,
)
from intercore.record.measurement import Measurement, Series

if TYPE_CHECKING:
    from collections.abc import Sequence

HZ = 125_000_000


def measurement(
    first: int,
    second: int,
    interval: Sequence[int],
    true: Sequence[int] | None = None,
    interrupted: int = 0,
    wrong: int = 0,
    longest_us: int = 1000,
) -> Measurement:
    values = {"timestamp_overhead.0": [46] * 9, "timestamp_overhead.1": [47] * 9, "interval": interval}
    if true is not None:
        values["true"] = true
    return Measurement(
        benchmark="clock",
        factors={"from": first, "to": second, "longest_us": longest_us, "seed": 1},
        repetition=0,
        series=tuple(Series(name, "common", HZ, np.array(ticks, np.int64)) for name, ticks in values.items()),
        conditions={},
        checks={"interrupted": interrupted, "wrong": wrong},
        started="",
    )


def test_a_constant_difference_has_no_spread() -> None:
    (found,) = clock.analyse([measurement(0, 1, [1046, 2046, 5046], [1000, 2000, 5000])]).intervals
    assert found.exactness == clock.Exactness(difference=46, low=46, high=46, interrupted=0, largest=46)
    assert found.exactness.spread == 0
    assert (found.shortest, found.median, found.longest) == (1046, 2046, 5046)
    assert found.overhead == {0: 46, 1: 47}


def test_interrupted_intervals_are_told_apart_and_not_forgotten() -> None:
    analysis = clock.analyse([measurement(0, 0, [1046, 2400, 3047], [1000, 2000, 3000], interrupted=1)])
    exactness = analysis.intervals[0].exactness
    assert exactness == clock.Exactness(difference=46.5, low=46, high=47, interrupted=1, largest=400)
    exact, interrupted = clock.results(analysis)
    assert isinstance(exact, ClockExactness)
    assert (exact.intervals, exact.least_ticks, exact.most_ticks) == (2, 46, 47)
    assert interrupted == ClockInterrupted(intervals=1, longest_ticks=400)


@pytest.mark.parametrize(("most", "constant"), [(1048, True), (1049, False)])
def test_only_what_the_clock_promises_is_called_a_constant(most: int, constant: bool) -> None:
    (exact, *_) = clock.results(clock.analyse([measurement(0, 0, [1046, most], [1000, 1000])]))
    assert isinstance(exact, ClockExactness)
    assert (exact.least_ticks, exact.most_ticks) == (46, most - 1000)
    assert exact.constant == constant


def test_a_difference_that_grows_is_spread() -> None:
    (found,) = clock.analyse([measurement(0, 0, [1046, 2050, 3055], [1000, 2000, 3000])]).intervals
    assert found.exactness
    assert found.exactness.spread == 9


@pytest.mark.parametrize("true", [None, [1000]], ids=["unknown", "incomplete"])
def test_without_the_truth_there_is_no_exactness(true: list[int] | None) -> None:
    analysis = clock.analyse([measurement(0, 0, [1046, 2046], true)])
    assert analysis.intervals[0].exactness is None
    assert not any(isinstance(one, ClockExactness) for one in clock.results(analysis))


def test_the_offset_lies_within_the_shortest_intervals_of_both_directions() -> None:
    ahead = 300
    there, back = [500 + ahead, 900 + ahead], [400 - ahead, 700 - ahead]
    (offset,) = clock.analyse([measurement(0, 1, there), measurement(1, 0, back)]).offsets
    assert (offset.first, offset.second, offset.low, offset.high) == (0, 1, -100, 800)
    assert offset.low <= ahead <= offset.high
    assert clock.analyse([measurement(0, 1, there), measurement(0, 0, back)]).offsets == ()


def test_repetitions_are_pooled_and_other_factors_are_not() -> None:
    same = [measurement(0, 1, [100, 200]), measurement(0, 1, [300])]
    assert [one.count for one in clock.analyse(same).intervals] == [3]
    other = clock.analyse([*same, measurement(0, 1, [9], longest_us=5)]).intervals
    assert sorted((one.varied["longest_us"], one.count) for one in other) == [(5, 1), (1000, 3)]


def test_a_clock_that_steps_back_is_warned_of() -> None:
    (found, *_) = clock.caveats([measurement(0, 1, [-5], wrong=3)])
    assert found == ClockFailedCheck(benchmark="clock", check="wrong", count=3, factor="from", levels=("0",))
    assert list(clock.caveats([measurement(0, 1, [5])])) == []
    lost = msgspec.structs.replace(measurement(1, 0, [5]), checks={"lost": 4})
    (found,) = clock.caveats([lost])
    assert found == ClockFailedCheck(benchmark="clock", check="lost", count=4, factor="from", levels=("1",))


# The cores' own counters


def counters(cores: dict[int, tuple[int, float]], *, widths: Sequence[int] = (60, 50, 80, 55)) -> Measurement:
    """Readings of counters that are so many ticks ahead of the common clock, and run so many ppm faster."""
    series = []
    for core, (ahead, ppm) in cores.items():
        common = np.arange(200, dtype=np.int64) * 625_000 + 10_000
        around = np.resize(np.array(widths, np.int64), 200)
        read = common + around // 2
        count = read + ahead + np.rint(read * ppm * 1e-6).astype(np.int64)
        series += [
            Series(f"common.{core}", "common", HZ, common),
            Series(f"around.{core}", "common", HZ, around),
            Series(f"counter.{core}", "counter", HZ, count),
        ]
    first, *rest = cores
    factors: dict[str, int | str] = {"from": first, "to": (rest or [first])[0], "time": "counter", "seed": 1}
    return Measurement("clock", factors, 0, tuple(series), {}, {}, "")


def test_offset_and_drift_of_a_counter_are_found_within_their_bounds() -> None:
    (found,) = clock.analyse([counters({0: (12_500, 0.0)})]).counters
    assert (found.core, found.readings, found.hz) == (0, 200, HZ)
    assert found.ahead_us == pytest.approx(100)
    assert found.within_us == 25 / 125
    assert found.drift_ppm == pytest.approx(0, abs=1e-6)
    (found,) = clock.analyse([counters({1: (-500, 20.0)})]).counters
    assert found.drift_ppm is not None
    assert found.drift_within_ppm is not None
    assert abs(found.drift_ppm - 20) <= found.drift_within_ppm < 1


def test_counters_of_two_cores_are_compared_through_the_common_clock() -> None:
    analysis = clock.analyse([counters({0: (200_000, 5.0), 1: (-10_000, 5.0)})])
    (offset,) = analysis.counter_offsets
    assert (offset.first, offset.second) == (0, 1)
    assert abs(offset.ahead_us - -210_000 / 125) <= offset.within_us < 1
    assert not offset.is_synchronised
    apart, *drifts = clock.results(analysis)
    assert isinstance(apart, ClockCountersApart)
    assert (apart.first, apart.second) == (0, 1)
    assert apart.ahead_us == pytest.approx(-1680, abs=1)
    assert [one.core for one in drifts if isinstance(one, ClockCounterDrift)] == [0, 1]
    assert all(abs(one.drift_ppm - 5) <= one.within_ppm for one in drifts if isinstance(one, ClockCounterDrift))


def test_counters_that_are_as_one_are_called_synchronised() -> None:
    analysis = clock.analyse([counters({0: (77, 1.0), 1: (90, 1.0)})])
    assert analysis.counter_offsets[0].is_synchronised
    assert isinstance(next(clock.results(analysis)), ClockCountersSynchronised)


def test_one_reading_tells_an_offset_and_no_drift() -> None:
    one = counters({0: (125, 0.0)})
    short = Measurement(
        "clock", one.factors, 0, tuple(Series(s.name, s.clock, s.hz, s.ticks[:1]) for s in one.series), {}, {}, ""
    )
    (found,) = clock.analyse([short]).counters
    assert (found.ahead_us, found.drift_ppm, found.lasted_us) == (1, None, 0)


def test_intervals_and_counters_stand_beside_each_other() -> None:
    run = [measurement(0, 1, [1046, 2046]), counters({0: (125, 0.0)})]
    json = clock.to_json(clock.analyse(run))["clock"]
    assert isinstance(json, dict)
    assert len(json["intervals"]) == len(json["counters"]) == 1
    assert not json["counter_offsets"]


def aligned_to(ticks: int, there: int, back: int) -> list[Measurement]:
    return [
        msgspec.structs.replace(one, conditions={"clock.uncertainty": f"{ticks} ticks"})
        for one in (measurement(0, 1, [there, there + 500]), measurement(1, 0, [back, back + 500]))
    ]


def test_a_clock_of_two_counters_is_said_to_be_one() -> None:
    analysis = clock.analyse(aligned_to(14, 1000, 1000))
    assert analysis.uncertainty == 14
    assert ClockOfCounters(uncertainty_ticks=14) in clock.results(analysis)
    assert clock.to_json(analysis)["clock"]["uncertainty"] == 14  # type: ignore[index]
    assert clock.analyse([measurement(0, 1, [1000])]).uncertainty == 0


@pytest.mark.parametrize(
    ("there", "back", "moved"), [(10, 10, False), (-14, 40, False), (-15, 40, True), (40, -15, True)]
)
def test_clocks_that_are_further_apart_than_was_said_have_moved(there: int, back: int, moved: bool) -> None:
    found = [one for one in clock.caveats(aligned_to(14, there, back)) if isinstance(one, ClockMisaligned)]
    assert [one.uncertainty_ticks for one in found] == [14] * moved
