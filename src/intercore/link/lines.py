"""Lines out of bytes that come in any pieces."""

from __future__ import annotations

from intercore.link.protocol import MAX_LINE


class LineReader:
    """Cuts bytes into lines and keeps no more than one line of them, whatever arrives."""

    def __init__(self) -> None:
        """Begin at the start of a line."""
        self._rest = b""

    @property
    def rest(self) -> bytes:
        """The beginning of a line that has not ended yet."""
        return self._rest

    def feed(self, data: bytes) -> list[bytes]:
        """Return the lines that `data` completes, without line ends; of a too long one the first MAX_LINE + 1 bytes."""
        *lines, rest = (self._rest + data).replace(b"\r", b"\n").split(b"\n")
        self._rest = rest[: MAX_LINE + 1]
        return [line[: MAX_LINE + 1] for line in lines if line]
