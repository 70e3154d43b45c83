"""The way to a target and back: bytes over a serial port, a socket or a child's pipes; lines; messages."""

from __future__ import annotations

import copy
import math
import os
import queue
import re
import signal
import subprocess
import threading
import time
from abc import ABC, abstractmethod
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

import serial

from intercore.errors import IntercoreError, UsageError
from intercore.link.protocol import (
    MAX_LINE,
    PROTOCOL_VERSION,
    BadContentError,
    BadLineError,
    ForeignHello,
    Hello,
    Message,
    decode_line,
    encode_command,
)
from intercore.process_group import OWN_GROUP, end_group
from intercore.record.measurement import Truth

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from typing import IO

    from intercore.record.measurement import Level, Series

CHUNK = 65536
"""Most bytes taken at once; the size of a pipe on Linux."""
CHUNKS_AHEAD = 64
"""Chunks read from a child before it has to wait: 4 MiB."""
GARBAGE_BUDGET = 4 << 20
"""Bytes that may come without one valid line: more than any console prints by accident, a second's worth on a pipe."""
SERIAL_POLL = 0.001
"""Seconds between looks at a silent serial port: about a byte at 9600 baud, and next to no load."""
WRITE_TIMEOUT = 5.0
"""Seconds a target may refuse input: 400 characters take 0.4 s at 9600 baud."""
CHILD_GRACE = 0.5
"""Seconds a child has to end by itself once its input is closed, and its last output to be read."""
LAST_WORDS = 2000
"""Bytes of a child's standard error that are kept to explain its death."""


_WITHOUT_RATE = frozenset({"socket", "loop"})
"""Schemes of pyserial URLs behind which there is no bit rate."""
_WITHOUT_WRITE_TIMEOUT = frozenset({"rfc2217"})
"""Schemes that say so only once they are connected: the server would see two connections."""
_WRAPPING = re.compile(r"could not open port \S*: |(read|write) failed: |\[Errno -?\d+\] ?", re.IGNORECASE)


class TargetLostError(IntercoreError):
    """The target is gone: its program ended, its port closed."""


class ProtocolError(IntercoreError):
    """The target says what no target may say."""


class Port(ABC):
    """Bytes to and from a target. Any method but `close` raises TargetLostError once the target is gone."""

    description: str
    """What is at the other end, for messages."""
    rate: int | None = None
    """Bits per second at this end; None where that has no meaning, as in a pipe."""

    faults: Sequence[str] = ()
    """Faults that a simulated target has on purpose, as for the option --fault of intercore-sim."""
    emulator: str = ""
    """What an emulated target runs on, with its version; empty for all others."""
    contact_timeout: float = 10.0
    """Seconds within which a target must answer `info`: it has nothing to compute, but may have to boot."""

    @abstractmethod
    def read(self, timeout: float) -> bytes:
        """Return what has arrived, at most CHUNK bytes; wait up to `timeout` s for the first; b"" if none came."""

    @abstractmethod
    def write(self, data: bytes) -> None:
        """Send `data`."""

    @abstractmethod
    def close(self) -> None:
        """Let go of the target. May be called twice."""

    def now(self) -> float:
        """Return the time in seconds that timeouts count in: this machine's, or that of a simulated chip."""
        return time.monotonic()

    def set_rate(self, rate: int) -> bool:  # noqa: ARG002 - what has no rate has none to change
        """Send and receive `rate` bits per second from now on; return False, and change nothing, if it cannot."""
        return False

    def symptoms(self) -> str:
        """Return what is to be seen of a target that hangs, a clause; empty where nothing is."""
        return ""

    def snapshot(self) -> Callable[[], None] | None:
        """Return what brings the target and the line back to how they are now; None where nothing can."""
        return None

    def watch(self, benchmark: str) -> None:  # noqa: B027 - most ports see nothing
        """Watch the measurement of this benchmark that is about to begin, if there is a way to see it from outside."""

    def truth(self, measured: Sequence[Series], factors: Mapping[str, Level]) -> Truth:  # noqa: ARG002 - sees nothing
        """Return what was seen of the measurement since `watch`. Raises IntercoreError if the two do not agree."""
        return Truth()


