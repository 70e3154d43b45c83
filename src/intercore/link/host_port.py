"""A port to the benchmark program of this machine; only one such program runs a command at a time."""

from __future__ import annotations

import errno
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

from intercore.link.child_port import ChildPort
from intercore.operating_system import local_socket

if TYPE_CHECKING:
    import socket
    from collections.abc import Callable, Iterator

_NAME = b"\0intercore-host"
"""An abstract socket of Linux: at most one process has the name, until it ends, and no file is left behind."""
_POLL_S = 0.01
_ANNOUNCE_AFTER_S = 2.0
"""Seconds after which a message reports the wait."""


class HostPort(ChildPort):
    """A port to the benchmark program of this machine.

    Two such programs that measure at the same time disturb each other, and their real-time tasks can deadlock: a task
    of one spins on core 0 for its partner on core 1, where a task of the other program spins.
    """

    @contextmanager
    def turn(self, say: Callable[[str], None] | None = None) -> Iterator[None]:
        """See Port. Waits until no other Intercore process on this machine measures."""
        announce_at = time.monotonic() + _ANNOUNCE_AFTER_S
        with local_socket() as name:
            while not _bound(name):
                time.sleep(_POLL_S)
                if say is not None and time.monotonic() > announce_at:
                    say("waiting for another Intercore process that measures on this machine")
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
