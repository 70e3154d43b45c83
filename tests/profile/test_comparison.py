"""Two profiles of programs that differ in one known cost: it is named first, with its kind, and all parts add up."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING

import msgspec
import pytest

from intercore.errors import UsageError
from intercore.profile.comparison import Change, ProfileComparison, compared
from intercore.profile.comparison_report import rows, section
from intercore.profile.profile_file import is_profile, read
from intercore.profile.summary import ProfileAnalysis, analysed
from tests.profile.programs import profiled, variant
from tests.sim.firmware import example

if TYPE_CHECKING:
    from pathlib import Path

SAME_BANK = 'on_both("one bank", SRAM0, SRAM0)'
NAMES = ("before.json", "after.json")


@pytest.fixture(scope="module")
def before() -> ProfileAnalysis:
    return analysed(profiled(example("bank_conflict"))[0])


@pytest.fixture(scope="module")
def apart(tmp_path_factory: pytest.TempPathFactory) -> ProfileAnalysis:
    folder = tmp_path_factory.mktemp("apart")
    image = variant("bank_conflict", SAME_BANK, 'on_both("one bank", SRAM0, SRAM1)', folder)
    return analysed(profiled(image)[0])


def of(found: ProfileComparison, core: int, function: str) -> Change:
    (change,) = (one for one in found.functions if (one.core, one.function) == (core, function))
    return change


def test_a_collision_that_is_gone_is_what_changed(before: ProfileAnalysis, apart: ProfileAnalysis) -> None:
    found = compared(NAMES, before, apart)
    for core, function in enumerate(("read_from_sram4", "read_from_sram5")):
        change = of(found, core, function)
        assert -100 <= change.cycles <= -32 * 3
        assert [reason.kind for reason in change.reasons] == ["lost to the other core"]
        assert "SRAM0" in change.reasons[0].most
    worse = of(compared(NAMES, apart, before), 1, "read_from_sram5")
    assert worse.cycles == -of(found, 1, "read_from_sram5").cycles


def test_reasons_add_up_to_changes_and_functions_to_cores(before: ProfileAnalysis, apart: ProfileAnalysis) -> None:
    found = compared(NAMES, before, apart)
    for one in (*found.functions, *found.cores):
        assert sum(reason.cycles for reason in one.reasons) == one.cycles == one.after.awake - one.before.awake
        assert sum(one.before.kinds.values()) == one.before.awake
        assert sum(one.after.kinds.values()) == one.after.awake
    for core, analysis in zip(found.cores, apart.cores, strict=True):
        assert core.after.awake == analysis.sums.cycles - analysis.sums.asleep
    changes = [abs(one.cycles) for one in found.functions]
    assert changes == sorted(changes, reverse=True)


def test_a_profile_is_the_same_as_itself(before: ProfileAnalysis) -> None:
    found = compared(NAMES, before, before)
    assert found.functions == ()
    assert rows(found) == []
    shown = section(found, in_full=True)
    assert shown.tables == []
    assert len(shown.sentences) == 1


def test_a_function_of_one_side_only_is_new_or_gone(before: ProfileAnalysis) -> None:
    without = msgspec.structs.replace(
        before, functions=[one for one in before.functions if one.function != "print_number"]
    )
    gone = of(compared(NAMES, before, without), 0, "print_number")
    assert gone.cycles == -gone.before.awake < 0
    assert (gone.after.calls, gone.after.kinds) == (0, {})
    assert of(compared(NAMES, without, before), 0, "print_number").cycles == -gone.cycles


def test_a_file_is_read_as_it_was_printed(before: ProfileAnalysis, tmp_path: Path) -> None:
    (path := tmp_path / "a.json").write_bytes(msgspec.json.format(msgspec.json.encode(before), indent=2))
    assert is_profile(path)
    assert read(path) == before


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ('{"kind": "intercore profile"', "is damaged"),
        ('{"kind": "intercore profile"}', "is damaged"),
        ('{"kind": "intercore profile", "schema": 2}', "another version"),
        ('{"kind": "intercore profile", "schema": 1, "cores": 3}', "is damaged"),
        ('{"kind": "intercore profile", "schema": 1, "image": "\udcff"}', "is damaged"),
        ('{"kind": "intercore profile", "schema": 1, "x": ' + "[" * 100_000, "is damaged"),
    ],
)
def test_what_is_no_whole_profile_is_refused(tmp_path: Path, text: str, part: str) -> None:
    (path := tmp_path / "a.json").write_bytes(text.encode("utf-8", "surrogateescape"))
    with pytest.raises(UsageError, match=part):
        read(path)


def test_the_folder_of_a_test_is_no_profile(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text(json.dumps({"kind": "other"}))
    for path in (tmp_path, tmp_path / "a.json", tmp_path / "none", tmp_path / ("x" * 300)):
        assert not is_profile(path)
    shutil.rmtree(tmp_path)
