"""What is measured where the user names no levels: of what a target has, all that the benchmark means."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import pytest

from intercore.benchmarks import registry
from intercore.benchmarks import suite as of_benchmarks
from intercore.campaign.levels import repetitions_of, resolve, suite, with_whole
from intercore.link.session import BenchmarkInfo, ImpossibleSetting, ParameterInfo

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from intercore.link.session import Session
    from intercore.record.measurement import Level

SEED = ParameterInfo("seed", "integer", "1", "of the dither", 0, 2**32 - 1, ())
TRANSPORTS = ("dma", "queue", "rpmsg-char:/dev/rpmsg0", "smoke-signal")
MESSAGE = BenchmarkInfo(
    "message", "messages", (ParameterInfo("transport", "choice", "queue", "by what", None, None, TRANSPORTS), SEED)
)


APART = {"hartstone", "launch", "outage"}
"""No part of the suite: it needs many loads, is of what happens once, or changes what a board keeps."""


def test_what_a_target_has_is_measured_in_its_order_without_being_listed_here() -> None:
    assert resolve(MESSAGE, {}, 5, "simulated") == {"transport": ["dma", "queue", "smoke-signal"], "seed": [5]}
    for experiment in suite([MESSAGE], 5, "measured"):
        assert experiment.levels["transport"] == ["dma", "queue", "smoke-signal"]


def test_a_device_to_another_chips_core_is_measured_where_it_is_named() -> None:
    wanted = {"transport": ["rpmsg-char:/dev/rpmsg0"]}
    assert resolve(MESSAGE, wanted, 5, "simulated")["transport"] == ["rpmsg-char:/dev/rpmsg0"]


def test_a_benchmark_without_a_folder_has_the_targets_own_defaults() -> None:
    novel = BenchmarkInfo("novel", "what is to come", (SEED,))
    assert resolve(novel, {}, 5, "simulated") == {"seed": [5]}
    assert [one.levels for one in suite([novel], 5, "simulated")] == [{"seed": [5]}]


@pytest.mark.parametrize("benchmark", registry.names())
@pytest.mark.parametrize("amp", [False, True])
def test_the_grids_of_a_benchmark_name_the_same_factors(benchmark: str, amp: bool) -> None:
    for origin in ("measured", "simulated", "emulated"):
        grids = of_benchmarks.suite(benchmark, origin, amp=amp)
        assert len({frozenset(grid) for grid in grids}) == (benchmark not in APART)


@pytest.mark.measures("speedup", "memory")
@pytest.mark.parametrize(("benchmark", "factor"), [("speedup", "n"), ("memory", "bytes")])
def test_where_each_instruction_is_interpreted_and_no_time_means_anything_work_is_small(
    benchmark: str, factor: str
) -> None:
    whole = ParameterInfo(factor, "integer", "65536", "of the work", 1, 10**9, ())
    info = BenchmarkInfo(benchmark, "work", (whole, SEED))

    def largest(*, interpreted: bool) -> int:
        levels = resolve(info, {}, 5, "emulated", interpreted=interpreted)
        return max(map(int, levels.get(factor, [65536])))

    assert largest(interpreted=True) < largest(interpreted=False)
    assert resolve(info, {factor: ["1000000"]}, 5, "emulated", interpreted=True)[factor] == [1_000_000]


def test_repetitions_of_what_is_measured_share_the_usual_samples() -> None:
    samples = ParameterInfo("samples", "integer", "12", "repetitions", 1, 1000, ())
    timed = BenchmarkInfo("novel", "what is to come", (samples, SEED))
    assert resolve(timed, {}, 5, "measured")["samples"] == [3]
    assert repetitions_of("measured") == 5
    for origin in ("simulated", "emulated"):
        assert "samples" not in resolve(timed, {}, 5, origin)
        assert repetitions_of(origin) == 1
    assert resolve(timed, {"samples": ["12"]}, 5, "measured")["samples"] == [12]
    assert [one.levels["samples"] for one in suite([timed], 5, "measured")] == [[3]]


class OfSoManyUnits:
    """What a session is here for: it refuses an n beyond the units of the work, as the target's program does."""

    def __init__(self, units: int) -> None:
        self.units = units
        self.asked = 0

    def check(self, _: BenchmarkInfo, levels: Mapping[str, Sequence[Level]]) -> list[ImpossibleSetting]:
        assert set(levels["workload"]) == {"own:rows"}
        self.asked += len(levels["n"])
        return [ImpossibleSetting({"n": n}, "more units than there are") for n in levels["n"] if int(n) > self.units]


@pytest.mark.measures("speedup")
@pytest.mark.parametrize("units", [2, 3, 31, 32, 33, 96, 1_000, 999_999, 2**20, 2**21])
def test_of_ones_own_work_the_largest_size_is_all_units_that_there_are(units: int) -> None:
    size = ParameterInfo("n", "integer", "1000", "units", 1, 10**8, ())
    work = ParameterInfo("workload", "choice", "fp", "of what", None, None, ("fp", "own:rows"))
    info = BenchmarkInfo("speedup", "work", (work, size, SEED))
    target = OfSoManyUnits(units)
    wanted = {"workload": ["fp", "own:rows"]}
    levels = with_whole(cast("Session", target), info, resolve(info, wanted, 5, "simulated"), wanted)
    measured = [int(n) for n in levels["n"] if int(n) <= units]
    assert measured[0] == 2
    assert measured[-1] == min(units, 2**20)
    assert target.asked < 150, "over a serial line"
    for others in ({"workload": ["fp"]}, {**wanted, "n": ["8", "16"]}):
        known = resolve(info, others, 5, "simulated")
        assert with_whole(cast("Session", target), info, known, others) == known
