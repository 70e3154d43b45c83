"""An interactive console on a target: what the user types goes there, what it answers is shown."""

from __future__ import annotations

import queue
import threading
import time
from typing import TYPE_CHECKING

from intercore.link import LineReader
from intercore.protocol import BadLineError, End, Error, decode_line, encode_command

if TYPE_CHECKING:
    from typing import TextIO

    from intercore.link import Port

_READ_S = 0.05
_END_OF_INPUT = None


def converse(port: Port, typed: TextIO, shown: TextIO, timeout: float) -> None:
    """Carry lines both ways until `typed` ends and all commands are answered, or `timeout` s pass without a byte.

    Lines from the target are shown without their CRC; damaged ones are marked. Raises IntercoreError when the target
    is gone.
    """
    lines: queue.SimpleQueue[str | None] = queue.SimpleQueue()
    # A thread, because standard input cannot be waited for together with a port on every OS. It dies with the program.
    threading.Thread(target=_read, args=(typed, lines), daemon=True).start()
    reader = LineReader()
    unanswered = 0
    at_end = False
    last_heard = time.monotonic()
    while not at_end or (unanswered > 0 and time.monotonic() - last_heard < timeout):
        data = port.read(_READ_S)
        if data:
            last_heard = time.monotonic()
        for line in reader.feed(data):
            unanswered -= _show(line, shown)
        while not lines.empty():
            words = lines.get()
            if words is _END_OF_INPUT:
                at_end = True
            elif words.split():
                port.write(encode_command(words.split()))
                unanswered += words.split()[0] != "abort"
                last_heard = time.monotonic()


def _read(typed: TextIO, lines: queue.SimpleQueue[str | None]) -> None:
    for line in typed:
        lines.put(line)
    lines.put(_END_OF_INPUT)


def _show(line: bytes, shown: TextIO) -> bool:
    """Show a line; True if it ends an answer to something typed."""
    text = line.decode("ascii", errors="backslashreplace")
    try:
        message = decode_line(line)
    except BadLineError as error:
        shown.write(f"(damaged: {error}) {text}\n")
        message = None
    else:
        shown.write(text.rpartition(" *")[0] + "\n")
    shown.flush()
    return isinstance(message, End | Error)
