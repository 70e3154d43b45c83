"""What all simulated chips have in Python, and the words for what they do.

Time is counted in ticks of a unit of the chip's own since power-on. All that looks at a chip does so without side
effects and in no time. A chip belongs to one thread at a time; while it runs, the others go on.
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
    from collections.abc import Callable, Mapping, Sequence

    import numpy.typing as npt

U32 = 1 << 32
U64 = 1 << 64


class Reason(enum.Enum):
    """Why a run ended."""

    LIMIT = "limit"
    """It has run as long as asked."""
    ADDRESS = "address"
    """A core is about to execute the instruction."""
    TEXT = "text"
    """The UART has sent the text."""
    EXIT = "exit"
    """The firmware ended the program by semihosting. A further run goes on behind that."""
    DEAD_END = "dead end"
    """Both cores sleep or are off, and nothing is pending that could wake them; input can."""
    BOOT_LOADER = "boot loader"
    """The firmware restarted the chip into its boot loader, which waits for a host on USB."""
    LOCKUP = "lockup"
    """A core faulted where it could not handle a fault, in this cycle. A further run goes on with the other core.

    It also goes on with what UARTs still have to send.
    """


@dataclass(frozen=True, slots=True)
class Stop:
    """Why and where a run ended; as a string, that in a sentence."""

    reason: Reason
    """Why."""
    cycle: int
    """The cycle up to which everything has happened."""
    sentence: str
    """The same for people, with a likely cause where one is known."""
    core: int | None = None
    """The core that did it: for ADDRESS, EXIT, BOOT_LOADER and LOCKUP."""
    pc: int | None = None
    """Where that core is: for ADDRESS and LOCKUP."""
    code: int | None = None
    """The exit code: for EXIT, a signed 32-bit number."""

    def __str__(self) -> str:
        """Return the sentence."""
        return self.sentence


class CoreState(enum.Enum):
    """What a core does."""

    RUNNING = "running"
    ASLEEP = "asleep"
    LOCKED_UP = "locked up"
    OFF = "off"
    """In reset or without power."""
    STUCK = "stuck"
    """For a fault that was asked for."""


@dataclass(frozen=True, slots=True)
class Registers:
    """What a core's registers hold, each as an unsigned 32-bit number."""

    r: tuple[int, ...]
    """r0 to r12."""
    sp: int
    """The stack pointer in use: `msp` or `psp`."""
    lr: int
    pc: int
    """Address of the instruction that is executed, or that comes next."""
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
    """What a core did since power-on. Simulated, not measured."""

    cycles: int
    """Ticks that have passed, whatever the core did: cycles of clk_sys on an RP2040, picoseconds on an STM32H745."""
    instructions: int
    """Instructions begun."""
    exceptions: int
    """Exceptions entered, tail-chained ones included."""
    asleep: int
    """Ticks asleep, a sleep that goes on included."""
    conflicts: Mapping[str, int]
    """Cycles lost because another master held a slave of the bus, by its name: "SRAM0", "XIP", "APB" and so on; empty
    on an STM32H745, whose times mean nothing."""
    waits: Mapping[str, int]
    """Cycles lost to wait states of a slave itself, by its name; empty likewise."""
    lost: int
    """What was for this core and was lost, for faults that were asked for: words that the other core of an RP2040
    wrote, interrupts of an STM32H745's semaphores that became free."""


Counted: TypeAlias = "tuple[int, int, int, list[tuple[str, int]], list[tuple[str, int]], int]"
"""Instructions, exceptions, ticks asleep; ticks lost to other masters and to wait states, by slave; what was lost."""


def counted(now: int, numbers: Counted) -> Statistics:
    """Return what a core did up to a tick, of the simulator's numbers."""
    instructions, exceptions, asleep, conflicts, waits, lost = numbers
    others, slaves = (MappingProxyType(dict(by_slave)) for by_slave in (conflicts, waits))
    return Statistics(now, instructions, exceptions, asleep, others, slaves, lost)


class Symbol(NamedTuple):
    """A name in an ELF image."""

    address: int
    """Without the Thumb bit."""
    size: int
    """In bytes; 0 if the image does not say."""
    is_function: bool


class TimedOutput(NamedTuple):
    """What a UART has sent."""

    data: bytes
    cycles: npt.NDArray[np.int64]
    """For each byte, the cycle in which its last stop bit ended."""
    rates: npt.NDArray[np.int64]
    """For each byte, the bits per second that the UART was set to; 0 if that was not defined."""


HIT = np.dtype([("cycle", "<i8"), ("pc", "<u4"), ("value", "<u4"), ("core", "u1")])
"""One hit of a probe: `cycle` is the tick at which the instruction begins, or its access was granted; `pc`
is the address of the instruction; `value` is what was loaded or stored (0 for execution); `core` is 0 or 1."""


