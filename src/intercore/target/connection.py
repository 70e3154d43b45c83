"""A target that is open: its port, and what there is to know of it that does not come over the port."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from intercore.link.port import CONTACT_TIMEOUT, DEFAULT_TIMEOUT, Port
from intercore.link.session import Session

if TYPE_CHECKING:
    from collections.abc import Callable

    from intercore.target.simulated_chip import SimulatedChip


@dataclass(frozen=True)
class Connection:
    """A target that is open."""

    port: Port
    chip: SimulatedChip | None = None
    """Behind the port, if the target is simulated."""
    emulator: str = ""
    """What an emulated target runs on, with its version; empty for all others."""
    image: str = ""
    """Digest of the program that was started or flashed for it; empty where only the target knows what it runs."""
    contact_timeout: float = CONTACT_TIMEOUT
    """Seconds within which it must answer where it has nothing to compute."""

    def session(self, timeout: float = DEFAULT_TIMEOUT, on_log: Callable[[str], None] | None = None) -> Session:
        """Begin a conversation; see Session."""
        if self.chip is None:
            return Session(self.port, timeout, on_log, contact_timeout=self.contact_timeout)
        return Session(
            self.port,
            timeout,
            on_log,
            repeatable=True,
            contact_timeout=self.contact_timeout,
            symptoms=self.chip.symptoms,
        )

    def close(self) -> None:
        """Let go of the target. May be called twice."""
        self.port.close()
