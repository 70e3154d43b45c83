"""A person at the console of a simulated chip with a kernel on each core, whatever chip it is."""

from __future__ import annotations

import json
import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from intercore.sim import Chip, Reason

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Self

FIRST_RATE = 115200
"""Bits per second that a program begins with, and that one goes back to when it begins anew."""
ChipT = TypeVar("ChipT", bound=Chip)


@dataclass(frozen=True)
class Heard:
    """What the program has said up to the end of an answer, or of a greeting after a restart."""

    lines: list[dict[str, Any]]
    cut: int
    """Lines that a restart has cut off."""

    @property
    def end(self) -> dict[str, Any]:
        return self.lines[-1]

    @property
    def logs(self) -> list[str]:
        return [line["text"] for line in self.lines if line["type"] == "log"]

    @property
    def restarted(self) -> bool:
        return self.cut > 0 or any(line["type"] in ("hello", "log") for line in self.lines)

    def seconds(self, name: str) -> list[float]:
        """Return the samples of a series."""
        (hz,) = {line["hz"] for line in self.lines if line["type"] == "series" and line["name"] == name}
        parts = [line["values"] for line in self.lines if line["type"] == "samples" and line["series"] == name]
        return [value / hz for values in parts for value in values]

    def checks(self) -> dict[str, int]:
        """Return the counters of a run that has ended well, all of whose results were right."""
        assert self.end["type"] == "end", self.end
        assert self.end["status"] == "ok", self.end
        checks: dict[str, int] = self.end["checks"]
        assert checks["done"] == checks["repetitions"]
        assert checks["checked"] >= checks["done"]
        assert checks["wrong"] == checks["lost"] == 0
        return checks


class AmpConsole(Generic[ChipT]):
    """The program on the simulated chip, and a person at its console, who does not mind lines that a restart cuts."""

    def __init__(self, chip: ChipT, ticks_per_second: int, medium: str, unit: str) -> None:
        """Take a chip, and how many of its ticks pass in a second once the program has set its clocks.

        What a fault on purpose can lose between its cores is a `unit` of a `medium`.
        """
        self.chip = chip
        self._ticks_per_second = ticks_per_second
        self._medium, self._unit = medium, unit
        self._rest = b""

    @property
    def ms(self) -> int:
        """Ticks of a millisecond."""
        return self._ticks_per_second // 1000

    def kept(self) -> Callable[[], Self]:
        """Return what restores the chip as it is now, and gives it a console."""
        restore = self.chip.keep()

        def again() -> Self:
            restore()
            return type(self)(self.chip, self._ticks_per_second, self._medium, self._unit)

        return again

    def talk_fast(self) -> None:
        """Have the program speak as fast as it can: most of a short measurement is what it tells of it."""
        rate = max(next(line["rates"] for line in self.ask("info id=1").lines if "rates" in line))
        assert self.ask(f"rate {rate}").end["type"] == "rate"
        self.chip.set_line_rate(rate)
        assert self.ask("info id=1").end["status"] == "ok", "or the rate would be taken back"

    def lost_doorbell(self, to: int, number: int, at: int = 1) -> str:
        """Return a fault in which the doorbell of this number, in so many ticks from now, does not reach a core."""
        return f"{self._medium}:to={to},{self._unit}={number}@+{at}"

    def lost_doorbells(self, to: int, share: float = 1.0, seed: int = 1, at: int = 1) -> str:
        """Return a fault in which doorbells do not reach a core: all of them, or a share that is drawn."""
        drawn = "" if share == 1 else f",lose={share},seed={seed}"
        return f"{self._medium}:to={to}{drawn}@+{at}"

    def have(self, *faults: str) -> None:
        """Have faults, at ticks that count from now where they are written as `+1000`."""
        texts = []
        for fault in faults:
            head, *times = fault.split("+")
            texts.append(
                head + "".join(f"{self.chip.now + _leading(part)}{part.lstrip('0123456789')}" for part in times)
            )
        self.chip.set_faults(texts)

    def run(self, seconds: float) -> Heard:
        """Let time pass, up to the end of what is being said."""
        lines: list[dict[str, Any]] = []
        cut = 0
        until = self.chip.now + round(seconds * self._ticks_per_second)
        while self.chip.now < until:
            if self.chip.run(until - self.chip.now).reason is Reason.DEAD_END:
                self.chip.advance(until - self.chip.now)
        *texts, self._rest = (self._rest + self.chip.take_uart()).split(b"\r\n")
        for text in filter(None, texts):
            body, _, crc = text.rpartition(b" *")
            if len(crc) == 8 and int(crc, 16) == zlib.crc32(body):
                lines.append(json.loads(body))
            else:
                cut += 1
        if cut or any(line["type"] == "hello" and line["id"] == 0 for line in lines):  # nobody asked for it
            self.chip.set_line_rate(FIRST_RATE)
        return Heard(lines, cut)

    def hear(self, patience: float) -> Heard:
        """Let time pass up to the end of an answer, or of a greeting, which must come within so many seconds."""
        lines: list[dict[str, Any]] = []
        cut = 0
        for _ in range(round(patience / 0.01)):
            more = self.run(0.01)
            lines += more.lines
            cut += more.cut
            if lines and lines[-1]["type"] in ("end", "error", "rate"):
                return Heard(lines, cut)
        raise AssertionError(f"no answer within {patience} s, only {lines}")

    def ask(self, command: str, patience: float = 10.0) -> Heard:
        self.chip.send(command.encode() + b"\n")
        return self.hear(patience)

    def is_well(self) -> None:
        """Check that the program measures as if nothing had happened, and did nothing that no chip would forgive."""
        self.have()
        for transport in ("ring", "message-buffer"):
            checks = self.ask(f"run message transport={transport} samples=5 dither_us=0").checks()
            assert "recovered_doorbells" not in checks
        assert self.mistakes() == []

    def mistakes(self) -> list[str]:
        """Return what the chip has told of mistakes.

        None is that a program which begins anew does so at a rate that our end of the line has left.
        """
        return [told for told in self.chip.take_diagnostics() if "bits per second, but its line has" not in told]

    def doorbells_lost(self) -> int:
        """Return how many did not reach a core, for faults that were asked for."""
        return sum(self.chip.statistics(core).lost for core in (0, 1))


def _leading(text: str) -> int:
    return int(text[: len(text) - len(text.lstrip("0123456789"))])
