"""A serial port by device or pyserial URL, on this machine or another."""

from __future__ import annotations

import errno
import functools
import os
import re
import threading
import time
from contextlib import suppress
from urllib.parse import urlsplit

import serial
from serial.tools import list_ports

from intercore.errors import IntercoreError, UsageError
from intercore.link.port import CHUNK, Port, TargetLostError
from intercore.text import printable

SERIAL_POLL = 0.001
"""Polling interval of a silent serial port in seconds: about one byte at 9600 baud, and little load."""
WRITE_TIMEOUT = 5.0
"""Seconds for which a target may refuse input: 400 characters take 0.4 s at 9600 baud."""

_WITHOUT_RATE = frozenset({"socket", "loop"})
"""Schemes of pyserial URLs without a bit rate."""
_WITHOUT_WRITE_TIMEOUT = frozenset({"rfc2217"})
"""Schemes that refuse a write timeout only after connecting; trying would make two connections."""
_OVER_TCP = frozenset({"socket", "rfc2217"})
_FORM = re.compile(r'expected a string in the form "(.*?)"')
"""pyserial's message for a malformed URL; the rest is Python's."""
_BARE_KEY = re.compile(r"'[^']*'")
"""pyserial's message for an unknown option, for which its own formatting fails."""
_CONFIGURING = re.compile(r"Could not configure port: \((\d+), ")
_NO_RFC2217 = re.compile("Remote does not seem to support RFC2217|reader thread died")
_WRAPPING = re.compile(r"could not open port \S*: |(read|write) failed: |\[Errno -?\d+\] ?", re.IGNORECASE)


class SerialPort(Port):
    """A port by device or pyserial URL, such as /dev/ttyACM0, COM3, socket://host:port or rfc2217://host:port."""

    def __init__(self, url: str, baud: int, *, release: bool = False) -> None:
        """Open the port exclusively; `baud` applies to ports with a bit rate.

        `release` deasserts DTR and RTS, for boards on which they hold the chip in reset or make it start its boot ROM.
        """
        self.description = url
        scheme, separator, _ = url.lower().partition("://")
        if separator and scheme in _OVER_TCP:
            _check_host_and_port(url, scheme)
        self.rate = None if separator and scheme in _WITHOUT_RATE else baud
        try:
            self._serial = self._open(url, baud, None if scheme in _WITHOUT_WRITE_TIMEOUT else WRITE_TIMEOUT)
        except NotImplementedError:  # another scheme without one
            self._serial = self._open(url, baud, None)
        if release:
            # Open asserts both. RTS first: by itself it is the chip's reset, and DTR by itself is no more than a wish
            # for the boot ROM at the next one (esptool documentation, boot mode selection, automatic bootloader).
            for line in ("rts", "dtr"):
                with suppress(Exception):  # not a serial port
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
            raise IntercoreError(f"cannot open {url}: {_sentence(error)}{_instead(error)}") from None
        except Exception as error:  # pyserial's URL handlers are plug-ins that may raise anything
            raise UsageError(f"cannot open {url}: {_misunderstanding(url, error)}") from None

    def read(self, timeout: float) -> bytes:
        """See Port."""
        # pyserial has no portable "wait, then return the available bytes": a blocking read waits until the buffer is
        # full, `in_waiting` is 0 or 1 on socket://, and a change of the timeout renegotiates on rfc2217://. So poll
        # often.
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
        except (OSError, TypeError) as error:  # TypeError: pyserial raises it if the port was closed concurrently
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
            self._serial.flush()  # pending output leaves at the old rate
            self._serial.baudrate = rate
        except Exception:
            with suppress(Exception):
                self._serial.baudrate = before
            return False
        self.rate = rate
        return True

    def _lost(self, error: Exception) -> TargetLostError:
        return TargetLostError(f"the connection to {self.description} was lost: {_sentence(error)}")

    def close(self) -> None:
        """See Port."""
        with suppress(OSError):
            self._serial.close()


@functools.cache
def _keep_quiet() -> None:
    """Suppress the traceback of pyserial's reader thread after garbage: the loss of the port is reported separately."""
    others = threading.excepthook

    def hook(what: threading.ExceptHookArgs) -> None:
        if what.thread is None or not what.thread.name.startswith("pySerial"):
            others(what)

    threading.excepthook = hook


def _check_host_and_port(url: str, scheme: str) -> None:
    """Raise UsageError for a URL without a host or a port."""
    try:
        parts = urlsplit(url)
        whole = bool(parts.hostname and parts.port)
    except ValueError:  # a port that is not a number, or is too large
        whole = False
    if not whole:
        raise UsageError(f"cannot open {url}: expected {scheme}://HOST:PORT, with a port from 1 to 65535")


def _misunderstanding(url: str, error: Exception) -> str:
    """Return why pyserial rejects the URL, as far as its exception shows."""
    scheme, separator, _ = url.partition("://")
    if separator and "not known" in str(error):
        return f"'{scheme}://' is not a known kind of port: use a device such as /dev/ttyACM0, socket:// or rfc2217://"
    if "baud" in str(error):
        return "the port does not support this bit rate: choose another bit rate by --baud"
    return "pyserial does not know a port of this name" + (f" behind {scheme}://" if separator else "")


def _instead(error: OSError) -> str:
    """Return which serial ports there are, if the error is that there is no such port; otherwise nothing."""
    if error.errno != errno.ENOENT and "FileNotFoundError" not in str(error):  # the latter on Windows
        return ""
    found = [printable(port.device) for port in list_ports.comports()]
    return f"; serial ports found: {', '.join(found)}" if found else "; no serial port was found: connect the board"


def _sentence(error: Exception) -> str:
    """Return the error without the numbers and the repeated port of pyserial and Python."""
    if isinstance(error, OSError) and error.errno:
        return os.strerror(error.errno)
    if (configuring := _CONFIGURING.search(str(error))) is not None:
        return f"it is not a serial port, or it cannot be configured ({os.strerror(int(configuring[1]))})"
    if _NO_RFC2217.search(str(error)):
        return "the server does not speak RFC 2217"
    return printable(_WRAPPING.sub("", str(error)))
