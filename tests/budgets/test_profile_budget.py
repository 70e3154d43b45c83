"""Budgets of a profile: kept or broken by exact numbers, for a function, per call, or for all of a core."""

from __future__ import annotations

from typing import TYPE_CHECKING

import jsonschema
import msgspec
import pytest

from intercore.budgets import report
from intercore.budgets.check import BudgetFile, check_profile
from intercore.budgets.profile_budget import held, is_of_profile, parsed
from intercore.campaign import budget_reader
from intercore.document.schema import schema
from intercore.errors import UsageError
from intercore.profile.summary import ProfileAnalysis, analysed
from tests.profile.programs import profiled
from tests.sim.firmware import example

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="module")
def analysis() -> ProfileAnalysis:
    return analysed(profiled(example("both_cores"))[0])


def outcome(text: str, analysis: ProfileAnalysis) -> list[str]:
    return [one.outcome for one in held(parsed(text, 1), analysis)]


def test_a_limit_is_met_exactly_or_broken_by_one_cycle(analysis: ProfileAnalysis) -> None:
    (function,) = (one for one in analysis.functions if (one.core, one.function) == (0, "print_number"))
    values = {
        "cycles": function.own.cycles,
        "awake": function.own.cycles - function.own.asleep,
        "total": function.inclusive,
        "executing": function.own.executing,
        "peripherals": function.own.waits["APB"],
        "calls": function.calls,
    }
    for quantity, value in values.items():
        for least, most in (("kept", value), ("broken", value - 1)):
            assert outcome(f"profile print_number core=0: {quantity} <= {most}", analysis) == [least]
        assert outcome(f"profile print_number: {quantity} >= {value + 1}", analysis) == ["broken"]
    per_call = function.own.cycles / function.calls
    assert outcome(f"profile print_number: cycles per call <= {per_call + 0.1:.1f}", analysis) == ["kept"]
    assert outcome(f"profile print_number: cycles per call <= {per_call - 0.1:.1f} cycles", analysis) == ["broken"]


def test_a_budget_of_a_core_is_of_all_that_it_did(analysis: ProfileAnalysis) -> None:
    core = analysis.cores[1]
    part = 100 * core.sums.asleep / core.cycles
    assert outcome(f"profile core=1: asleep >= {part - 0.01:.3f} %", analysis) == ["kept"]
    assert outcome(f"profile core=1: asleep <= {part - 0.01:.3f}%", analysis) == ["broken"]
    assert outcome(f"profile core=1: asleep ≤ {core.sums.asleep} cycles", analysis) == ["kept"]
    assert len(held(parsed("profile: lost <= 50 %", 1), analysis)) == 2


def test_a_function_of_both_cores_is_held_against_each(analysis: ProfileAnalysis) -> None:
    found = held(parsed("profile work_in_sram4: calls <= 1", 1), analysis)
    assert {one.setting["core"]: one.outcome for one in found} == {0: "broken", 1: "kept"}


def test_names_in_cpp_need_no_parameters(analysis: ProfileAnalysis) -> None:
    text = msgspec.json.encode(analysis).replace(b'"print_number"', b'"radio::Filter::operator=(int, unsigned int)"')
    cpp = msgspec.json.decode(text, type=ProfileAnalysis)
    for name in ("radio::Filter::operator=", "radio::Filter::operator=(int, unsigned int)"):
        assert outcome(f"profile {name} core=0: calls >= 1", cpp) == ["kept"]


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("profile nothing: cycles <= 1", "did not execute nothing"),
        ("profile print_numbr: cycles <= 1", "similar: print_number"),
        ("profile print_number core=1: cycles <= 1", "core 1 did not execute print_number"),
    ],
)
def test_what_was_not_executed_is_not_measured(analysis: ProfileAnalysis, text: str, part: str) -> None:
    (found,) = held(parsed(text, 1), analysis)
    assert found.outcome == "not measured"
    assert part in found.why


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("profile crc32", "a budget of a profile is"),
        ("profile crc32: cycles < 5", "a budget of a profile is"),
        ("profile crc32: cycles <= much", "a budget of a profile is"),
        ("profile crc32: cycles <= 5 us", "a budget of a profile is"),
        ("profile crc32: cycels <= 5", "cycels"),
        ("profile crc32 core=2: cycles <= 5", "there is no core 2"),
        ("profile crc32: cycles <= -5", "out of range"),
        ("profile crc32: cycles <= 1e999", "out of range"),
        ("profile crc32: calls <= 5 cycles", "calls have no unit"),
        ("profile crc32: cycles per call <= 5 %", "per call"),
        ("profile core=1: calls <= 5", "is of a function"),
        ("profile: total <= 5", "is of a function"),
    ],
)
def test_what_is_no_budget_of_a_profile_is_refused(text: str, part: str) -> None:
    assert is_of_profile(text)
    with pytest.raises(UsageError, match=part):
        parsed(text, 1)


def test_a_file_may_have_budgets_of_both_kinds(tmp_path: Path) -> None:
    path = tmp_path / "b.toml"
    path.write_text(
        'budgets = [\n"switch: max <= 9 us",\n"profile crc32: cycles <= 9",\n"profile core=0: lost <= 5 %"]'
    )
    found = budget_reader.read(path)
    assert [one.line for one in found.budgets] == [2]
    assert [one.line for one in found.of_profile] == [3, 4]
    path.write_text(
        'budgets = [\n"profile crc32: cycles <= 9",\n"profile crc32: cycels <= 9",\n"profile  crc32: cycles <= 9"]'
    )
    with pytest.raises(UsageError, match=r"b\.toml:3: .*\n.*b\.toml:4: this budget repeats"):
        budget_reader.read(path)


def test_a_check_has_the_worst_outcome_and_the_shape_of_its_schema(analysis: ProfileAnalysis) -> None:
    texts = ("profile print_number: cycles <= 1", "profile core=0: lost <= 99 %", "profile none: calls >= 1")
    file = BudgetFile("b.toml", (), None, None, tuple(parsed(text, line) for line, text in enumerate(texts, 2)))
    found = check_profile(file, analysis, None)
    assert (found.outcome, found.exit_status, found.simulated) == ("broken", 1, True)
    jsonschema.validate(msgspec.json.decode(msgspec.json.encode(found)), schema("check"))
    assert len(report.rows(found)) == 3
    kept = msgspec.structs.replace(file, of_profile=file.of_profile[1:2])
    assert check_profile(kept, analysis, None).exit_status == 0
    assert check_profile(msgspec.structs.replace(file, of_profile=file.of_profile[2:]), analysis, None).exit_status == 4
