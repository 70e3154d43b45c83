"""Everything at once on both cores, with the kernel's assertions and stack checks on: firmware/port/stress.c.

INTERCORE_SLOW=1 makes it ten minutes, and covers every level of optimisation.
"""

from __future__ import annotations

import json
import os
import time
import zlib
from typing import TYPE_CHECKING, Any

import pytest

from intercore.board.factors import OPT_LEVELS
from intercore.sim import Reason, Simulator
from tests.firmware.rp2040.conftest import CLK_SYS_HZ, built

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from intercore.sim import Stop

SLOW = "INTERCORE_SLOW" in os.environ
RATE = 460800
"""Bits per second of the run, both ways."""
SLICE = CLK_SYS_HZ // 20
FLOOD = RATE // 10 // 20
"""Bytes that the line carries in a slice."""
SUCCESS = "the port bears the stress"


class StressRun:
    """A stress run on the simulated chip, with input at the full rate of the line."""

    def __init__(self, program: Path, begin: Callable[[Simulator], None] = lambda _: None) -> None:
        self.chip = Simulator(program)
        begin(self.chip)
        self.sent = 0
        assert self.chip.run(CLK_SYS_HZ, text='"type":"start"').reason is Reason.TEXT
        self.said = self.chip.take_uart()

    def run(self, enough: Callable[[], bool]) -> int | None:
        """Send until it is enough, end the run, and return the program's exit code."""
        stop = self.chip.run(0)
        while stop.reason is Reason.LIMIT and not enough():
            self.chip.send(bytes(ord("!") + at % 89 for at in range(self.sent, self.sent + FLOOD)))
            self.sent += FLOOD
            stop = self._slice()
        self.chip.send(b"\n")
        for _ in range(60):  # the round is finished first
            if stop.reason is not Reason.LIMIT:
                break
            stop = self._slice()
        return stop.code

    def _slice(self) -> Stop:
        stop = self.chip.run(SLICE)
        self.said += self.chip.take_uart()
        return stop

    def lines(self) -> list[dict[str, Any]]:
        """Return the numbered lines, after checking the form and CRC of each."""
        found = []
        for line in self.said.split(b"\r\n"):
            text, star, crc = line.rpartition(b" *")
            if star:
                assert int(crc, 16) == zlib.crc32(text)
                found.append(json.loads(text))
        return found


def check(run: StressRun, code: int | None) -> dict[str, Any]:
    """Check a run that has ended; return its last line."""
    *_, verdict, tasks, first, second, rest = run.said.decode().split("\r\n")
    assert (verdict, code, rest) == (SUCCESS, 0, "")
    assert run.chip.take_diagnostics() == []
    lines = run.lines()
    assert [line["line"] for line in lines] == list(range(len(lines))), "a line is missing or doubled"
    assert len(run.said.split(b"\r\n")) == len(lines) + 5, "something is no line"
    by_core = [sum(line["type"] == "state" and line["core"] == core for line in lines) for core in (0, 1)]
    assert min(by_core) > len(lines) / 10, "one core wrote next to nothing"
    rounds = [line for line in lines if line["type"] == "round"]
    assert len({line["free"] for line in rounds}) == 1, "memory leaks"
    assert min(int(text.rpartition(" ")[2]) for text in (tasks, first, second)) >= 128, "a stack is nearly full"
    finish = lines[-1]
    assert finish["received"] == run.sent, "input is lost"
    assert finish["failure"] == ""
    per_round = {name: finish[name] / len(rounds) for name in ("created", "moved", "notified", "passed", "timeouts")}
    assert min(per_round.values()) > 20, per_round
    return dict(finish)


def test_a_second_of_the_chip_without_a_loss_or_a_leak(o2: Path) -> None:
    run = StressRun(o2 / "intercore-stress")
    code = run.run(lambda: run.chip.now > CLK_SYS_HZ)
    assert check(run, code)["round"] >= 2


def test_a_lost_input_byte_would_be_noticed(o2: Path) -> None:
    run = StressRun(o2 / "intercore-stress")
    run.sent = 1
    assert run.run(lambda: run.chip.now > CLK_SYS_HZ // 2) == 1
    assert "an input byte is lost, doubled or damaged\r\n" in run.said.decode()


def test_a_task_that_leaves_memory_behind_would_be_noticed(o2: Path) -> None:
    run = StressRun(o2 / "intercore-stress")
    free = run.chip.address("xFreeBytesRemaining")
    assert run.chip.run(CLK_SYS_HZ, text='"type":"state"').reason is Reason.TEXT
    run.chip.write_word(free, run.chip.read_word(free) - 8)
    assert run.run(lambda: run.chip.now > CLK_SYS_HZ) == 1
    assert "memory has not been given back\r\n" in run.said.decode()


@pytest.mark.skipif(not SLOW, reason="takes ten minutes: set INTERCORE_SLOW=1")
@pytest.mark.timeout(1500)
def test_ten_minutes_of_the_host(o2: Path) -> None:
    run = StressRun(o2 / "intercore-stress")
    end = time.monotonic() + 600
    code = run.run(lambda: time.monotonic() > end)
    check(run, code)


@pytest.mark.skipif(not SLOW, reason="takes minutes: set INTERCORE_SLOW=1")
@pytest.mark.parametrize("opt", OPT_LEVELS)
def test_every_level_of_optimisation_bears_it(opt: str) -> None:
    run = StressRun(built(opt) / "intercore-stress")
    code = run.run(lambda: run.chip.now > 8 * CLK_SYS_HZ)
    check(run, code)
