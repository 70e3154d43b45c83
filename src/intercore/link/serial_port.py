"""A serial port by its device or pyserial URL: on this machine, or on another."""

from __future__ import annotations

import functools
import os
import re
import threading
import time
from contextlib import suppress
from urllib.parse import urlsplit

import serial

from intercore.errors import IntercoreError, UsageError
from intercore.link.port import CHUNK, Port, TargetLostError
from intercore.text import printable

SERIAL_POLL = 0.001
"""Seconds between looks at a silent serial port: about a byte at 9600 baud, and next to no load."""
WRITE_TIMEOUT = 5.0
"""Seconds a target may refuse input: 400 characters take 0.4 s at 9600 baud."""

_WITHOUT_RATE = frozenset({"socket", "loop"})
"""Schemes of pyserial URLs behind which there is no bit rate."""
_WITHOUT_WRITE_TIMEOUT = frozenset({"rfc2217"})
"""Schemes that say so only once they are connected: the server would see two connections."""
_OVER_TCP = frozenset({"socket", "rfc2217"})
_FORM = re.compile(r'expected a string in the form "(.*?)"')
"""What pyserial says of a URL that it cannot read: what follows is Python's."""
_BARE_KEY = re.compile(r"'[^']*'")
"""What it says of an option that it does not know, where it stumbles over its own sentence."""
_CONFIGURING = re.compile(r"Could not configure port: \((\d+), ")
_NO_RFC2217 = re.compile("Remote does not seem to support RFC2217|reader thread died")
_WRAPPING = re.compile(r"could not open port \S*: |(read|write) failed: |\[Errno -?\d+\] ?", re.IGNORECASE)


class SerialPort(Port):
    """A port by pyserial URL, such as /dev/ttyACM0, COM3, socket://host:port or rfc2217://host:port."""

    def __init__(self, url: str, baud: int, *, release: bool = False) -> None:
        """Open the port for this tool alone; `baud` matters to ports that have one.

        With `release`, the lines DTR and RTS are let go, for boards on which they hold the chip in reset or have it
        start into its boot ROM.
        """
        self.description = url
        scheme, separator, _ = url.lower().partition("://")
        if separator and scheme in _OVER_TCP:
            _check_host_and_port(url, scheme)
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
        _keep_quiet()
        try:
            return serial.serial_for_url(url, baudrate=baud, timeout=0, write_timeout=write_timeout, exclusive=True)
        except NotImplementedError:
            raise
        except OSError as error:  # SerialException among them
            if (form := _FORM.search(str(error))) is not None:
                raise UsageError(f"cannot open {url}: expected {form[1]}") from None
            if _BARE_KEY.fullmatch(_WRAPPING.sub("", str(error))):
                raise UsageError(f"cannot open {url}: {_misunderstanding(url, error)}") from None
            raise IntercoreError(f"cannot open {url}: {_sentence(error)}") from None
        except Exception as error:  # pyserial's URL handlers are plug-ins: what they raise is not defined
            raise UsageError(f"cannot open {url}: {_misunderstanding(url, error)}") from None

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


@functools.cache
def _keep_quiet() -> None:
    """Have no traceback printed of pyserial's reader thread that met garbage: the port is lost, and says so itself."""
    others = threading.excepthook

    def hook(what: threading.ExceptHookArgs) -> None:
        if what.thread is None or not what.thread.name.startswith("pySerial"):
            others(what)

    threading.excepthook = hook


def _check_host_and_port(url: str, scheme: str) -> None:
    """Raise UsageError for a URL that names no host or no port."""
    try:
        parts = urlsplit(url)
        whole = bool(parts.hostname and parts.port)
    except ValueError:  # a port that is no number, or too large for one
        whole = False
    if not whole:
        raise UsageError(f"cannot open {url}: expected {scheme}://HOST:PORT, with a port from 1 to 65535")


def _misunderstanding(url: str, error: Exception) -> str:
    """Say why pyserial does not know what to do, if that can be told from what it raised."""
    scheme, separator, _ = url.partition("://")
    if separator and "not known" in str(error):
        return f"there is no kind of port '{scheme}://'; there is a device such as /dev/ttyACM0, socket://, rfc2217://"
    if "baud" in str(error):
        return "it cannot send and receive so many bits per second; choose others by --baud"
    return "pyserial understands no such name of a port" + (f" behind {scheme}://" if separator else "")


def _sentence(error: Exception) -> str:
    """Return what went wrong without what pyserial and Python put around it: numbers, and the port once more."""
    if isinstance(error, OSError) and error.errno:
        return os.strerror(error.errno)
    if (configuring := _CONFIGURING.search(str(error))) is not None:
        return f"it is no serial port, or one that cannot be set up ({os.strerror(int(configuring[1]))})"
    if _NO_RFC2217.search(str(error)):
        return "what answers there does not speak RFC 2217"
    return printable(_WRAPPING.sub("", str(error)))
