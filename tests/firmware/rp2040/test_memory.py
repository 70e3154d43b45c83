"""The benchmark `memory` on the simulated chip: each word costs what the documents say, each conflict what it took."""

from __future__ import annotations

import re
import subprocess
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from intercore.sim import Reason
from tests.firmware.rp2040.conftest import CLK_SYS_HZ, Board, checks_of, series

if TYPE_CHECKING:
    from pathlib import Path

    from intercore.sim import Probe

BANKS = {"sram4": 0x20040000, "sram5": 0x20041000}
"""Where regions of one bank begin."""
BANK_BYTES = 3584
TURN_WORDS = 8
ACCESSES = {"read": (8, 0), "write": (0, 8), "copy": (8, 8)}
"""Loads and stores in a turn of the loop."""


def turn_cycles(elf: Path, access: str) -> set[int]:
    """What a turn of the loop costs, by the instructions of all loops of that shape in the benchmark.

    Loads and stores 2 cycles, a taken branch 2, all others 1: Cortex-M0+ TRM table 3-1.
    """
    shown = subprocess.run(["arm-none-eabi-objdump", "-d", elf], capture_output=True, text=True, check=True).stdout
    body: list[tuple[int, str]] = []
    found = set()
    for line in shown.splitlines():
        match = re.match(r"^ *([0-9a-f]+):\t[0-9a-f ]+\t(\S+)(?:\t(?:([0-9a-f]+) <)?)?", line)
        if match is None:
            body = []  # another function
            continue
        at, name, target = int(match[1], 16), match[2].removesuffix(".n"), match[3]
        body.append((at, name))
        if name.startswith("b") and target and int(target, 16) < at:
            turn = [of for where, of in body if where >= int(target, 16)]
            counts = sum(of == "ldr" for of in turn), sum(of == "str" for of in turn)
            others = {of for of in turn[:-1] if of not in ("ldr", "str", "add", "adds", "cmp", "mov", "movs")}
            if counts == ACCESSES[access] and not others:
                found.add(2 * sum(counts) + 2 + len(turn) - 1 - sum(counts))
    return found


@pytest.mark.parametrize("access", ACCESSES)
@pytest.mark.parametrize("region", ["sram-striped", *BANKS])
def test_a_word_costs_what_its_instructions_do(o2: Path, board: Board, access: str, region: str) -> None:
    """Two passes of different length: all that is not the loop is the same in both."""
    (cycles,) = turn_cycles(o2 / "intercore-target", access)
    modes = []
    for size in (256, 128):
        answer = board.ask(f"run memory access={access} region={region} core=1 bytes={size} samples=12 dither_us=200")
        checks_of(answer)
        # Those that do not end where the core's share of the region ends, nor are met by the tick of core 0.
        values, counts = np.unique(series(answer, "alone"), return_counts=True)
        modes.append(int(values[np.argmax(counts)]))
    assert modes[0] - modes[1] == 128 // 4 // TURN_WORDS * cycles


@pytest.mark.parametrize(
    ("access", "region", "other", "other_region"),
    [
        ("read", "sram4", "copy", "sram4"),
        ("copy", "sram-striped", "copy", "sram-striped"),
        ("write", "sram4", "write", "sram5"),
    ],
)
def test_a_slow_down_is_the_cycles_that_the_other_core_took(
    board: Board, access: str, region: str, other: str, other_region: str
) -> None:
    """Cycles that core 1 lost on the bus between the two readings, as the simulator counts them."""
    chip = board.chip
    words = f"access={access} region={region} core=1 other={other} other_region={other_region}"
    chip.send(f"run memory {words} bytes=2048 samples=6 dither_us=200\n".encode())
    moments, lost = [], []
    while chip.run(CLK_SYS_HZ // 5, address="port_clock_reads", core=1).reason is Reason.ADDRESS:
        moments.append(chip.now)
        lost.append(sum(chip.statistics(1).conflicts.values()))
    answer = board.run(1)
    checks_of(answer)
    taken, conflicts = np.diff(moments), np.diff(lost)
    for name in ("alone", "contended"):
        for sample in series(answer, name):
            assert sample in taken, "between two readings one after the other"
    lost_by = {
        name: [int(conflicts[np.flatnonzero(taken == sample)[0]]) for sample in series(answer, name)]
        for name in ("alone", "contended")
    }
    # Without what it lost, a pass takes the same time beside the other core as alone, but for the cost of going round.
    of_pass = [
        sample - cycles
        for name, found in lost_by.items()
        for sample, cycles in zip(series(answer, name), found, strict=True)
    ]
    assert max(of_pass) - min(of_pass) <= 4
    assert sum(lost_by["contended"]) > sum(lost_by["alone"])


@pytest.mark.parametrize(
    ("access", "region", "other", "other_region"),
    [
        ("read", "sram4", "write", "sram5"),
        ("write", "sram5", "read", "sram4"),
        ("copy", "sram4", "copy", "sram4"),
    ],
)
def test_each_core_works_where_it_was_told(
    board: Board, access: str, region: str, other: str, other_region: str
) -> None:
    chip = board.chip
    halves = {(name, half): at + half * BANK_BYTES // 2 for name, at in BANKS.items() for half in (0, 1)}
    reads = {place: chip.watch_reads(at, BANK_BYTES // 2) for place, at in halves.items()}
    writes = {place: chip.watch_writes(at, BANK_BYTES // 2) for place, at in halves.items()}
    words = f"access={access} region={region} core=1 other={other} other_region={other_region}"
    checks_of(board.ask(f"run memory {words} bytes=1024 samples=5 dither_us=200"))
    # The timed core, 1, has the first half; the other one, 0, the second half if it is the same region. Before, the
    # console task on core 0 fills both; behind each pass, each core looks at what it wrote or copied.
    own, others = (region, 0), (other_region, int(region == other_region))
    filled = BANK_BYTES // 2 // 4
    for place in halves:
        read, written = count(reads[place], 1), count(writes[place], 1)
        assert (read >= 11 * 256) == (place == own), (place, read)
        assert (written >= 11 * 256) == (place == own and access != "read"), (place, written)
        assert place == own or read == written == 0
        read, written = count(reads[place], 0), count(writes[place], 0)
        assert (read >= 6 * 256) == (place == others), (place, read)
        assert (written >= filled + 6 * 256) == (place == others and other != "read"), (place, written)
        assert place == others or (read == 0 and written == filled * (place == own)), (place, read, written)


def count(probe: Probe, core: int) -> int:
    return int((probe.hits()["core"] == core).sum())


def test_memory_that_does_not_hold_is_found_out(board: Board) -> None:
    """A bit of sram4 changes behind the benchmark's back, from the moment in which core 1 first reads there."""
    begun = board.chip.watch_reads(BANKS["sram4"], 4)
    board.chip.send(b"run memory access=read region=sram4 core=1 bytes=2048 samples=20 dither_us=1000\n")
    said: list[dict[str, Any]] = []
    while not count(begun, 1):
        said += board.run(0.001)
    changed = BANKS["sram4"] + 64
    board.chip.write_word(changed, board.chip.read_word(changed) ^ 1)
    while said[-1]["type"] != "end":
        said += board.run(0.1)
    assert said[-1]["status"] == "failed"
    assert said[-1]["checks"]["wrong"] >= 19
