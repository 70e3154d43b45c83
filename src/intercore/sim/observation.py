"""Ground truth of measurements on the simulated chip, from probes, to validate the firmware's measurements.

Probes take no simulated time. Each benchmark chooses its probes: see
`Benchmark.witness` (`intercore.benchmarks.benchmark`).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, ClassVar, NamedTuple

import numpy as np

from intercore.errors import IntercoreError
from intercore.record.measurement import Series, Truth

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy.typing as npt

    from intercore.record.measurement import Level
    from intercore.sim import Simulator

    Cycles = npt.NDArray[np.int64]
    Flags = npt.NDArray[np.bool_]

OTHER_IMAGE = "core_1."
"""Prefix of the names of core 1's image in an image that contains it (firmware/board/rp2040_amp)."""
VECTOR_TABLES = "vector_tables"
"""The vector tables of both cores, one after the other (firmware/board/rp2040/cores/rp2040_cores.c)."""

SV_CALL, PEND_SV, FIRST_INTERRUPT = 11, 14, 16
"""Numbers of exceptions (ARMv6-M Architecture Reference Manual B1.5.2)."""
DOORBELLS = (FIRST_INTERRUPT + 15, FIRST_INTERRUPT + 16)
"""SIO_IRQ_PROC0 and SIO_IRQ_PROC1, the cores' doorbells (RP2040 datasheet 2.3.2)."""
SWITCHING = (SV_CALL, PEND_SV, *DOORBELLS)
"""Exceptions with which the kernel switches tasks."""
KERNEL_CORES = "xPortCores"
"""What the kernel's RISC-V port keeps for both cores (firmware/port/freertos_smp/hazard3/portmacro.h)."""
SYSTICK = 15
"""The kernel's tick."""
TIMER_HANDLER = 3
"""The word in it for the handler of the timer, which those of the external interrupts follow."""
DOORBELL_INTERRUPT = 26
"""SIO_IRQ_BELL, with which a core has the other one switch tasks (RP2350 datasheet 3.2)."""
LONGEST_HANDLER = 400
"""Bound on the cycles of an interrupt handler: the kernel's tick takes some 270."""


class Witness(ABC):
    """Observes the measurements of one benchmark by probes."""

    @abstractmethod
    def forget(self) -> None:
        """Clear the observations so far."""

    @abstractmethod
    def truth(self, measured: Sequence[Series], factors: Mapping[str, Level]) -> Truth:
        """Return the ground truth of the measurement since `forget`.

        Raises IntercoreError if the target's report does not match it.
        """


class Answered(NamedTuple):
    """How a sample came about, on the simulated chip."""

    cycle: int
    """Of the reading of the clock that the sample ends with."""
    cores: Sequence[int]
    """The cores on the way from its cause to that reading: each rings the next one's doorbell."""
    exception: int | None
    """That of the first core by which it began, by number; None if it began with a reading by a task there."""


class Answers(ABC):
    """Observes one measurement of a benchmark whose samples begin with a cause and end with a reading of the clock."""

    series: ClassVar[str]
    """The series of the samples."""
    apart: ClassVar[tuple[str, ...]] = ()
    """Factors by whose levels something else is timed, so that each has a longest sample of its own."""

    @abstractmethod
    def __init__(self, chip: Simulator) -> None:
        """Watch from now on."""

    @abstractmethod
    def answered(self, measured: Sequence[Series], factors: Mapping[str, Level]) -> Sequence[Answered]:
        """Return how each sample came about. Raises IntercoreError if the target's report does not match."""


class Passages:
    """Times at which either core executed the beginning of a function, in its own image if each core has one."""

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
        """Return the cycles of a core's executions, in order."""
        hits = [probe.hits() for probe in self._probes]
        return np.sort(np.concatenate([found[found["core"] == core]["cycle"].astype(np.int64) for found in hits]))


class Stamps:
    """Times at which either core read a clock of the firmware."""

    def __init__(self, chip: Simulator, function: str) -> None:
        """Watch a function of the firmware that reads a clock: its first instruction, the read, its last one."""
        self.calls = Passages(chip, function)
        self.moments = Passages(chip, f"{function}_reads")
        self.returns = Passages(chip, f"{function}_returns")

    def take(self) -> None:
        """Forget."""
        for passages in (self.calls, self.moments, self.returns):
            passages.take()


class Handlers:
    """Times at which either core took an interrupt."""

    def __init__(self, chip: Simulator, *, switching: bool = True) -> None:
        """Watch all handlers; without `switching`, not those with which the kernel switches tasks."""
        self._passages = Passages(chip, *handler_addresses(chip, switching=switching))

    def take(self) -> None:
        """Forget."""
        self._passages.take()

    def disturbed(self, core: int, since: Cycles, until: Cycles) -> Flags:
        """Whether the core took an interrupt, or the other core was servicing one, in each of some time spans."""
        here, there = (self._passages.cycles(which) for which in (core, 1 - core))
        own: Flags = np.searchsorted(here, until) > np.searchsorted(here, since)
        other: Flags = np.searchsorted(there, until) > np.searchsorted(there, since - LONGEST_HANDLER)
        return own | other


def handler_addresses(chip: Simulator, *, switching: bool = True) -> set[int]:
    """Return the addresses of exception handlers, from the tables that the image fills at its start.

    Without `switching`, those with which the kernel switches tasks are left out.
    """
    if (cores := chip.symbols.get(KERNEL_CORES)) is not None:
        words = np.frombuffer(chip.read(cores.address, cores.size), "<u4").reshape(2, -1)[:, TIMER_HANDLER:]
        found = {int(word) for word in words.ravel() if word}
        return found if switching else found - {int(word) for word in words[:, 1 + DOORBELL_INTERRUPT]}
    places = [place for name in ("", OTHER_IMAGE) if (place := chip.symbols.get(f"{name}{VECTOR_TABLES}"))]
    words = np.concatenate(
        [np.frombuffer(chip.read(place.address, place.size), "<u4").reshape(2, -1) for place in places]
    )  # one for each core
    left_out = {int(word) for table in words for word in table[list(() if switching else SWITCHING)]}
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
    """Return the true durations of the intervals that begin in these cycles on the first of two cores.

    Each ends with the first instruction of the next timestamp on the second core. The durations are the series `true`,
    and the check `interrupted` counts intervals with a disturbed timestamp: between its read, or the cycle in `since`,
    and the interval's begin or end.
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
    """Return the error for a number of reported intervals that does not match the ground truth."""
    return IntercoreError(
        f"the target reports {reported} intervals, and the simulator observed {seen}: "
        "this is a bug of Intercore, please report it"
    )


def first_after(cycles: Cycles, moments: Cycles) -> Cycles:
    """Return, for each moment, the first cycle after it."""
    found: Cycles = cycles[np.searchsorted(cycles, moments, side="right")]
    return found


def last_before(cycles: Cycles, moments: Cycles) -> Cycles:
    """Return, for each moment, the last cycle before it."""
    found: Cycles = cycles[np.searchsorted(cycles, moments) - 1]
    return found