class SerialPort(Port):
    """A port by pyserial URL, such as /dev/ttyACM0, COM3, socket://host:port or rfc2217://host:port."""

    def __init__(self, url: str, baud: int, *, release: bool = False) -> None:
        """Open the port for this tool alone; `baud` matters to ports that have one.

        With `release`, the lines DTR and RTS are let go, for boards on which they hold the chip in reset or have it
        start into its boot ROM.
        """
        self.description = url
        scheme, separator, _ = url.lower().partition("://")
        self.rate = None if separator and scheme in _WITHOUT_RATE else baud
        try:
            self._serial = self._open(url, baud, None if scheme in _WITHOUT_WRITE_TIMEOUT else WRITE_TIMEOUT)
        except NotImplementedError:  # another that has none
            self._serial = self._open(url, baud, None)
        if release:
            # Open asserts both. RTS first: by itself it is the chip's reset, and DTR by itself is no more than a wish
            # for the boot ROM at the next one (esptool documentation, boot mode selection, automatic bootloader).
            for line in ("rts", "dtr"):
                with suppress(Exception):  # what is no serial port has none
                    setattr(self._serial, line, False)

    @staticmethod
    def _open(url: str, baud: int, write_timeout: float | None) -> serial.SerialBase:
        try:
            return serial.serial_for_url(url, baudrate=baud, timeout=0, write_timeout=write_timeout, exclusive=True)
        except NotImplementedError:
            raise
        except ValueError as error:
            raise UsageError(f"cannot open {url}: {_sentence(error)}") from None
        except Exception as error:  # pyserial's URL handlers are plug-ins: what they raise is not defined
            raise IntercoreError(f"cannot open {url}: {_sentence(error)}") from None

    def read(self, timeout: float) -> bytes:
        """See Port."""
        # pyserial has no portable "wait, then return what is there": a blocking read waits until the buffer is full,
        # `in_waiting` is 0 or 1 on socket://, and a change of the timeout negotiates anew on rfc2217://. Look often.
        deadline = time.monotonic() + timeout
        while True:
            data = self._read_waiting()
            if data or time.monotonic() >= deadline:
                return data
            time.sleep(SERIAL_POLL)

    def _read_waiting(self) -> bytes:
        data = b""
        try:
            while len(data) < CHUNK and (more := self._serial.read(CHUNK - len(data))):
                data += more
        except (OSError, TypeError) as error:  # TypeError: pyserial's way to say that the port was closed meanwhile
            if not data:  # else the next call meets the same error
                raise self._lost(error) from None
        return data

    def write(self, data: bytes) -> None:
        """See Port."""
        try:
            self._serial.write(data)
        except (OSError, TypeError) as error:
            raise self._lost(error) from None

    def set_rate(self, rate: int) -> bool:
        """See Port."""
        if self.rate is None:
            return False
        before = self._serial.baudrate
        try:
            self._serial.flush()  # what was written goes at the old rate
            self._serial.baudrate = rate
        except Exception:
            with suppress(Exception):
                self._serial.baudrate = before
            return False
        self.rate = rate
        return True

    def _lost(self, error: Exception) -> TargetLostError:
        return TargetLostError(f"lost {self.description}: {_sentence(error)}")

    def close(self) -> None:
        """See Port."""
        with suppress(OSError):
            self._serial.close()


