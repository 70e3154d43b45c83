"""What seed 003 says, and where it stands beside a run: by what a factor means, whatever the target calls it."""

from __future__ import annotations

import itertools
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from intercore.benchmarks.message import analysis as message
from intercore.benchmarks.message.curve import curves
from intercore.benchmarks.message.literature import findings_here
from intercore.benchmarks.message.publication import MessagePublication
from intercore.benchmarks.published import published
from tests.benchmarks.message_data import campaign

if TYPE_CHECKING:
    from collections.abc import Iterator

    from intercore.record.measurement import Level, Measurement

PLANS = Path(__file__).parents[2] / "plans"
SLOW: dict[str, dict[Level, float]] = {
    "opt": {"O0": 2.0, "O3": 1.0, "Os": 1.1, "Ofast": 1.3},
    "m4_mhz": {200: 1.0, 60: 2.5},
    "m7_mhz": {400: 1.0, 120: 1.1},
    "dcache": {"on": 1.0, "off": 1.2},
    "icache": {"on": 1.0, "off": 1.05},
    "shared": {"d1": 1.5, "d2": 1.0, "d3": 1.1},
}
"""By how much a level makes a message slower, of a made-up board whose levels are in the paper's order for latency."""


def plan_settings(name: str, **levels: list[Level]) -> Iterator[dict[str, Level]]:
    """The settings of a plan's experiment, of these levels of its own factors, without those that it skips."""
    (experiment,) = tomllib.loads((PLANS / name).read_text())["experiment"]
    factors = {
        name: [level] if isinstance(level, str | int) else level for name, level in experiment["factors"].items()
    }
    for factor, chosen in levels.items():
        assert set(chosen) <= set(factors[factor]), factor
    factors |= levels
    for values in itertools.product(*(factors[name] for name in factors if name not in ("size", "samples"))):
        setting = dict(zip((name for name in factors if name not in ("size", "samples")), values, strict=True))
        if not any(all(setting[name] == level for name, level in one.items()) for one in experiment["skip"]):
            yield setting


def as_the_paper_says(chip: str = "STM32H745") -> list[Measurement]:
    made: list[Measurement] = []
    settings = plan_settings(
        "seed-003.toml", transport=["message-buffer"], m7_mhz=[400, 120], m4_mhz=[200, 60], opt=["O0", "O3"]
    )
    for number, setting in enumerate(settings):
        if number.bit_count() % 2:
            continue  # half of them tell the same
        time = 10.0
        for name, by_level in SLOW.items():
            time *= by_level[setting[name]]
        made += campaign(
            lambda _, time=time: time, (64,), count=2, conditions={"chip": chip},
            **{f"{name}_" if name == "from" else name: level for name, level in setting.items()},
        )  # fmt: skip
    return made


@pytest.fixture(scope="module")
def here() -> list[message.MessageFindingHere]:
    return list(message.analyse(as_the_paper_says()).published)


def test_every_statement_on_a_factor_of_the_plan_stands_beside_its_run(
    here: list[message.MessageFindingHere],
) -> None:
    """Point 11 of issue 17: region and shared are one factor there, and a clock is m7_mhz or m4_mhz."""
    (table,) = published(MessagePublication)
    assert {one.text for one in here} == {table.claim(one).text for one in table.figures.findings}
    assert {one.factor for one in here} == {"opt", "region, shared", "m4_mhz", "m7_mhz", "dcache", "icache"}
    for finding in table.figures.findings:
        ours = [one for one in here if one.text == table.claim(finding).text]
        assert len(ours) == len(finding.about) * len(finding.measures)
        assert {one.measure for one in ours} == set(finding.measures)


def test_levels_stand_from_the_best_to_the_worst_by_their_own_names(here: list[message.MessageFindingHere]) -> None:
    (region,) = (one for one in here if one.factor == "region, shared" and one.measure == "latency")
    assert [level.level for level in region.levels] == ["d2", "d3", "d1"]
    assert region.levels[2].times / region.levels[0].times == pytest.approx(1.5, rel=0.01)
    (slower, faster) = (
        next(one for one in here if one.factor == name and one.measure == "throughput") for name in ("m4_mhz", "m7_mhz")
    )
    assert slower.explains > 10 * faster.explains
    (opt,) = (one for one in here if one.factor == "opt" and one.measure == "latency")
    assert [level.level for level in opt.levels] == ["O3", "O0"]


def test_claim_of_one_direction_is_judged_by_it_and_on_its_chip() -> None:
    found = curves([one for one in as_the_paper_says() if one.factors["measure"] == "throughput"])
    known = {"latency": None, "throughput": None}
    away = [one for one in found if one.setting["to"] == 1]
    (finding,) = {one.text for one in findings_here(away, known)}
    assert finding.startswith("From the Cortex-M7 to the Cortex-M4")
    assert {one.text for one in findings_here(found, known)} > {finding}
    assert findings_here(curves(as_the_paper_says("RP2040")), known) == (), "no core of another chip is its slower one"


def test_the_plan_measures_what_likely_is_nearer_to_it_as_well() -> None:
    (experiment,) = tomllib.loads((PLANS / "seed-003.toml").read_text())["experiment"]
    assert experiment["factors"]["transport"] == ["rpmsg", "message-buffer"]


def test_of_a_chip_with_one_clock_that_is_the_factor() -> None:
    run = [
        *campaign(lambda size: 1 + 0.02 * size, clock_mhz=48),
        *campaign(lambda size: 1 + 0.01 * size, clock_mhz=133),
    ]
    (one,) = message.analyse(run).published
    assert (one.factor, [level.level for level in one.levels]) == ("clock_mhz", [133, 48])
