"""The benchmark program for the RP2040: does it build at every level, keep its promises, and fit?"""

from __future__ import annotations

import re
import struct
import subprocess
from typing import TYPE_CHECKING

import pytest
from bench.footprint import CODE_GOAL, RAM_GOAL, footprint

from intercore.board.elf import sections
from intercore.sim import Simulator
from tests.built_once import ROOT
from tests.firmware.rp2040.conftest import CLK_SYS_HZ, Board, of_all_benchmarks, series
from tests.sim.firmware import uf2

if TYPE_CHECKING:
    from pathlib import Path

CPSID = 0xB672
WFE = 0xBF20
WFI = 0xBF30
RETURN = 0x4770
BRANCH_BACK = 0xE7FD
"""To the instruction before it."""
BRANCH_TO_BEGINNING = 0xE7FB
"""Three instructions back."""


def test_the_port_keeps_its_promises(any_level: Path) -> None:
    chip = Simulator(any_level / "intercore-port-test")
    end = chip.run(10 * CLK_SYS_HZ)
    said = chip.take_uart().decode()
    assert said.startswith("the port keeps every promise"), said
    assert end.code == 0
    assert chip.take_diagnostics() == []


def test_no_stack_is_nearly_full(any_level: Path) -> None:
    chip = Simulator(any_level / "intercore-port-test")
    chip.run(10 * CLK_SYS_HZ)
    left = {name: int(words) for name, words in re.findall(r"left, (.*): (\d+)", chip.take_uart().decode())}
    assert set(left) == {"tasks", "main, core 0", "main, core 1"}
    assert all(words >= 128 for words in left.values()), left


def test_code_and_data_are_as_small_as_promised(o2: Path) -> None:
    found = footprint(o2 / "intercore-target")
    assert found.buffers == 8192 * 8 + 20480
    assert found.stacks == 4096 + 2 * 512
    assert found.code < CODE_GOAL == 140 * 1024
    assert found.ram < RAM_GOAL == 16 * 1024


@of_all_benchmarks
def test_sizes_in_the_readme_are_those_of_the_program(o2: Path) -> None:
    found = sections(o2 / "intercore-target")
    (code, everything) = (sum(one.size for one in found if one.stored or not stored) / 1e3 for stored in (True, False))
    rows = [line for line in (ROOT / "README.md").read_text("utf-8").splitlines() if line.startswith("| `pico` |")]
    for row in (one for one in rows if "kB" in one):
        assert {f"{code:.0f}", f"{everything:.0f}"} <= set(re.findall(r"\d+", row))


def test_info_has_the_kernels_sources_and_whether_they_are_modified(
    board: Board,
) -> None:
    said = {line["key"]: line["value"] for line in board.ask("info") if line["type"] == "condition"}
    assert said["freertos.sources"] == "ff265a60962f88d4, unmodified"
    assert [key for key, value in said.items() if "modified" in value] == ["freertos.sources"]


@pytest.mark.measures("speedup")
def test_two_cores_are_faster_than_one(board: Board) -> None:
    answer = board.ask("run speedup n=1000 mode=spin samples=5")
    assert answer[-1]["status"] == "ok"
    checks = answer[-1]["checks"]
    assert (checks["wrong"], checks["migrated"], checks["lost"], checks["preempted"]) == (0, 0, 0, 0)
    for one, both in zip(series(answer, "t1"), series(answer, "tp"), strict=True):
        assert 1.9 < one / both <= 2.0


def test_two_runs_with_one_seed_send_the_same_samples(o2: Path) -> None:
    answers = []
    for _ in range(2):
        board = Board(o2 / "intercore-target")
        board.run(0.65)
        answers.append(board.ask("run clock samples=20 seed=7"))
    assert answers[0] == answers[1]


@pytest.mark.measures("speedup")
def test_tasks_leave_no_memory_behind(board: Board) -> None:
    free = board.chip.address("xFreeBytesRemaining")
    board.ask("run speedup n=1 mode=create samples=1 dither_us=0")
    before = board.chip.read_word(free)
    assert board.ask("run speedup n=1 mode=create samples=500 dither_us=0")[-1]["status"] == "ok"
    assert board.chip.read_word(free) == before


def test_idle_cores_sleep(board: Board) -> None:
    before = [board.chip.statistics(core).asleep for core in (0, 1)]
    board.run(1.0)
    asleep = [board.chip.statistics(core).asleep - before[core] for core in (0, 1)]
    assert asleep[0] > 0.98 * CLK_SYS_HZ, "the tick takes more than 2 %"
    assert asleep[1] > 0.9999 * CLK_SYS_HZ, "core 1 has nothing to do"


def test_the_rate_changes_after_the_answer_and_stays(board: Board) -> None:
    said = board.ask("rate 921600 id=3")
    assert said[-1] == {"type": "rate", "id": 3, "rate": 921600}
    assert board.ask("info")[0]["rate"] == 921600
    board.run(1.5)
    assert board.ask("info")[0]["rate"] == 921600


def test_without_a_command_in_a_second_the_old_rate_comes_back(board: Board) -> None:
    board.ask("rate 3000000")
    board.run(1.2)
    assert board.ask("info")[0]["rate"] == 115200


@pytest.mark.measures("speedup")
def test_the_watchdog_lets_a_busy_program_alone(board: Board) -> None:
    assert board.run(30.0) == []  # a restart says hello
    feeds = board.chip.watch_writes(0x40058004, 4)
    board.chip.send(b"run speedup workload=integer n=60000000 cores=1 mode=pool samples=1\n")
    said = board.run(10.0)
    assert all(line["type"] in ("begin", "factor", "progress") for line in said)
    assert len(feeds.hits()) == 5


def test_the_watchdog_starts_a_stuck_program_again(board: Board) -> None:
    hook = board.chip.address("vApplicationPassiveIdleHook") & ~1
    sound = board.chip.read(hook, 8)
    assert sound[4:] == struct.pack("<2H", WFI, RETURN)
    # Both cores sleep in it, behind WFI. The loop sleeps on, with interrupts masked.
    board.chip.write(hook, struct.pack("<4H", CPSID, WFE, BRANCH_BACK, BRANCH_TO_BEGINNING))
    assert board.run(5.0) == []
    assert all(board.chip.registers(core).primask for core in (0, 1))
    board.chip.write(hook, sound)  # for the next start
    said = board.run(6.0)
    assert said[0]["type"] == "hello"
    assert said[-1]["status"] == "ok"


def test_a_stack_that_overflows_is_told_and_ends_in_a_restart(board: Board) -> None:
    stack = board.chip.address("console_stack")
    board.chip.write(stack, bytes(16))  # the kernel looks at the last 16 bytes at each switch
    board.chip.send(b"info\n")
    board.chip.run(CLK_SYS_HZ)
    _cut_short, last, rest = board.chip.take_uart().split(b"\r\n")
    assert rest == b""
    assert b'"text":"a task has outgrown its stack","where":"console"' in last
    assert board.run(11.0)[-1]["status"] == "ok"


def test_uf2_starts_at_its_lowest_address(o2: Path, tmp_path: Path) -> None:
    raw = tmp_path / "raw"
    subprocess.run(["arm-none-eabi-objcopy", "-O", "binary", o2 / "intercore-port-test", raw], check=True)
    chip = Simulator(uf2(raw.read_bytes(), 0x20000000))
    assert chip.run(10 * CLK_SYS_HZ).code == 0
