"""An open target: its port, and what is known about it from elsewhere."""

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
    """An open target."""

    port: Port
    chip: SimulatedChip | None = None
    """The chip behind the port, if the target is simulated."""
    emulator: str = ""
    """The emulator of an emulated target, with its version; empty for others."""
    image: str = ""
    """Digest of the program that was started or flashed; empty if only the target knows its program."""
    conditions: Mapping[str, str] = field(default_factory=dict)
    """Further conditions of its program that the host knows."""
    kernel: str = ""
    """The FreeRTOS kernel that its program was built with here, and the origin of that kernel; empty if it was not."""
    contact_timeout: float = CONTACT_TIMEOUT
    """Seconds within which it must answer a command without a computation."""
    wiring: str = ""
    """Hint on where the board's console is, for errors when it is silent; empty if the port is enough."""
    start: Callable[[], Port] | None = None
    """Restarts the program behind the port in some milliseconds. None if the tool cannot do it (a board), if it takes
    as long as many measurements (an emulator), or if it makes no difference (a simulated chip)."""

    def session(self, timeout: float = DEFAULT_TIMEOUT, on_log: Callable[[str], None] | None = None) -> Session:
        """Start a session; see Session."""
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
        """Close this connection, restart the target's program, and return a new connection.

        Raises TargetLostError if the program does not start, or is not started by this tool.
        """
        self.close()
        if self.start is None:
            raise TargetLostError("the tool cannot restart this target: reset the board by hand")
        try:
            return replace(self, port=self.start())
        except IntercoreError as error:
            raise TargetLostError(f"cannot restart the target: {error}") from None

    def close(self) -> None:
        """Close the target. May be called twice."""
        self.port.close()
