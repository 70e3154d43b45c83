"""A simulated chip as a target: its port, and the observation and control that no board has."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, TypeAlias

from intercore.errors import IntercoreError, UsageError
from intercore.record.measurement import MISTAKES, Truth
from intercore.record.meter_recording import Activity
from intercore.sim import Simulator, Stm32h745
from intercore.target import simulated_port
from intercore.target.simulated_port import SimulatedPort, SimulatedUsb

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from intercore.record.measurement import Level, Series
    from intercore.sim import Chip
    from intercore.sim.chip import Tally
    from intercore.sim.observation import Witness

    WitnessFactory: TypeAlias = Callable[[Simulator], Witness]


class ChipObserver(Protocol):
    """Sees a simulated chip when a measurement begins and when it has ended."""

    def begin(self, simulator: Chip) -> None:
        """Look at it when it is about to get the command."""

    def end(self, simulator: Chip) -> None:
        """Look at it when it has answered."""


MARK = "port_mark"
"""The function that drives the mark pin; its argument is the level."""


def check_faults(faults: Sequence[str], *, stm32h745: bool = False) -> None:
    """Raise UsageError if one of these is not a fault of the chip; needs no program."""
    _parse_faults(Stm32h745([]) if stm32h745 else Simulator(bytes(4), base=0x2000_0000), faults)


def _parse_faults(chip: Chip, faults: Sequence[str]) -> None:
    for fault in faults:
        if not fault.isascii():  # the simulator could not name it
            raise UsageError(
                f"--fault: '{fault}' is not a fault that can be injected. Examples: uart-out:flip=1e-4 or reset@5e7"
            )
    try:
        chip.set_faults(faults)
    except ValueError as error:
        raise UsageError(f"--fault: {error}") from None


class SimulatedChip:
    """A simulated chip that is powered up."""

    def __init__(self, chip: Chip, rate: int, faults: Sequence[str] = ()) -> None:
        """Use a chip that was just powered up; `rate` is the bit rate of this end of its line.

        `faults` are as for the option --fault of intercore-sim. Raises UsageError if one is invalid.
        """
        self.faults = tuple(faults)
        self.mistakes: tuple[str, ...] = ()
        """Mistakes of the program up to the last measurement that a real chip would not tolerate: sentences."""
        self._chip = chip
        self._observer: ChipObserver | None = None
        self.port = self._port(rate)
        _parse_faults(chip, faults)

    def _port(self, rate: int) -> SimulatedPort:
        return SimulatedPort(self._chip, rate)

    def symptoms(self) -> str:
        """Return the symptoms of a program that hangs, a clause."""
        return simulated_port.symptoms(self._chip)

    def snapshot(self) -> Callable[[], None] | None:
        """Return a function that restores the present state of the chip and its line.

        None if there is a fault that occurs once: after a restore, it would occur each time, or never.
        """
        if any(once in fault for fault in self.faults for once in ("@", "word=", "interrupt=")):
            return None
        bring_back, rate = self._chip.keep(), self.port.rate

        def restore() -> None:
            bring_back()
            self.port.rate = rate
            self._forget_probes()

        return restore

    def _forget_probes(self) -> None:
        """Drop the probes that were placed since the snapshot."""

    def watch(self, make_witness: WitnessFactory | None, observer: ChipObserver | None = None) -> None:  # noqa: ARG002
        """Observe the next measurement with the probes of its benchmark, or otherwise; None for no probes.

        There are no probes on a chip whose times mean nothing.
        """
        self._observer = observer
        if observer is not None:
            observer.begin(self._chip)

    def truth(self, measured: Sequence[Series], factors: Mapping[str, Level]) -> Truth:  # noqa: ARG002
        """Return the ground truth of the measurement since `watch`. Raises IntercoreError if they do not match."""
        if self._observer is not None:
            self._observer.end(self._chip)
        self.mistakes = tuple(self._chip.take_diagnostics())
        return Truth(checks={MISTAKES: len(self.mistakes)} if self.mistakes else {})

    def watch_mark(self) -> None:
        """Count the activity of both cores while the mark is high. Raises IntercoreError if times mean nothing."""
        raise IntercoreError(
            "the energy cannot be estimated, because this target does not simulate time: omit --currents"
        )

    def activity(self) -> tuple[Activity, ...]:
        """Return the cores' activity in each pulse of the mark since `watch_mark`."""
        return ()


class SimulatedPico(SimulatedChip):
    """The simulated chip of a Pico or Pico 2, which counts every cycle."""

    def __init__(
        self,
        image: Path,
        rate: int,
        faults: Sequence[str] = (),
        kind: type[Simulator] | None = None,
        *,
        usb: bool = False,
    ) -> None:
        """Load the image and power up a chip of a kind, an RP2040 if none is given; see also SimulatedChip.

        With `usb`, the console is that at the cable; without it, the cable is not plugged in.
        """
        self.simulator = (kind or Simulator)(image)
        self._usb = usb
        self._witnesses: dict[WitnessFactory, Witness] = {}
        self._witness: Witness | None = None
        self._marks: Tally | None = None
        super().__init__(self.simulator, rate, faults)

    def _port(self, rate: int) -> SimulatedPort:
        if self._usb:
            return SimulatedUsb(self.simulator, rate)
        self.simulator.plug_usb(False)
        return super()._port(rate)

    def _forget_probes(self) -> None:
        self._witnesses.clear()
        self._marks = None

    def watch(self, make_witness: WitnessFactory | None, observer: ChipObserver | None = None) -> None:
        """See SimulatedChip."""
        for witness in self._witnesses.values():
            witness.forget()
        if make_witness is not None and make_witness not in self._witnesses:
            self._witnesses[make_witness] = make_witness(self.simulator)
        self._witness = None if make_witness is None else self._witnesses[make_witness]
        super().watch(None, observer)

    def truth(self, measured: Sequence[Series], factors: Mapping[str, Level]) -> Truth:
        """See SimulatedChip."""
        if self._observer is not None:
            self._observer.end(self.simulator)
        return Truth() if self._witness is None else self._witness.truth(measured, factors)

    def watch_mark(self) -> None:
        """See SimulatedChip. SimulatorError if the program drives no mark."""
        if self._marks is None:
            self._marks = self.simulator.tally(MARK)
        self._marks.forget()

    def activity(self) -> tuple[Activity, ...]:
        """See SimulatedChip."""
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
