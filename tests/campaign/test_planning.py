"""From what a user asks for to a plan: a command line and a plan file come to the same."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import msgspec
import pytest

from intercore.campaign.plan_file import Experiment
from intercore.campaign.plan_reader import parse
from intercore.campaign.planning import complete_plan, draft_plan, drafts, plan_without_parts
from intercore.errors import UsageError
from intercore.record.level_words import parse_levels
from intercore.target.targets import Address, find
from tests.campaign.test_budget_plan import Target

if TYPE_CHECKING:
    from intercore.campaign.planning import Draft
    from intercore.link.session import Session
    from intercore.record.measurement import Plan

pytestmark = pytest.mark.measures("switch", "message")

FILE = """
[[target]]
name = "pico-sim"
[[experiment]]
benchmark = "switch"
factors = { primitive = ["queue", "notification"], from = 0, to = 1, time = "common", samples = 20, opt = ["O2", "O3"] }
"""
TYPED = ["primitive=queue,notification", "from=0", "to=1", "time=common", "samples=20", "opt=O2,O3"]


def plan_of(draft: Draft) -> Plan:
    session = cast("Session", Target())
    return complete_plan(draft, session, session.benchmarks())


def asked(*experiments: Experiment, target: str = "pico-sim", image: str | None = None) -> Draft:
    plan = plan_without_parts(find(target), Address(), experiments[0].benchmark, repetitions=1)
    return draft_plan(msgspec.structs.replace(plan, image=image), experiments)


def test_a_command_line_and_a_plan_file_make_one_plan() -> None:
    (of_file,) = drafts(parse(FILE, "plan.toml"))
    typed = plan_of(asked(Experiment("switch", parse_levels(TYPED), fill=True)))
    assert typed.parts == plan_of(of_file).parts
    assert typed.parts[0].levels["samples"] == [20]


def test_only_a_command_line_has_the_usual_levels_of_a_benchmark() -> None:
    (of_file,) = plan_of(asked(Experiment("switch", {"samples": ["20"]}))).parts
    (typed,) = plan_of(asked(Experiment("switch", {"samples": ["20"]}, fill=True))).parts
    assert of_file.levels == {"samples": [20], "opt": ["O2"], "seed": [1]}
    assert len(typed.levels["primitive"]) > 1


@pytest.mark.parametrize(
    ("experiment", "target", "image"),
    [
        (Experiment("suite", {"samples": ["20"]}, fill=True), "pico-sim", None),
        (Experiment("switch", {"opt": ["O9"]}), "pico-sim", None),
        (Experiment("switch", {"clock_mhz": ["48"]}), "pico", None),
        (Experiment("switch", {"code": ["iram"]}), "esp32-qemu", "flash.bin"),
        (Experiment("switch", {"code": ["sram"], "xip_cache": ["off"]}, skip_impossible=True), "pico-sim", None),
    ],
)
def test_what_no_such_target_can_do_is_refused_before_one_is_opened(
    experiment: Experiment, target: str, image: str | None
) -> None:
    with pytest.raises(UsageError):
        asked(experiment, target=target, image=image)


def test_builds_without_effect_are_left_out_if_the_user_allows_that() -> None:
    wanted = {"code": ["sram", "flash"], "xip_cache": ["on", "off"]}
    plan = plan_of(asked(Experiment("switch", wanted, skip_impossible=True)))
    assert [one.factors for one in plan.excluded] == [{"opt": "O2", "code": "sram", "xip_cache": "off"}]
