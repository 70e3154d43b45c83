"""The probe of the benchmark `switch` on the simulated chip, which records the ground truth."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import msgspec
import numpy as np

from intercore.sim.observation import (
    KERNEL_CORES,
    OTHER_IMAGE,
    Handlers,
    Passages,
    Stamps,
    Witness,
    contradiction,
    first_after,
    last_before,
    true_intervals,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from intercore.record.measurement import Level, Series, Truth
    from intercore.sim import Simulator

SIGNALS = "switch_signal_"
"""What the names of the functions begin with that signal, in firmware/bench/switch.c."""
RETAKE = "switch_repeat_turn"
"""The function there that takes a turn again."""
PUSH = 0xB400
"""PUSH of low registers, and of LR with bit 8 set (ARMv6-M A6.7.50)."""
RINGING = 300
"""Cycles, at most, for which core 0's tick is busy longer where it has core 1 give another task its turn: 100 are too
few in one of four phases of the tick that tests/firmware/rp2040/test_switch.py tries, 300 in none."""


class _Factors(msgspec.Struct, frozen=True):
    """Primitive, cores and clock of a wake-up."""

    primitive: str
    first: int = msgspec.field(name="from")
    second: int = msgspec.field(name="to")
    time: Literal["common", "aligned", "raw-counter"]


class SwitchProbe(Witness):
    """Sees when the signals of the benchmark `switch` begin, and when the woken tasks read the clock.

    A switch truly begins with the last instruction of the reading before the signal, and ends with the first one of the
    reading behind the wait. So, as for `clock`, what is measured should have exactly more than the truth what an empty
    pair of timestamps measures, less the way from the one reading to the other: a constant.
    """

    def __init__(self, chip: Simulator) -> None:
        """Watch from now on."""
        self._hz = chip.clocks.sys
        self._clock, self._counter = Stamps(chip, "port_clock"), Stamps(chip, "port_cycles")
        signals = [each for name, each in chip.symbols.items() if name.removeprefix(OTHER_IMAGE).startswith(SIGNALS)]
        self._signals = Passages(chip, *(_executed_once(chip, each.address) for each in signals))
        self._retakes = Passages(chip, RETAKE)
        self._handlers = Handlers(chip, switching=False)

    def forget(self) -> None:
        """See Witness."""
        self._clock.take()
        self._counter.take()
        self._signals.take()
        self._retakes.take()
        self._handlers.take()

    def truth(self, measured: Sequence[Series], factors: Mapping[str, Level]) -> Truth:
        """Return the true durations as the series `true`, and as the check `interrupted` how many were."""
        setting = msgspec.convert(dict(factors), _Factors)
        stamps = self._clock if setting.time == "common" else self._counter
        count = sum(len(series.ticks) for series in measured if series.name == "switch")
        signals = self._signals.cycles(setting.first)
        begins = first_after(stamps.returns.cycles(setting.first), signals)
        retakes = np.concatenate([self._retakes.cycles(core) for core in (0, 1)])
        begins = np.delete(begins, np.searchsorted(begins, retakes) - 1)  # of the turns that were taken again
        if setting.first == setting.second:  # each second one is for the series `call`
            begins = begins[::2]
        if len(begins) != count + 1:
            raise contradiction(count, max(len(begins) - 1, 0))
        begins = begins[1:]  # the first of all is the warm-up
        # A tick during the first reading may have an equal run, and read the clock, before that has returned.
        since = last_before(signals, begins) - RINGING if setting.primitive == "yield" else None
        cores = (setting.first, setting.second)
        return true_intervals(begins, cores, stamps, self._handlers, self._hz, since=since)


def _executed_once(chip: Simulator, function: int) -> int:
    """Return the first instruction of a function that an interrupt does not have executed again.

    A Cortex-M0+ abandons a PUSH for an interrupt and begins it anew afterwards (ARMv6-M B1.5.10); meanwhile an equal
    task may have signalled and read the clock. The instruction behind the PUSH is begun once.
    """
    first = int.from_bytes(chip.read(function, 2), "little")
    return function + 2 * (KERNEL_CORES not in chip.symbols and first >> 9 == PUSH >> 9)
