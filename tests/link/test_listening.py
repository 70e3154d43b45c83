"""A program that stands still does not hear its target: that is not the target's silence."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

import pytest

from intercore.link.exchange import TargetSilentError
from intercore.link.listening import Listening
from intercore.link.session import Session
from tests.fakes.console import Console, ConsolePort

TIMEOUT = 10.0


class Stopped(ConsolePort):
    """Each so often a read, or what comes before it, takes an hour, as for a program that was stopped."""

    def __init__(self, console: Console, every: int) -> None:
        super().__init__(console)
        self._every = every
        self._reads = 0

    def read(self, timeout: float) -> bytes:
        self._reads += 1
        if self._reads % self._every == 0:
            self._now += 3600.0
            return b""  # what came meanwhile is still on its way
        return super().read(timeout)


@pytest.mark.parametrize("every", [2, 3, 5])
def test_a_run_outlasts_stops_that_are_longer_than_the_timeout(every: int) -> None:
    session = Session(Stopped(Console((), computes=0.75 * TIMEOUT), every), TIMEOUT)
    assert len(session.measure("example", {}).series[0].ticks) == 1600


def test_a_target_that_hangs_is_found_between_two_stops() -> None:
    session = Session(Stopped(Console((), dies_in_run=True), 3), TIMEOUT)
    session.info()
    with pytest.raises(TargetSilentError, match=f"hangs: silent for {TIMEOUT:g} s"):
        session.measure("example", {"n": 10})


def test_time_is_that_of_the_port_but_for_standstills() -> None:
    console = Console(())
    port = Stopped(console, 2)
    listening = Listening(port)
    console.sent = []
    begin = listening.now()
    listening.read(0.5)
    assert listening.now() - begin == pytest.approx(0.5, abs=0.01)
    listening.read(0.5)
    assert listening.now() - begin == pytest.approx(0.5, abs=0.01)
    port._now += 0.5  # work between two waits
    assert listening.now() - begin == pytest.approx(1.0, abs=0.01)


TALK = """
import sys
from intercore.link.child_port import ChildPort
from intercore.link.session import Session

port = ChildPort([sys.executable, "-m", "tests.fakes.target", "--repetitions", "20", "--repetition-time", "0.1"])
session = Session(port, 30)
session.info()
session._timeout = 2.0
print("ready", flush=True)
session.measure("example", {})
print("measured", flush=True)
port.close()
"""


@pytest.mark.skipif(os.name != "posix", reason="signals stop no program there")
def test_a_tool_that_was_stopped_and_continued_goes_on() -> None:
    with subprocess.Popen([sys.executable, "-c", TALK], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as tool:
        assert tool.stdout is not None
        assert tool.stdout.readline() == b"ready\n"
        tool.send_signal(signal.SIGSTOP)
        time.sleep(4.5)
        tool.send_signal(signal.SIGCONT)
        output, errors = tool.communicate(timeout=60)
    assert (output, errors.decode()) == (b"measured\n", "")
