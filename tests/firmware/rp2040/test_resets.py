"""A reset by the RUN pin at any moment, in start-up and in mid-run, ends in a clean start of the image in SRAM."""

from __future__ import annotations

import json
import os
import zlib
from typing import TYPE_CHECKING

import numpy as np
import pytest

from intercore.board.factors import OPT_LEVELS
from intercore.sim import Reason, Simulator
from tests.firmware.rp2040.conftest import CLK_SYS_HZ, built

if TYPE_CHECKING:
    from pathlib import Path

FIRST, LAST = 1e5, 2e8
"""Cycles from power-on: from before the boot ROM is done to well into a run with tasks that come and go."""

RUN_FROM = 80_000_000
"""From here on the chip has said hello, and is given something to do."""


def clean_hello(said: bytes) -> None:
    """Check that what came after a reset is a whole hello and nothing else."""
    lines = said.split(b"\r\n")
    assert lines.pop() == b""
    answer = []
    for line in lines:
        text, _, crc = line.rpartition(b" *")
        assert int(crc, 16) == zlib.crc32(text)
        answer.append(json.loads(text))
    assert (answer[0]["type"], answer[-1]["type"], answer[-1]["status"]) == ("hello", "end", "ok")
    assert [line["i"] for line in answer] == list(range(len(answer)))


def reset_at_each(program: Path, cycles: list[int]) -> None:
    chip = Simulator(program)
    busy = False
    for cycle in cycles:
        if cycle > RUN_FROM and not busy:
            chip.run_to(RUN_FROM)
            chip.send(b"run speedup n=200 mode=create samples=1000 seed=3\n")
            busy = True
        chip.run_to(cycle)
        chip.take_uart()
        before = chip.snapshot()
        chip.set_faults([f"reset@{cycle + 1}"])
        chip.run(1000)  # the byte that was on the line is lost
        chip.take_uart()
        stop = chip.run(CLK_SYS_HZ, text='"type":"end"')
        assert stop.reason is Reason.TEXT, f"reset in cycle {cycle + 1}: {stop}; {chip.take_uart()!r}"
        chip.run(CLK_SYS_HZ // 100)
        clean_hello(chip.take_uart())
        assert chip.take_diagnostics() == []
        chip.restore(before)
    assert b'"type":"samples"' not in chip.take_uart(), "the last resets were meant to be in mid-run"


def test_sixty_moments_from_start_up_to_mid_run(o2: Path) -> None:
    reset_at_each(o2 / "intercore-target", np.geomspace(FIRST, LAST, 60).astype(int).tolist())


@pytest.mark.skipif("INTERCORE_SLOW" not in os.environ, reason="takes minutes: set INTERCORE_SLOW=1")
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("opt", OPT_LEVELS)
def test_three_hundred_moments_at_every_level(opt: str) -> None:
    reset_at_each(built(opt) / "intercore-target", np.geomspace(FIRST, LAST, 300).astype(int).tolist())
