"""An interactive console on a target: what the user types goes there, what it answers is shown."""

from __future__ import annotations

import math
import queue
import threading
import time
from typing import TYPE_CHECKING

from intercore.errors import IntercoreError, UsageError
from intercore.link.lines import LineReader
from intercore.link.protocol import BadLineError, End, Error, Hello, decode_line, encode_command
from intercore.text import printable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from io import RawIOBase
    from typing import TextIO

    from intercore.link.port import Port
    from intercore.link.protocol import Message

_READ_S = 0.05
_QUIET_S = 0.2
"""Silence after which a prompt is shown."""
_BUSY_S = 0.3
"""How long a command waits after the target has said that it is busy."""


def converse(
    port: Port,
    typed: RawIOBase,
    shown: TextIO,
    timeout: float,
    *,
    prompt: str = "",
    in_words: Callable[[Message], Iterable[str]] | None = None,
) -> None:
    """Carry lines both ways until `typed` ends and everything in it is answered.

    A command waits until the one before it is answered, save `abort`. Lines from the target are shown without their
    CRC, or as what `in_words` makes of their messages; damaged ones are marked, and what could take over the terminal
    is replaced. `prompt` is shown whenever the target has nothing more to say. `typed` has no buffer: the thread
    that waits for it would keep the buffer's lock, and Python aborts over that when the program ends by Ctrl-C or
    because the target is gone. Raises IntercoreError when the target is gone, or owes an answer and has been silent for
    `timeout` s.
    """
    _Conversation(port, shown, timeout, prompt, in_words).hold(typed)


class _Conversation:
    def __init__(
        self,
        port: Port,
        shown: TextIO,
        timeout: float,
        prompt: str,
        in_words: Callable[[Message], Iterable[str]] | None,
    ) -> None:
        self._port = port
        self._shown = shown
        self._timeout = timeout
        self._prompt = prompt
        self._in_words = in_words
        self._prompted = False
        """Whether the prompt is what was shown last."""
        self._reader = LineReader()
        self._waiting: list[list[str]] = []
        """Commands typed and not yet sent."""
        self._under_way: list[str] | None = None
        """The command sent last, until it is answered."""
        self._owed = 0
        """Answers that are still to come to it: one for each combination of its values."""
        self._send_at = 0.0
        self._greeting = False
        """Whether the target is saying hello without having been asked: the end of that answers nothing."""
        self._last_heard = time.monotonic()

    def hold(self, typed: RawIOBase) -> None:
        lines: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        # A thread: standard input cannot be waited for together with a port on every OS. It dies with the program.
        threading.Thread(target=_read, args=(typed, lines), daemon=True).start()
        at_end = False
        while not at_end or self._waiting or self._under_way:
            while not lines.empty():
                line = lines.get()
                at_end = line is None
                if line is not None:
                    self._take(line.split())
            self._send_next()
            self._listen()
            self._ask(at_end=at_end)
        if self._prompted:
            self._show("")

    def _ask(self, *, at_end: bool) -> None:
        """Show the prompt once the target is quiet."""
        idle = not (self._waiting or self._under_way or self._greeting or self._prompted or at_end)
        if self._prompt and idle and time.monotonic() - self._last_heard > _QUIET_S:
            self._shown.write(self._prompt)
            self._shown.flush()
            self._prompted = True

    def _take(self, words: list[str]) -> None:
        self._prompted = False
        if words == ["abort"]:
            self._port.write(encode_command(words))
        elif words:
            self._waiting.append(words)

    def _send_next(self) -> None:
        if self._under_way or not self._waiting or time.monotonic() < self._send_at:
            return
        words = self._waiting.pop(0)
        try:
            self._port.write(encode_command(words))
        except UsageError as error:  # such as a letter that no target knows: the next line may be better
            self._show(f"(not sent: {error})")
        else:
            self._under_way = words
            self._owed = math.prod(1 + word.count(",") for word in words[1:] if "=" in word)
            self._last_heard = time.monotonic()

    def _listen(self) -> None:
        data = self._port.read(_READ_S)
        if data:
            self._last_heard = time.monotonic()
        elif self._under_way and time.monotonic() - self._last_heard > self._timeout:
            raise IntercoreError(
                f"{self._port.description} has been silent for {self._timeout:.0f} s; --timeout makes the wait longer"
            )
        for line in self._reader.feed(data):
            self._hear(line)

    def _hear(self, line: bytes) -> None:
        text = printable(line.decode("ascii", errors="backslashreplace"))
        try:
            message = decode_line(line)
        except BadLineError as error:
            self._show(f"(damaged: {error}) {text}")
            return
        if isinstance(message, Error) and message.code == "busy" and self._under_way:
            self._waiting.insert(0, self._under_way)
            self._send_at = time.monotonic() + _BUSY_S
        elif self._in_words is None:
            self._show(text.rpartition(" *")[0])
        else:
            for words in self._in_words(message):
                self._show(printable(words))
        if isinstance(message, Hello):
            self._greeting = self._under_way is None or self._under_way[0] != "info"
        elif isinstance(message, Error):
            self._under_way = None
        elif isinstance(message, End) and self._greeting:
            self._greeting = False
        elif isinstance(message, End):
            self._owed -= 1
            if self._owed <= 0 or message.status == "aborted":
                self._under_way = None

    def _show(self, text: str) -> None:
        if self._prompted and text:
            self._shown.write("\n")
        self._prompted = False
        self._shown.write(text + "\n")
        self._shown.flush()


def _read(typed: RawIOBase, lines: queue.SimpleQueue[str | None]) -> None:
    for line in typed:
        lines.put(line.decode(errors="replace"))
    lines.put(None)
