r"""The simulated RP2040 in Python: two Cortex-M0+ cores with exact cycle counts.

All its results are simulated, not measured, and must be labelled so wherever they appear. It is the same chip as in the
command `intercore-sim`, and reproducible bit for bit: the same image, input and calls yield the same cycles on every
machine.

    from intercore.sim import Simulator

    simulator = Simulator("firmware.elf", clock=125_000_000)
    begins = simulator.watch_execution("handler")
    stop = simulator.run(text="done\n", cycles=50_000_000)
    print(stop, begins.hits()["cycle"])

Time is counted in cycles of clk_sys since power-on. Addresses are those of the chip, as an int or as the name of a
symbol of the ELF image. Observing the chip (memory, registers, probes, statistics) has no side effects and takes no
simulated time. A simulator belongs to one thread at a time; while it runs, other threads continue.
"""

from __future__ import annotations

import operator
import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from intercore import _native
from intercore.errors import SimulatorError
from intercore.sim.chip import (
    HIT,
    U32,
    U64,
    Chip,
    CoreState,
    Probe,
    Reason,
    Registers,
    Statistics,
    Stop,
    Symbol,
    TimedOutput,
    number,
    whole,
)
from intercore.sim.hunted import hunted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from intercore.sim.hunted import Hunted

__all__ = [
    "DEFAULT_CYCLES",
    "HIT",
    "Clocks",
    "CoreState",
    "Probe",
    "Reason",
    "Registers",
    "Repetition",
    "Rp2350",
    "Simulator",
    "SimulatorError",
    "Snapshot",
    "Statistics",
    "Stop",
    "Symbol",
    "TimedOutput",
]

Snapshot: TypeAlias = _native.Snapshot
"""A complete state of a chip: memories, time, output not yet taken, probes and their hits."""

DEFAULT_CYCLES = 1_000_000_000
"""Default limit of a run in cycles: 8 s of a chip at 125 MHz."""

_MOVABLE = ((0x1000_0000, 0x1400_0000), (0x2000_0000, 0x2200_0000))
"""Flash with its aliases, and SRAM with its alias (RP2040 datasheet 2.2)."""

_SILENCE = TimedOutput(b"", np.array([], "<i8"), np.array([], "<i8"))


@dataclass(frozen=True, slots=True)
class Clocks:
    """Present frequencies of the chip's clocks in Hz."""

    sys: int
    """clk_sys, in whose cycles time is counted. At least 1."""
    ref: int
    """clk_ref. At least 1."""
    peri: int
    """clk_peri, which drives the UARTs; 0 while it is off."""
    seconds: float
    """The chip's time since power-on in seconds, through all changes of clk_sys."""


