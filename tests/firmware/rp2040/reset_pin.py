"""Pull the RUN pin of the simulated chip at given cycles, and see how the program starts again."""

from __future__ import annotations

import json
import zlib
from typing import TYPE_CHECKING

from intercore.sim import Reason, Simulator
from tests.firmware.rp2040.conftest import CLK_SYS_HZ

if TYPE_CHECKING:
    from pathlib import Path

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
