"""What readings of the common clock must be, by the simulator, which knows every cycle."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from intercore.sim import Simulator
from tests.firmware.rp2040.conftest import CLK_SYS_HZ

if TYPE_CHECKING:
    import numpy.typing as npt

PWM_COUNTER = 0x40050008
TIMER_LOW = 0x40054028
RUN = "run speedup n=100 mode=pool samples=200 dither_us=100 seed=5"
MHZ = CLK_SYS_HZ // 1_000_000


class Truth:
    """What happens at each call of port_clock()."""

    def __init__(self, chip: Simulator) -> None:
        self._calls = chip.watch_execution("port_clock")
        self._counter = chip.watch_reads(PWM_COUNTER, 4)
        self._microseconds = chip.watch_reads(TIMER_LOW, 4)

    def begins(self, core: int) -> npt.NDArray[np.int64]:
        calls = self._calls.hits()
        return np.array(calls["cycle"][calls["core"] == core], np.int64)

    def moments(self, core: int) -> npt.NDArray[np.int64]:
        """The cycles in which the counter was read for these calls."""
        hits = self._counter.hits()
        reads = hits["cycle"][hits["core"] == core]
        return np.array(reads[np.searchsorted(reads, self.begins(core))], np.int64)

    def readings(self, core: int) -> npt.NDArray[np.int64]:
        """What the calls must return: microseconds in cycles, completed by the counter (rp2040_clock.h)."""
        counter, low = self._counter.hits(), self._microseconds.hits()
        counter, low = counter[counter["core"] == core], low[low["core"] == core]
        begins = self.begins(core)
        counted = counter["value"][np.searchsorted(counter["cycle"], begins)].astype(np.int64)
        base = low["value"][np.searchsorted(low["cycle"], begins)].astype(np.int64) * MHZ
        return np.array(base + (counted - base) % 0x10000, np.int64)
