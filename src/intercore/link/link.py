"""Messages from a port and commands to it; counts damaged lines."""

from __future__ import annotations

import copy
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from intercore.link.lines import LineReader
from intercore.link.listening import Listening
from intercore.link.plain_text import LOOP, PlainText
from intercore.link.port import ProtocolError
from intercore.link.protocol import (
    PROTOCOL_VERSION,
    BadContentError,
    BadLineError,
    ForeignHello,
    Hello,
    Message,
    decode_line,
    encode_command,
)
from intercore.text import printable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from intercore.link.port import Port

KEPT_BAD = 64
"""Number of bad lines that are kept to detect repeated ones."""
GARBAGE_BUDGET = 4 << 20
"""Bytes, except line ends, without one valid line after which the link counts as flooded: about a second's output of a
pipe."""

FLOOD_BYTES = 64 << 10
"""Bytes without any line from which a target floods the link while an answer is awaited: a hundred lines."""
FLOOD_LINES = 1000
"""The same as a number of lines without new content."""

_SAME = 3  # repetitions of a bad line after which the target itself counts as its source


class Wrong(NamedTuple):
    """A malformed line that a target sends."""

    times: int
    """How often it arrived."""
    why: str
    """The error in it."""
    start: str
    """Its first characters."""


@dataclass
class Statistics:
    """Counters of the link."""

    bytes: int = 0
    """Received."""
    lines: int = 0
    """Lines received undamaged."""
    bad_lines: int = 0
    """Lines received damaged, and other text."""
    repeats: int = 0
    """Commands repeated because there was no answer."""
    resends: int = 0
    """Requests for missing lines."""


