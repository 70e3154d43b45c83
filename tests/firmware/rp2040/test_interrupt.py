"""When the firmware's timer is due on the common clock (board/rp2040/clock/rp2040_clock.c), judged by the simulator."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from tests.firmware.rp2040.clock_truth import MHZ, RUN, TIMER_LOW, Truth
from tests.firmware.rp2040.conftest import Board

if TYPE_CHECKING:
    from pathlib import Path


def offset(truth: Truth) -> int:
    """The common clock less the cycles since power-on: a constant, as test_clock.py shows."""
    return int((truth.readings(0) - truth.moments(0))[0])


def test_the_phase_that_the_firmware_finds_is_the_clock_when_the_timer_steps(any_level: Path) -> None:
    board = Board(any_level / "intercore-target")
    board.run(0.65)
    chip = board.chip
    truth = Truth(chip)
    board.ask("run clock from=0 to=0 samples=1")
    phase = chip.read_word("phase")
    for _ in range(3):
        microsecond = chip.peek_register(TIMER_LOW)
        while chip.peek_register(TIMER_LOW) == microsecond:
            chip.run(1)
        assert chip.now + offset(truth) - MHZ * (microsecond + 1) == phase
        chip.run(12_345)


@pytest.mark.measures("speedup")
def test_all_that_is_read_from_the_timer_agrees_with_the_phase(board: Board) -> None:
    truth = Truth(board.chip)
    low = board.chip.watch_reads(TIMER_LOW, 4)
    board.ask(RUN)
    reads = low.hits()
    clock = reads["cycle"] + offset(truth) - MHZ * reads["value"].astype(np.int64)
    assert clock.min() == board.chip.read_word("phase")
    assert clock.max() == board.chip.read_word("phase") + MHZ - 1
