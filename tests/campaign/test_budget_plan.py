"""What budgets need to have measured, and how often."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import msgspec
import pytest

from intercore.campaign.budget_plan import draft_for, repetitions_for
from intercore.campaign.planning import complete_plan
from intercore.comparison.baseline_file import parse
from intercore.errors import UsageError
from intercore.link.protocol import Hello
from intercore.link.session import BenchmarkInfo, ImpossibleSetting, Info, ParameterInfo
from intercore.record.measurement import Plan
from intercore.record.plan import settings
from intercore.target.targets import find
from tests.budgets.budget_files import budgets

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from intercore.comparison.baseline import Baseline
    from intercore.link.session import Session
    from intercore.record.measurement import Level

pytestmark = pytest.mark.measures("switch", "message")

HEAD = '{"kind":"intercore baseline","version":2,"tool":"0.1.0","target":"pico-sim","origin":"simulated"}\n'
SERIES = '"series":"switch","unit":"us","n":10,"median":12.5,"min":12.0,"max":13.0'
TWICE = parse(
    f'{HEAD}{{"kind":"series","benchmark":"switch","factors":{{"to":1}},{SERIES},"each":[12.4,12.6]}}\n', "b.txt"
)
SHORT = parse(
    f'{HEAD}{{"kind":"series","benchmark":"switch","factors":{{"from":0,"opt":"O2","primitive":"queue","samples":10,'
    f'"time":"common","to":1}},{SERIES}}}\n',
    "b.txt",
)


def choice(name: str, *choices: str) -> ParameterInfo:
    return ParameterInfo(name, "choice", choices[0], "", None, None, choices)


def whole(name: str, low: int, high: int, default: int) -> ParameterInfo:
    return ParameterInfo(name, "integer", str(default), "", low, high, ())


class Target:
    """What a target offers, as `Session` asks it; it measures nothing."""

    def __init__(self, **conditions: str) -> None:
        hello = Hello(id=1, i=0, protocol=1, firmware="", board="", chip="", cores=2, clock="", hz=10**6, tick_hz=1000)
        self._info = Info(hello, conditions)

    def info(self) -> Info:
        return self._info

    def benchmarks(self) -> Sequence[BenchmarkInfo]:
        cores = whole("from", 0, 1, 0), whole("to", 0, 1, 1)
        how = whole("samples", 1, 100_000, 100), whole("seed", 0, 2**32 - 1, 1)
        primitive = choice("primitive", "queue", "notification")
        measure, transport = choice("measure", "latency", "throughput"), choice("transport", "queue", "ring")
        return (
            BenchmarkInfo("switch", "", (primitive, *cores, choice("time", "common", "aligned"), *how)),
            BenchmarkInfo("message", "", (transport, measure, whole("size", 1, 4096, 64), *cores, *how)),
        )

    def check(self, info: BenchmarkInfo, levels: Mapping[str, Sequence[Level]]) -> list[ImpossibleSetting]:  # noqa: ARG002
        return []


def planned(*texts: str, baseline: Baseline | None = None, **conditions: str) -> list[dict[str, Level]]:
    file = budgets(*texts, baseline=baseline)
    plan = Plan("pico-sim", None, "budgets", (), 1, simulated=True)
    session = cast("Session", Target(**conditions))
    draft = draft_for(file, plan, session, session.benchmarks(), find("pico-sim"))
    made = complete_plan(draft, session, session.benchmarks())
    return [one.factors for one in settings(made) if one.repetition == 0]


@pytest.mark.parametrize(
    ("text", "origin", "given", "repetitions"),
    [
        ("switch: median / baseline <= 1", "simulated", None, 2),
        ("switch: median / baseline <= 1", "simulated", 3, 3),
        ("switch: median <= 1 us", "simulated", None, 1),
        ("switch: median / baseline <= 1", "measured", None, 5),
    ],
)
def test_a_simulated_chip_is_measured_as_often_as_for_the_baseline(
    text: str, origin: str, given: int | None, repetitions: int
) -> None:
    file = msgspec.structs.replace(budgets(text, baseline=TWICE), repetitions=given)
    assert repetitions_for(file, origin) == repetitions  # type: ignore[arg-type]


def test_only_settings_that_have_the_series_of_a_budget_are_measured() -> None:
    found = planned("message transport=ring size=64 from=0 to=1: throughput median >= 1 kB/s")
    assert [one["measure"] for one in found] == ["throughput"]


def test_samples_that_a_budget_names_stay_beside_what_another_needs() -> None:
    setting = "switch from=0 to=1 primitive=queue"
    found = planned(f"{setting} samples=20: median <= 1 ms", f"{setting}: p99 <= 1 ms")
    assert sorted(one["samples"] for one in found) == [20, 1000]  # type: ignore[type-var]
    assert [one["samples"] for one in planned(f"{setting}: p90 <= 1 ms", f"{setting}: p99 <= 1 ms")] == [1000]


def test_a_ratio_is_measured_as_the_baseline_was_beside_what_a_limit_needs() -> None:
    setting = "switch from=0 to=1 primitive=queue"
    ratio = "switch: switch median / baseline <= 1.05"
    found = planned(f"{setting}: p99 <= 1 ms", ratio, baseline=SHORT)
    assert sorted(one["samples"] for one in found) == [10, 1000]  # type: ignore[type-var]
    found = planned(f"{setting}: median <= 1 ms", ratio, baseline=SHORT)
    assert [one["samples"] for one in found] == [10], "it serves both"


def test_a_budget_names_the_build_that_it_is_for() -> None:
    found = planned("switch from=0 to=1 primitive=queue opt=O0,O3: median <= 1 ms")
    assert sorted(str(one["opt"]) for one in found) == ["O0", "O3"]
    found = planned("switch primitive=queue: median <= 1 ms", "switch primitive=queue clock_mhz=48: median <= 1 ms")
    assert {one["clock_mhz"] for one in found} == {48, 125}


def test_everything_that_the_target_does_not_have_is_named_at_once() -> None:
    setting = "switch from=0 to=1 primitive=queue"
    texts = ("swich: median <= 1 us", "switch form=0: median <= 1 us", f"{setting}: median <= 1 us",
             "switch primitive=mutex: median <= 1 us", "switch from=2: median <= 1 us",
             f"{setting}: median <= 10 cycles", f"{setting} opt=O9: median <= 1 us",
             f"{setting} samples=5: p99 <= 1 us", "switch to=0: median / baseline <= 1",
             "switch: p99 / baseline <= 1")  # fmt: skip
    with pytest.raises(UsageError) as caught:
        planned(*texts, baseline=SHORT)
    named = [int(line.split(":")[1]) for line in str(caught.value).splitlines()]
    assert named == [2, 3, 5, 6, 7, 8, 9, 10, 11]
    assert planned(f"{setting}: median <= 10 cycles", **{"clock.sys_hz": "125000000"})
