"""Splits a stream of bytes into lines."""

from __future__ import annotations

from intercore.link.protocol import MAX_LINE


class LineReader:
    """Splits bytes into lines; buffers at most one line."""

    def __init__(self) -> None:
        """Begin at the start of a line."""
        self._rest = b""

    @property
    def rest(self) -> bytes:
        """The incomplete line at the end."""
        return self._rest

    def feed(self, data: bytes) -> list[bytes]:
        """Return the lines that `data` completes, without line ends; lines are cut after MAX_LINE + 1 bytes."""
        *lines, rest = (self._rest + data).replace(b"\r", b"\n").split(b"\n")
        self._rest = rest[: MAX_LINE + 1]
        return [line[: MAX_LINE + 1] for line in lines if line]
