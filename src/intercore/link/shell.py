"""An interactive console on a target: sends typed lines, and shows the answers."""

from __future__ import annotations

import math
import queue
import secrets
import threading
from contextlib import suppress
from typing import TYPE_CHECKING

from intercore.errors import IntercoreError, UsageError
from intercore.link.lines import LineReader
from intercore.link.listening import Listening
from intercore.link.protocol import BadLineError, End, Error, Hello, Line, Rate, decode_line, encode_command
from intercore.text import printable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from io import RawIOBase
    from typing import TextIO

    from intercore.link.port import Port
    from intercore.link.protocol import Message

_READ_S = 0.05
_QUIET_S = 0.2
"""Seconds of silence after which a prompt is shown."""
_BUSY_S = 0.3
"""Seconds that a command waits after the target has reported to be busy."""
_ASK_S = 0.3
"""Seconds of silence after which a target is probed: one that starts greets by itself."""
_ASK_AGAIN_S = 2.0
"""Longest pause between two probes, in seconds."""
_RESEND_S = 0.5
"""Seconds of silence that end an answer to `resend`, which has no last line."""
_RATE_TRIAL_S = 1.5
"""Seconds after which a target that receives nothing at a new bit rate has returned to the old one: it waits 1 s."""
_TRIES = 5
"""How often a command is sent if it arrives damaged."""
_RUNS = ("run", "show", "record")
"""Commands with one answer for each combination of values; `abort` ends them."""


def converse(
    port: Port,
    typed: RawIOBase,
    shown: TextIO,
    timeout: float,
    *,
    prompt: str = "",
    in_words: Callable[[Message], Iterable[str]] | None = None,
) -> None:
    """Transfer lines both ways until `typed` ends and all its commands are answered.

    A command waits until the target listens and the previous one is answered, except `abort`, which ends a run. A
    command that arrives damaged is sent again. Lines from the target are shown without their CRC, or as `in_words`
    renders their messages; damaged ones are marked, and control characters are replaced. `prompt` is shown whenever the
    target is silent. `typed` is unbuffered: the thread that reads it would keep the buffer's lock, which makes Python
    abort when the program ends by Ctrl-C or because the target is gone. Raises IntercoreError when the target is gone,
    restarts during a command without a prompt, or owes an answer and has been silent for `timeout` s.
    """
    _Conversation(port, shown, timeout, prompt, in_words).hold(typed)


