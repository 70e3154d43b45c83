"""A pin of the simulated chip, as a logic analyser would see it: when it rose and fell, to the cycle."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from intercore.sim import Simulator

# Datasheet 2.3.1.7 and 2.19.6.1.
GPIO_IN, GPIO_OUT, GPIO_OUT_SET, GPIO_OUT_CLR, GPIO_OUT_XOR, GPIO_OE = (
    0xD000_0004,
    0xD000_0010,
    0xD000_0014,
    0xD000_0018,
    0xD000_001C,
    0xD000_0020,
)
GPIO0_CTRL = 0x4001_4004
FUNCTION_SIO = 5

MARK = 2
"""GP2: firmware/board/rp2/instruments/rp2_mark.h."""


class Pulse(NamedTuple):
    """A time for which the pin was high, from the cycle in which it was set to that in which it was cleared."""

    rise: int
    fall: int
    core: int
    """That set it."""


class Pin:
    """Sees one pin from now on, which must be low. The firmware drives it by SIO, setting and clearing it alone."""

    def __init__(self, chip: Simulator, number: int = MARK) -> None:
        self._chip = chip
        self._number = number
        self._set = chip.watch_writes(GPIO_OUT_SET)
        self._clear = chip.watch_writes(GPIO_OUT_CLR)
        self._others = [chip.watch_writes(register) for register in (GPIO_OUT, GPIO_OUT_XOR)]
        assert not self.level

    @property
    def level(self) -> bool:
        """What the pin is driven to."""
        assert self._bit(GPIO_OE), "an output"
        assert self._chip.peek_register(GPIO0_CTRL + 8 * self._number) & 0x1F == FUNCTION_SIO, "SIO's"
        return self._bit(GPIO_IN)

    def pulses(self) -> list[Pulse]:
        """Return all pulses so far; the pin must be low again."""
        assert not any(len(probe.hits()) for probe in self._others)
        stores = [
            (int(hit["cycle"]), level, int(hit["core"]))
            for probe, level in ((self._set, True), (self._clear, False))
            for hit in probe.hits()
            if hit["value"] >> self._number & 1
        ]
        found, rise = [], None
        for cycle, level, core in sorted(stores):
            if level and rise is None:
                rise = (cycle, core)
            elif not level and rise is not None:
                found.append(Pulse(rise[0], cycle, rise[1]))
                rise = None
        assert rise is None
        assert not self.level
        return found

    def _bit(self, register: int) -> bool:
        return bool(self._chip.peek_register(register) >> self._number & 1)


def inside(cycles: np.ndarray, pulses: list[Pulse]) -> np.ndarray:
    """Tell which cycles lie in one of the pulses."""
    edges = np.array([(pulse.rise, pulse.fall) for pulse in pulses]).reshape(-1)
    return np.searchsorted(edges, cycles) % 2 == 1
