"""A port to the program on a simulated chip in this process: the UART or USB of its console, in simulated time.

Simulated time passes only while `read` waits. The output depends on the image and on what was written, to the cycle,
and never on the speed of this machine.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from intercore.link.port import Port, TargetLostError
from intercore.sim import CoreState, Reason
from intercore.text import printable

if TYPE_CHECKING:
    from intercore.sim import Chip, Simulator, Stop, TimedOutput

SLICE = 0.001
"""Seconds of simulated time between two reads of the output: a few lines at the highest rates."""
BITS = 10
"""Bits of a character: start bit, 8 data bits, stop bit."""
TEXT = 40
"""Characters that a UART may still send after a crash: its FIFO holds 32."""
TOLERANCE = 0.02
"""Permitted difference of the bit rates of both ends, as a fraction: half a bit in ten is 5 %, shared by both."""


class SimulatedPort(Port):
    """The console's UART of a simulated chip."""

    def __init__(self, chip: Chip, rate: int) -> None:
        """Use the UART of a chip that was just powered up; `rate` is the bit rate of this end of the line."""
        self.description = "the simulated chip"
        self.rate: int = rate
        self._chip = chip
        chip.set_line_rate(rate)

    def now(self) -> float:
        """Return the chip's time since it was switched on."""
        return self._chip.seconds

    def read(self, timeout: float) -> bytes:
        """See Port; `timeout` is in seconds of the chip's time."""
        deadline = self.now() + timeout
        while True:
            data = self._take()
            left = deadline - self.now()
            if data or left <= 0:
                return data
            self._run(min(left, SLICE))

    def _run(self, seconds: float) -> None:
        """Run the chip for at least one tick."""
        ticks = max(1, round(seconds * self._chip.hz))
        stop = self._chip.run(ticks)
        if stop.reason is Reason.LIMIT:
            return
        if stop.reason is Reason.DEAD_END:  # the next input may wake it
            self._chip.advance(ticks)
            return
        if stop.reason is Reason.LOCKUP:  # earlier input is still on the line
            self._chip.run(round(TEXT * BITS / self.rate * self._chip.hz))
        said = self._take()
        raise TargetLostError(self._end_report(stop, said))

    def _take(self) -> bytes:
        return heard(self._chip.take_uart_timed(), self.rate)

    def write(self, data: bytes) -> None:
        """See Port."""
        self._chip.send(data)

    def set_rate(self, rate: int) -> bool:
        """See Port."""
        self.rate = rate
        self._chip.set_line_rate(rate)
        return True

    def _end_report(self, stop: Stop, said: bytes) -> str:
        """Return the cause of the program's end, the state of both cores, and its last output."""
        words = printable(said.decode("ascii", errors="replace").replace("\r", "\n").split("\n")[-1])
        return f"the program on the simulated chip ended: {stop}; {symptoms(self._chip)}" + (
            f"; its last output: {words}" if words else ""
        )

    def close(self) -> None:
        """See Port."""


class SimulatedUsb(SimulatedPort):
    """The console over USB of a simulated chip. It has no bit rate."""

    def __init__(self, simulator: Simulator, rate: int) -> None:
        """Use the cable of a chip that was just powered up; `rate` is the bit rate of its UART."""
        super().__init__(simulator, rate)
        self._simulator = simulator

    def _take(self) -> bytes:
        return self._simulator.take_usb()

    def write(self, data: bytes) -> None:
        """See Port."""
        self._simulator.send_usb(data)


def symptoms(chip: Chip) -> str:
    """Return the position and state of both cores, a clause, for a chip that hangs or whose program ended."""
    lost = [(chip.statistics(core).lost, core) for core in (0, 1)]
    words = "".join(f"; lost by an injected fault on the way to core {core}: {count}" for count, core in lost if count)
    return f"at {chip.moment}: core 0 {_core(chip, 0)}, core 1 {_core(chip, 1)}{words}{_crashes(chip)}"


def _crashes(chip: Chip) -> str:
    """Return the faults that the cores are handling. Lock-ups end a run and are reported there."""
    crashes = [chip.crash(core) for core in (0, 1) if chip.registers(core).state is not CoreState.LOCKED_UP]
    return "".join(f"; {crash}" for crash in crashes if crash)


def _core(chip: Chip, number: int) -> str:
    registers = chip.registers(number)
    function = chip.function_at(registers.pc)
    where = f" in {function[0]}+{function[1]:#x}" if function else ""
    return f"{registers.state.value}{where}, pc {registers.pc:#010x}, lr {registers.lr:#010x}, sp {registers.sp:#010x}"


def heard(sent: TimedOutput, rate: int) -> bytes:
    """Return the characters that an end of the line at `rate` bits per second receives."""
    if all(abs(sender - rate) <= TOLERANCE * rate for sender in set(sent.rates.tolist())):
        return sent.data
    return bytes(
        byte if abs(sender - rate) <= TOLERANCE * rate else _misheard(byte, sender, rate)
        for byte, sender in zip(sent.data, sent.rates.tolist(), strict=True)
    )


def _misheard(byte: int, sender: int, receiver: int) -> int:
    """Sample a character in the middle of the receiver's bits; after it, the line is idle, which is high."""
    levels = byte << 1 | 1 << (BITS - 1)
    sampled = 0
    for bit in range(1, BITS - 1):
        at = int((bit + 0.5) * sender / receiver)
        sampled |= (levels >> at & 1 if at < BITS else 1) << (bit - 1)
    return sampled
