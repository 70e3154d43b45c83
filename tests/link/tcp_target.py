"""The target in Python behind a TCP port."""

from __future__ import annotations

import socket
import threading
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from tests.fakes.target import Target, options

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextmanager
def tcp_target() -> Iterator[str]:
    """A fake target behind a socket, as ser2net would put it there."""
    server = socket.create_server(("127.0.0.1", 0))

    def serve() -> None:
        with suppress(OSError):
            connection = server.accept()[0]
            with connection.makefile("rb", 0) as receive, connection.makefile("wb") as send:
                Target(receive, send, options()).serve()  # type: ignore[arg-type]

    threading.Thread(target=serve, daemon=True).start()
    with server:
        yield f"socket://127.0.0.1:{server.getsockname()[1]}"
