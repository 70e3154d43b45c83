"""The probe of the benchmark `clock` on the simulated chip, which records the ground truth."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import msgspec
import numpy as np

from intercore.record.measurement import Truth
from intercore.sim.observation import (
    Handlers,
    Passages,
    Stamps,
    Witness,
    contradiction,
    true_intervals,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from intercore.record.measurement import Level, Series
    from intercore.sim import Simulator


class _Factors(msgspec.Struct, frozen=True):
    """Between which cores an interval is."""

    first: int = msgspec.field(name="from")
    second: int = msgspec.field(name="to")
    time: Literal["common", "counter"] = "common"


class ClockProbe(Witness):
    """Records, in the chip's cycle count, when the intervals of the benchmark `clock` begin and end.

    An interval truly begins with the first instruction of clock_hand_over() (firmware/bench/clock.c), which is the
    first one behind the first reading and what keeps its value, and ends with the first instruction of the second
    reading. Defined so, an empty pair of timestamps, which the target takes as its timestamp overhead, has a true
    interval of 0: what it measures should be exactly what a measured interval has more than a true one.

    An interrupt that comes between the moment of a reading and the interval's begin or end is not in the interval, but
    is in what is measured. One that the other core handles at that time takes the bus from the reader, for a few cycles
    at most. Both kinds of intervals are counted.
    """

    def __init__(self, chip: Simulator) -> None:
        """Watch from now on."""
        self._hz = chip.clocks.sys
        self._stamps = Stamps(chip, "port_clock")
        self._hand_overs = Passages(chip, "clock_hand_over")
        self._handlers = Handlers(chip)

    def forget(self) -> None:
        """See Witness."""
        self._stamps.take()
        self._hand_overs.take()
        self._handlers.take()

    def truth(self, measured: Sequence[Series], factors: Mapping[str, Level]) -> Truth:
        """Return the true intervals as the series `true`, and as the check `interrupted` how many were.

        Readings of counters have none.
        """
        setting = msgspec.convert(dict(factors), _Factors)
        if setting.time != "common":
            return Truth()
        count = sum(len(series.ticks) for series in measured if series.name == "interval")
        seen = self._hand_overs.cycles(setting.first)
        elsewhere = self._hand_overs.cycles(1 - setting.first)
        moments = self._stamps.moments.cycles(setting.first)
        # An interrupt may have the first instruction begun twice, but there is one reading before it.
        _, once = np.unique(np.searchsorted(moments, seen), return_index=True)
        # The first of all is the warm-up.
        if len(once) != count + 1 or len(elsewhere):
            raise contradiction(count, max(len(once) - 1, 0))
        begins = seen[once][1:]
        return true_intervals(begins, (setting.first, setting.second), self._stamps, self._handlers, self._hz)
