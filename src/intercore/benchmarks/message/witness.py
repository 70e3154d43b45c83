"""What is watched of the benchmark `message` on the simulated chip, and how long its messages truly take."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import msgspec
import numpy as np

from intercore.sim.observation import (
    SWITCHING,
    Handlers,
    Passages,
    Stamps,
    Witness,
    contradiction,
    first_after,
    true_intervals,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from intercore.record.measurement import Level, Series, Truth
    from intercore.sim import Simulator

SENDS = "message_send_"
"""What the names of the functions begin with that read the clock and send, in firmware/bench/message/ends.c."""
UNTIMED = 2
"""Sends that are not in the samples: the one before and the one behind all others."""


class _Factors(msgspec.Struct, frozen=True):
    """Between which cores messages go, and what of them is timed."""

    first: int = msgspec.field(name="from")
    second: int = msgspec.field(name="to")
    measure: Literal["latency", "throughput"]


class MessageWitness(Witness):
    """Sees when sends of the benchmark `message` begin, and when the receives end that belong to them.

    A latency truly begins with the last instruction of the reading before the call that sends, and ends with the first
    one of the reading behind the call that receives; the window of a stream is from the first of its messages to the
    last. So what is measured should exceed the truth by what an empty pair of time stamps measures, less the way from
    the one reading to the other, as for `switch`: a constant, whatever the transport.
    """

    def __init__(self, chip: Simulator) -> None:
        """Watch from now on."""
        self._hz = chip.clocks.sys
        self._stamps = Stamps(chip, "port_clock")
        self._sends = Passages(chip, *(name for name in chip.symbols if name.startswith(SENDS)))
        self._handlers = Handlers(chip, besides=SWITCHING)

    def forget(self) -> None:
        """See Witness."""
        self._stamps.take()
        self._sends.take()
        self._handlers.take()

    def truth(self, measured: Sequence[Series], factors: Mapping[str, Level]) -> Truth:
        """Return the true durations as the series `true`, and as the check `interrupted` how many were."""
        setting = msgspec.convert(dict(factors), _Factors)
        name = "latency" if setting.measure == "latency" else "window"
        count = sum(len(series.ticks) for series in measured if series.name == name)
        sends = self._sends.cycles(setting.first)
        # An interrupt may have a function's first instruction begun twice, but there is one reading behind it.
        begins = np.unique(first_after(self._stamps.returns.cycles(setting.first), sends))
        if len(begins) != count + UNTIMED:
            raise contradiction(count, max(len(begins) - UNTIMED, 0))
        return true_intervals(begins[1:-1], (setting.first, setting.second), self._stamps, self._handlers, self._hz)


def witness(chip: Simulator) -> Witness:
    """Return what sees this benchmark on a chip, from now on."""
    return MessageWitness(chip)