class ChildPort(Port):
    """A port to the standard input and output of a program that is started here."""

    def __init__(self, argv: Sequence[str], description: str | None = None) -> None:
        """Start the program; `description` is what messages call it instead of its path."""
        self.description = description or argv[0]
        try:
            self._process = subprocess.Popen(  # noqa: S603 - a program of ours or of the user's choice, without a shell
                argv,
                bufsize=0,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                process_group=OWN_GROUP,
                creationflags=getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0),
            )
        except (OSError, ValueError) as error:
            raise IntercoreError(f"cannot start {self.description}: {_sentence(error)}") from None
        # Threads, because Windows cannot wait for a pipe with a timeout.
        self._chunks: queue.Queue[bytes] = queue.Queue(CHUNKS_AHEAD)
        self._last_words = b""
        self._threads = [
            threading.Thread(target=self._pump_output, args=(self._process.stdout,), daemon=True),
            threading.Thread(target=self._keep_last_words, args=(self._process.stderr,), daemon=True),
        ]
        for thread in self._threads:
            thread.start()

    def _pump_output(self, output: IO[bytes]) -> None:
        while chunk := output.read(CHUNK):
            self._chunks.put(chunk)
        self._chunks.put(b"")

    def _keep_last_words(self, errors: IO[bytes]) -> None:
        while chunk := errors.read(CHUNK):
            self._last_words = (self._last_words + chunk)[-LAST_WORDS:]

    def read(self, timeout: float) -> bytes:
        """See Port."""
        try:
            chunk = self._chunks.get(timeout=max(timeout, 0))
        except queue.Empty:
            return b""
        if not chunk:
            self._chunks.put(b"")  # for whoever reads again
            raise TargetLostError(f"{self.description} {self._death()}")
        return chunk

    def write(self, data: bytes) -> None:
        """See Port."""
        if self._process.stdin is not None:
            with suppress(OSError):  # it has died: `read` says so, after its last output
                self._process.stdin.write(data)

    def _death(self) -> str:
        try:
            status = self._process.wait(CHILD_GRACE)
        except subprocess.TimeoutExpired:
            return "closed its output"
        self._threads[1].join(CHILD_GRACE)
        if status < 0:
            death = f"was killed by signal {-status} ({signal.strsignal(-status)})"
        else:
            death = f"ended with exit status {status}"
        last_lines = printable(self._last_words.decode(errors="replace")).splitlines()[-3:]
        return ": ".join([death, *filter(None, [" | ".join(last_lines)])])

    def close(self) -> None:
        """See Port. Kills the program if it does not end by itself."""
        if self._process.stdin is not None:
            with suppress(OSError):
                self._process.stdin.close()
        try:
            self._process.wait(CHILD_GRACE)
        except subprocess.TimeoutExpired:
            end_group(self._process)
        # What it started itself may hold the pipes open: the threads are given up after a while.
        deadline = time.monotonic() + CHILD_GRACE
        while any(thread.is_alive() for thread in self._threads) and time.monotonic() < deadline:
            with suppress(queue.Empty):  # a thread that waits for room
                self._chunks.get(timeout=0.01)
        for thread, stream in zip(self._threads, (self._process.stdout, self._process.stderr), strict=True):
            if stream is not None and not thread.is_alive():
                stream.close()


class LineReader:
    """Cuts bytes into lines and keeps no more than one line of them, whatever arrives."""

    def __init__(self) -> None:
        """Begin at the start of a line."""
        self._rest = b""

    def feed(self, data: bytes) -> list[bytes]:
        """Return the lines that `data` completes, without line ends; of a too long one the first MAX_LINE + 1 bytes."""
        *lines, rest = (self._rest + data).replace(b"\r", b"\n").split(b"\n")
        self._rest = rest[: MAX_LINE + 1]
        return [line[: MAX_LINE + 1] for line in lines if line]


@dataclass
class Statistics:
    """What the link has carried so far."""

    bytes: int = 0
    """Received."""
    lines: int = 0
    """Received whole."""
    bad_lines: int = 0
    """Received damaged, or garbage."""
    repeats: int = 0
    """Commands sent again because nothing had answered."""
    resends: int = 0
    """Requests for lines that were missing."""