class _Contact:
    """Whether the target is up and listens: input is lost while it starts."""

    def __init__(self, port: Port, now: Callable[[], float], answer_id: int, first_s: float = _ASK_S) -> None:
        self.made = False
        self.urgent = first_s == 0
        """Whether to probe it before anything is to be sent."""
        self._port = port
        self._now = now
        self._id = answer_id
        self._wait = first_s
        self._asked_at = -math.inf
        self._since: float | None = None

    def seek(self, last_heard: float, timeout: float) -> None:
        """Probe the target, which last sent something at `last_heard`, unless its greeting arrives."""
        now = self._now()
        self._since = now if self._since is None else self._since
        if now - self._since > timeout:
            raise IntercoreError(
                f"{self._port.description} has not answered for {timeout:.0f} s. Check the port, the program on the "
                "target and --baud, or increase --timeout"
            )
        if now - max(last_heard, self._asked_at, self._since) >= self._wait:
            self._wait = _ASK_S if self._asked_at == -math.inf else min(2 * self._wait, _ASK_AGAIN_S)
            self._asked_at = now
            self._port.write(encode_command(["info", f"id={self._id}"]))

    def hear(self, message: Message) -> bool:
        """Return whether a message answers a probe, so that it is not shown."""
        own = isinstance(message, Line) and message.id == self._id
        self._since, self._wait = None, _ASK_S
        if not self.made and isinstance(message, End):
            self.made = own or self._asked_at == -math.inf
        elif not self.made and isinstance(message, Error):
            self.made = own  # such as `busy`
            return True
        return own


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
        """Whether the prompt was shown last."""
        self._reader = LineReader()
        # Ids that no answer of an earlier session has.
        self._info_id = 10**9 + 2 * secrets.randbelow(10**9)
        self._abort_id = self._info_id + 1
        self._listening = Listening(port)
        self._contact = _Contact(port, self._listening.now, self._info_id)
        self._waiting: list[list[str]] = []
        """Typed commands that are not sent yet."""
        self._under_way: list[str] | None = None
        """The last command that was sent, until it is answered."""
        self._owed = 0
        """Its outstanding answers: one for each combination of its values."""
        self._damaged = 0
        """How often it has arrived damaged."""
        self._send_at = 0.0
        self._last_heard = self._listening.now()

    def hold(self, typed: RawIOBase) -> None:
        lines: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        # A thread, because not every OS can wait for standard input together with a port. It ends with the program.
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
        idle = not (self._waiting or self._under_way or self._prompted or at_end)
        if self._prompt and idle and self._listening.now() - self._last_heard > _QUIET_S:
            self._shown.write(self._prompt)
            self._shown.flush()
            self._prompted = True

    def _take(self, words: list[str]) -> None:
        self._prompted = False
        if words:
            self._waiting.append(words)

    def _send_next(self) -> None:
        if not self._contact.made and (self._waiting or self._contact.urgent):
            self._contact.seek(self._last_heard, self._timeout)
        if not self._contact.made or not self._waiting:
            return
        words = self._waiting[0]
        aborts = words == ["abort"]
        if self._under_way:
            if aborts and self._under_way[0] in _RUNS:
                del self._waiting[0]
                self._port.write(self._abort())
            return
        if self._listening.now() < self._send_at:
            return
        del self._waiting[0]
        try:
            self._port.write(self._abort() if aborts else encode_command(words))
        except UsageError as error:  # e.g. an invalid character: continue with the next line
            self._show(f"(not sent: {error})")
        else:
            self._under_way = words
            several = words[1:] if words[0] in _RUNS else []
            self._owed = math.prod(1 + word.count(",") for word in several if "=" in word)
            self._last_heard = self._listening.now()

    def _abort(self) -> bytes:
        """Return the command with an id, so that its refusal after the run's end does not answer another command."""
        return encode_command(["abort", f"id={self._abort_id}"])

    def _listen(self) -> None:
        data = self._listening.read(_READ_S)
        now = self._listening.now()
        if data:
            self._last_heard = now
        elif self._under_way and self._under_way[0] == "resend" and now - self._last_heard > _RESEND_S:
            self._under_way = None
        elif self._under_way and now - self._last_heard > self._timeout:
            raise IntercoreError(
                f"{self._port.description} has sent nothing for {self._timeout:.0f} s: reset the target, or increase "
                "--timeout"
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
        begun = self._contact.made
        if self._contact.hear(message):
            return
        if self._repeats(message):
            return
        if self._in_words is None:
            self._show(text.rpartition(" *")[0])
        else:
            for words in self._in_words(message):
                self._show(printable(words))
        if begun:
            self._note(message)

    def _repeats(self, message: Message) -> bool:
        """Queue the command again if the target has not executed it; return whether it did so."""
        if not isinstance(message, Error) or not self._under_way or message.code not in {"busy", "bad-crc"}:
            return False
        self._damaged += message.code == "bad-crc"
        if self._damaged >= _TRIES:
            return False
        self._waiting.insert(0, self._under_way)
        self._under_way = None
        self._send_at = self._listening.now() + _BUSY_S
        return True

    def _note(self, message: Message) -> None:
        """Update the state of the present command from a message."""
        command = self._under_way[0] if self._under_way else ""
        if isinstance(message, Hello) and command != "info":
            self._note_restart(command)
        elif isinstance(message, Error):
            if message.id != self._abort_id or command == "abort":
                self._answered()
        elif isinstance(message, Rate) and command == "rate":
            self._answered()
            followed = self._port.set_rate(message.rate)
            wait = 0 if followed else _RATE_TRIAL_S
            self._contact = _Contact(self._port, self._listening.now, self._info_id, wait)
            if not followed:
                self._show("(this port cannot change its bit rate; the target returns to the old one)")
        elif isinstance(message, End) and self._under_way:
            self._owed -= 1
            if self._owed <= 0 or message.status == "aborted":
                self._answered()

    def _note_restart(self, command: str) -> None:
        self._contact = _Contact(self._port, self._listening.now, self._info_id)
        if not command:
            return
        lost = f"{self._port.description} restarted during `{command}`"
        if not self._prompt:
            raise IntercoreError(f"{lost}. Possible causes are a crash, a watchdog and a weak power supply")
        self._answered()
        self._show(f"({lost})")

    def _answered(self) -> None:
        self._under_way = None
        self._damaged = 0

    def _show(self, text: str) -> None:
        if self._prompted and text:
            self._shown.write("\n")
        self._prompted = False
        self._shown.write(text + "\n")
        self._shown.flush()


def _read(typed: RawIOBase, lines: queue.SimpleQueue[str | None]) -> None:
    with suppress(OSError):  # the terminal is closed
        for line in typed:
            lines.put(line.decode(errors="replace"))
    lines.put(None)
