"""A port: bytes to and from a target."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from contextlib import nullcontext
from typing import TYPE_CHECKING

from intercore.errors import IntercoreError

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager

CHUNK = 65536
"""Most bytes taken at once; the size of a pipe on Linux."""
DEFAULT_TIMEOUT = 30.0
"""Seconds that a target may be silent: the longest repetition of a run must fit."""
CONTACT_TIMEOUT = 10.0
"""Seconds within which a target must answer `info`: it may have to boot first."""


class TargetLostError(IntercoreError):
    """The target is gone: its program has ended, or its port is closed."""


class ProtocolError(IntercoreError):
    """The target violates the protocol."""


class Port(ABC):
    """Bytes to and from a target. Any method but `close` raises TargetLostError once the target is gone."""

    description: str
    """Name of the other end, for messages."""
    rate: int | None = None
    """Bits per second at this end; None if there is no rate, as in a pipe."""

    @abstractmethod
    def read(self, timeout: float) -> bytes:
        """Return what has arrived, at most CHUNK bytes; wait up to `timeout` s for the first; b"" if none came."""

    @abstractmethod
    def write(self, data: bytes) -> None:
        """Send `data`."""

    @abstractmethod
    def close(self) -> None:
        """Close the port. May be called twice."""

    def turn(self, say: Callable[[str], None] | None = None) -> AbstractContextManager[None]:  # noqa: ARG002
        """Return a context in which the target answers one command.

        It waits for other targets that would disturb this one; `say` reports a long wait.
        """
        return nullcontext()

    def now(self) -> float:
        """Return the time for timeouts in seconds: of this machine, or simulated time."""
        return time.monotonic()

    def set_rate(self, rate: int) -> bool:  # noqa: ARG002 - what has no rate has none to change
        """Send and receive `rate` bits per second from now on; return False, and change nothing, if it cannot."""
        return False
