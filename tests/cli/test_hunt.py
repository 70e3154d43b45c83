"""The command `hunt`: its status, its output, and what it refuses."""

from __future__ import annotations

import csv
import io
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import TYPE_CHECKING, get_args

import pytest
from perfetto.protos.perfetto.trace.perfetto_trace_pb2 import Trace

from intercore.hunt.finding import Code
from tests.cli.test_check import validate_junit
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
    assert f"--replay '{variation['replay']}'" in tool(*words, "--vary", "30").out.splitlines()
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


def test_a_report_for_build_servers_has_a_test_for_each_rule(tool: Tool) -> None:
    found = {}
    for which in ("BOTH_SEND", "SERVER"):
        tool("hunt", str(example("faults/waits", "sram", f"-D{which}")), "--max-time", "1", "--junit", "x.xml")
        text = (tool.directory / "x.xml").read_text()
        validate_junit(text)
        found[which] = ET.fromstring(text)  # noqa: S314 - our own
    faulty, right = ([one.get("name") for one in root.iter("testcase")] for root in found.values())
    assert faulty == right == list(get_args(Code))
    (failed,) = (one for one in found["BOTH_SEND"].iter("testcase") if len(one))
    assert (failed.get("name"), failed[0].tag) == ("deadlock", "failure")
    assert "the FIFO to core 1" in str(failed[0].text)
    assert [root.get("failures") for root in found.values()] == ["1", "0"]


@pytest.mark.parametrize(
    ("file", "which", "last"),
    [("waits", "BOTH_SEND", "push"), ("races", "COUNTER", "core_1"), ("stacks", "OVERFLOW", "recurse")],
)
def test_each_finding_has_the_last_millisecond_before_it(tool: Tool, file: str, which: str, last: str) -> None:
    image = str(example(f"faults/{file}", "sram", f"-D{which}"))
    found = tool("hunt", image, "--timeline", "seen", "--max-time", "0.2", "--format", "json")
    assert found.status == 1
    (one,) = found.json["findings"]
    assert one["timeline"] == str(Path("seen", f"1-{one['code']}.perfetto"))
    trace = Trace.FromString((tool.directory / one["timeline"]).read_bytes())
    events = [packet for packet in trace.packet if packet.HasField("track_event")]
    span = max(packet.timestamp for packet in events) - min(packet.timestamp for packet in events)
    assert span <= 2_000_000  # ns: up to twice as long before the clock is set up
    assert last in {packet.track_event.name for packet in events}
    assert "timeline: seen" in tool("hunt", image, "--timeline", "seen", "--max-time", "0.2").out


def test_stacks_are_rows_beside_findings(tool: Tool) -> None:
    image = str(example("faults/stacks", "sram", "-DOVERFLOW"))
    rows = list(csv.DictReader(io.StringIO(tool("hunt", image, "--format", "csv").out)))
    assert [(row["kind"], row["what"]) for row in rows] == [
        ("finding", "stack-overflow"),
        ("stack", "core 0"),
        ("stack", "core 1"),
    ]
    assert int(rows[2]["used"]) == int(rows[2]["bytes"])


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
