"""Opening a target for a command."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

from intercore.terminal.console import messages, say_once

if TYPE_CHECKING:
    from collections.abc import Iterator

    from intercore.link.session import Session
    from intercore.target.connection import Connection
    from intercore.target.targets import Address, Target


def open_target(target: Target, address: Address) -> Connection:
    """Open a target, showing progress, and print the FreeRTOS kernel that it was built with."""
    target.check(address)
    with messages().status(f"opening {target.name}") as status:
        opened = target.open(address, status.update)
    return announce_kernel(opened)


def announce_kernel(opened: Connection) -> Connection:
    """Print once which kernel the target's program was built with, if it was built here; return the target."""
    if opened.kernel:
        say_once(f"kernel: {opened.kernel}")
    return opened


def timeout_of(target: Target, timeout: float | None) -> float:
    """Return the longest permitted silence in seconds: the user's value, else the target's default."""
    return target.timeout if timeout is None else timeout


@contextlib.contextmanager
def connected(target: Target, address: Address, timeout: float | None) -> Iterator[tuple[Session, Connection]]:
    """Open a target and a session with it for the duration of the context."""
    with (
        contextlib.closing(open_target(target, address)) as opened,
        opened.session(timeout_of(target, timeout)) as session,
    ):
        yield session, opened
