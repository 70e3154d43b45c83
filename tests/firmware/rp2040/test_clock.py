"""How exact the firmware's common clock is, judged by the simulator, which knows every cycle."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

from intercore.sim import Simulator
from tests.firmware.rp2040.clock_truth import RUN, Truth
from tests.firmware.rp2040.conftest import CLK_SYS_HZ, ROOT, Board, need_tools, series

if TYPE_CHECKING:
    pass

HERE = Path(__file__).parent


@pytest.mark.measures("speedup")
def test_readings_and_true_cycles_differ_by_one_constant_on_both_cores(board: Board) -> None:
    truth = Truth(board.chip)
    board.ask(RUN)
    assert len(truth.begins(0)) > 10_000
    assert len(truth.begins(1)) == 32 * 2
    offsets = np.concatenate([truth.readings(core) - truth.moments(core) for core in (0, 1)])
    assert np.ptp(offsets) == 0
    from_begin = np.concatenate([truth.readings(core) - truth.begins(core) for core in (0, 1)])
    interrupted = from_begin > from_begin.min() + 50
    assert interrupted.sum() <= len(from_begin) / 1000, "an interrupt may come before the reading, but rarely"
    assert np.ptp(from_begin[~interrupted]) <= 2


@pytest.mark.measures("speedup")
def test_intervals_that_the_firmware_sends_are_those_between_its_readings(board: Board) -> None:
    truth = Truth(board.chip)
    answer = board.ask(RUN)
    assert series(answer, "timestamp_overhead.1") == np.diff(truth.moments(1))[::2].tolist()
    intervals = set(np.diff(truth.moments(0)).tolist())
    assert len(series(answer, "t1")) == 200
    assert set(series(answer, "t1")) <= intervals


def test_a_reading_takes_the_documented_cycles(board: Board) -> None:
    header = (ROOT / "firmware/board/rp2040/clock/rp2040_clock.h").read_text()
    documented = re.search(r"CLOCK_CYCLES (\d+)U", header)
    assert documented
    answer = board.ask("run clock from=0 to=0 samples=1")
    # From one reading to the next there are its rest, the return, the caller's BL and what the compiler puts between.
    between = min(series(answer, "timestamp_overhead.0"))
    assert int(documented[1]) + 3 <= between <= int(documented[1]) + 3 + 4


def test_no_reading_is_wrong_where_the_low_word_of_the_timer_wraps(tmp_path: Path) -> None:
    need_tools()
    board, examples = ROOT / "firmware/board/rp2040", ROOT / "sim/examples"
    names = ("rp2040_clock.c", "rp2040_clock.S")
    headers = (
        examples,
        board,
        board / "clock",
        board / "sdk",
        board.parent / "rp2",
        board.parent / "rp2/clock",
        ROOT / "firmware/port",
        ROOT / "tests/firmware/portable",
    )
    sources = (HERE / "clock_wrap.c", examples / "chip.c", *(board / "clock" / name for name in names))
    elf = tmp_path / "clock_wrap"
    command = ["arm-none-eabi-gcc", "-mcpu=cortex-m0plus", "-mthumb", "-O2", "-Wall", "-Werror", "-nostartfiles"]
    command += [f"-DIC_CLOCK_MHZ={CLK_SYS_HZ // 1_000_000}"]
    command += [f"-I{folder}" for folder in headers] + [str(source) for source in sources]
    command += ["-Wl,--no-warn-rwx-segments", f"-L{examples}", "-T", "sram.ld", "-o", str(elf)]
    subprocess.run(command, check=True)
    chip = Simulator(elf)
    second_looks = chip.watch_execution("port_clock_wraps")
    assert chip.run(50_000_000).code == 0
    said = dict(line.split() for line in chip.take_uart().decode().splitlines())
    assert int(said["wraps"]) == 200
    assert int(said["wrong"]) == 0
    assert int(said["most"]) - int(said["least"]) <= 12
    assert len(second_looks.hits()) >= 200
