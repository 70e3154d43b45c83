"""The command `profile`: what a user does with an image, and what he gets wrong."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import jsonschema
import pytest

from intercore.board.uf2 import uf2_of
from intercore.cli.profiled import of_benchmark
from intercore.document.schema import schema
from intercore.sim import Simulator
from tests.profile.cpp import cpp
from tests.profile.programs import read_callgrind, stripped
from tests.sim.firmware import FOREVER, LAST_WORDS, SRAM, example, raw, uf2

if TYPE_CHECKING:
    from tests.cli.tool import Tool

SHORT = ("--seconds", "0.02")


def test_people_read_the_answer_first_and_that_it_is_simulated(tool: Tool) -> None:
    done = tool("profile", str(example("bank_conflict")), *SHORT).succeeded()
    text = " ".join(done.out.split())
    assert text.index("Core 0:") < text.index("Functions by time awake")
    assert "SIMULATED" in text
    assert "read_from_sram4" in text


@pytest.mark.parametrize("name", ["fifo_interrupt", "spinlock", "both_cores"])
def test_one_screen_is_printed_and_the_rest_on_request(tool: Tool, name: str) -> None:
    words = ("profile", str(example(name, "flash")), *SHORT)
    screen = tool(*words, environment={"COLUMNS": "80"}).succeeded().out.splitlines()
    assert len(screen) <= 40
    whole = tool(*words, "--all", environment={"COLUMNS": "80"}).succeeded().out.splitlines()
    assert len(whole) > len(screen)
    assert not any("--all" in line for line in whole)
    assert [line for line in screen if line.startswith("Core ")] == [
        line for line in whole if line.startswith("Core ") and line in screen
    ]


def test_long_names_of_cpp_are_short_on_one_screen_only(tool: Tool) -> None:
    words = ("profile", str(cpp(tool.directory)), *SHORT)
    assert "unsigned int>(unsigned int)" not in " ".join(tool(*words).succeeded().out.split())
    assert "unsigned int>(unsigned int)" in " ".join(tool(*words, "--all").succeeded().out.split())


def test_json_and_csv_have_each_function_of_each_core(tool: Tool) -> None:
    words = ("profile", str(example("both_cores")), *SHORT)
    found = tool(*words, "--format", "json").succeeded().json
    jsonschema.validate(found, schema("profile"))
    assert found["origin"] == "simulated"
    functions = {(one["core"], one["function"]) for one in found["functions"]}
    assert {(0, "work_in_sram4"), (1, "work_in_sram5")} <= functions
    header, *lines = tool(*words, "--format", "csv").succeeded().out.splitlines()
    assert header.startswith("core,function,calls,")
    assert {tuple(line.split(",")[:2]) for line in lines} == {(str(core), name) for core, name in functions}


def test_a_window_begins_and_ends_where_the_user_says(tool: Tool) -> None:
    image = str(example("both_cores"))
    whole = tool("profile", image, *SHORT, "--format", "json").succeeded().json
    words = ("profile", image, *SHORT, "--from", "example", "--to", "print_number", "--format", "json")
    part = tool(*words).succeeded().json
    assert whole["begun"] == 0 < part["begun"] < part["ended"] < whole["ended"]
    calls = {one["function"]: one["calls"] for one in part["functions"] if one["core"] == 0}
    assert calls["example"] == 1
    assert "print_number" not in calls


def test_the_calls_of_a_function_are_timed(tool: Tool) -> None:
    words = ("profile", str(example("both_cores")), *SHORT, "--calls", "work_in_sram4")
    calls = tool(*words, "--format", "json").succeeded().json["calls"]
    assert (calls["function"], calls["count"]) == ("work_in_sram4", 4)
    assert "work_in_sram4 returned 4 times" in " ".join(tool(*words).succeeded().out.split())


def test_a_core_is_compared_with_itself_alone(tool: Tool) -> None:
    words = ("profile", str(example("bank_conflict")), *SHORT, "--alone", "0")
    found = tool(*words, "--format", "json").succeeded().json["alone"]
    assert found["core"] == 0
    assert "read_from_sram4" in {one["function"] for one in found["functions"]}
    assert "Core 0 beside core 1 and alone" in tool(*words).succeeded().out


def test_what_it_brings_to_move_something_is_estimated(tool: Tool) -> None:
    words: tuple[str, ...] = ("profile", str(example("reports/priority", "flash")), *SHORT, "--from", "sum_up")
    words += ("--to", "print_number")
    assert "--try sum_up" in tool(*words).succeeded().out
    words += ("--try", "sum_up", "--try", "0x21000000-0x210000ff")
    found = tool(*words, "--format", "json").succeeded().json
    jsonschema.validate(found, schema("profile"))
    tried = found["tried"]
    assert tried["names"] == ["sum_up", "0x21000000-0x210000ff"]
    assert tried["same_end"]
    assert tried["cycles"] == found["ended"] - found["begun"]
    assert tried["tried_cycles"] < tried["cycles"]
    assert "estimate" in tool(*words).succeeded().out


def test_files_for_other_tools_are_written_and_are_no_others(tool: Tool) -> None:
    words = ("profile", str(example("both_cores")), *SHORT, "--callgrind", "a.callgrind", "--speedscope", "a.json")
    words += ("--perfetto", "a.pftrace", "--from", "example", "--to", "print_number")
    assert "a.callgrind" in tool(*words).succeeded().err
    assert (
        read_callgrind((tool.directory / "a.callgrind").read_text()).calls["core 0:example", "core 0:work_in_sram4"]
        == 1
    )
    assert (tool.directory / "a.pftrace").stat().st_size > 1000
    assert json.loads((tool.directory / "a.json").read_text())["profiles"][1]["name"] == "core 1"
    tool(*words).succeeded()  # over its own files
    (tool.directory / "a.json").write_text("mine")
    assert "is not a speedscope file" in tool(*words).failed(2).error
    assert (tool.directory / "a.json").read_text() == "mine"


def test_a_page_is_written_over_its_own_kind_only(tool: Tool) -> None:
    words = ("profile", str(example("both_cores")), *SHORT, "--report", "a.html")
    for _ in range(2):
        assert "a.html" in tool(*words).succeeded().err
    assert "data-flame" in (tool.directory / "a.html").read_text()
    (tool.directory / "a.html").write_text("mine")
    assert "is not a page of Intercore" in tool(*words).failed(2).error


def test_a_window_begins_at_a_function_of_cpp_by_its_name(tool: Tool) -> None:
    words = ("profile", str(cpp(tool.directory)), *SHORT, "--format", "json", "--from")
    found = tool(*words, "radio::Filter::apply<unsigned int>").succeeded().json
    assert found["begun"] > 0
    assert any(one["function"].startswith("radio::Filter::apply<unsigned int>(") for one in found["functions"])
    assert "--from radio::Filter" in tool(*words, "radio::Filter").failed(2).error


def test_two_profiles_are_compared_by_function(tool: Tool) -> None:
    for name in ("both_cores", "bank_conflict"):
        printed = tool("profile", str(example(name)), *SHORT, "--format", "json").succeeded().out
        (tool.directory / f"{name}.json").write_text(printed)
    words = ("compare", "both_cores.json", "bank_conflict.json")
    text = " ".join(tool(*words).succeeded().out.split())
    assert text.index("Core 0") < text.index("Functions by change")
    assert "SIMULATED" in text
    found = tool(*words, "--format", "json").succeeded().json
    jsonschema.validate(found, schema("profile-comparison"))
    functions = {(one["core"], one["function"]): one for one in found["functions"]}
    assert functions[0, "work_in_sram4"]["after"]["awake"] == 0
    assert "awake_before" in tool(*words, "--format", "csv").succeeded().out.splitlines()[0]
    assert "can only be compared with another profile" in tool(*words[:2], "4").failed(2).error
    assert "exactly two profiles" in tool(*words, words[1]).failed(2).error
    assert "-o applies only to runs" in tool(*words, "-o", "a.html").failed(2).error


def test_budgets_of_a_profile_decide_the_exit_status(tool: Tool) -> None:
    printed = tool("profile", str(example("both_cores")), *SHORT, "--format", "json").succeeded().out
    (tool.directory / "app.json").write_text(printed)
    for budget, status in (
        ("work_in_sram4 core=0: calls <= 3", 0),
        ("work_in_sram4 core=0: calls <= 2", 1),
        ("nothing: calls <= 2", 4),
    ):
        (tool.directory / "b.toml").write_text(f'budgets = ["profile {budget}"]')
        done = tool("check", "b.toml", "--profile", "app.json", "--junit", "b.xml", "--markdown", "b.md")
        assert done.status == status
        assert "SIMULATED" in done.out
    assert "add --profile app.json" in tool("check", "b.toml").failed(2).error
    assert "b.toml is not a profile" in tool("check", "b.toml", "--profile", "b.toml").failed(2).error
    assert "--profile app.json" in tool("check", "b.toml", "app.json").failed(2).error
    assert "omit pico-sim" in tool("check", "b.toml", "pico-sim").failed(2).error
    (tool.directory / "b.toml").write_text('budgets = ["speedup: S max >= 1"]')
    assert "omit --profile" in tool("check", "b.toml", "--profile", "app.json").failed(2).error


def test_what_has_no_names_says_so(tool: Tool) -> None:
    bare = stripped(example("both_cores"), tool.directory)
    assert "has no symbols" in tool("profile", str(bare), *SHORT).succeeded().out
    (image := tool.directory / "app.uf2").write_bytes(uf2(raw(*FOREVER), SRAM))
    assert "has no symbols" in tool("profile", str(image), *SHORT).succeeded().out


def test_a_program_that_ends_crashes_or_leaves_core_1_alone_says_so(tool: Tool) -> None:
    (image := tool.directory / "crash.uf2").write_bytes(uf2(raw(*LAST_WORDS), SRAM))
    text = " ".join(tool("profile", str(image), *SHORT).succeeded().out.split())
    assert "locked up" in text
    assert "Core 1 was never started" in text


@pytest.mark.parametrize(
    ("words", "status", "part"),
    [
        (("nowhere.elf",), 1, "nowhere.elf"),
        (("IMAGE", "--seconds", "0"), 2, "--seconds"),
        (("IMAGE", "--from", "nothing"), 2, "--from nothing"),
        (("IMAGE", "--to", "0x1ffffffff"), 2, "--to 0x1ffffffff"),
        (("IMAGE", "--from", "0x10000000", "--seconds", "0.001"), 1, "no core executed 0x10000000"),
        (("IMAGE", "--top", "-1"), 2, "--top"),
        (("IMAGE", "--calls", "nothing"), 2, "--calls nothing"),
        (("IMAGE", "--alone", "2"), 2, "--alone"),
        (("IMAGE", "--try", "nothing"), 2, "--try nothing"),
        (("IMAGE", "--try", "0x20000010-0x20000000"), 2, "not within flash or SRAM"),
        (("IMAGE", "--try", "0xffffff00-0xffffffff"), 2, "not within flash or SRAM"),
        (("IMAGE", "--try", "0x40000000-0x400000ff"), 2, "not within flash or SRAM"),
        (("IMAGE", "--callgrind", "no/folder"), 1, "no/folder"),
    ],
)
def test_bad_input_is_refused_in_one_sentence(tool: Tool, words: tuple[str, ...], status: int, part: str) -> None:
    image = str(example("both_cores"))
    done = tool("profile", *(image if word == "IMAGE" else word for word in words)).failed(status)
    assert part in done.error


def test_a_file_that_is_no_image_is_refused(tool: Tool) -> None:
    (image := tool.directory / "note.txt").write_text("a note")
    assert "neither an ELF nor a UF2 file" in tool("profile", str(image)).failed(1).error


def test_a_uf2_file_has_the_names_of_the_elf_file_beside_it(tool: Tool) -> None:
    elf = shutil.copy(example("both_cores", "flash"), tool.directory / "app.elf")
    (image := tool.directory / "app.uf2").write_bytes(uf2_of(Path(elf)))
    words = ("profile", "app.uf2", *SHORT, "--format", "json")
    found = tool(*words).succeeded().json
    assert (found["image"], found["names"]) == ("app.uf2", "app.elf")
    assert "work_in_sram4" in {one["function"] for one in found["functions"]}
    Path(elf).unlink()
    assert tool(*words).succeeded().json["names"] == ""
    assert image.exists()


def test_an_elf_file_of_another_build_gives_no_names(tool: Tool) -> None:
    elf = Path(shutil.copy(example("both_cores", "flash"), tool.directory / "app.elf"))
    data = bytearray(uf2_of(elf))
    data[512 * 2 + 32] ^= 1
    (tool.directory / "app.uf2").write_bytes(data)
    done = tool("profile", "app.uf2", *SHORT).succeeded()
    text = " ".join(done.out.split())
    assert "app.elf is of another build than app.uf2" in text
    assert "has no symbols" in text


@pytest.mark.parametrize("content", [b"", b"\x7fELF", b"a note"])
def test_a_file_that_is_called_elf_and_is_none_gives_no_names(tool: Tool, content: bytes) -> None:
    (tool.directory / "app.uf2").write_bytes(uf2_of(example("both_cores", "flash")))
    (tool.directory / "app.elf").write_bytes(content)
    text = " ".join(tool("profile", "app.uf2", *SHORT).succeeded().out.split())
    assert "The names of app.elf are not used" in text


def test_a_benchmark_of_a_simulated_target_is_recorded(tool: Tool) -> None:
    words = ("profile", "pico-sim", "switch", "primitive=queue", "samples=10", "--calls", "vTaskSwitchContext")
    found = tool(*words, "--format", "json").succeeded().json
    names = {one["name"] for one in found["roots"]}
    assert {"task switch", "task console", "task IDLE0", "PendSV"} <= names
    assert found["calls"]["count"] > 10
    claimed = {(one["lock"], one["core"]) for one in found["locks"]}
    assert {(14, 0), (14, 1), (15, 0), (15, 1)} <= claimed, "the kernel's locks of tasks and of interrupts"


def test_what_has_no_time_is_told_in_instructions(tool: Tool) -> None:
    words = ("profile", "stm32h745-sim", "clock", "samples=3")
    found = tool(*words, "--format", "json").succeeded().json
    jsonschema.validate(found, schema("instructions"))
    assert found["origin"] == "emulated"
    assert all(found["cores"])
    assert {one["core"] for one in found["functions"]} == {0, 1}
    assert "cycles" not in tool(*words).succeeded().out
    (tool.directory / "h7.json").write_text(json.dumps(found))
    (tool.directory / "b.toml").write_text('budgets = ["profile main: calls <= 2"]')
    for asked in ("compare", "h7.json", "h7.json"), ("check", "b.toml", "--profile", "h7.json"):
        assert "without time" in tool(*asked).failed(2).error


def test_what_the_simulator_notes_against_a_benchmark_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Simulator, "take_diagnostics", lambda _: [f"note {number}" for number in range(5)])
    warnings = of_benchmark("pico-sim", "clock", ["samples=3"], None).warnings
    assert [warning.rpartition(": ")[2] for warning in warnings[:3]] == ["note 0", "note 1", "note 2"]
    assert warnings[3:] == ["2 more of these were noted."]


@pytest.mark.parametrize(
    ("words", "part"),
    [
        (("host", "switch"), "pico-sim"),
        (("stm32h745-sim", "speedup", "--calls", "main"), "--calls"),
        (("stm32h745-sim", "speedup", "--speedscope", "a.json"), "no time"),
        (("qemu-esp32", "speedup"), "pico-sim"),
        (("pico-sim",), "switch"),
        (("pico-sim", "switch", "--from", "main"), "--from"),
        (("pico-sim", "switch", "--try", "main"), "--try"),
        (("pico-sim", "switch", "primitive=queue,semaphore"), "primitive=queue,semaphore"),
        (("pico-sim", "swich"), "switch"),
        (("pico-sim", "switch", "samples=10", "--calls", "nothing"), "--calls nothing"),
    ],
)
def test_what_cannot_be_recorded_is_refused(tool: Tool, words: tuple[str, ...], part: str) -> None:
    assert part in tool("profile", *words).failed(2).error


def test_a_benchmark_does_not_go_with_a_program(tool: Tool) -> None:
    assert "switch has no effect" in tool("profile", str(example("both_cores")), "switch").failed(2).error
