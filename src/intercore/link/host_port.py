"""A port to the benchmark program of this machine, which has the processors for itself while it answers."""

from __future__ import annotations

import errno
import socket
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

from intercore.link.child_port import ChildPort

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_NAME = b"\0intercore-host"
"""Of Linux's abstract sockets: at most one process has a name, until it ends, and no file is left behind."""
_POLL_S = 0.01
_ANNOUNCE_AFTER_S = 2.0
"""After which a person is told what is waited for."""


class HostPort(ChildPort):
    """A port to the benchmark program of this machine.

    Two such programs that measure at the same time would disturb each other, and their real-time tasks can wait for
    each other for good: one's spins on core 0 for its own on core 1, which waits behind the other's that spins there.
    """

    @contextmanager
    def turn(self, say: Callable[[str], None] | None = None) -> Iterator[None]:
        """See Port. Waits until no other Intercore on this machine has its turn."""
        announce_at = time.monotonic() + _ANNOUNCE_AFTER_S
        with socket.socket(socket.AF_UNIX) as name:
            while not _bound(name):
                time.sleep(_POLL_S)
                if say is not None and time.monotonic() > announce_at:
                    say("waiting for another Intercore that measures on this machine")
                    say = None
            yield


def _bound(name: socket.socket) -> bool:
    try:
        name.bind(_NAME)
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            return False
        raise
    return True
