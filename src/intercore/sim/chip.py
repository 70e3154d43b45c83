"""The common Python interface of all simulated chips.

Time is counted since power-on in ticks, whose unit depends on the chip. Observing a chip has no side effects and takes
no simulated time. A chip belongs to one thread at a time; while it runs, other threads continue.
"""

from __future__ import annotations

import difflib
import enum
import operator
from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple, Protocol, TypeAlias

import numpy as np

from intercore.errors import SimulatorError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    import numpy.typing as npt

    from intercore import _native

U32 = 1 << 32
U64 = 1 << 64


class Reason(enum.Enum):
    """Why a run ended."""

    LIMIT = "limit"
    """It has run for the requested time."""
    ADDRESS = "address"
    """A core is about to execute the instruction."""
    TEXT = "text"
    """The UART has sent the text."""
    EXIT = "exit"
    """The firmware ended the program by semihosting. Another run continues after that."""
    DEAD_END = "dead end"
    """Both cores sleep or are off, and nothing is pending that could wake them; input can."""
    BOOT_LOADER = "boot loader"
    """The firmware restarted the chip into its boot loader, which waits for a host on USB."""
    LOCKUP = "lockup"
    """A core faulted in this cycle where it could not handle a fault. Another run continues with the other core.

    It also continues with pending output of the UARTs.
    """


@dataclass(frozen=True, slots=True)
class Stop:
    """Why and where a run ended; its string is a sentence."""

    reason: Reason
    """Why."""
    cycle: int
    """The present cycle."""
    sentence: str
    """The reason as a sentence, with a likely cause if known."""
    core: int | None = None
    """The core of the event: for ADDRESS, EXIT, BOOT_LOADER and LOCKUP."""
    pc: int | None = None
    """The program counter of that core: for ADDRESS and LOCKUP."""
    code: int | None = None
    """The exit code: for EXIT, a signed 32-bit number."""

    def __str__(self) -> str:
        """Return the sentence."""
        return self.sentence


class CoreState(enum.Enum):
    """The state of a core."""

    RUNNING = "running"
    ASLEEP = "asleep"
    LOCKED_UP = "locked up"
    OFF = "off"
    """In reset or without power."""
    STUCK = "stuck"
    """Stuck by an injected fault."""


@dataclass(frozen=True, slots=True)
class Registers:
    """The registers of a core, as unsigned 32-bit numbers."""

    r: tuple[int, ...]
    """r0 to r12."""
    sp: int
    """The stack pointer in use: `msp` or `psp`."""
    lr: int
    pc: int
    """Address of the present or next instruction."""
    xpsr: int
    """Flags in bits 31 to 28 (N, Z, C, V), number of the exception in bits 5 to 0."""
    msp: int
    psp: int
    primask: bool
    """Interrupts are masked."""
    control: int
    """SPSEL in bit 1, nPRIV in bit 0."""
    state: CoreState


@dataclass(frozen=True, slots=True)
class Statistics:
    """Counters of a core since power-on. Simulated, not measured."""

    cycles: int
    """Elapsed ticks: cycles of clk_sys on an RP2040, picoseconds on an STM32H745."""
    instructions: int
    """Instructions begun."""
    exceptions: int
    """Exceptions entered, tail-chained ones included."""
    asleep: int
    """Ticks asleep, including the present sleep."""
    conflicts: Mapping[str, int]
    """Cycles lost because another master had a slave of the bus, by the slave's name: "SRAM0", "XIP", "APB" and so on;
    empty on an STM32H745, whose times mean nothing."""
    waits: Mapping[str, int]
    """Cycles lost to wait states of a slave, by its name; empty on an STM32H745."""
    lost: int
    """Losses by injected faults: words from the other core of an RP2040, interrupts of released semaphores of an
    STM32H745."""


Counted: TypeAlias = "tuple[int, int, int, list[tuple[str, int]], list[tuple[str, int]], int]"
"""Instructions, exceptions, ticks asleep; ticks lost to other masters and to wait states, by slave; losses."""


def counted(now: int, numbers: Counted) -> Statistics:
    """Return the counters of a core from the simulator's numbers."""
    instructions, exceptions, asleep, conflicts, waits, lost = numbers
    others, slaves = (MappingProxyType(dict(by_slave)) for by_slave in (conflicts, waits))
    return Statistics(now, instructions, exceptions, asleep, others, slaves, lost)


class Symbol(NamedTuple):
    """A name in an ELF image."""

    address: int
    """Without the Thumb bit."""
    size: int
    """In bytes; 0 if unknown."""
    is_function: bool