class Simulator(Chip):
    """A simulated RP2040 with an image, just powered up. Its results are simulated, not measured."""

    _CHIP = "RP2040"

    def __init__(
        self,
        image: str | os.PathLike[str] | bytes,
        *,
        base: int | None = None,
        clock: int | None = None,
        bootrom: str | os.PathLike[str] | None = None,
    ) -> None:
        """Load an image and power up the chip; nothing has run yet.

        `image` is an ELF or UF2 file by path, or its contents; with `base`, a raw image for that address in flash
        (0x10000000) or SRAM (0x20000000 to 0x20042000). `clock` sets clk_sys and clk_peri in Hz until the firmware sets
        its clocks, as the option --clock of intercore-sim does; without it, the ring oscillator gives 6.5 MHz and there
        is no clk_peri. `bootrom` is a file of 16384 bytes, saved from a chip, to use instead of the simulator's own.

        Raises SimulatorError if a file cannot be read or is not a valid image or boot ROM, ValueError if `base` or
        `clock` is out of range.
        """
        source, self._name = _source_of(image)
        machine = _native.Machine.rp2040(
            source, self._name, *_settings(base, clock), None if bootrom is None else os.fspath(bootrom)
        )
        self._switch_on(machine)

    def _switch_on(self, machine: _native.Machine) -> None:
        self._machine: _native.Machine = machine
        self._inputs: list[tuple[int, Callable[[], None]]] | None = None
        self._power_on = machine.snapshot()

    def __repr__(self) -> str:
        """Return a description that labels it as simulated."""
        return f"<{type(self).__name__} of {self._name}: simulated {self._CHIP} at cycle {self.now}>"

    def reset(self) -> None:
        """Power-cycle the chip: restore its state after loading the image; probes and output are cleared."""
        self.restore(self._power_on)

    # Running

    def run(
        self,
        cycles: int = DEFAULT_CYCLES,
        *,
        address: int | str | None = None,
        core: int | None = None,
        text: bytes | str | None = None,
        uart: int = 0,
    ) -> Stop:
        """Run for so many cycles, or until an event ends the run; see `run_to`."""
        return self.run_to(
            self.now + whole("cycles", cycles, 0, U64 >> 1), address=address, core=core, text=text, uart=uart
        )

    def run_to(
        self,
        cycle: int,
        *,
        address: int | str | None = None,
        core: int | None = None,
        text: bytes | str | None = None,
        uart: int = 0,
    ) -> Stop:
        """Run to a cycle, counted from power-on, or until an event ends the run.

        With `address`, the run ends when a core, or the given one, is about to execute the instruction there; a run
        that begins at that point continues to the next time. With `text`, the run ends when `uart` (0 or 1) has sent
        the text since the last text that a run found, or since output was last taken: in the cycle after the end of its
        last byte. A str stands for its UTF-8. An exit, a dead end and a lockup end every run.

        Ctrl-C ends a run between two cycles, and another run continues there. Raises ValueError if `cycle` has passed
        or an argument is out of range, SimulatorError for a symbol that the image does not have.
        """
        now = self.now
        if operator.index(cycle) < now:
            raise ValueError(f"cycle {cycle} has passed: the current cycle is {now}. To go back, restore a snapshot")
        return self._run(whole("cycle", cycle, 0, U64), address, core, text, number("uart", uart))

    @property
    def clocks(self) -> Clocks:
        """The frequencies of the clocks, and the chip's time."""
        (sys, ref, peri), seconds = self._machine.clocks()
        return Clocks(sys, ref, peri, seconds)

    @property
    def hz(self) -> int:
        """See Chip: a tick is a cycle of clk_sys."""
        return self.clocks.sys

    @property
    def seconds(self) -> float:
        """See Chip."""
        return self.clocks.seconds

    @property
    def moment(self) -> str:
        """See Chip."""
        return f"cycle {self.now}"

    # Snapshots

    def keep(self) -> Callable[[], None]:
        """See Chip."""
        kept = self.snapshot()
        return lambda: self.restore(kept)

    def snapshot(self) -> Snapshot:
        """Take a snapshot: takes about a megabyte, plus the flash and the hits of the probes."""
        return self._machine.snapshot()

    def restore(self, snapshot: Snapshot) -> None:
        """Restore a snapshot, any number of times.

        Runs from there are identical bit for bit. The snapshot may be of another simulator with another image.
        """
        self._machine.restore(snapshot)
        self.__dict__.pop("symbols", None)

    def _note_input(self, give: Callable[[], None]) -> None:
        if self._inputs is not None:
            self._inputs.append((self.now, give))

    # Memory, registers, names

    def read(self, place: int | str, count: int) -> bytes:
        """Return `count` bytes of ROM, flash or SRAM. Raises ValueError if they are not within memory."""
        return self._machine.read(self.address(place), whole("count", count, 0, U32), 0)

    def read_word(self, place: int | str) -> int:
        """Return the 32-bit word at an address that is a multiple of 4."""
        return int.from_bytes(self._machine.read(self._aligned(place), 4, 0), "little")

    def write(self, place: int | str, data: bytes) -> None:
        """Write bytes to ROM, flash or SRAM. Raises ValueError, and writes nothing, if they are not within memory."""
        self._machine.write(self.address(place), bytes(memoryview(data)), 0)

    def write_word(self, place: int | str, value: int) -> None:
        """Write a 32-bit word, 0 to 2**32 - 1, to an address that is a multiple of 4."""
        self._machine.write(self._aligned(place), whole("value", value, 0, U32).to_bytes(4, "little"), 0)

    def peek_register(self, address: int, *, core: int = 0) -> int:
        """Return a register of a peripheral, or of SIO for `core`, without the side effects of a read.

        Raises ValueError if no register is modelled there, and for registers private to a core, such as SysTick's.
        """
        return self._machine.peek_register(self._aligned(address), number("core", core))

    def follow(self, until: int) -> tuple[list[_native.Followed], list[_native.Followed]]:
        """Run to a cycle, and return what core 0 and core 1 did meanwhile, with no gap; while a profile is recorded.

        It takes some microseconds of the host's time for each cycle.
        """
        cores = self._machine.follow(whole("until", until, 0, U64))
        return cores[0], cores[1]

    def set_apart(self, ranges: Iterable[tuple[int, int]]) -> None:
        """Set code and data apart from now on, as if each range of addresses were in a memory of its own.

        An access to them takes one cycle, no other master is in its way, and it has no part in the flash cache: an
        estimate of what it would bring to move them. `restore` brings back what was set when the snapshot was taken.
        Raises ValueError if a range, from its first address to the one behind it, is not within flash or SRAM.
        """
        found = list(ranges)
        for begin, end in found:
            if not any(first <= begin < end <= behind for first, behind in _MOVABLE):
                raise ValueError(f"{begin:#010x} to {end:#010x} is not within flash or SRAM")
        self._machine.set_apart(found)

    # Faults of two cores: for intercore.hunt

    def start_hunt(self) -> None:
        """Record a profile, and beside it what a hunt for faults wants to know."""
        self._machine.start_hunt()

    def start_hunt_again(self, words: Sequence[int], shared: Sequence[int]) -> None:
        """Do so in a run that was hunted before, for the last writers of some words and races for those shared."""
        self._machine.start_hunt_again(list(words), list(shared))

    def shared_words(self) -> list[int]:
        """Return the addresses of words that the hunt has seen to be shared, by cores or by a core and its handlers."""
        return self._machine.shared_words()

    def races(self) -> tuple[list[_native.Race], bool] | None:
        """Return data races, and whether all accesses were looked at; None if they were not looked for."""
        return self._machine.races()

    def look_again_for_races(self) -> None:
        """Look at 20,000 more accesses to shared words; without that, it is the first 500,000."""
        self._machine.look_again_for_races()

    def hunted(self) -> Hunted:
        """Return what the hunt has found up to now. Raises SimulatorError if there is none."""
        return hunted(self._machine.hunted())

    def waits(self) -> list[_native.Waited | None]:
        """Return what each core is doing over and over again; None for a core that does nothing at all."""
        return self._machine.waits()

    def nothing_is_pending(self) -> bool:
        """Return whether nothing will happen but what the cores do: no peripheral or SysTick has anything to do."""
        return self._machine.nothing_is_pending()

    def misuses(self) -> list[tuple[int, str, int, str]]:
        """Return uses of registers that the datasheet warns of: cycle, block, offset, and what is wrong."""
        return self._machine.misuses()

    def register_name(self, address: int) -> str:
        """Return what notes call a register of a peripheral."""
        return self._machine.register_name(address)

    def peek_private(self, address: int, core: int) -> int:
        """Return a register of a core's private peripheral bus (NVIC, SCB, SysTick), without side effects."""
        return self._machine.peek_private(address, number("core", core))

    # UARTs and semihosting

    def send(self, data: bytes, *, uart: int = 0, not_before: int = 0, flipped: Sequence[int] = ()) -> None:
        """Send bytes to a UART, after those that are pending.

        They arrive at the UART's rate, once its receiver is on, and not before cycle `not_before`. `flipped` has masks
        for the first of them: bits set in a mask arrive inverted, with bit 0 the start bit, bits 1 to 8 the data,
        followed by parity and stop bits. Raises ValueError if there are more masks than bytes or one has more
        than 16 bits.
        """
        masks = [whole("flipped", mask, 0, 1 << 16) for mask in flipped]
        if len(masks) > len(data):
            raise ValueError(
                f"the list flipped has {len(masks)} masks for {len(data)} bytes: give one mask for each byte"
            )
        self._note_input(lambda: self.send(data, uart=uart, not_before=not_before, flipped=flipped))
        self._machine.send(
            number("uart", uart), bytes(memoryview(data)), whole("not_before", not_before, 0, U64), masks
        )

    def take_uart(self, uart: int = 0) -> bytes:
        """Return the output of a UART since the last call.

        Of more than 2**20 characters, older ones may be lost, which `take_diagnostics` reports.
        """
        return self._machine.take_uart(number("uart", uart))[0]

    def take_uart_timed(self, uart: int = 0) -> TimedOutput:
        """Return the same as `take_uart`, with the cycle in which each byte ended."""
        data, cycles, rates = self._machine.take_uart(number("uart", uart))
        if not data:  # the usual case for frequent polling
            return _SILENCE
        return TimedOutput(data, np.frombuffer(cycles, "<i8"), np.frombuffer(rates, "<u4").astype(np.int64))

    def set_line_rate(self, rate: int | None, *, uart: int = 0) -> None:
        """Set the bit rate of data sent to a UART, 8N1, independently of the UART's own rate.

        A receiver that is off or has another rate receives accordingly. None, the default: the line adapts to the UART
        and waits until its receiver is on. Applies to bytes whose start bit has not begun.
        """
        self._machine.set_line_rate(number("uart", uart), None if rate is None else whole("rate", rate, 1, U32))

    def take_host_output(self) -> bytes:
        """Return the firmware's semihosting output since the last call, at most 2**24 bytes.

        `take_diagnostics` reports if there was more.
        """
        return self._machine.take_host_output()

    # USB: the host at the other end of the cable

    def send_usb(self, data: bytes) -> None:
        """Send bytes to the device's first serial port; they wait until the host has opened it."""
        self._note_input(lambda: self.send_usb(data))
        self._machine.send(_USB, bytes(memoryview(data)), 0, [])

    def take_usb(self) -> bytes:
        """Return what was sent on serial ports over USB since the last call."""
        return self._machine.take_uart(_USB)[0]

    def plug_usb(self, plugged: bool) -> None:
        """Put the cable into the host, as it is at first, or pull it: the chip has power from elsewhere."""
        self._machine.act_on_usb("plug" if plugged else "pull")

    def suspend_usb(self, asleep: bool) -> None:
        """Have the host sleep, and the bus with it, or wake up."""
        self._machine.act_on_usb("sleep" if asleep else "wake")

    def reset_usb(self) -> None:
        """Have the host reset the device, and begin anew with it."""
        self._machine.act_on_usb("reset")

    def request_usb(self, setup: bytes, data: bytes = b"") -> None:
        """Have the host make a request to end point 0, once the device is configured and earlier requests are over.

        `setup` has the eight bytes of its first packet, `data` what goes to the device. Raises ValueError if there are
        not eight.
        """
        if len(setup) != _SETUP:
            raise ValueError(f"a request begins with {_SETUP} bytes, not {len(setup)}")
        self._machine.request_usb(setup, data)

    def take_usb_answers(self) -> list[tuple[bytes | None, str]]:
        """Return what became of such requests since the last call.

        The data that the device sent, or None and why the request failed.
        """
        return self._machine.take_usb_answers()

    def _aligned(self, place: int | str) -> int:
        address = self.address(place)
        if address % 4:
            raise ValueError(f"address {address:#010x} is not a multiple of 4")
        return address


