"""A target that is open: its port, and what there is to know of it that does not come over the port."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from intercore.errors import IntercoreError
from intercore.link.port import CONTACT_TIMEOUT, DEFAULT_TIMEOUT, Port, TargetLostError
from intercore.link.session import Session

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

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
    conditions: Mapping[str, str] = field(default_factory=dict)
    """What is known of its program here beside that."""
    kernel: str = ""
    """Which FreeRTOS kernel its program was built with here, and where that comes from; empty if it was not."""
    contact_timeout: float = CONTACT_TIMEOUT
    """Seconds within which it must answer where it has nothing to compute."""
    wiring: str = ""
    """Where a board speaks, for when nothing is heard of it; empty where the port says it all."""
    start: Callable[[], Port] | None = None
    """Starts the program behind the port once more, in some milliseconds. None where that is not for us to do (a
    board), takes as long as many measurements (an emulator), or makes no difference (a simulated chip)."""

    def session(self, timeout: float = DEFAULT_TIMEOUT, on_log: Callable[[str], None] | None = None) -> Session:
        """Begin a conversation; see Session."""
        if self.chip is None:
            session = Session(
                self.port,
                timeout,
                on_log,
                contact_timeout=self.contact_timeout,
                symptoms=lambda: "" if session.statistics.bytes else self.wiring,
            )
            return session
        return Session(
            self.port,
            timeout,
            on_log,
            repeatable=True,
            contact_timeout=self.contact_timeout,
            symptoms=self.chip.symptoms,
        )

    def restarted(self) -> Connection:
        """Close this connection, start the target's program anew, and return a connection to that.

        Raises TargetLostError if the program does not start any more, or is not started by us.
        """
        self.close()
        if self.start is None:
            raise TargetLostError("the target can be started anew by hand only")
        try:
            return replace(self, port=self.start())
        except IntercoreError as error:
            raise TargetLostError(f"cannot start the target anew: {error}") from None

    def close(self) -> None:
        """Let go of the target. May be called twice."""
        self.port.close()