class TimedOutput(NamedTuple):
    """The output of a UART."""

    data: bytes
    cycles: npt.NDArray[np.int64]
    """For each byte, the cycle in which its last stop bit ended."""
    rates: npt.NDArray[np.int64]
    """For each byte, the UART's bits per second; 0 if undefined."""


HIT = np.dtype([("cycle", "<i8"), ("pc", "<u4"), ("value", "<u4"), ("address", "<u4"), ("core", "u1")])
"""A hit of a probe: `cycle` is the tick at which the instruction begins or its access was granted; `pc` is the address
of the instruction; `value` is the loaded or stored value, `address` where (0 for execution); `core` is 0 or 1."""


@dataclass(frozen=True, slots=True)
class Probe:
    """A probe at one address of a chip, for both cores; it takes no simulated time. `Chip.watch_…` creates it."""

    simulator: Chip
    kind: str
    """"execute", "read" or "write"."""
    address: int
    size: int
    """In bytes."""
    _number: int

    def hits(self) -> npt.NDArray[np.void]:
        """Return all hits since the probe was placed or its hits were taken, in order: an array of `HIT`.

        Raises SimulatorError if a snapshot from before the probe was restored, or if the probes of the chip had more
        than 4,194,304 hits in total, which is the limit.
        """
        return self.simulator._hits(self._number, take=False)

    def take(self) -> npt.NDArray[np.void]:
        """Return the hits as `hits` does, and clear them; the next ones may begin up to two cycles before the last."""
        return self.simulator._hits(self._number, take=True)

    def forget(self) -> None:
        """Clear the hits."""
        self.simulator._machine.forget(self._number)


class Count(NamedTuple):
    """The counters of the cores when one reached an address."""

    cycle: int
    """The tick of the event."""
    core: int
    """The core that was about to execute the instruction."""
    arguments: tuple[int, ...]
    """Its registers r0 to r3: at the beginning of a function, its arguments."""
    statistics: tuple[Statistics, Statistics]
    """Counters of core 0 and core 1, without losses."""


@dataclass(frozen=True, slots=True)
class Tally:
    """Records counters at one address of a chip; takes no simulated time. `Chip.tally` creates it."""

    simulator: Chip
    _number: int

    def take(self) -> list[Count]:
        """Return the counters since the tally was placed or last taken, and clear them.

        Raises SimulatorError if a snapshot from before the tally was restored, or if there are more than 32,768
        records, which is the limit.
        """
        return self.simulator._take_tally(self._number)

    def forget(self) -> None:
        """Clear the counters."""
        self.simulator._machine.forget(self._number)


class Machine(Protocol):
    """The interface of each chip's Rust side."""

    def run(
        self, limit: int, address: int | None, core: int | None, text: bytes | None, uart: int
    ) -> tuple[str, int | None, int | None, int | None, int, str]:
        """Run; return kind, core, address, exit code, tick, sentence."""

    def advance(self, at: int) -> None:
        """Let time pass."""

    def watch(self, kind: str, address: int, size: int) -> int:
        """Place a probe; return its number."""

    def hits(self, probe: int, take: bool) -> bytes:
        """Return the hits of a probe."""

    def tally(self, address: int) -> int:
        """Place a tally; return its number."""

    def take_tally(self, tally: int) -> list[tuple[int, int, list[int], Counted, Counted]]:
        """Return the counters."""

    def forget(self, number: int) -> None:
        """Clear a probe or a tally."""

    def trace_hash(self) -> int:
        """Return a hash of the whole history."""

    def now(self) -> int:
        """Return the present tick."""

    def statistics(self, core: int) -> Counted:
        """Return the counters of a core."""

    def registers(self, core: int) -> tuple[list[tuple[str, int]], str]:
        """Return r0 to r12, sp, lr, pc; xpsr, msp, psp, PRIMASK, CONTROL; the state of the core."""

    def symbols(self) -> list[tuple[str, int, int, bool]]:
        """Return name, address and size of each symbol, and whether it is a function."""

    def crash(self, core: int) -> str | None:
        """Return the end of a core's program."""

    def function_at(self, address: int) -> tuple[str, int] | None:
        """Return the function of an address, and the offset in it."""

    def set_faults(self, faults: list[str]) -> None:
        """Set the faults."""

    def take_diagnostics(self) -> list[str]:
        """Return messages about the firmware."""

    def state_hash(self) -> int:
        """Return a hash of the state."""

    def start_profile(self, timed: int | None = None) -> None:
        """Record a profile."""

    def take_profile(self) -> _native.Profile:
        """Return it."""

    def record_events(self) -> None:
        """Record events."""

    def take_events(self) -> _native.Events:
        """Return them."""

    def source_frames(self, addresses: list[int]) -> list[list[_native.SourceFrame]]:
        """Return functions and lines of instructions."""


