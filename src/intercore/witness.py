"""What the simulator sees of a measurement while the firmware takes it: the truth that the firmware is judged by."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import numpy as np

from intercore.errors import IntercoreError
from intercore.measurement import Series, Truth

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy.typing as npt

    from intercore.measurement import Level
    from intercore.sim import Probe, Simulator

    Hits = npt.NDArray[np.void]
    Cycles = npt.NDArray[np.int64]


_HANDLING = 400
"""Cycles for which an interrupt keeps a core busy: the kernel's tick takes some 270."""


class _Factors(msgspec.Struct, frozen=True):
    """Between which cores an interval is."""

    first: int = msgspec.field(name="from")
    second: int = msgspec.field(name="to")


class ClockWitness:
    """Sees, in the chip's one count of cycles, when the intervals of the benchmark `clock` begin and end.

    An interval truly begins with the first instruction of clock_hand_over() (firmware/bench/clock.c), which is the
    first one behind the first reading and what keeps its value, and ends with the first instruction of the second
    reading. Defined so, an empty pair of time stamps, which the target takes as its cost of looking, has a true
    interval of 0: what it measures should be exactly what a measured interval has more than a true one.

    An interrupt that comes between the moment of a reading and the interval's begin or end is not in the interval, but
    is in what is measured. One that the other core handles at that time takes the bus from the reader, for a few cycles
    at most. Both kinds of intervals are counted.
    """

    def __init__(self, chip: Simulator) -> None:
        """Watch from now on. Looking on takes none of the chip's time."""
        self._hz = chip.clocks.sys
        self._calls = chip.watch_execution("port_clock")
        self._moments = chip.watch_execution("port_clock_reads")
        self._hand_overs = chip.watch_execution("clock_hand_over")
        self._handlers = [chip.watch_execution(address) for address in _handlers(chip)]

    def forget(self) -> None:
        """Forget all that was seen so far."""
        for probe in (self._calls, self._moments, self._hand_overs, *self._handlers):
            probe.take()

    def truth(self, measured: Sequence[Series], factors: Mapping[str, Level]) -> Truth:
        """Return the true intervals as the series `true`, and as the check `interrupted` how many were.

        Raises IntercoreError if the target has reported others than were seen.
        """
        cores = msgspec.convert(dict(factors), _Factors)
        count = sum(len(series.ticks) for series in measured if series.name == "interval")
        seen = self._hand_overs.hits()
        # The first of all is the warm-up.
        if len(seen) != count + 1 or np.any(seen["core"] != cores.first):
            raise IntercoreError(
                f"the target reports {count} intervals, and the simulator has seen {max(len(seen) - 1, 0)} begin: "
                "this is an error of Intercore, please report it"
            )
        begins = _cycles(seen)[1:]
        first_moments = _last_before(_on(self._moments, cores.first), begins)
        ends = _first_after(_on(self._calls, cores.second), begins)
        second_moments = _first_after(_on(self._moments, cores.second), ends)
        interrupted = self._interrupts(cores.first, first_moments, begins)
        interrupted |= self._interrupts(cores.second, ends, second_moments)
        ticks = ends - begins
        ticks.setflags(write=False)
        return Truth((Series("true", "simulator", self._hz, ticks),), {"interrupted": int(interrupted.sum())})

    def _interrupts(self, core: int, since: Cycles, until: Cycles) -> npt.NDArray[np.bool_]:
        """Tell whether the core took an interrupt, or the other was busy with one, in each of some spans of time."""
        here, there = (
            np.sort(np.concatenate([_on(probe, which) for probe in self._handlers])) for which in (core, 1 - core)
        )
        own: npt.NDArray[np.bool_] = np.searchsorted(here, until) > np.searchsorted(here, since)
        other: npt.NDArray[np.bool_] = np.searchsorted(there, until) > np.searchsorted(there, since - _HANDLING)
        return own | other


def _handlers(chip: Simulator) -> set[int]:
    """Return the addresses of all exception handlers, by the table of vectors that the image fills when it starts."""
    tables = chip.symbols["vector_tables"]
    words = np.frombuffer(chip.read(tables.address, tables.size), "<u4")
    return {int(word) for word in words if word % 2}  # what has no Thumb bit is a stack or empty


def _cycles(hits: Hits) -> Cycles:
    return hits["cycle"].astype(np.int64)


def _on(probe: Probe, core: int) -> Cycles:
    """Return the cycles in which a core passed a probe."""
    hits = probe.hits()
    return _cycles(hits[hits["core"] == core])


def _first_after(cycles: Cycles, moments: Cycles) -> Cycles:
    found: Cycles = cycles[np.searchsorted(cycles, moments, side="right")]
    return found


def _last_before(cycles: Cycles, moments: Cycles) -> Cycles:
    found: Cycles = cycles[np.searchsorted(cycles, moments) - 1]
    return found
