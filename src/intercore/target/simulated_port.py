"""A port to the program on a simulated chip, in this process: what comes over its console's UART, in its time.

Time passes here only while `read` waits, and on the chip alone: what comes back depends on the image and on what was
written, to the cycle, and never on how fast this machine is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from intercore.link.port import Port, TargetLostError
from intercore.sim import CoreState, Reason
from intercore.text import printable

if TYPE_CHECKING:
    from intercore.sim import Chip, Stop, TimedOutput

SLICE = 0.001
"""Seconds of the chip's time between two looks at its output: a few lines at the highest rates."""
BITS = 10
"""Of a character: start bit, 8 data bits, stop bit."""
TEXT = 40
"""Characters that a UART may still have to send when a core has crashed: its FIFO holds 32."""
TOLERANCE = 0.02
"""By which two ends of a serial line may differ, as a fraction: half a bit in ten is 5 %, shared by both."""


class SimulatedPort(Port):
    """The console's UART of a simulated chip."""

    def __init__(self, chip: Chip, rate: int) -> None:
        """Use the UART of a chip that was just switched on; `rate` is that of this end of the line."""
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
        """Let the chip run, for at least a tick."""
        ticks = max(1, round(seconds * self._chip.hz))
        stop = self._chip.run(ticks)
        if stop.reason is Reason.LIMIT:
            return
        if stop.reason is Reason.DEAD_END:  # what is written next may wake it
            self._chip.advance(ticks)
            return
        if stop.reason is Reason.LOCKUP:  # what was written before is still on its way
            self._chip.run(round(TEXT * BITS / self.rate * self._chip.hz))
        said = self._take()
        raise TargetLostError(self._obituary(stop, said))

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

    def _obituary(self, stop: Stop, said: bytes) -> str:
        """Say why the program ended, where both cores were, and what it said last."""
        words = printable(said.decode("ascii", errors="replace").replace("\r", "\n").split("\n")[-1])
        return f"the program on the simulated chip ended: {stop}; {symptoms(self._chip)}" + (
            f"; its last words: {words}" if words else ""
        )

    def close(self) -> None:
        """See Port."""


def symptoms(chip: Chip) -> str:
    """Return where both cores are and what they do, a clause: for a chip that hangs, or whose program ended."""
    lost = [(chip.statistics(core).lost, core) for core in (0, 1)]
    words = "".join(f"; lost on purpose on the way to core {core}: {count}" for count, core in lost if count)
    return f"at {chip.moment}: core 0 {_core(chip, 0)}, core 1 {_core(chip, 1)}{words}{_crashes(chip)}"


def _crashes(chip: Chip) -> str:
    """Return what the cores' states do not say: faults that are being handled. Lock-ups end a run, with their cause."""
    crashes = [chip.crash(core) for core in (0, 1) if chip.registers(core).state is not CoreState.LOCKED_UP]
    return "".join(f"; {crash}" for crash in crashes if crash)


def _core(chip: Chip, number: int) -> str:
    registers = chip.registers(number)
    function = chip.function_at(registers.pc)
    where = f" in {function[0]}+{function[1]:#x}" if function else ""
    return f"{registers.state.value}{where}, pc {registers.pc:#010x}, lr {registers.lr:#010x}, sp {registers.sp:#010x}"


def heard(sent: TimedOutput, rate: int) -> bytes:
    """Return what an end of the line with `rate` bits per second makes of what was sent, character by character."""
    if all(abs(sender - rate) <= TOLERANCE * rate for sender in set(sent.rates.tolist())):
        return sent.data
    return bytes(
        byte if abs(sender - rate) <= TOLERANCE * rate else _misheard(byte, sender, rate)
        for byte, sender in zip(sent.data, sent.rates.tolist(), strict=True)
    )


def _misheard(byte: int, sender: int, receiver: int) -> int:
    """Sample a character in the middle of the receiver's bits; behind it, the line is idle, which is high."""
    levels = byte << 1 | 1 << (BITS - 1)
    sampled = 0
    for bit in range(1, BITS - 1):
        at = int((bit + 0.5) * sender / receiver)
        sampled |= (levels >> at & 1 if at < BITS else 1) << (bit - 1)
    return sampled
