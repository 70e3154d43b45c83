"""A port: bytes to and from a target, whatever carries them."""

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
"""Seconds a target may be silent: the longest repetition of a run must fit."""
CONTACT_TIMEOUT = 10.0
"""Seconds within which a target must answer `info`: it has nothing to compute, but may have to boot."""


class TargetLostError(IntercoreError):
    """The target is gone: its program ended, its port closed."""


class ProtocolError(IntercoreError):
    """The target says what no target may say."""


class Port(ABC):
    """Bytes to and from a target. Any method but `close` raises TargetLostError once the target is gone."""

    description: str
    """What is at the other end, for messages."""
    rate: int | None = None
    """Bits per second at this end; None where that has no meaning, as in a pipe."""

    @abstractmethod
    def read(self, timeout: float) -> bytes:
        """Return what has arrived, at most CHUNK bytes; wait up to `timeout` s for the first; b"" if none came."""

    @abstractmethod
    def write(self, data: bytes) -> None:
        """Send `data`."""

    @abstractmethod
    def close(self) -> None:
        """Let go of the target. May be called twice."""

    def turn(self, say: Callable[[str], None] | None = None) -> AbstractContextManager[None]:  # noqa: ARG002
        """Return a context in which the target answers one command.

        It waits for other targets that would disturb this one, and tells `say` if that takes long.
        """
        return nullcontext()

    def now(self) -> float:
        """Return the time in seconds that timeouts count in: this machine's, or that of a simulated chip."""
        return time.monotonic()

    def set_rate(self, rate: int) -> bool:  # noqa: ARG002 - what has no rate has none to change
        """Send and receive `rate` bits per second from now on; return False, and change nothing, if it cannot."""
        return False
