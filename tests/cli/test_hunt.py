"""The command `hunt`: its status, its output, and what it refuses."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.sim.firmware import example

if TYPE_CHECKING:
    from tests.cli.tool import Tool


def test_a_finding_is_status_1_and_no_finding_is_0(tool: Tool) -> None:
    faulty = tool("hunt", str(example("faults/waits", "sram", "-DBOTH_SEND")))
    assert faulty.status == 1
    assert faulty.out.startswith("1 finding. ")
    right = tool("hunt", str(example("faults/waits", "sram", "-DSERVER")), "--expect", "answer 191").succeeded()
    assert right.out.startswith("No finding. ")


def test_json_has_findings_waits_interrupts_locks_and_stacks(tool: Tool) -> None:
    image = str(example("faults/waits", "sram", "-DSPINLOCK_ORDER"))
    document = tool("hunt", image, "--format", "json").json
    assert (document["kind"], document["schema"], document["origin"]) == ("intercore hunt", 1, "simulated")
    assert [one["code"] for one in document["findings"]] == ["deadlock"]
    assert [one["kind"] for one in document["waits"]] == ["spinlock", "spinlock"]
    assert {one["lock"] for one in document["locks"]} == {4, 5}
    assert [one["core"] for one in document["stacks"]] == [0, 1]


def test_a_variation_that_fails_is_status_1_and_repeated_by_what_was_printed(tool: Tool) -> None:
    image = str(example("faults/interleavings", "sram", "-DLOCK_ORDER"))
    words = ("hunt", image, "--expect", "PASS")
    tool(*words).succeeded()
    varied = tool(*words, "--vary", "30", "--jobs", "2", "--format", "json")
    assert varied.status == 1
    variation = varied.json["variation"]
    assert (variation["seed"], variation["asked"], variation["interrupted"]) == (0, 30, False)
    replayed = tool(*words, "--replay", variation["replay"])
    assert replayed.status == 1
    assert variation["sentences"][0] in " ".join(replayed.out.split())
    document = tool(*words, "--replay", variation["replay"], "--format", "json").json
    assert document["findings"] == varied.json["findings"]
    mended = str(example("faults/interleavings", "sram", "-DLOCK_ORDER", "-DMENDED"))
    silent = tool("hunt", mended, "--expect", "PASS", "--vary", "30", "--seed", "7").succeeded()
    assert "None of 30 variations with seed 7 has failed." in " ".join(silent.out.split())


def test_what_fails_undisturbed_is_not_varied(tool: Tool) -> None:
    failed = tool("hunt", str(example("faults/waits", "sram", "-DBOTH_SEND")), "--vary", "3", "--format", "json")
    assert failed.status == 1
    assert failed.json["variation"] is None


@pytest.mark.parametrize(
    "words",
    [
        ("IMAGE", "--max-time", "0"),
        ("IMAGE", "--max-time", "nan"),
        ("IMAGE", "--expect", ""),
        ("IMAGE", "--vary", "0"),
        ("IMAGE", "--seed", "1"),
        ("IMAGE", "--replay", ""),
        ("IMAGE", "--replay", __file__),
        ("IMAGE", "--until-symbol", "nowhere"),
        ("IMAGE", "--until-symbol", "0x1ffffffff"),
        ("missing.elf",),
        (__file__,),
    ],
)
def test_what_makes_no_sense_is_status_2(tool: Tool, words: tuple[str, ...]) -> None:
    image = str(example("spinlock"))
    tool("hunt", *(image if word == "IMAGE" else word for word in words)).failed(2)
