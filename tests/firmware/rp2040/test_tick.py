"""Whether the edges of the tick lie where the firmware says, judged by the simulator, which knows every cycle."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tests.firmware.rp2040.clock_truth import Truth
from tests.firmware.rp2040.conftest import Board
from tests.firmware.rp2040.ticking import TICK, Ticking

if TYPE_CHECKING:
    from pathlib import Path

    from intercore.sim import Simulator


def known_edge(chip: Simulator) -> int:
    """The reading of the common clock at some edge, as the firmware has found it."""
    return int.from_bytes(chip.read("known_edge", 8), "little")


def clock_minus_cycle(board: Board) -> int:
    """The one constant by which readings of the common clock differ from cycles."""
    truth = Truth(board.chip)
    board.ask("run clock from=0 to=0 samples=1 dither_us=0")
    (offset,) = set((truth.readings(0) - truth.moments(0)).tolist())
    return int(offset)


def test_edges_are_exact_to_the_cycle_at_every_level(any_level: Path) -> None:
    board = Ticking(any_level / "intercore-target")
    assert (known_edge(board.chip) - clock_minus_cycle(board) - board.true_edge) % TICK == 0


def test_the_tick_does_not_drift_against_the_common_clock(o2: Path) -> None:
    board = Ticking(o2 / "intercore-target")
    offset = clock_minus_cycle(board)
    handled = board.chip.watch_execution("isr_systick")
    board.run(20.0)
    # An idle core enters an exception in 15 cycles (Cortex-M0+ TRM 3.6), each time.
    assert set(((handled.hits()["cycle"].astype(np.int64) - board.true_edge) % TICK).tolist()) == {15}
    assert len(handled.hits()) >= 19_999
    assert clock_minus_cycle(board) == offset


def test_no_beat_of_the_watchdog_comes_near_an_edge(any_level: Path) -> None:
    board = Ticking(any_level / "intercore-target")
    beats = board.chip.watch_execution("rp2040_watchdog_beat")
    board.run(4.5)
    apart = (beats.hits()["cycle"].astype(np.int64) - board.true_edge) % TICK
    assert len(apart) == 2
    assert ((apart > TICK / 4) & (apart < 3 * TICK / 4)).all()
