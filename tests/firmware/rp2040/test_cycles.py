"""Each core's own counter: when it begins, that it counts every cycle of that core's time, and that it wraps unseen."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import numpy as np

from intercore.sim import Simulator
from tests.firmware.rp2040.conftest import CLK_SYS_HZ, ROOT, Board, need_tools, series

HERE = Path(__file__).parent
STARTING = 100
"""Cycles at most that pass uncounted: until a counter is started and, on core 0, until the next goes on from it."""


def test_a_counter_begins_with_its_core_and_counts_its_cycles(o2: Path) -> None:
    board = Board(o2 / "intercore-target")
    begins = [board.chip.watch_execution(name) for name in ("rp2040_cycles_begin", "begin_core_1")]
    moments = board.chip.watch_execution("port_cycles_reads")
    board.run(0.65)
    moments.take()
    answer = board.ask("run clock from=0 to=1 time=counter samples=100 dither_us=300")
    assert answer[-1]["status"] == "ok"
    hits = moments.hits()
    constants = []
    for core, begin in enumerate(begins):
        (begun,) = begin.hits()["cycle"].tolist()
        its = np.array(hits["cycle"][hits["core"] == core], np.int64)[1:]  # the first is the warm-up
        constant = np.array(series(answer, f"counter.{core}"), np.int64) - its
        assert np.ptp(constant) <= 2, "a counter counts other than the core's cycles"
        constants.append(int(np.median(constant)))
        assert 0 <= -constant[0] - begun <= STARTING, "a counter does not begin with its core"
    assert constants[0] - constants[1] > CLK_SYS_HZ // 1000, "core 1 starts a millisecond later, and counts less"


def test_a_reading_takes_the_documented_cycles(board: Board) -> None:
    header = (ROOT / "firmware/board/rp2040/clock/rp2040_cycles.h").read_text()
    documented = re.search(r"CYCLES_CYCLES (\d+)U", header)
    assert documented
    answer = board.ask("run switch time=raw-counter samples=1")
    # As for the common clock: its rest, the return, the caller's BL and what the compiler puts between.
    between = min(series(answer, "timestamp_overhead.0"))
    assert int(documented[1]) + 3 <= between <= int(documented[1]) + 3 + 4


def test_no_reading_is_wrong_where_a_counter_wraps(tmp_path: Path) -> None:
    need_tools()
    board, examples = ROOT / "firmware/board/rp2040", ROOT / "sim/examples"
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
    names = ("rp2040_clock.c", "rp2040_clock.S", "rp2040_cycles.c", "rp2040_cycles.S")
    sources = (HERE / "cycles_wrap.c", examples / "chip.c", *(board / "clock" / name for name in names))
    elf = tmp_path / "cycles_wrap"
    command = ["arm-none-eabi-gcc", "-mcpu=cortex-m0plus", "-mthumb", "-O2", "-Wall", "-Werror", "-nostartfiles"]
    command += [f"-DIC_CLOCK_MHZ={CLK_SYS_HZ // 1_000_000}"]
    command += [f"-I{folder}" for folder in headers] + [str(source) for source in sources]
    command += ["-Wl,--no-warn-rwx-segments", f"-L{examples}", "-T", "sram.ld", "-o", str(elf)]
    subprocess.run(command, check=True)
    chip = Simulator(elf)
    second_looks = chip.watch_execution("port_cycles_wraps")
    assert chip.run(50_000_000).code == 0
    said = dict(line.split() for line in chip.take_uart().decode().splitlines())
    assert [int(said[name]) for name in ("timer", "word", "hardware")] == [200, 200, 200]
    assert int(said["wrong"]) == 0
    assert int(said["most"]) - int(said["least"]) <= 12
    assert len(second_looks.hits()) >= 200
