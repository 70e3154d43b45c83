"""Runs a program on the simulated chip and records its profile."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from intercore.errors import IntercoreError
from intercore.profile.names import ROM_BYTES
from intercore.profile.recorded import Profile, take
from intercore.sim import CoreState, Reason, Simulator

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from intercore.sim import Snapshot, Stop

_SLICE = 5_000_000
"""Cycles between two signs of progress."""
_FINE_SLICE = 1000
"""Cycles between two looks at whether a core has been started."""
_START_SECONDS = 5.0
"""The chip's time in which it has to be."""


class Timed(NamedTuple):
    """A function each of whose calls is timed."""

    name: str
    address: int


class Recording:
    """A run of a program, of which parts are recorded."""

    def __init__(self, simulator: Simulator, seconds: float, progress: Callable[[str], None]) -> None:
        """Record parts of at most so many seconds of the chip's time; `progress` takes what to tell meanwhile."""
        self.simulator = simulator
        self._seconds = seconds
        self._progress = progress

    def reach(self, address: int, name: str) -> None:
        """Run to where a core executes an address. Raises IntercoreError if none does in that time."""
        stop = self._run(address)
        if stop.reason is not Reason.ADDRESS:
            raise IntercoreError(f"no core executed {name} within {self._seconds:g} s of the chip's time: {stop}")

    def reach_start(self, core: int) -> None:
        """Run until a core has left the boot ROM, in which core 1 waits to be started (RP2040 datasheet 2.8.2).

        Raises IntercoreError if it does not within some seconds.
        """
        begun = self.simulator.seconds
        while True:
            registers = self.simulator.registers(core)
            if registers.pc >= ROM_BYTES and registers.state is CoreState.RUNNING:
                return
            stop = self.simulator.run(_FINE_SLICE)
            self.simulator.take_uart()
            if stop.reason is not Reason.LIMIT or self.simulator.seconds - begun > _START_SECONDS:
                raise IntercoreError(
                    f"core {core} was not started within {_START_SECONDS:g} s of the chip's time, so there is nothing "
                    f"to compare: {stop}"
                )
            self._progress(f"core {core} has not been started: {self.simulator.seconds - begun:.2f} s")

    def record(self, image: str, end: int | None, timed: Timed | None) -> tuple[Profile, Stop]:
        """Record a profile from here up to an address, or for the whole time, and return why it ended."""
        simulator = self.simulator
        simulator.start_profile(timed.address if timed else None)
        begun = simulator.seconds
        stop = self._run(end)
        why = (
            f"the limit of {self._seconds:g} s is reached"
            if stop.reason is Reason.LIMIT
            else stop.sentence.removeprefix(f"{simulator.moment}: ")
        )
        if end is not None and (named := simulator.function_at(end)) and named[1] == 0:
            why = why.replace(f"{end:#010x}", named[0])
        # A program that crashes may run on in its handler, or say that it ends.
        crashes = [crash for core in (0, 1) if (crash := simulator.crash(core)) is not None and crash not in why]
        why = "; ".join([why, *crashes])
        return take(simulator, image, why, simulator.seconds - begun, timed.name if timed else None), stop

    def record_alone(self, core: int, start: Snapshot, image: str, end: int | None) -> Profile:
        """Go back to a snapshot, hold the other core still, and record a core alone from there."""
        simulator = self.simulator
        simulator.restore(start)
        simulator.set_faults([f"stuck:core={1 - core}@{simulator.now}"])
        return self.record(image, end, None)[0]

    def record_apart(self, ranges: Sequence[tuple[int, int]], start: Snapshot, image: str, end: int | None) -> Profile:
        """Go back to a snapshot, and record the same with each of these ranges as if in a memory of its own."""
        self.simulator.restore(start)
        self.simulator.set_apart(ranges)
        return self.record(image, end, None)[0]

    def _run(self, address: int | None) -> Stop:
        """Run for the whole time, or up to an address."""
        simulator, seconds = self.simulator, self._seconds
        begun = simulator.seconds
        while True:
            left = seconds - (simulator.seconds - begun)
            cycles = max(1, min(_SLICE, round(left * simulator.hz)))
            stop = simulator.run(cycles, address=address)
            simulator.take_uart()
            if stop.reason is not Reason.LIMIT or simulator.seconds - begun >= seconds * (1 - 1e-9):
                return stop
            self._progress(f"{simulator.seconds - begun:.2f} s of {seconds:g} s of the chip's time")
