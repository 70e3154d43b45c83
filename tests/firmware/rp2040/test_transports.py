"""All transports of the chip under stress, while a timer makes the kernel wake tasks from core to core and back.

The kernel's own words go through the FIFO meanwhile, in both directions, wherever a message of `fifo` has got to.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from intercore.board.factors import OPT_LEVELS
from intercore.sim import Reason, Simulator
from tests.firmware.rp2040.conftest import CLK_SYS_HZ, built

if TYPE_CHECKING:
    from pathlib import Path

SLOW = "INTERCORE_SLOW" in os.environ
SUCCESS = "the transports bear the stress"


def bear(chip: Simulator) -> None:
    """Run the program to its end and check that all went well."""
    stop = chip.run(10 * CLK_SYS_HZ)
    said = chip.take_uart().decode().split("\r\n")
    assert (stop.reason, stop.code, said[0]) == (Reason.EXIT, 0, SUCCESS)
    assert min(int(line.rpartition(" ")[2]) for line in said[1:4]) >= 128, "a stack is nearly full"
    assert chip.take_diagnostics() == []


def test_every_transport_bears_the_stress_with_the_kernels_words_among_its_own(o2: Path) -> None:
    chip = Simulator(o2 / "intercore-transport-stress")
    watches = [chip.watch_execution(name) for name in ("fifo_has_message", "port_freertos_yield_from_handler")]
    bear(chip)
    for core in (0, 1):
        words, yields = (int((watch.hits()["core"] == core).sum()) for watch in watches)
        assert words > yields > 20, "the kernel had no words among those of messages"


@pytest.mark.skipif(not SLOW, reason="takes minutes: set INTERCORE_SLOW=1")
@pytest.mark.parametrize("opt", OPT_LEVELS)
def test_every_level_of_optimisation_bears_it(opt: str) -> None:
    bear(Simulator(built(opt) / "intercore-transport-stress"))