class Chip(ABC):
    """A simulated chip with its program. Its results are simulated, not measured."""

    _machine: Machine

    @property
    @abstractmethod
    def hz(self) -> int:
        """Present number of ticks per second."""

    @property
    @abstractmethod
    def seconds(self) -> float:
        """The chip's time since power-on."""

    @property
    @abstractmethod
    def moment(self) -> str:
        """The same in the chip's unit, as text."""

    @abstractmethod
    def run(self, ticks: int, /) -> Stop:
        """Run for so many ticks, or until an event ends the run."""

    def advance(self, ticks: int, /) -> None:
        """After a dead end, advance by so many ticks, or up to the next event."""
        self._machine.advance(self.now + whole("ticks", ticks, 0, U64 >> 1))

    @abstractmethod
    def keep(self) -> Callable[[], None]:
        """Take a snapshot; return a function that restores it, any number of times."""

    @abstractmethod
    def send(self, data: bytes) -> None:
        """Send bytes to the console's UART, after those that are pending."""

    def take_uart(self) -> bytes:
        """Return the output of the console's UART since the last call."""
        return self.take_uart_timed().data

    @abstractmethod
    def take_uart_timed(self) -> TimedOutput:
        """Return the output of the console's UART since the last call."""

    @abstractmethod
    def read(self, place: int | str, count: int) -> bytes:
        """Return `count` bytes of memory as core 0 sees them. Raises ValueError if they are not within memory."""

    @abstractmethod
    def set_line_rate(self, rate: int) -> None:
        """Set the bit rate of data sent to the console's UART, 8N1, independently of the UART's own rate."""

    def statistics(self, core: int) -> Statistics:
        """Return the counters of a core since power-on."""
        return counted(self.now, self._machine.statistics(number("core", core)))

    @property
    def now(self) -> int:
        """The present tick since power-on."""
        return self._machine.now()

    @cached_property
    def symbols(self) -> Mapping[str, Symbol]:
        """Functions and variables of the ELF image by name; of several, the one at the lowest address."""
        named: dict[str, Symbol] = {}
        for name, address, size, is_function in self._machine.symbols():
            named.setdefault(name, Symbol(address, size, is_function))
        return MappingProxyType(named)

    def address(self, place: int | str) -> int:
        """Return the address of a symbol; an int is an address.

        Raises SimulatorError if there is no such symbol, ValueError if the number has more than 32 bits.
        """
        if isinstance(place, str):
            return self._symbol(place).address
        return whole("address", place, 0, U32)

    def crash(self, core: int) -> str | None:
        """Return how a core's program ended, a clause; None if it runs, sleeps or has not started.

        It has the place and cause of a lock-up, the fault that is handled, or the call of _exit, as when main returns.
        """
        return self._machine.crash(number("core", core))

    def function_at(self, address: int) -> tuple[str, int] | None:
        """Return the name of the function of an address, and the offset in bytes."""
        return self._machine.function_at(whole("address", address, 0, U32))

    def registers(self, core: int) -> Registers:
        """Return the registers of a core, and its state."""
        named, state = self._machine.registers(number("core", core))
        every = dict(named)
        return Registers(
            tuple(every[f"r{each}"] for each in range(13)),
            sp=every["sp"],
            lr=every["lr"],
            pc=every["pc"],
            xpsr=every["xpsr"],
            msp=every["msp"],
            psp=every["psp"],
            primask=bool(every["primask"]),
            control=every["control"],
            state=CoreState(state),
        )

    def watch_execution(self, place: int | str) -> Probe:
        """Watch the execution of the instruction at an address by either core, from now on."""
        return self._watch("execute", self.address(place) & ~1, 1)

    def watch_reads(self, place: int | str, size: int | None = None) -> Probe:
        """Watch loads from `size` bytes by either core, from now on.

        `size` is by default that of the symbol, or else 4. Instruction fetches and DMA accesses do not count.
        """
        return self._watch("read", self.address(place), self._size(place, size))

    def watch_writes(self, place: int | str, size: int | None = None) -> Probe:
        """Watch stores, as `watch_reads` does for loads."""
        return self._watch("write", self.address(place), self._size(place, size))

    def tally(self, place: int | str) -> Tally:
        """Record the counters of the cores whenever one reaches the instruction at an address, from now on."""
        return Tally(self, self._machine.tally(self.address(place) & ~1))

    def set_faults(self, faults: Sequence[str]) -> None:
        """Set the faults from now on, written as for the option --fault of intercore-sim.

        For example `uart-in:flip=0.001,seed=7`, `uart-out:lose=0.01`, `reset@2e6`, `reset:core=1@2e6`,
        `off:core=1@0..2e6`, `stuck:core=1@2e6..3e6`, `hold:core=1,pc=0x20000304,cycles=5000@2e6`,
        `fifo:to=1,lose=0.01,seed=7`, `fifo:to=0,word=3@2e6`: the lines are those of UART0, cycles count from power-on.
        Data of `send` with masks is not damaged further. A snapshot includes the faults. A core that is stuck or off
        stays so until it is reset. Raises ValueError for an invalid
        fault.
        """
        self._machine.set_faults(list(faults))

    def take_diagnostics(self) -> list[str]:
        """Return messages about actions of the firmware that are not modelled or not allowed, each once."""
        return self._machine.take_diagnostics()

    def start_profile(self, timed: int | None = None) -> None:
        """Record from now on what the cores spend their time on, instead of what was recorded so far.

        Each call of the function that begins at the address `timed` is timed.
        """
        self._machine.start_profile(timed)

    def take_profile(self) -> _native.Profile:
        """Return what was recorded since `start_profile`; the recording ends. Raises SimulatorError without one."""
        return self._machine.take_profile()

    def record_events(self) -> None:
        """Record from now on what `take_events` returns."""
        self._machine.record_events()

    def take_events(self) -> _native.Events:
        """Return when cores entered and left exceptions since the last call, and how often each missed the flash cache.

        To be called every few 100,000 cycles, since what is recorded grows until then.
        """
        return self._machine.take_events()

    def source_frames(self, addresses: Sequence[int]) -> list[list[_native.SourceFrame]]:
        """Return function, file and line of instructions as far as known, the innermost inlined function first."""
        return self._machine.source_frames(list(addresses))

    def all_symbols(self) -> Iterator[tuple[str, Symbol]]:
        """Return functions and variables of the ELF image by rising address, also those that share a name."""
        return ((name, Symbol(at, size, code)) for name, at, size, code in self._machine.symbols())

    def state_hash(self) -> int:
        """Return a 64-bit hash of cores, memories, bus and time: the same for the same run of the same version."""
        return self._machine.state_hash()

    def trace_hash(self) -> int:
        """Return a 64-bit hash of the history since the start, as `intercore-sim --hash` prints it.

        It covers the state every 10,000,000 cycles (of an STM32H745, every 100 ms) and now, and every byte that the
        UARTs sent, with its tick.
        """
        return self._machine.trace_hash()

    def _run(
        self, limit: int, address: int | str | None, core: int | None, text: bytes | str | None, uart: int
    ) -> Stop:
        if core is not None and address is None:
            raise ValueError(
                "'core' needs 'address': it says which core must reach that address, so give 'address' as well"
            )
        pattern = text.encode() if isinstance(text, str) else text
        if pattern is not None and not pattern:
            raise ValueError("the argument text is empty: give a text that the firmware sends")
        at = None if address is None else self.address(address)
        which = None if core is None else number("core", core)
        kind, of, pc, code, tick, sentence = self._machine.run(limit, at, which, pattern, uart)
        return Stop(Reason(kind), tick, sentence, of, pc, code)

    def _take_tally(self, number: int) -> list[Count]:
        return [
            Count(cycle, core, tuple(arguments), (counted(cycle, first), counted(cycle, second)))
            for cycle, core, arguments, first, second in self._machine.take_tally(number)
        ]

    def _hits(self, number: int, *, take: bool) -> npt.NDArray[np.void]:
        return np.frombuffer(self._machine.hits(number, take), HIT)

    def _watch(self, kind: str, address: int, size: int) -> Probe:
        return Probe(self, kind, address, size, self._machine.watch(kind, address, size))

    def _size(self, place: int | str, size: int | None) -> int:
        if size is None:
            size = (self._symbol(place).size if isinstance(place, str) else 0) or 4
        return whole("size", size, 1, U32)

    def _symbol(self, name: str) -> Symbol:
        symbol = self.symbols.get(name)
        if symbol is None:
            close = difflib.get_close_matches(name, self.symbols, 3)
            instead = f"did you mean {' or '.join(close)}?" if close else "check that it is an ELF image with symbols"
            raise SimulatorError(f"there is no symbol {name} in the image: {instead}")
        return symbol


def whole(name: str, value: int, least: int, end: int) -> int:
    """Return a whole number from `least` to `end` - 1. Raises ValueError otherwise."""
    number = operator.index(value)
    if not least <= number < end:
        raise ValueError(f"{name} {number} is out of range: the value must be from {least} to {end - 1:#x}")
    return number


def number(name: str, value: int) -> int:
    """Return the number of a core or UART. Raises ValueError if there is none."""
    if operator.index(value) not in {0, 1}:
        raise ValueError(f"there is no {name} {value}: use 0 or 1")
    return operator.index(value)