class Link:
    """Messages from a port and commands to it."""

    def __init__(self, port: Port) -> None:
        """Use `port`, which stays the caller's to close."""
        self.port = port
        self.statistics = Statistics()
        self.last_heard = -math.inf
        """When bytes, good or bad, last came; seconds of `now`."""
        self.last_bad = ""
        """Why the last bad line was one."""
        self._lines = LineReader()
        self._garbage = 0
        self._greeted = False
        self.start_rate = port.rate
        """Bits per second that a target has after a reset; None where there is no rate."""
        self.visited: set[int] = set()
        """Other rates at which the target has been, or was told to be."""

    def snapshot(self) -> Callable[[], None] | None:
        """Return what brings target, line and this end of it back to how they are now; None where nothing can."""
        restore_port = self.port.snapshot()
        if restore_port is None:
            return None
        kept = self._copy()

        def restore() -> None:
            restore_port()
            vars(self).update(kept)
            vars(self).update(self._copy())  # which `kept` is not to share with us

        return restore

    def _copy(self) -> dict[str, object]:
        """Return all that changes while the link is used."""
        return {name: copy.copy(value) for name, value in vars(self).items() if name != "port"}

    def now(self) -> float:
        """Return the port's time in seconds."""
        return self.port.now()

    @property
    def is_raised(self) -> bool:
        """Whether the bit rate is another than that after a reset."""
        return self.port.rate != self.start_rate

    def likely_rates(self, others: Iterable[int]) -> list[int]:
        """Return where to look for a target that does not answer, the present rate last; `others` if never met."""
        if self.start_rate is None or self.port.rate is None:
            return []
        elsewhere = sorted(self.visited) if self.statistics.lines else others
        return [rate for rate in (self.start_rate, *elsewhere) if rate != self.port.rate] + [self.port.rate]

    def set_rate(self, rate: int | None) -> bool:
        """Change the rate of this end; return False if the port cannot."""
        if rate is None or rate == self.port.rate:
            return rate is not None
        changed = self.port.set_rate(rate)
        if changed:
            self._lines = LineReader()
            self.end_line()
        return changed

    def end_line(self) -> None:
        """End what the target takes for the beginning of a line: bytes that came at the wrong rate."""
        self.port.write(b"\r\n")

    def send(self, words: Iterable[str]) -> None:
        """Send one command."""
        self.port.write(encode_command(words))

    def receive(self, timeout: float) -> list[Message]:
        """Return the messages that arrive next, as soon as anything does; perhaps none. Wait up to `timeout` s."""
        data = self.port.read(timeout)
        if not data:
            return []
        self.last_heard = self.now()
        self.statistics.bytes += len(data)
        messages = [message for line in self._lines.feed(data) if (message := self._decode(line)) is not None]
        self.statistics.lines += len(messages)
        self._garbage = 0 if messages else self._garbage + len(data)
        if self._garbage > GARBAGE_BUDGET:
            raise ProtocolError(
                f"{self.port.description} floods the link with what is not the Intercore protocol "
                f"({self._garbage >> 20} MiB without one valid line); is it the right program or port?"
            )
        return messages

    def _decode(self, line: bytes) -> Message | None:
        try:
            message = decode_line(line)
        except BadLineError as error:
            self.last_bad = printable(str(error))
            # A right CRC: no noise made this, so that asking again will not help. But is it a target of ours at all?
            if isinstance(error, BadContentError) and self._greeted:
                start = printable(line[:80].decode(errors="replace"))
                raise ProtocolError(
                    f"{self.port.description} breaks the Intercore protocol: {self.last_bad}, in {start}…"
                ) from None
            self.statistics.bad_lines += 1
            return None
        if isinstance(message, ForeignHello):
            raise ProtocolError(
                f"{self.port.description} speaks version {message.protocol} of the Intercore protocol, "
                f"this tool speaks version {PROTOCOL_VERSION}: update the older of the two"
            )
        self._greeted = self._greeted or isinstance(message, Hello)
        return message


def _sentence(error: Exception) -> str:
    """Return what went wrong without what pyserial and Python put around it: numbers, and the port once more."""
    if isinstance(error, OSError) and error.errno:
        return os.strerror(error.errno)
    return printable(_WRAPPING.sub("", str(error)))


def printable(text: str) -> str:
    """Return text of unknown origin with its control characters, but for line ends, replaced."""
    return "".join(c if c.isprintable() or c == "\n" else "\N{REPLACEMENT CHARACTER}" for c in text)