class Repetition:
    """A part of a simulated chip's run that can be repeated, with the input that came meanwhile."""

    def __init__(self, simulator: Simulator) -> None:
        """Begin now."""
        self.simulator = simulator
        self.begin = simulator.now
        self._start = simulator.snapshot()
        self._next = 0
        self._inputs: list[tuple[int, Callable[[], None]]] = []
        simulator._inputs = self._inputs

    def end(self) -> None:
        """Note no more input."""
        self.simulator._inputs = None

    def rewind(self) -> None:
        """Go back to the beginning."""
        self.simulator.restore(self._start)
        self._next = 0

    def run_to(self, cycle: int) -> None:
        """Repeat it from where the chip is up to a cycle."""
        for at, give in self._inputs[self._next :]:
            if at > cycle:
                break
            self._advance(at)
            give()
            self._next += 1
        self._advance(cycle)

    def _advance(self, cycle: int) -> None:
        while (now := self.simulator.now) < cycle:
            stop = self.simulator.run_to(cycle)
            self.simulator.take_uart()
            self.simulator.take_usb()
            if stop.reason is Reason.DEAD_END:
                self.simulator.advance(cycle - now)
            elif stop.reason is not Reason.LIMIT:
                raise SimulatorError(f"a measurement that is repeated went another way: {stop}")


