"""A person at the console of a simulated chip with a kernel on each core, whatever chip it is."""

from __future__ import annotations

import json
import zlib
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from intercore.sim import Chip, Reason

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

    def checks(self) -> dict[str, int]:
        """Return the counters of a run that has ended well, all of whose results were right."""
        assert self.end["type"] == "end", self.end
        assert self.end["status"] == "ok", self.end
        checks: dict[str, int] = self.end["checks"]
        assert checks["done"] == checks["repetitions"]
        assert checks["checked"] >= checks["done"]
        assert checks["wrong"] == checks["lost"] == 0
        return checks


class Amp(Generic[ChipT]):
    """The program on the simulated chip, and a person at its console, who does not mind lines that a restart cuts."""

    def __init__(self, chip: ChipT, ticks_per_second: int) -> None:
        """Take a chip, and how many of its ticks pass in a second once the program has set its clocks."""
        self.chip = chip
        self._ticks_per_second = ticks_per_second
        self._rest = b""

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

    def words_lost(self) -> int:
        return sum(self.chip.statistics(core).fifo_words_lost for core in (0, 1))


def _leading(text: str) -> int:
    return int(text[: len(text) - len(text.lstrip("0123456789"))])
