"""For what the energy mark is high in each benchmark, and how many operations that is."""

from __future__ import annotations

import numpy as np
import pytest

from intercore.benchmarks.windows import windows_of
from intercore.record.measurement import Level, Measurement, Series

HZ = 1_000_000


def measured(benchmark: str, factors: dict[str, Level], done: int = 4, **series: list[int]) -> Measurement:
    known = tuple(
        Series(name.replace("_on_", "."), "common", HZ, np.array(ticks, np.int64)) for name, ticks in series.items()
    )
    return Measurement(benchmark, factors, 0, known, {"tick_hz": "1000"}, {"done": done}, "")


@pytest.mark.measures("contention")
def test_each_window_of_contention_has_its_length_and_the_towers_that_ended_in_it() -> None:
    factors: dict[str, Level] = {"preset": "qiita-table", "samples": 1, "window_ms": 10, "rest_ms": 5, "discs": 8}
    moments = [100, 9_999, 10_000, 25_000]  # in windows 0, 0, 1 and 2
    one = measured("contention", factors, 7, task0_on_0=moments, main_on_1=[19_000], alone_on_0=[400])
    found = windows_of(one)
    assert [window.operations for window in found] == [2, 2, 1, 0, 0, 0, 0]
    assert {window.seconds for window in found} == {0.01}
    assert [window.label for window in found][:3] == ["task0, task1, main", "task0, main", "task0, task1 (main spins)"]
    assert [window.cores for window in found] == [2, 2, 2, 1, 1, 2, 1], "a core that spins takes what one at work does"
    assert found[0].gap_s is None
    assert found[1].gap_s == pytest.approx(0.005 + 5e-3 + 200e-6), "the rest, five ticks, and half a tower"


@pytest.mark.measures("speedup")
@pytest.mark.parametrize(("mark", "cores", "lengths"), [("t1", 1, [800, 810]), ("tp", 2, [420, 430])])
def test_a_speed_up_has_a_window_for_each_time_of_the_kind_that_is_marked(
    mark: str, cores: int, lengths: list[int]
) -> None:
    factors: dict[str, Level] = {"workload": "fp", "n": 100, "mode": "pool", "cores": 2, "join": "notify", "mark": mark}
    found = windows_of(measured("speedup", factors, 2, t1=[800, 810], tp=[420, 430]))
    assert [window.seconds for window in found] == pytest.approx([ticks / HZ for ticks in lengths])
    assert {(window.operations, window.operation, window.cores) for window in found} == {(100, "unit of work", cores)}
    assert len({window.work for window in windows_of(measured("speedup", {**factors, "mark": "t1"}, 2, t1=[1]))}) == 1


@pytest.mark.measures("speedup")
def test_the_same_work_on_one_core_and_on_two_is_called_so() -> None:
    factors: dict[str, Level] = {"workload": "fp", "n": 100, "mode": "pool", "cores": 2, "join": "notify"}
    one, two = (
        windows_of(measured("speedup", {**factors, "mark": mark}, 1, t1=[8], tp=[4]))[0].work for mark in ("t1", "tp")
    )
    assert one == two


@pytest.mark.measures("message", "switch")
@pytest.mark.parametrize(
    ("benchmark", "factors", "series", "operations", "operation"),
    [
        ("message", {"measure": "latency", "from": 0, "to": 1}, "latency", 4, "message"),
        ("message", {"measure": "latency", "from": 0, "to": 1}, "round_trip", 8, "message"),
        ("message", {"measure": "throughput", "messages": 50, "from": 0, "to": 1}, "window", 200, "message"),
        ("switch", {"primitive": "mutex", "from": 0, "to": 1}, "switch", 4, "wake-up"),
    ],
)
def test_all_repetitions_of_others_are_one_window(
    benchmark: str, factors: dict[str, Level], series: str, operations: int, operation: str
) -> None:
    (found,) = windows_of(measured(benchmark, {**factors, "rest_ms": 3}, **{series: [1, 2, 3, 4]}))
    assert (found.whole, found.seconds, found.operations, found.operation) == (True, None, operations, operation)


def test_a_benchmark_that_says_nothing_counts_its_repetitions() -> None:
    (found,) = windows_of(measured("some", {"n": 1}))
    assert (found.operations, found.operation, found.whole) == (4, "repetition", True)