_USB = 2
"""The number that serial ports over USB have among the UARTs of the native part."""
_SETUP = 8
"""Bytes of the first packet of a request (USB 2.0, 9.3)."""


class Rp2350(Simulator):
    """A simulated RP2350 that runs an image on its two RISC-V cores, just powered up (docs/pico2.md)."""

    _CHIP = "RP2350"

    def __init__(
        self, image: str | os.PathLike[str] | bytes, *, base: int | None = None, clock: int | None = None
    ) -> None:
        """Load an image and power up the chip; see Simulator.

        A raw image is for an address in flash (0x10000000) or SRAM (0x20000000 to 0x20082000).
        """
        source, self._name = _source_of(image)
        self._switch_on(_native.Machine.rp2350(source, self._name, *_settings(base, clock)))

    def registers(self, core: int) -> Registers:
        """Raise SimulatorError: its cores have other registers than an Arm core. See `riscv_registers`."""
        raise SimulatorError(f"core {core} is a RISC-V core: ask for its riscv_registers")

    def riscv_registers(self, core: int) -> dict[str, int]:
        """Return the registers of a core by their names in the ABI, zero to t6, and pc."""
        return dict(self._machine.registers(number("core", core))[0])


def _source_of(image: str | os.PathLike[str] | bytes) -> tuple[bytes | str, str]:
    """Return what an image is read from, and what errors call it."""
    source = image if isinstance(image, bytes) else os.fspath(image)
    return source, "the image" if isinstance(source, bytes) else source


def _settings(base: int | None, clock: int | None) -> tuple[int | None, int | None]:
    return (
        None if base is None else whole("base", base, 0, U32),
        None if clock is None else whole("clock", clock, 1, U32),
    )
