"""The command `trace`: what a user does without a board, and what he gets wrong."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from perfetto.protos.perfetto.trace.perfetto_trace_pb2 import Trace

from intercore.board.boards import PICO
from tests.firmware.rp2040.recorded import with_recorder

if TYPE_CHECKING:
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
    assert "switch is the difference of readings of the cores' own counters: it says -" in text
    assert "An event costs" in text
    trace = Trace()
    trace.ParseFromString((tool.directory / "mine.pftrace").read_bytes())
    assert sum(packet.HasField("track_event") for packet in trace.packet) > 100
    assert "mine.pftrace" in done.err
    page = (tool.directory / "mine.html").read_text()
    assert '<svg class="timeline"' in page
    assert "and by the common clock" in " ".join(page.split()), "it shows where the false number comes from"


@pytest.mark.measures("switch")
@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("trace", "pico-sim", "swich"), "did you mean 'switch'?"),
        ((*SWITCH, "trace=0"), "trace=0 is a program without the recorder"),
        ((*SWITCH, "opt=O0", "trace=256"), "the code of -O0 leaves the recorder no room"),
    ],
)
def test_what_cannot_be_traced_is_refused_in_a_sentence(tool: Tool, words: tuple[str, ...], says: str) -> None:
    refused = tool(*words).failed(2)
    assert says in refused.error
    assert not [path for path in tool.directory.iterdir() if "trace" in path.name]
