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


@pytest.mark.parametrize(
    "words",
    [
        ("IMAGE", "--max-time", "0"),
        ("IMAGE", "--max-time", "nan"),
        ("IMAGE", "--expect", ""),
        ("IMAGE", "--until-symbol", "nowhere"),
        ("IMAGE", "--until-symbol", "0x1ffffffff"),
        ("missing.elf",),
        (__file__,),
    ],
)
def test_what_makes_no_sense_is_status_2(tool: Tool, words: tuple[str, ...]) -> None:
    image = str(example("spinlock"))
    tool("hunt", *(image if word == "IMAGE" else word for word in words)).failed(2)