class Link:
    """Messages from a port and commands to it."""

    def __init__(self, port: Port) -> None:
        """Use `port`, which the caller closes."""
        self.port = port
        self.statistics = Statistics()
        self.last_heard = -math.inf
        """When any bytes last arrived, in seconds of `now`."""
        self.last_bad = ""
        """The error in the last bad line."""
        self.plain_text = PlainText()
        """Plain text outside of the protocol."""
        self._listening = Listening(port)
        self._lines = LineReader()
        self._bad: dict[bytes, int] = {}
        self._garbage = 0
        self._greeted = False
        self.start_rate = port.rate
        """Bits per second of a target after a reset; None if the port has no rate."""
        self.visited: set[int] = set()
        """Other rates that the target has had, or was switched to."""

    @property
    def unfinished(self) -> str:
        """The beginning of a line that has not ended yet."""
        return printable(self._lines.rest.decode(errors="replace"))

    def sent_wrong(self, line: int) -> Wrong | None:
        """Return a numbered line that is malformed in the same way each time; None if there is none.

        Transmission errors vary, so a bad line that arrives three times identically was sent that way.
        """
        name = b'"i":%d,' % line
        found = [(count, text) for text, count in self._bad.items() if name in text and count >= _SAME]
        if not found:
            return None
        count, text = max(found)
        try:
            decode_line(text)
        except BadLineError as error:
            return Wrong(count, printable(str(error)), printable(text[:80].decode(errors="replace")))
        return None

    def flood(self, since: Statistics) -> str:
        """Return how the target has flooded the link since then, a clause; empty if it has not."""
        heard, whole = self.statistics.bytes - since.bytes, self.statistics.lines - since.lines
        bad = self.statistics.bad_lines - since.bad_lines
        if not whole and not self._bad and heard > FLOOD_BYTES:
            return (
                f"with data that is not the Intercore protocol ({heard >> 10} KiB without a valid line); check the "
                "port and the program on the target"
            )
        return f"with {whole} messages without new content; reset the target" if whole > FLOOD_LINES and not bad else ""

    def snapshot(self) -> Callable[[], None]:
        """Return a function that restores the present state of this end; the port is restored separately."""
        kept = self._copy()

        def restore() -> None:
            vars(self).update(kept)
            vars(self).update(self._copy())  # so that `kept` stays unchanged

        return restore

    def _copy(self) -> dict[str, object]:
        """Return a copy of the mutable state."""
        return {name: copy.copy(value) for name, value in vars(self).items() if name != "port"}

    def now(self) -> float:
        """Return the port's time in seconds, without times in which this program was suspended."""
        return self._listening.now()

    @property
    def is_raised(self) -> bool:
        """Whether the bit rate differs from that after a reset."""
        return self.port.rate != self.start_rate

    def likely_rates(self, others: Iterable[int]) -> list[int]:
        """Return the rates to try for a silent target, the present one last; `others` if it was never reached."""
        if self.start_rate is None or self.port.rate is None:
            return []
        elsewhere = sorted(self.visited) if self.statistics.lines else others
        return [rate for rate in (self.start_rate, *elsewhere) if rate != self.port.rate] + [self.port.rate]

    def set_rate(self, rate: int | None) -> bool:
        """Change the rate of this end; return False if the port cannot."""
        if rate is None or rate == self.port.rate:
            return rate is not None
        changed = self.port.set_rate(rate)
        if changed:
            self._lines = LineReader()
            self.end_line()
        return changed

    def end_line(self) -> None:
        """Terminate a partial line at the target, as from bytes at a wrong rate."""
        self.port.write(b"\r\n")

    def send(self, words: Iterable[str]) -> None:
        """Send one command."""
        self.port.write(encode_command(words))

    def receive(self, timeout: float) -> list[Message]:
        """Return the next messages, possibly none, as soon as anything arrives. Wait up to `timeout` s."""
        data = self._listening.read(timeout)
        if not data:
            return []
        self.last_heard = self.now()
        self.statistics.bytes += len(data)
        messages = [message for line in self._lines.feed(data) if (message := self._decode(line)) is not None]
        self.statistics.lines += len(messages)
        self._garbage = 0 if messages else self._garbage + len(data.strip(b"\r\n"))
        if messages:
            self.plain_text.note_protocol()
        if self.plain_text.resets >= LOOP:
            raise ProtocolError(
                f"{self.port.description} restarts again and again{self.plain_text.last_words}. Check the board's "
                "power supply, and that the program on the board is built for its chip"
            )
        if self._garbage > GARBAGE_BUDGET:
            raise ProtocolError(
                f"{self.port.description} floods the link with data that is not the Intercore protocol "
                f"({self._garbage >> 20} MiB without a valid line): check the port and the program on the target"
            )
        return messages

    def _decode(self, line: bytes) -> Message | None:
        try:
            message = decode_line(line)
        except BadLineError as error:
            self.last_bad = printable(str(error))
            # The CRC is right: this is no transmission error, and a new request will not help. But is it our protocol
            # at all?
            if isinstance(error, BadContentError) and self._greeted:
                start = printable(line[:80].decode(errors="replace"))
                raise ProtocolError(
                    f"{self.port.description} violates the Intercore protocol: {self.last_bad}, in {start}…. The line "
                    "arrived undamaged, so the firmware sent it in this form: rebuild the firmware with this version "
                    "of the tool"
                ) from None
            self.statistics.bad_lines += 1
            self.plain_text.add(line)
            self._remember(line)
            return None
        if isinstance(message, ForeignHello):
            old = message.protocol < PROTOCOL_VERSION
            remedy = "build its firmware again with this tool, and flash it" if old else "update this tool"
            raise ProtocolError(
                f"{self.port.description} speaks version {message.protocol} of the Intercore protocol, "
                f"but this tool speaks version {PROTOCOL_VERSION}: {remedy}"
            )
        self._greeted = self._greeted or isinstance(message, Hello)
        return message

    def _remember(self, line: bytes) -> None:
        """Count a bad line that may belong to an answer; drops those that were not seen for longest."""
        if line.startswith(b'{"'):
            count = self._bad.pop(line, 0)
            if len(self._bad) >= KEPT_BAD:
                del self._bad[next(iter(self._bad))]
            self._bad[line] = count + 1
