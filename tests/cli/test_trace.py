"""The command `trace`: what a user does without a board, and what he gets wrong."""

from __future__ import annotations

import os
from collections import Counter
from typing import TYPE_CHECKING, Any

import msgspec
import pytest
from perfetto.protos.perfetto.trace.perfetto_trace_pb2 import Trace

from intercore.board.boards import PICO
from intercore.cli import trace as command
from intercore.errors import IntercoreError
from intercore.link.session import Session
from tests.built_once import ROOT
from tests.firmware.rp2040.recorded import with_recorder

if TYPE_CHECKING:
    from pathlib import Path

    from intercore.link.session import Answer
    from tests.cli.tool import Tool

SWITCH = ("trace", "pico-sim", "switch", "samples=4")


@pytest.fixture(scope="module", autouse=True)
def built() -> None:
    """The program, built before anything is timed out."""
    with_recorder(PICO, 1024)


@pytest.mark.measures("switch")
def test_people_read_sentences_and_that_it_is_simulated_and_have_a_page_and_a_file(tool: Tool) -> None:
    done = tool(*SWITCH, "time=raw-counter", "--perfetto", "mine.pftrace", "--page", "mine.html").succeeded()
    text = " ".join(done.out.split())
    assert "switch on pico-sim, SIMULATED" in text
    assert "% signal" in text
    assert "switch goes" in text
    assert "The overhead of an event is" in text
    trace = Trace()
    trace.ParseFromString((tool.directory / "mine.pftrace").read_bytes())
    assert sum(packet.HasField("track_event") for packet in trace.packet) > 100
    assert "mine.pftrace" in done.err
    page = (tool.directory / "mine.html").read_text()
    assert '<svg class="timeline"' in page
    assert "while by the common clock" in " ".join(page.split()), "it shows where the false number comes from"


@pytest.mark.measures("switch")
def test_of_wrong_work_only_what_ran_is_kept(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Its times are told neither on the terminal nor on a page."""
    measure = Session._measure

    def wrong(session: Session, *words: *tuple[Any, ...]) -> Answer:
        answer = measure(session, *words)
        return msgspec.structs.replace(answer, checks={**answer.checks, "wrong": 2}, status="failed")

    monkeypatch.setattr(Session, "_measure", wrong)
    monkeypatch.chdir(tmp_path)
    shown: list[object] = []
    monkeypatch.setattr(command, "show", lambda *told: shown.append(told))
    with pytest.raises(IntercoreError, match=r"RESULTS WRONG: switch failed its checks \(wrong: 4\)"):
        command.trace("pico-sim", "switch", ["samples=4"], page=tmp_path / "page.html")
    assert [path.name for path in tmp_path.iterdir()] == ["pico-sim-switch.perfetto-trace"]
    assert shown == []


@pytest.mark.measures("speedup")
@pytest.mark.parametrize(
    ("target", "events", "samples"),
    [
        ("pico-sim", 512, 4),
        pytest.param(
            *("pico-amp-sim", 256, 2),
            marks=pytest.mark.skipif("INTERCORE_SLOW" not in os.environ, reason="builds two images: INTERCORE_SLOW=1"),
        ),
    ],
)
def test_marks_in_a_workload_of_ones_own_are_in_the_file_on_the_core_that_sets_them(
    tool: Tool, target: str, events: int, samples: int
) -> None:
    text = (ROOT / "examples" / "workloads" / "crc.c").read_text()
    begin = "uint32_t crc(uint32_t first, uint32_t count) {\n"
    assert text.count(begin) == 1
    marked = "#include <intercore_trace.h>\n" + text.replace(begin, f'{begin}    intercore_mark("a part of it");\n')
    (tool.directory / "crc.c").write_text(marked)
    levels = ("workload=./crc.c", "n=8", f"samples={samples}", f"trace={events}")
    asked = ("trace", target, "speedup", *levels, "--perfetto", "m")
    assert f"speedup on {target}, SIMULATED" in " ".join(tool(*asked, kill_after=300).succeeded().out.split())
    trace = Trace()
    trace.ParseFromString((tool.directory / "m").read_bytes())
    descriptors = [one.track_descriptor for one in trace.packet if one.HasField("track_descriptor")]
    groups = {one.uuid: one.process.process_name for one in descriptors if one.HasField("process")}
    tracks = {one.uuid: f"{groups[one.parent_uuid]}/{one.name}" for one in descriptors if one.uuid not in groups}
    told = [one.track_event for one in trace.packet if one.HasField("track_event")]
    marks = Counter(tracks[one.track_uuid] for one in told if one.name == "a part of it")
    assert marks.keys() == {"core 0/events", "core 1/events"}
    assert marks.total() >= samples * (1 + 2), "each repetition is done by one core, and in two parts by both"


@pytest.mark.measures("switch")
@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("trace", "pico-sim", "swich"), "did you mean 'switch'?"),
        ((*SWITCH, "trace=0"), "a program without the recorder"),
        ((*SWITCH, "opt=O0", "trace=256"), "the code at -O0 leaves no memory for the recorder"),
        ((*SWITCH, "primitive=quue"), "the factor primitive has no level 'quue'; did you mean 'queue'?"),
        ((*SWITCH, "primitive=yield", "from=0", "to=1"), "take yield with from and to the same"),
        ((*SWITCH, "primitive=queue,yield"), "trace can only measure one setting"),
    ],
)
def test_what_cannot_be_traced_is_refused_in_a_sentence(tool: Tool, words: tuple[str, ...], says: str) -> None:
    refused = tool(*words).failed(2)
    assert says in refused.error
    assert not [path for path in tool.directory.iterdir() if "trace" in path.name]
