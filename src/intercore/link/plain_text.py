"""What a target says in plain text, beside the protocol: a boot loader, a panic, an assertion.

The signs are those of Espressif's boot ROM, of ESP-IDF's second boot loader and of its panic handler, in the words of
ESP-IDF 5.5 (ESP-IDF Programming Guide, "Fatal Errors"; components/bootloader_support/src/esp_image_format.c).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import NamedTuple

from intercore.text import printable

KEPT = 5
"""Lines that are remembered."""
LONGEST = 120
"""Characters of a line that are shown."""
LOOP = 3
"""Resets without a line of the protocol between them, from which on a target is said to restart for ever."""

_LEAST = 6  # characters of a line that is text and not what noise makes
_PLAIN = 0.95  # of its bytes
_COLOURS = re.compile(r"\x1b\[[0-9;]*m")
_RESET = re.compile(r"\brst:0x[0-9a-fA-F]+")
_CORRUPT = "the program in its flash is damaged or was written in part: flash it anew"
_SIGNS: tuple[tuple[str, str], ...] = (
    (r"Guru Meditation Error", "its program has crashed"),
    (r"\*\*\*ERROR\*\*\* A stack overflow in task", "the stack of one of its tasks is too small"),
    (r"\bassert failed:|\babort\(\) was called", "its program has given up by itself"),
    (r"Brownout detector was triggered|BROWN_OUT", "its supply is too weak: take another cable, port or power supply"),
    (r"invalid header: 0x[0-9a-f]+", "there is no program in its flash: flash one"),
    (r"\binvalid segment length 0x|Checksum failed\.|Image hash failed|has invalid magic byte", _CORRUPT),
    (r"No bootable app partitions|is not bootable", _CORRUPT),
    (r"^waiting for download", "it waits to be flashed: reset it with its boot button released"),
    (r"Task watchdog got triggered|_?WDT_SYS_RESET|WDT_RESET", "a watchdog has found it busy for too long"),
)
"""What a line has in it, and what that means. A cause stands before what follows from it."""


class Sign(NamedTuple):
    """A line of plain text that tells why a target does not answer."""

    line: str
    meaning: str
    """As a clause."""


@dataclass
class PlainText:
    """The last lines of plain text that a target has sent, and how often it has restarted."""

    lines: tuple[str, ...] = ()
    """The last few, printable, oldest first."""
    resets: int = 0
    """How often a boot loader has told of a reset since the last line of the protocol."""
    _sign: tuple[int, Sign] | None = None

    def add(self, line: bytes) -> None:
        """Take a line that is none of the protocol.

        What noise makes is no text, and what is damaged of the protocol none of this kind: both are passed over.
        """
        if line.startswith(b"{") or b'":' in line:
            return
        text = _COLOURS.sub("", line.decode("ascii", errors="replace")).strip()
        plain = sum(" " <= character <= "~" for character in text)
        if plain < max(_LEAST, _PLAIN * len(text)):
            return
        shown = printable(text[:LONGEST])
        self.lines = (*self.lines, shown)[-KEPT:]
        self.resets += bool(_RESET.search(text))
        rank = next((at for at, (sign, _) in enumerate(_SIGNS) if re.search(sign, text)), None)
        if rank is not None and (self._sign is None or rank <= self._sign[0]):
            self._sign = (rank, Sign(shown, _SIGNS[rank][1]))

    def note_protocol(self) -> None:
        """Take note that a line of the protocol has come: what was said before has led to no loop."""
        self.resets = 0

    def forget(self) -> None:
        """Forget all of it, as what it tells is past."""
        self.lines, self.resets, self._sign = (), 0, None

    @property
    def reason(self) -> str:
        """What goes behind a sentence: the line that tells most, with its meaning; empty if none tells anything."""
        return "" if self._sign is None else f"; it said “{self._sign[1].line}”: {self._sign[1].meaning}"

    @property
    def last_words(self) -> str:
        """The same, but the last line where none tells anything; empty if there was no text."""
        return self.reason or (f"; the last that it said is “{self.lines[-1]}”" if self.lines else "")
