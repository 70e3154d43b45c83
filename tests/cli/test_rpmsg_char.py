"""The transport rpmsg-char on the desk: a round trip is shown as one, by the name of its device.

A terminal without line discipline stands in for Linux' device; tests/firmware/host/test_rpmsg_char.py has a better one.
"""

from __future__ import annotations

import contextlib
import os
import pty
import select
import threading
import tty
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.cli.tool import Tool


@pytest.fixture
def device() -> Iterator[str]:
    """The path of a device whose other end sends back what comes."""
    ours, theirs = pty.openpty()
    tty.setraw(ours)
    stop = threading.Event()

    def serve() -> None:
        while not stop.is_set():
            if select.select([ours], [], [], 0.1)[0]:
                with contextlib.suppress(OSError):  # hung up between two programs
                    os.write(ours, os.read(ours, 4096))

    thread = threading.Thread(target=serve)
    thread.start()
    yield os.ttyname(theirs)
    stop.set()
    thread.join()
    os.close(ours)
    os.close(theirs)


def test_round_trips_are_measured_stored_and_shown_as_such(tool: Tool, device: str) -> None:
    name, environment = f"rpmsg-char:{device}", {"INTERCORE_RPMSG": device}
    few = ("size=4,16", "from=0", "to=0", "samples=5", "dither_us=20", "--repetitions", "1")
    words = ("run", "host", "message", f"transport={name}", *few)
    document = tool(*words, "--format", "json", environment=environment).succeeded().json
    found = document["analysis"]["message"]
    assert found["latency"] == []
    assert [(one["transport"], one["bytes"], one["round_trip_us"]["n"]) for one in found["round_trips"]] == [
        (name, 4, 5), (name, 16, 5),
    ]  # fmt: skip
    shown = tool("show").succeeded().out
    assert "Round trip to an echo and back on host" in shown
    assert "Latency" not in shown
    (said,) = (one for one in document["findings"] if one["code"] == "message-round-trips")
    assert said["values"] == {"transports": [name]}
    assert said["text"] in " ".join(shown.split())


def test_what_cannot_be_is_said_before_anything_is_measured(tool: Tool, device: str) -> None:
    environment = {"INTERCORE_RPMSG": device}
    run = ("run", "host", "message")
    stream = tool(*run, f"transport=rpmsg-char:{device}", "measure=throughput", environment=environment).failed(2)
    assert "take measure=latency" in stream.error
    other = tool(*run, "transport=rpmsg-char:/dev/rpmsg7", environment=environment).failed(2)
    assert f"did you mean 'rpmsg-char:{device}'?" in other.error
    none = tool(*run, "transport=rpmsg-char:/nowhere", environment={"INTERCORE_RPMSG": "/nowhere"}).failed(2)
    assert "there is no such device" in none.error
