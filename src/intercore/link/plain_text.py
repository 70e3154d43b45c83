"""Plain text from a target outside of the protocol: a boot loader, a panic, an assertion.

The patterns are messages of Espressif's boot ROM, of ESP-IDF's second boot loader and of its panic handler, as in
ESP-IDF 5.5 (ESP-IDF Programming Guide, "Fatal Errors"; components/bootloader_support/src/esp_image_format.c).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import NamedTuple

from intercore.text import printable

KEPT = 5
"""Number of lines that are kept."""
LONGEST = 120
"""Characters of a line that are shown."""
LOOP = 3
"""Resets without a line of the protocol between them from which a target counts as restarting again and again."""

_LEAST = 6  # shortest line that counts as text, not as noise
_PLAIN = 0.95  # fraction of its bytes
_COLOURS = re.compile(r"\x1b\[[0-9;]*m")
_RESET = re.compile(r"\brst:0x[0-9a-fA-F]+")
_CORRUPT = "the program in its flash is damaged or incomplete: flash it again"
_SIGNS: tuple[tuple[str, str], ...] = (
    (r"Guru Meditation Error", "its program has crashed"),
    (r"\*\*\*ERROR\*\*\* A stack overflow in task", "the stack of one of its tasks is too small"),
    (r"\bassert failed:|\babort\(\) was called", "its program has aborted"),
    (
        r"Brownout detector was triggered|BROWN_OUT",
        "its supply voltage is too low: use another cable, port or power supply",
    ),
    (r"invalid header: 0x[0-9a-f]+", "its flash has no program: flash one"),
    (r"\binvalid segment length 0x|Checksum failed\.|Image hash failed|has invalid magic byte", _CORRUPT),
    (r"No bootable app partitions|is not bootable", _CORRUPT),
    (r"^waiting for download", "it waits to be flashed: release the boot button and reset it"),
    (
        r"Task watchdog got triggered|_?WDT_SYS_RESET|WDT_RESET",
        "a watchdog has reset it because it was busy for too long",
    ),
)
"""Patterns of lines with their meanings; causes come before their consequences."""


class Sign(NamedTuple):
    """A line of plain text that explains why a target does not answer."""

    line: str
    meaning: str
    """The meaning, as a clause."""


@dataclass
class PlainText:
    """The last lines of plain text that a target has sent, and how often it has restarted."""

    lines: tuple[str, ...] = ()
    """The last few, printable, oldest first."""
    resets: int = 0
    """Resets reported by a boot loader since the last line of the protocol."""
    _sign: tuple[int, Sign] | None = None

    def add(self, line: bytes) -> None:
        """Add a line outside of the protocol. Noise and damaged lines of the protocol are ignored."""
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
        """Note a line of the protocol: earlier resets did not lead to a loop."""
        self.resets = 0

    def forget(self) -> None:
        """Forget the text, because its reason has passed."""
        self.lines, self.resets, self._sign = (), 0, None

    @property
    def reason(self) -> str:
        """A clause with the most informative line and its meaning; empty if there is none."""
        return "" if self._sign is None else f". The target printed “{self._sign[1].line}”: {self._sign[1].meaning}"

    @property
    def last_words(self) -> str:
        """The same, but with the last line if none is informative; empty if there was no text."""
        return self.reason or (f". The target last printed “{self.lines[-1]}”" if self.lines else "")