@dataclass(frozen=True, slots=True)
class Probe:
    """Watches one place of a chip, on both cores, at no cost in the chip's time; `Chip.watch_…` makes it."""

    simulator: Chip
    kind: str
    """"execute", "read" or "write"."""
    address: int
    size: int
    """In bytes."""
    _number: int

    def hits(self) -> npt.NDArray[np.void]:
        """Return all hits since the probe was placed or its hits were taken, in the order of time: an array of `HIT`.

        Raises SimulatorError if a snapshot was restored that was taken before the probe was placed, or if all probes of
        the chip together had more hits than are kept, 4,194,304.
        """
        return self.simulator._hits(self._number, take=False)

    def take(self) -> npt.NDArray[np.void]:
        """Return the hits as `hits` does, and forget them; the next ones may begin up to two cycles before the last."""
        return self.simulator._hits(self._number, take=True)

    def forget(self) -> None:
        """Forget the hits, however many there were."""
        self.simulator._machine.forget(self._number)


class Count(NamedTuple):
    """What the cores had done by the time one came to a place."""

    cycle: int
    """The tick up to which everything had happened."""
    core: int
    """That was about to execute the instruction."""
    arguments: tuple[int, ...]
    """Its registers r0 to r3: at the beginning of a function, what it is called with."""
    statistics: tuple[Statistics, Statistics]
    """Of core 0 and core 1, without words that were lost."""


@dataclass(frozen=True, slots=True)
class Tally:
    """Counts at one place of a chip, at no cost in the chip's time; `Chip.tally` makes it."""

    simulator: Chip
    _number: int

    def take(self) -> list[Count]:
        """Return what was counted since the tally was placed or this was last called, and forget it.

        Raises SimulatorError if a snapshot was restored that was taken before the tally was placed, or if there were
        more times than are kept, 32,768.
        """
        return self.simulator._take_tally(self._number)

    def forget(self) -> None:
        """Forget what was counted, however often that was."""
        self.simulator._machine.forget(self._number)


class Machine(Protocol):
    """What the Rust side of each chip has."""

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
        """Return what was counted."""

    def forget(self, number: int) -> None:
        """Forget what a probe or a tally has seen."""

    def trace_hash(self) -> int:
        """Return a hash of all that has happened."""

    def now(self) -> int:
        """Return the tick up to which everything has happened."""

    def statistics(self, core: int) -> Counted:
        """Return what a core did."""

    def registers(self, core: int) -> tuple[list[int], int, int, int, bool, int, str]:
        """Return r0 to r12, sp, lr, pc; xpsr, msp, psp, PRIMASK, CONTROL; what the core does."""

    def symbols(self) -> list[tuple[str, int, int, bool]]:
        """Return name, address and size of each symbol, and whether it is a function."""

    def crash(self, core: int) -> str | None:
        """Return what has become of a core's program."""

    def function_at(self, address: int) -> tuple[str, int] | None:
        """Return the function that an address is in, and how far."""

    def set_faults(self, faults: list[str]) -> None:
        """Have these faults."""

    def take_diagnostics(self) -> list[str]:
        """Return sentences on what the firmware did."""

    def state_hash(self) -> int:
        """Return a hash of the state."""


