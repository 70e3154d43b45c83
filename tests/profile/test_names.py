"""Names of functions in C++ and of inlined functions, and the costs of source lines."""

from __future__ import annotations

from pathlib import Path

import pytest

from intercore.profile.names import readable, short
from intercore.profile.report import section
from intercore.profile.source_lines import short_names
from intercore.profile.summary import analysed
from tests.profile.cpp import cpp
from tests.profile.programs import profiled, stripped
from tests.sim.firmware import example


@pytest.mark.parametrize(
    ("symbol", "name"),
    [
        ("main", "main"),
        ("_ZN5radio6Filter5applyIjEET_S2_", "radio::Filter::apply<unsigned int>(unsigned int)"),
        ("_ZN12_GLOBAL__N_14helpEv", "(anonymous namespace)::help()"),
        ("_ZN5radio6Filter", "_ZN5radio6Filter"),
        ("_ZN5radio6FilteraSERKS0_", "radio::Filter::operator=(radio::Filter const&)"),
        ("_ZTV3foo", "vtable for foo"),
        ("_Z1f" + "P" * 100_000 + "i", "_Z1f" + "P" * 100_000 + "i"),
    ],
)
def test_mangled_names_are_readable_and_others_stay(symbol: str, name: str) -> None:
    assert readable(symbol) == name


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("vTaskSwitchContext_with_a_name_of_more_than_forty_letters", None),
        ("radio::Filter::apply<unsigned int>(unsigned int)", "radio::Filter::apply<unsigned int>"),
        ("(anonymous namespace)::help()", "{anonymous}::help"),
        ("0x20000100-0x200001ff", None),
        ("std::" + "vector<" * 20 + "()", "std::vector<vector<vector<vector<vector…"),
    ],
)
def test_names_are_short_on_one_screen(name: str, shown: str | None) -> None:
    assert short(name) == (shown or name)


def test_cpp_functions_have_the_names_of_their_source(tmp_path: Path) -> None:
    profile, _ = profiled(cpp(tmp_path))
    analysis = analysed(profile)
    hot = max(analysis.functions, key=lambda one: one.own.executing)
    assert hot.function.startswith("radio::Filter::apply<unsigned int>(unsigned int)")
    (line, *_) = analysis.lines
    assert (Path(line.file).name, line.line) == ("radio.cpp", 4)
    assert "clamped" in line.function
    assert hot.function.startswith(line.inlined_into or "nothing")


def test_source_lines_have_all_cycles_of_the_code_that_has_debug_information() -> None:
    profile, _ = profiled(example("bank_conflict"))
    analysis = analysed(profile)
    for number, core in enumerate(profile.cores):
        known = [one for one in core.lines if (frames := profile.sources.get(one.address)) and frames[0].line]
        lines = [one for one in analysis.lines if one.core == number]
        assert sum(one.cycles for one in lines) == sum(one.cycles for one in known) > 0
        assert sum(one.conflicts for one in lines) == sum(one.conflicts for one in known)
    awake = [one.awake for one in analysis.lines]
    assert awake == sorted(awake, reverse=True)


def test_an_image_without_debug_information_has_no_table_of_lines(tmp_path: Path) -> None:
    bare, _ = profiled(stripped(example("both_cores"), tmp_path))
    whole, _ = profiled(example("both_cores"))
    assert analysed(bare).lines == []
    assert len(section(analysed(bare)).tables) == len(section(analysed(whole)).tables) - 1


def test_files_are_shown_as_long_as_it_takes_to_tell_them_apart() -> None:
    names = short_names(["/a/b/main.c", "/a/c/main.c", "/a/c/port.c", "C:\\x\\list.c", "main.c"])
    assert names == {
        "/a/b/main.c": "b/main.c",
        "/a/c/main.c": "c/main.c",
        "/a/c/port.c": "port.c",
        "C:\\x\\list.c": "list.c",
        "main.c": "main.c",
    }
