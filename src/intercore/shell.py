"""An interactive console on a target: what the user types goes there, what it answers is shown."""

from __future__ import annotations

import queue
import threading
import time
from typing import TYPE_CHECKING

from intercore.errors import IntercoreError
from intercore.link import LineReader
from intercore.protocol import BadLineError, End, ForeignHello, decode_line, encode_command

if TYPE_CHECKING:
    from typing import TextIO

    from intercore.link import Port

_READ_S = 0.05
_ASK_AGAIN_S = 0.5
_LAST_ID = 2**32 - 1
"""Of the question that closes a conversation. A target answers in order, so its answer comes after all others."""


def converse(port: Port, typed: TextIO, shown: TextIO, timeout: float) -> None:
    """Carry lines both ways until `typed` ends and everything in it is answered.

    Lines from the target are shown without their CRC; damaged ones are marked. Raises IntercoreError when the target
    is gone, or silent for `timeout` s after the end of input.
    """
    lines: queue.SimpleQueue[str | None] = queue.SimpleQueue()
    # A thread, because standard input cannot be waited for together with a port on every OS. It dies with the program.
    threading.Thread(target=_read, args=(typed, lines), daemon=True).start()
    reader = LineReader()
    while (line := _next_typed(lines)) is not None:
        if line.split():
            port.write(encode_command(line.split()))
        _show_all(reader.feed(port.read(_READ_S)), shown)
    _finish(port, reader, shown, timeout)


def _read(typed: TextIO, lines: queue.SimpleQueue[str | None]) -> None:
    for line in typed:
        lines.put(line)
    lines.put(None)


def _next_typed(lines: queue.SimpleQueue[str | None]) -> str | None:
    """Return the next line typed, "" if there is none yet, None at the end of input."""
    return "" if lines.empty() else lines.get()


def _finish(port: Port, reader: LineReader, shown: TextIO, timeout: float) -> None:
    """Show what is still to come: while a run is under way the target refuses the closing question."""
    last_heard = time.monotonic()
    next_question = 0.0
    while time.monotonic() - last_heard < timeout:
        if time.monotonic() >= next_question:
            port.write(encode_command(["info", f"id={_LAST_ID}"]))
            next_question = time.monotonic() + _ASK_AGAIN_S
        data = port.read(_READ_S)
        if data:
            last_heard = time.monotonic()
        if _show_all(reader.feed(data), shown):
            return
    raise IntercoreError(f"{port.description} has been silent for {timeout:.0f} s; --timeout makes the wait longer")


def _show_all(lines: list[bytes], shown: TextIO) -> bool:
    """Show lines; True if they end the answer to the closing question."""
    finished = False
    for line in lines:
        text = line.decode("ascii", errors="backslashreplace")
        try:
            message = decode_line(line)
        except BadLineError as error:
            shown.write(f"(damaged: {error}) {text}\n")
            continue
        if not isinstance(message, ForeignHello) and message.id == _LAST_ID:
            finished = finished or isinstance(message, End)
        else:
            shown.write(text.rpartition(" *")[0] + "\n")
    shown.flush()
    return finished
