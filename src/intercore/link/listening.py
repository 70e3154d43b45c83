"""Waiting for a target by a clock that leaves out the time in which this program itself stood still.

Who stops the tool (Ctrl-Z) or closes the laptop for longer than a timeout has not seen the target be silent.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from intercore.link.port import Port

STANDSTILL = 1.0
"""Seconds by which a wait, or work between two, is late only if this program was stopped or the machine slept."""


class Listening:
    """Reads a port, and knows for how long it really did."""

    def __init__(self, port: Port) -> None:
        """Use `port`, which stays the caller's to close."""
        self._port = port
        self._looked = port.now()
        self._stood_still = 0.0

    def now(self) -> float:
        """Return the port's time in seconds, less that in which this program stood still."""
        return self._look()

    def read(self, timeout: float) -> bytes:
        """See Port.read."""
        self._look()
        data = self._port.read(timeout)
        self._look(timeout)
        return data

    def _look(self, asked: float = 0.0) -> float:
        """Return the time after a wait of at most `asked` s.

        One that took far longer is left out as a whole: what the target sent meanwhile takes a moment to get here.
        """
        now = self._port.now()
        step, self._looked = now - self._looked, now
        if step > asked + STANDSTILL:
            self._stood_still += step
        return now - self._stood_still
