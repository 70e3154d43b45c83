"""A simulated chip as a target: its port, and what else there is to see of it and to do with it, which no board has."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from intercore.errors import UsageError
from intercore.record.measurement import Truth
from intercore.record.meter_recording import Activity
from intercore.sim import Simulator
from intercore.target import simulated_port
from intercore.target.simulated_port import SimulatedPort

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from intercore.record.measurement import Level, Series
    from intercore.sim.observation import Witness
    from intercore.sim.simulator import Tally

    MakeWitness: TypeAlias = Callable[[Simulator], Witness]


MARK = "port_mark"
"""The function that drives the energy mark: its argument is the level."""


def check_faults(faults: Sequence[str]) -> None:
    """Raise UsageError if one of these is no fault; it takes no program to know that."""
    _have_faults(Simulator(bytes(4), base=0x2000_0000), faults)


def _have_faults(simulator: Simulator, faults: Sequence[str]) -> None:
    for fault in faults:
        if not fault.isascii():  # which the simulator would not be able to tell
            raise UsageError(f"--fault: there is no fault '{fault}', such as uart-out:flip=1e-4 or reset@5e7")
    try:
        simulator.set_faults(faults)
    except ValueError as error:
        raise UsageError(f"--fault: {error}") from None


class SimulatedChip:
    """A simulated chip that is switched on."""

    def __init__(self, image: Path, rate: int, faults: Sequence[str] = ()) -> None:
        """Load the image and switch the chip on; `rate` is that of this end of its line.

        `faults` are as for the option --fault of intercore-sim. Raises UsageError if one is none.
        """
        self.faults = tuple(faults)
        self.simulator = Simulator(image)
        self.port = SimulatedPort(self.simulator, rate)
        self._witnesses: dict[MakeWitness, Witness] = {}
        self._witness: Witness | None = None
        self._marks: Tally | None = None
        _have_faults(self.simulator, faults)

    def symptoms(self) -> str:
        """Return what is to be seen of a program that hangs, a clause."""
        return simulated_port.symptoms(self.simulator)

    def snapshot(self) -> Callable[[], None] | None:
        """Return what brings the chip and its line back to how they are now.

        With a fault that comes once there is no way back, which is None: it would come each time, or never.
        """
        if any("@" in fault or "word=" in fault for fault in self.faults):
            return None
        kept, rate = self.simulator.snapshot(), self.port.rate

        def restore() -> None:
            self.simulator.restore(kept)
            self.port.rate = rate
            self._witnesses.clear()  # their probes have gone
            self._marks = None

        return restore

    def watch(self, make_witness: MakeWitness | None) -> None:
        """Watch the measurement that is about to begin as its benchmark's witness does; None to see nothing."""
        for witness in self._witnesses.values():
            witness.forget()
        if make_witness is not None and make_witness not in self._witnesses:
            self._witnesses[make_witness] = make_witness(self.simulator)
        self._witness = None if make_witness is None else self._witnesses[make_witness]

    def truth(self, measured: Sequence[Series], factors: Mapping[str, Level]) -> Truth:
        """Return what was seen of the measurement since `watch`. Raises IntercoreError if the two do not agree."""
        return Truth() if self._witness is None else self._witness.truth(measured, factors)

    def watch_mark(self) -> None:
        """Count from now on what both cores do while the mark is high. SimulatorError if the program drives none."""
        if self._marks is None:
            self._marks = self.simulator.tally(MARK)
        self._marks.take()

    def activity(self) -> tuple[Activity, ...]:
        """Return what the cores did in each pulse of the mark since `watch_mark`."""
        found: list[Activity] = []
        rise = None
        for count in () if self._marks is None else self._marks.take():
            on = bool(count.arguments[0])
            if on and rise is None:
                rise = count
            elif not on and rise is not None:
                cycles = count.cycle - rise.cycle
                asleep = (
                    after.asleep - before.asleep
                    for before, after in zip(rise.statistics, count.statistics, strict=True)
                )
                found.append(Activity(cycles, tuple(cycles - each for each in asleep), self.simulator.clocks.sys))
                rise = None
        return tuple(found)