class Chip(ABC):
    """A simulated chip with its program in it. What it says is simulated, not measured."""

    _machine: Machine

    @property
    @abstractmethod
    def hz(self) -> int:
        """Ticks in a second, as it is now."""

    @property
    @abstractmethod
    def seconds(self) -> float:
        """The chip's time since power-on."""

    @property
    @abstractmethod
    def moment(self) -> str:
        """The same in the chip's own unit, for people."""

    @abstractmethod
    def run(self, ticks: int, /) -> Stop:
        """Run for so many ticks, or until something ends the run sooner."""

    def advance(self, ticks: int, /) -> None:
        """After a dead end, let so many ticks pass in which nothing happens, or fewer, up to what is to happen."""
        self._machine.advance(self.now + whole("ticks", ticks, 0, U64 >> 1))

    @abstractmethod
    def keep(self) -> Callable[[], None]:
        """Keep the chip as it is; return what makes it that again, any number of times."""

    @abstractmethod
    def send(self, data: bytes) -> None:
        """Put bytes on the line to the console's UART, behind those that are on it."""

    def take_uart(self) -> bytes:
        """Return what the console's UART has sent since this was last called."""
        return self.take_uart_timed().data

    @abstractmethod
    def take_uart_timed(self) -> TimedOutput:
        """Return what the console's UART has sent since this was last called."""

    @abstractmethod
    def read(self, place: int | str, count: int) -> bytes:
        """Return `count` bytes of memory as core 0 sees them. Raises ValueError if they are not within memory."""

    @abstractmethod
    def set_line_rate(self, rate: int) -> None:
        """Have what is sent to the console's UART come with `rate` bits per second, 8N1, whatever that is set to."""

    def statistics(self, core: int) -> Statistics:
        """Return what a core did since power-on."""
        return counted(self.now, self._machine.statistics(number("core", core)))

    @property
    def now(self) -> int:
        """The tick since power-on up to which everything has happened."""
        return self._machine.now()

    @cached_property
    def symbols(self) -> Mapping[str, Symbol]:
        """Functions and variables of the ELF image by name; of those with one name, the one at the lowest address."""
        named: dict[str, Symbol] = {}
        for name, address, size, is_function in self._machine.symbols():
            named.setdefault(name, Symbol(address, size, is_function))
        return MappingProxyType(named)

    def address(self, place: int | str) -> int:
        """Return the address of a symbol; an int is one already.

        Raises SimulatorError if there is no such symbol, ValueError if the number has more than 32 bits.
        """
        if isinstance(place, str):
            return self._symbol(place).address
        return whole("address", place, 0, U32)

    def crash(self, core: int) -> str | None:
        """Return what has become of a core's program, a clause; None if it goes on, sleeps or never began.

        It is where and why the core locked up, what fault it handles, or that it called _exit, as when main returns.
        """
        return self._machine.crash(number("core", core))

    def function_at(self, address: int) -> tuple[str, int] | None:
        """Return the name of the function that an address is in, and how many bytes from its beginning."""
        return self._machine.function_at(whole("address", address, 0, U32))

    def registers(self, core: int) -> Registers:
        """Return the registers of a core, and what it does."""
        numbered, xpsr, msp, psp, primask, control, state = self._machine.registers(number("core", core))
        *general, sp, lr, pc = numbered
        return Registers(tuple(general), sp, lr, pc, xpsr, msp, psp, primask, control, CoreState(state))

    def watch_execution(self, place: int | str) -> Probe:
        """Watch for the instruction at an address being begun, from now on, by either core."""
        return self._watch("execute", self.address(place) & ~1, 1)

    def watch_reads(self, place: int | str, size: int | None = None) -> Probe:
        """Watch for loads that touch `size` bytes, from now on, by either core.

        Without `size`, they are those of the symbol, or else the 4 at the address. Neither fetches of instructions nor
        accesses of the DMA count.
        """
        return self._watch("read", self.address(place), self._size(place, size))

    def watch_writes(self, place: int | str, size: int | None = None) -> Probe:
        """Watch for stores, as `watch_reads` does for loads."""
        return self._watch("write", self.address(place), self._size(place, size))

    def tally(self, place: int | str) -> Tally:
        """Count what the cores did whenever one comes to the instruction at an address, from now on."""
        return Tally(self, self._machine.tally(self.address(place) & ~1))

    def set_faults(self, faults: Sequence[str]) -> None:
        """Have these faults from now on, and no others, written as for the option --fault of intercore-sim.

        For example `uart-in:flip=0.001,seed=7`, `uart-out:lose=0.01`, `reset@2e6`, `reset:core=1@2e6`,
        `off:core=1@0..2e6`, `stuck:core=1@2e6..3e6`, `fifo:to=1,lose=0.01,seed=7`, `fifo:to=0,word=3@2e6`: the lines
        are those of UART0, cycles count from power-on. `send` with masks of its own is not damaged further. A snapshot
        holds its faults. A core that is stuck or off stays so until it is reset. Raises ValueError for what is none.
        """
        self._machine.set_faults(list(faults))

    def take_diagnostics(self) -> list[str]:
        """Return sentences on what the firmware did that is not modelled or not allowed, each told once."""
        return self._machine.take_diagnostics()

    def state_hash(self) -> int:
        """Return a 64-bit hash of cores, memories, bus and time: the same for the same run of the same version."""
        return self._machine.state_hash()

    def trace_hash(self) -> int:
        """Return a 64-bit hash of all that has happened since the start, as `intercore-sim --hash` prints it.

        It covers the state every 10,000,000 cycles (of an STM32H745, every 100 ms) and now, and every byte that the
        UARTs sent, with its tick.
        """
        return self._machine.trace_hash()

    def _run(
        self, limit: int, address: int | str | None, core: int | None, text: bytes | str | None, uart: int
    ) -> Stop:
        if core is not None and address is None:
            raise ValueError("core says which core is to execute an address: give address too")
        pattern = text.encode() if isinstance(text, str) else text
        if pattern is not None and not pattern:
            raise ValueError("text is empty: give what the firmware will send")
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
            instead = f"did you mean {' or '.join(close)}?" if close else "is it an ELF image with its symbols?"
            raise SimulatorError(f"there is no symbol {name} in the image; {instead}")
        return symbol


def whole(name: str, value: int, least: int, end: int) -> int:
    """Return a whole number from `least` to `end` - 1. Raises ValueError if it is none."""
    number = operator.index(value)
    if not least <= number < end:
        raise ValueError(f"{name} {number} is out of range: {least} to {end - 1:#x}")
    return number


def number(name: str, value: int) -> int:
    """Return the number of a core or UART. Raises ValueError if it is none."""
    if operator.index(value) not in {0, 1}:
        raise ValueError(f"{name} {value}: there are 0 and 1")
    return operator.index(value)
