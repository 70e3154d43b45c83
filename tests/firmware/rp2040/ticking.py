"""When the kernel ticks on a simulated chip."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.firmware.rp2040.conftest import CLK_SYS_HZ, Board

if TYPE_CHECKING:
    from pathlib import Path


SYST_CSR = 0xE000E010
ENABLED = 7
TICK = CLK_SYS_HZ // 1000


class Ticking(Board):
    """A board on which the moment is known at which the kernel has started its tick."""

    def __init__(self, program: Path) -> None:
        super().__init__(program)
        starts = self.chip.watch_writes(SYST_CSR, 4)
        assert self.hear()[-1]["type"] == "end"
        hits = starts.hits()
        (self.true_edge,) = hits["cycle"][(hits["core"] == 0) & (hits["value"] == ENABLED)].tolist()
        """A cycle: SysTick was 0 in it, and is again each tick."""
