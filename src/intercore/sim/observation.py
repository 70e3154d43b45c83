"""What can be seen of a measurement from outside, on the simulated chip: the truth that the firmware is judged by.

Looking on takes none of the chip's time. What is watched for a benchmark is the benchmark's own affair: see
`Benchmark.witness` (`intercore.benchmarks.benchmark`).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING

import numpy as np

from intercore.errors import IntercoreError
from intercore.record.measurement import Series, Truth

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    import numpy.typing as npt

    from intercore.record.measurement import Level
    from intercore.sim import Simulator

    Cycles = npt.NDArray[np.int64]
    Flags = npt.NDArray[np.bool_]

OTHER_IMAGE = "core_1."
"""What the names of core 1's image begin with in an image that holds it (firmware/board/rp2040_amp)."""
VECTOR_TABLES = "vector_tables"
"""The two cores' tables of handlers, one behind the other (firmware/board/rp2040/cores/rp2040_cores.c)."""

SV_CALL, PEND_SV, FIRST_INTERRUPT = 11, 14, 16
"""Numbers of exceptions (ARMv6-M Architecture Reference Manual B1.5.2)."""
DOORBELLS = (FIRST_INTERRUPT + 15, FIRST_INTERRUPT + 16)
"""SIO_IRQ_PROC0 and SIO_IRQ_PROC1, by which the cores ring each other (RP2040 datasheet 2.3.2)."""
SWITCHING = (SV_CALL, PEND_SV, *DOORBELLS)
"""Exceptions by which the kernel switches tasks."""
LONGEST_HANDLER = 400
"""Cycles for which an interrupt keeps a core busy: the kernel's tick takes some 270."""


class Witness(ABC):
    """Sees the measurements of one benchmark from outside."""

    @abstractmethod
    def forget(self) -> None:
        """Forget all that was seen so far."""

    @abstractmethod
    def truth(self, measured: Sequence[Series], factors: Mapping[str, Level]) -> Truth:
        """Return what was seen of the measurement since `forget`.

        Raises IntercoreError if the target has reported others than were seen.
        """


class Passages:
    """When either core passed the beginning of a function, in its own image where each core has one."""

    def __init__(self, chip: Simulator, *places: int | str) -> None:
        """Watch addresses, or functions by name."""
        names = [name for name in places if isinstance(name, str)]
        others = [other for name in names if (other := f"{OTHER_IMAGE}{name}") in chip.symbols]
        self._probes = [chip.watch_execution(place) for place in (*places, *others)]

    def take(self) -> None:
        """Forget."""
        for probe in self._probes:
            probe.forget()

    def cycles(self, core: int) -> Cycles:
        """Return the cycles in which a core passed, in order."""
        hits = [probe.hits() for probe in self._probes]
        return np.sort(np.concatenate([found[found["core"] == core]["cycle"].astype(np.int64) for found in hits]))


class Stamps:
    """When a clock of the firmware was read, by either core."""

    def __init__(self, chip: Simulator, function: str) -> None:
        """Watch a function of the firmware that reads a clock: its first instruction, the reading, its last one."""
        self.calls = Passages(chip, function)
        self.moments = Passages(chip, f"{function}_reads")
        self.returns = Passages(chip, f"{function}_returns")

    def take(self) -> None:
        """Forget."""
        for passages in (self.calls, self.moments, self.returns):
            passages.take()


class Handlers:
    """When either core took an interrupt."""

    def __init__(self, chip: Simulator, besides: Collection[int] = ()) -> None:
        """Watch all handlers but those of the exceptions `besides`, by number."""
        self._passages = Passages(chip, *handler_addresses(chip, besides))

    def take(self) -> None:
        """Forget."""
        self._passages.take()

    def disturbed(self, core: int, since: Cycles, until: Cycles) -> Flags:
        """Tell whether the core took an interrupt, or the other was busy with one, in each of some spans of time."""
        here, there = (self._passages.cycles(which) for which in (core, 1 - core))
        own: Flags = np.searchsorted(here, until) > np.searchsorted(here, since)
        other: Flags = np.searchsorted(there, until) > np.searchsorted(there, since - LONGEST_HANDLER)
        return own | other


def handler_addresses(chip: Simulator, besides: Collection[int] = ()) -> set[int]:
    """Return the addresses of exception handlers, by the tables of vectors that the image fills when it starts.

    Those of the exceptions `besides` are left out.
    """
    places = [place for name in ("", OTHER_IMAGE) if (place := chip.symbols.get(f"{name}{VECTOR_TABLES}"))]
    words = np.concatenate(
        [np.frombuffer(chip.read(place.address, place.size), "<u4").reshape(2, -1) for place in places]
    )  # one for each core
    left_out = {int(word) for table in words for word in table[list(besides)]}
    return {int(word) for table in words for word in table if word % 2} - left_out  # without Thumb bit: a stack


def true_intervals(
    begins: Cycles,
    cores: tuple[int, int],
    stamps: Stamps,
    handlers: Handlers,
    chip_hz: int,
    *,
    since: Cycles | None = None,
) -> Truth:
    """Return how long the intervals truly were that begin in these cycles on the first of two cores.

    Each ends with the first instruction of the next reading of the clock on the second core. The durations are the
    series `true`, and the check `interrupted` counts those of which one of the two readings was disturbed: between its
    moment, or the cycle in `since`, and the interval's begin or end.
    """
    first, second = cores
    first_moments = last_before(stamps.moments.cycles(first), begins) if since is None else since
    ends = first_after(stamps.calls.cycles(second), begins)
    second_moments = first_after(stamps.moments.cycles(second), ends)
    interrupted = handlers.disturbed(first, first_moments, begins)
    interrupted |= handlers.disturbed(second, ends, second_moments)
    ticks = ends - begins
    ticks.setflags(write=False)
    return Truth((Series("true", "simulator", chip_hz, ticks),), {"interrupted": int(interrupted.sum())})


def contradiction(reported: int, seen: int) -> IntercoreError:
    """Return the error that the target reports other intervals than were seen to begin."""
    return IntercoreError(
        f"the target reports {reported} intervals, and the simulator has seen {seen} begin: "
        "this is an error of Intercore, please report it"
    )


def first_after(cycles: Cycles, moments: Cycles) -> Cycles:
    """Return, for each moment, the first of the cycles behind it."""
    found: Cycles = cycles[np.searchsorted(cycles, moments, side="right")]
    return found


def last_before(cycles: Cycles, moments: Cycles) -> Cycles:
    """Return, for each moment, the last of the cycles before it."""
    found: Cycles = cycles[np.searchsorted(cycles, moments) - 1]
    return found
