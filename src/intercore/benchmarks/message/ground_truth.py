"""The probe of the benchmark `message` on the simulated chip, which records the ground truth."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import msgspec
import numpy as np

from intercore.benchmarks.message import TRUE, TURNS
from intercore.benchmarks.message.overhead import BLOCK_TURNS
from intercore.record.measurement import Series, Truth
from intercore.sim.observation import (
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

    from intercore.record.measurement import Level
    from intercore.sim import Simulator
    from intercore.sim.observation import Cycles

SENDS = "message_send_"
"""What the names of the functions begin with that read the clock and send, in firmware/bench/message/ends.c."""
UNTIMED = 2
"""Sends that are not in the samples, the first and the last; the same for windows."""
SHORTEST = 0.8
"""Of a turn: less is none."""


class _Factors(msgspec.Struct, frozen=True):
    """Between which cores messages go, and what of them is timed."""

    first: int = msgspec.field(name="from")
    second: int = msgspec.field(name="to")
    measure: Literal["latency", "throughput", "overhead"]


class MessageProbe(Witness):
    """Sees when sends of the benchmark `message` begin, and when the receives end that belong to them.

    A latency truly begins with the last instruction of the reading before the call that sends, and ends with the first
    one of the reading behind the call that receives; the window of a stream is from the first of its messages to the
    last. So what is measured should exceed the truth by what an empty pair of timestamps measures, less the way from
    the one reading to the other, as for `switch`: a constant, whatever the transport.

    What messages truly take from a core is seen by the turns of the load there: from the first to the last turn of a
    window, less as many turns as there are between them, each as long as in the quickest trial. The rest of a
    window in which nothing is sent is taken off that of the one with messages.
    """

    def __init__(self, chip: Simulator) -> None:
        """Watch from now on."""
        self._hz = chip.clocks.sys
        self._stamps = Stamps(chip, "port_clock")
        self._sends = Passages(chip, *(name for name in chip.symbols if name.startswith(SENDS)))
        self._handlers = Handlers(chip, switching=False)
        self._turns = Passages(chip, "ic_message_spin")
        self._starts = Passages(chip, "ic_message_count_turns")
        self._marks = Passages(chip, "ic_message_mark_window")

    def forget(self) -> None:
        """See Witness."""
        self._stamps.take()
        self._sends.take()
        self._handlers.take()
        for passages in (self._turns, self._starts, self._marks):
            passages.take()

    def truth(self, measured: Sequence[Series], factors: Mapping[str, Level]) -> Truth:
        """Return the true durations as the series `true`, and as the check `interrupted` how many were."""
        setting = msgspec.convert(dict(factors), _Factors)
        if setting.measure == "overhead":
            return self._taken(measured, setting)
        name = "latency" if setting.measure == "latency" else "window"
        count = sum(len(series.ticks) for series in measured if series.name == name)
        sends = self._sends.cycles(setting.first)
        # An interrupt may have a function's first instruction begun twice, but there is one reading behind it.
        begins = np.unique(first_after(self._stamps.returns.cycles(setting.first), sends))
        if len(begins) != count + UNTIMED:
            raise contradiction(count, max(len(begins) - UNTIMED, 0))
        return true_intervals(begins[1:-1], (setting.first, setting.second), self._stamps, self._handlers, self._hz)

    def _taken(self, measured: Sequence[Series], setting: _Factors) -> Truth:
        count = next(len(series.ticks) for series in measured if series.name == f"{TURNS}from")
        cores = (
            {"from": setting.first}
            if setting.first == setting.second
            else {"from": setting.first, "to": setting.second}
        )
        found = []
        for end, core in cores.items():
            lost = self._lost(core)
            if len(lost) != 2 * count + UNTIMED:
                raise contradiction(count, max(len(lost) - UNTIMED, 0) // 2)
            with_messages, without = lost[1:-1].reshape(-1, 2).T
            ticks = with_messages - without
            ticks.setflags(write=False)
            found.append(Series(f"{TRUE}{end}", "simulator", self._hz, ticks))
        return Truth(tuple(found), {"interrupted": 0})

    def _lost(self, core: int) -> Cycles:
        """Return for how long the load of a core did not turn in each window, in cycles."""
        turns, starts, marks = (each.cycles(core) for each in (self._turns, self._starts, self._marks))
        begins, ends = marks.reshape(-1, 2).T
        trials = [turns[slice(*np.searchsorted(turns, span))] for span in zip(starts, begins, strict=True)]
        both = [one[: len(one) // 2] for one in trials]  # while the other core's load is surely at its own
        turn = min((one[BLOCK_TURNS:] - one[:-BLOCK_TURNS]).min() for one in both) / BLOCK_TURNS
        lost = []
        for span in zip(begins, ends, strict=True):
            known = turns[slice(*np.searchsorted(turns, span))]
            # An interrupt may have a function's first instruction begun twice.
            once = known[np.append(np.diff(known) > SHORTEST * turn, True)]
            lost.append(round(once[-1] - once[0] - (len(once) - 1) * turn))
        return np.array(lost, np.int64)
