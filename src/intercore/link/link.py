"""Messages from a port and commands to it; what was damaged on the way is counted."""

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
"""Bad lines that are remembered to tell whether they come again: some of several lines that are asked for at once."""
GARBAGE_BUDGET = 4 << 20
"""Bytes that may come without one valid line: more than any console prints by accident, a second's worth on a pipe."""

FLOOD_BYTES = 64 << 10
"""Bytes without a line, good or damaged, that no slow target sends while somebody waits: a hundred lines."""
FLOOD_LINES = 1000
"""Lines without news of which the same is true."""

_SAME = 3  # times that a bad line comes before it is taken for what the target sends


class Wrong(NamedTuple):
    """A line that a target sends wrong."""

    times: int
    """How often it came."""
    why: str
    """What is wrong with it."""
    start: str
    """Its first characters."""


@dataclass
class Statistics:
    """What the link has carried so far."""

    bytes: int = 0
    """Received."""
    lines: int = 0
    """Received whole."""
    bad_lines: int = 0
    """Received damaged, or garbage."""
    repeats: int = 0
    """Commands sent again because nothing had answered."""
    resends: int = 0
    """Requests for lines that were missing."""


class Link:
    """Messages from a port and commands to it."""

    def __init__(self, port: Port) -> None:
        """Use `port`, which stays the caller's to close."""
        self.port = port
        self.statistics = Statistics()
        self.last_heard = -math.inf
        """When bytes, good or bad, last came; seconds of `now`."""
        self.last_bad = ""
        """Why the last bad line was one."""
        self.plain_text = PlainText()
        """What came beside the protocol."""
        self._listening = Listening(port)
        self._lines = LineReader()
        self._bad: dict[bytes, int] = {}
        self._garbage = 0
        self._greeted = False
        self.start_rate = port.rate
        """Bits per second that a target has after a reset; None where there is no rate."""
        self.visited: set[int] = set()
        """Other rates at which the target has been, or was told to be."""

    @property
    def unfinished(self) -> str:
        """The beginning of a line that has not ended yet."""
        return printable(self._lines.rest.decode(errors="replace"))

    def sent_wrong(self, line: int) -> Wrong | None:
        """Return how a numbered line comes that is bad in the same way each time; None if it does not.

        Damage on the way differs from time to time, so what comes three times to the byte is what the target sends.
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
        """Return what has flooded the link since then, as a clause; empty for what a slow or a bad line may bring."""
        heard, whole = self.statistics.bytes - since.bytes, self.statistics.lines - since.lines
        bad = self.statistics.bad_lines - since.bad_lines
        if not whole and not self._bad and heard > FLOOD_BYTES:
            return (
                f"with what is not the Intercore protocol ({heard >> 10} KiB without one valid line); is it the right "
                "program or port?"
            )
        return f"with {whole} messages that bring nothing new" if whole > FLOOD_LINES and not bad else ""

    def snapshot(self) -> Callable[[], None]:
        """Return what brings this end of the line back to how it is now; the port is brought back by other means."""
        kept = self._copy()

        def restore() -> None:
            vars(self).update(kept)
            vars(self).update(self._copy())  # which `kept` is not to share with us

        return restore

    def _copy(self) -> dict[str, object]:
        """Return all that changes while the link is used."""
        return {name: copy.copy(value) for name, value in vars(self).items() if name != "port"}

    def now(self) -> float:
        """Return the port's time in seconds, less that in which this program stood still."""
        return self._listening.now()

    @property
    def is_raised(self) -> bool:
        """Whether the bit rate is another than that after a reset."""
        return self.port.rate != self.start_rate

    def likely_rates(self, others: Iterable[int]) -> list[int]:
        """Return where to look for a target that does not answer, the present rate last; `others` if never met."""
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
        """End what the target takes for the beginning of a line: bytes that came at the wrong rate."""
        self.port.write(b"\r\n")

    def send(self, words: Iterable[str]) -> None:
        """Send one command."""
        self.port.write(encode_command(words))

    def receive(self, timeout: float) -> list[Message]:
        """Return the messages that arrive next, as soon as anything does; perhaps none. Wait up to `timeout` s."""
        data = self._listening.read(timeout)
        if not data:
            return []
        self.last_heard = self.now()
        self.statistics.bytes += len(data)
        messages = [message for line in self._lines.feed(data) if (message := self._decode(line)) is not None]
        self.statistics.lines += len(messages)
        self._garbage = 0 if messages else self._garbage + len(data)
        if messages:
            self.plain_text.note_protocol()
        if self.plain_text.resets >= LOOP:
            raise ProtocolError(f"{self.port.description} restarts for ever{self.plain_text.last_words}")
        if self._garbage > GARBAGE_BUDGET:
            raise ProtocolError(
                f"{self.port.description} floods the link with what is not the Intercore protocol "
                f"({self._garbage >> 20} MiB without one valid line); is it the right program or port?"
            )
        return messages

    def _decode(self, line: bytes) -> Message | None:
        try:
            message = decode_line(line)
        except BadLineError as error:
            self.last_bad = printable(str(error))
            # A right CRC: no noise made this, so that asking again will not help. But is it a target of ours at all?
            if isinstance(error, BadContentError) and self._greeted:
                start = printable(line[:80].decode(errors="replace"))
                raise ProtocolError(
                    f"{self.port.description} breaks the Intercore protocol: {self.last_bad}, in {start}…"
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
                f"this tool speaks version {PROTOCOL_VERSION}: {remedy}"
            )
        self._greeted = self._greeted or isinstance(message, Hello)
        return message

    def _remember(self, line: bytes) -> None:
        """Count a bad line that may be one of an answer; those that were not heard for longest are forgotten."""
        if line.startswith(b'{"'):
            count = self._bad.pop(line, 0)
            if len(self._bad) >= KEPT_BAD:
                del self._bad[next(iter(self._bad))]
            self._bad[line] = count + 1
