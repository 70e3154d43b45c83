"""Benchmarks that a target names and refuses, because they mean nothing there."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from intercore.campaign.levels import find_benchmark, refused, suite
from intercore.errors import UsageError
from intercore.link.session import BenchmarkInfo, ParameterInfo
from intercore.record.measurement import Part, Plan
from intercore.record.plan import left_out

if TYPE_CHECKING:
    from intercore.record.origin import Origin

SEED = ParameterInfo("seed", "integer", "1", "of the dither", 0, 2**32 - 1, ())
SIZE = ParameterInfo("size", "integer", "64", "of a message", 1, 4096, ())
CORES = tuple(ParameterInfo(name, "integer", "0", "core", 0, 1, ()) for name in ("from", "to"))
MEASURE = ParameterInfo("measure", "choice", "latency", "what", None, None, ("latency", "throughput"))
CLOCK = BenchmarkInfo("clock", "intervals", (SEED,))
MESSAGE = BenchmarkInfo("message", "messages", (MEASURE, SIZE, *CORES, SEED))
LOCK = BenchmarkInfo("lock", "locks", (), "not applicable on AMP: no lock is shared")
OUTAGE = BenchmarkInfo("outage", "standstill", (), "there is no room for it")
JITTER = BenchmarkInfo("jitter", "periods", (), "not applicable on AMP: no task moves")


def test_the_suite_is_of_the_others() -> None:
    assert {one.benchmark for one in suite([CLOCK, LOCK, JITTER], 1, "simulated")} == {"clock"}


@pytest.mark.parametrize("origin", ["measured", "simulated", "emulated"])
def test_the_suite_then_has_time_for_messages_both_ways_over_their_size(origin: Origin) -> None:
    def ways(*benchmarks: BenchmarkInfo) -> set[tuple[object, ...]]:
        levels = [one.levels for one in suite(benchmarks, 1, origin) if one.benchmark == "message"]
        return {(*of["measure"], *of["from"], *of["to"]) for of in levels if len(of["size"]) > 2}

    assert ways(MESSAGE) == {("latency", 0, 1)}
    assert ways(MESSAGE, OUTAGE) == {("latency", 0, 1)}, "another reason says nothing of the kernels"
    assert ways(MESSAGE, LOCK) == {(what, *way) for what in ("latency", "throughput") for way in ((0, 1), (1, 0))}


def test_a_sentence_lists_what_is_left_out_and_why() -> None:
    plan = Plan("pico-amp-sim", None, "suite", (Part("clock", {}),), excluded=tuple(refused([CLOCK, LOCK, JITTER])))
    sentence = left_out(plan)
    assert "(not applicable on AMP): lock, jitter." in sentence
    assert "intercore run pico-amp-sim NAME" in sentence
    assert left_out(Plan("host", None, "suite", ())) == ""


def test_what_is_asked_for_by_name_is_refused_with_the_targets_reason() -> None:
    with pytest.raises(UsageError, match=": not applicable on AMP: no lock is shared"):
        find_benchmark([CLOCK, LOCK], "lock")
    assert find_benchmark([CLOCK, LOCK], "clock") is CLOCK
