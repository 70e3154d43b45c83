"""The simulated STM32H745: a Cortex-M7 and a Cortex-M4, each with its program. FUNCTION ONLY: its times mean nothing.

A core executes one instruction per period of its clock, unlike a real Cortex-M7. Time is counted in picoseconds since
power-on. `take_diagnostics` reports mistakes of the software that a real chip would not tolerate.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import numpy as np

from intercore import _native
from intercore.sim.chip import U32, U64, Chip, Stop, TimedOutput, number, whole

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

SECOND = 10**12
"""Picoseconds."""


class Stm32h745(Chip):
    """A NUCLEO-H745ZI-Q with a program for each core in its flash, just powered up."""

    def __init__(self, images: Sequence[str | os.PathLike[str] | bytes], *, supply: str = "smps") -> None:
        """Load the ELF images of core 0, the Cortex-M7, and of core 1, the Cortex-M4: paths, or contents of files.

        `supply` of the core domain: "smps", the default of the board, or "ldo". Raises SimulatorError if a file cannot
        be read, or is not an image for this chip.
        """
        sources = [image if isinstance(image, bytes) else os.fspath(image) for image in images]
        names = ["the image" if isinstance(source, bytes) else source for source in sources]
        self._machine: _native.Machine = _native.Machine.stm32h745(sources, names, supply)

    def __repr__(self) -> str:
        """Return what it is, and that it is simulated."""
        return f"<Stm32h745: simulated for function only, at {self.moment}>"

    @property
    def hz(self) -> int:
        """See Chip: a tick is a picosecond."""
        return SECOND

    @property
    def seconds(self) -> float:
        """See Chip."""
        return self.now / SECOND

    @property
    def moment(self) -> str:
        """See Chip."""
        return f"{self.seconds:.9f} s"

    @property
    def clocks(self) -> tuple[int, int]:
        """The clock frequencies of core 0 and core 1 in Hz; 0 for a stopped clock."""
        (first, second), _ = self._machine.clocks()
        return first, second

    def run(
        self,
        ticks: int,
        /,
        *,
        address: int | str | None = None,
        core: int | None = None,
        text: bytes | str | None = None,
    ) -> Stop:
        """See Chip; a lockup ends a run, and another run continues with the other core.

        With `address`, a run ends when a core, or the given one, is about to execute the instruction there; with
        `text`, when USART3 has sent it, as for `Simulator.run_to`.
        """
        return self._run(self.now + whole("ticks", ticks, 0, U64 >> 1), address, core, text, 0)

    def keep(self) -> Callable[[], None]:
        """See Chip."""
        kept = self._machine.snapshot()
        return lambda: self._machine.restore(kept)

    def read(self, place: int | str, count: int, *, core: int = 0) -> bytes:
        """Return `count` bytes of memory as a core sees them, including core 0's data cache.

        Raises ValueError if they are not within its memory.
        """
        return self._machine.read(self.address(place), whole("count", count, 0, U32), number("core", core))

    def send(self, data: bytes, *, not_before: int = 0, flipped: Sequence[int] = ()) -> None:
        """See Chip; `flipped` has masks for the first bytes: the bits set in one arrive inverted, start bit first."""
        masks = [whole("flipped", mask, 0, 1 << 16) for mask in flipped]
        self._machine.send(0, bytes(memoryview(data)), whole("not_before", not_before, 0, U64), masks)

    def take_uart_timed(self) -> TimedOutput:
        """See Chip; a byte's cycle is the tick at which it ended."""
        data, times, rates = self._machine.take_uart(0)
        return TimedOutput(data, np.frombuffer(times, "<i8"), np.frombuffer(rates, "<u4").astype(np.int64))

    def set_line_rate(self, rate: int) -> None:
        """See Chip."""
        self._machine.set_line_rate(0, whole("rate", rate, 1, U32))
