"""Waiting for a target by a clock that excludes the time in which this program was suspended.

If the tool is stopped (Ctrl-Z) or the computer sleeps for longer than a timeout, the target was not silent for so long.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from intercore.link.port import Port

SUSPENSION = 1.0
"""Seconds by which a wait can only be late if this program was stopped or the machine slept."""


class Listening:
    """Reads a port, and measures the time spent on it."""

    def __init__(self, port: Port) -> None:
        """Use `port`, which stays the caller's to close."""
        self._port = port
        self._looked = port.now()
        self._suspended = 0.0

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

        A wait that took far longer is excluded as a whole, because data of the target needs a moment to arrive.
        """
        now = self._port.now()
        step, self._looked = now - self._looked, now
        if step > asked + SUSPENSION:
            self._suspended += step
        return now - self._suspended
