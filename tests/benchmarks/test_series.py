"""What a series is for, and what its samples come to, is for its benchmark to say."""

from __future__ import annotations

import numpy as np
import pytest

from intercore.benchmarks import registry
from intercore.benchmarks.benchmark import Quantity, Result, Role
from intercore.benchmarks.series import has_median, incomparable, quantity, results, role
from intercore.comparison import baseline_file
from intercore.comparison.baseline import KeptMeasurement
from intercore.record.measurement import Measurement, Series, Unit
from tests.built_once import ROOT


def series(name: str, unit: Unit = "tick") -> Series:
    return Series(name, "common", 10**6, np.array([1, 2]), unit)


def measured(benchmark: str, *found: Series, **factors: int | str) -> Measurement:
    return Measurement(benchmark, factors, 0, found, {}, {}, "2026-01-01T00:00:00+00:00")


@pytest.mark.parametrize(
    ("benchmark", "name", "unit"),
    [
        ("speedup", "t1", "tick"),
        ("threadmetric", "count", "count"),
        ("switch", "switch", "tick"),
        ("lock", "there", "tick"),
        ("lock", "back", "tick"),
        ("message", "window", "tick"),
    ],
)
def test_the_median_of_a_result_is_a_result(benchmark: str, name: str, unit: Unit) -> None:
    assert has_median(benchmark, series(name, unit))


@pytest.mark.parametrize(
    ("benchmark", "name", "unit", "expected"),
    [
        ("speedup", "timestamp_overhead.0", "tick", Role.AUXILIARY),
        ("message", "true", "tick", Role.AUXILIARY),
        ("clock", "interval", "tick", Role.AUXILIARY),
        ("contention", "alone.0", "tick", Role.AUXILIARY),
        ("contention", "tower.0", "tick", Role.AUXILIARY),
        ("contention", "ran0.1", "count", Role.AUXILIARY),
        ("contention", "moved0", "count", Role.AUXILIARY),
        ("contention", "task0.0", "moment", Role.MOMENTS),
        ("switch", "before.there", "tick", Role.AUXILIARY),
        ("switch", "after.at", "moment", Role.MOMENTS),
        ("lock", "taken.0", "moment", Role.MOMENTS),
    ],
)
def test_what_is_beside_the_matter_has_none(benchmark: str, name: str, unit: Unit, expected: Role) -> None:
    found = series(name, unit)
    assert role(benchmark, found) is expected
    assert not has_median(benchmark, found)


def test_of_a_benchmark_without_a_folder_the_unit_decides() -> None:
    roles = {unit: role("novel", series("begins", unit)) for unit in ("tick", "count", "moment", "core")}
    assert roles == {"tick": Role.RESULT, "count": Role.RESULT, "moment": Role.MOMENTS, "core": Role.AUXILIARY}
    assert role("novel", series("timestamp_overhead.1")) is Role.AUXILIARY
    assert role("novel", series("true")) is Role.AUXILIARY


def test_the_window_of_a_stream_comes_to_a_throughput() -> None:
    found = quantity(measured("message", messages=10, size=100), series("window"))
    assert (found.name, found.unit) == ("throughput", "bytes_per_s")
    assert found.values == pytest.approx([1e9, 5e8])


def test_other_samples_are_times_or_counts() -> None:
    for benchmark in ("novel", "message", "lock"):
        times, counts = (quantity(measured(benchmark), series("found", unit)) for unit in ("tick", "count"))
        assert (times.unit, counts.unit) == ("us", "count")
        assert isinstance(times, Quantity)
        assert times.values.tolist() == counts.values.tolist() == [1.0, 2.0]


def test_differences_of_counters_that_are_not_aligned_are_not_compared() -> None:
    assert incomparable(measured("switch", time="raw-counter")).startswith("by each core's counter")
    assert not incomparable(measured("switch", time="common"))
    assert not incomparable(measured("novel", time="raw-counter"))


def test_declared_results_are_those_of_measured_settings() -> None:
    kept = baseline_file.read(ROOT / "baselines/pico-sim.jsonl").measurements
    assert kept
    for one in kept:
        known = results(one.benchmark)
        assert isinstance(one, KeptMeasurement)
        if known is None:
            assert one.benchmark not in registry.names()
            continue
        levels = {name: [str(level)] for name, level in one.factors.items()}
        declared = {(name, result.unit) for name, result in known.items() if result.may_be_of(levels)}
        assert declared - {("round_trip", "us")} == set(one.quantities), one.factors


@pytest.mark.parametrize(
    ("levels", "expected"),
    [
        ({}, True),
        ({"measure": ["latency"]}, False),
        ({"measure": ["latency", "throughput"]}, True),
        ({"measure": ["throughput"], "other": ["none"]}, False),
        ({"other": ["none", "read"]}, True),
    ],
)
def test_levels_that_are_named_rule_results_out(levels: dict[str, list[str]], expected: bool) -> None:
    result = Result("us", only={"measure": ["throughput"]}, never={"other": ["none"]})
    assert result.may_be_of(levels) is expected
