"""Writes the whole flash of an Espressif chip over its serial port, by esptool, version 5 or newer.

esptool runs as a child process, whose output has the progress, the verification, and the reason of a failure.
"""

from __future__ import annotations

import importlib.metadata
import os
import re
import subprocess
import sys
import threading
from typing import TYPE_CHECKING

import msgspec
import serial.tools.list_ports

from intercore.board.esp_image import CHIPS
from intercore.errors import IntercoreError, UsageError
from intercore.operating_system import OWN_GROUP, end_group, wait_for_group
from intercore.text import printable

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path
    from typing import IO

    from intercore.board.esp_image import Chip

FAST, SLOW = 460800, 115200
"""Bits per second: supported by the USB bridges of most boards, and by all of them."""
TIMEOUT_S = 900.0
"""Timeout of one attempt: 16 MB at the slower rate, compressed to half."""
SILENCE_S = 120.0
"""Timeout without output: erasing a large chip takes half of it."""

_POLL_S = 0.2
_LINES_KEPT = 200
_LONGEST = 4096
_INSTALL = "To install esptool 5: pip install 'intercore[esp32]'"
_PERCENT = re.compile(r"(?<![\d.])(\d{1,3})(?:\.\d+)?\s?%")
_WRONG_CHIP = re.compile(r"This chip is (ESP32[\w-]*), not ")
_TRANSFER = re.compile(r"Changing baud rate|Stub flasher running|Running stub flasher|Writing at", re.IGNORECASE)


class _Failure(msgspec.Struct, frozen=True):
    """A message of esptool and its meaning."""

    says: str
    """A pattern, case-insensitive."""
    means: str
    """A clause with `{port}`."""


_HOLD_BOOT = (
    "hold the board's BOOT button (IO0) until writing begins, and try again. Also check that the cable carries data, "
    "and that no other program uses the port"
)
_FAILURES = (
    _Failure(r"no such file|cannot find the file|could not find|FileNotFoundError", "there is no port {port}"),
    _Failure(
        r"permission denied|access is denied|errno 13",
        "this user has no permission to open {port}: join its group (Debian, Ubuntu: sudo usermod -aG dialout $USER, "
        "then log in again), or, on Windows, close the program that has it open",
    ),
    _Failure(
        r"errno 16|errno 11|device or resource busy|exclusively lock|port is busy|temporarily unavailable",
        "{port} is in use: close the serial monitor or the program that has it open",
    ),
    _Failure(
        r"failed to connect|no serial data received|wrong boot mode|invalid head of packet|no sync reply",
        f"the chip at {{port}} does not answer: {_HOLD_BOOT}",
    ),
    _Failure(
        r"md5 of file does not match|digest mismatch|verif\w+ failed|does not match data in flash",
        "the verification of the flash at {port} failed: try again with a shorter cable or another power supply",
    ),
    _Failure(
        r"no more data|serial data stream stopped|device reports readiness|timed out|guru meditation|disconnected",
        "the connection to {port} was lost: try again with another cable, another USB port, or without a hub",
    ),
    _Failure(
        r"secure download mode|secure boot|flash encryption|encrypted",
        "the chip at {port} has security features enabled (secure boot or flash encryption) and cannot be used",
    ),
)
"""The first match is reported."""


def flash_serial(image: Path, chip: Chip, port: str | None, say: Callable[[str], None]) -> str:
    """Write a whole flash image to the chip at a serial port, verify it, and reset the chip.

    Return a few words on what was done. `say` reports progress. Raises UsageError for an invalid port or another chip,
    and IntercoreError, with advice, if esptool is missing or fails.
    """
    if port is None:
        raise no_port()
    if port.startswith(("labgrid://", "-")):
        raise UsageError(
            f"{chip.title} is flashed through a serial device or a pyserial URL, such as /dev/ttyUSB0, not through "
            f"{port}"
        )
    check_esptool()
    for rate in (FAST, SLOW):
        said = _Run(_command(image, chip, port, rate), chip, say)
        if said.succeeded:
            return f"written to {port} and verified"
        if rate != SLOW and said.status is not None and _TRANSFER.search(said.text) and not said.wrong_chip:
            say(f"flashing at {FAST} bits per second failed: trying again at {SLOW}")
            continue
        break
    raise said.error(port)


def check_esptool() -> str:
    """Return the version of esptool. Raises IntercoreError if it is missing or too old."""
    try:
        version = importlib.metadata.version("esptool")
    except importlib.metadata.PackageNotFoundError:
        raise IntercoreError(f"esptool, which writes the flash, is missing. {_INSTALL}") from None
    if not (found := re.match(r"\d+", version)) or int(found[0]) < 5:
        raise IntercoreError(f"esptool 5 or newer is needed, but version {version} is installed. {_INSTALL}")
    return version


def _command(image: Path, chip: Chip, port: str, rate: int) -> list[str]:
    # -P: nothing is imported from the current folder. Mode, frequency and size are kept from the image's header.
    return [
        *(sys.executable, "-P", "-m", "esptool", "--chip", chip.name, "--port", port, "--baud", str(rate)),
        *("--before", "default-reset", "--after", "hard-reset", "write-flash"),
        *("--flash-mode", "keep", "--flash-freq", "keep", "--flash-size", "keep", "0x0", str(image)),
    ]


class _Run:
    """One run of esptool."""

    def __init__(self, command: Sequence[str], chip: Chip, say: Callable[[str], None]) -> None:
        self._chip = chip
        self._say = say
        self._lines: list[str] = []
        self._silent_s = 0.0
        """Counted in waits, so that time in which this program was suspended (Ctrl-Z) does not count."""
        self._told = -1
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env={**os.environ, "PYTHONUNBUFFERED": "1", "NO_COLOR": "1", "COLUMNS": "200", "PYTHONIOENCODING": "utf-8"},
            process_group=OWN_GROUP,
        )
        reader = threading.Thread(target=self._follow, args=(process.stdout,), daemon=True)
        reader.start()
        try:
            self.status = self._wait(process)
            """Exit status; None if it hung."""
        finally:
            end_group(process)
            reader.join(1.0)

    def _wait(self, process: subprocess.Popen[bytes]) -> int | None:
        waited = 0.0
        while waited <= TIMEOUT_S and self._silent_s <= SILENCE_S:
            try:
                return wait_for_group(process, _POLL_S)
            except subprocess.TimeoutExpired:
                waited += _POLL_S
                self._silent_s += _POLL_S
        return None

    def _follow(self, output: IO[bytes]) -> None:
        """Split its output into lines; progress lines end with a carriage return."""
        rest = b""
        while chunk := output.read1(_LONGEST):  # type: ignore[attr-defined]  # a buffered reader
            self._silent_s = 0.0
            *lines, rest = (rest + chunk).replace(b"\r", b"\n").split(b"\n")
            rest = rest[:_LONGEST]
            for line in lines:
                self._take(line)
        self._take(rest)

    def _take(self, raw: bytes) -> None:
        line = printable(raw[:_LONGEST].decode(errors="replace").replace("\t", " ")).strip()
        if not line:
            return
        del self._lines[: -(_LINES_KEPT - 1)]
        self._lines.append(line)
        percent = _PERCENT.search(line)
        if percent is not None and line.startswith("Writing") and int(percent[1]) // 10 > self._told:
            self._told = int(percent[1]) // 10
            self._say(f"writing the flash of {self._chip.title}: {min(int(percent[1]), 100)} %")
        elif line.startswith(("Connecting", "Erasing", "Hard resetting")) and self._told < 0:
            self._say(f"{line.split('.')[0]} ({self._chip.title})")

    @property
    def text(self) -> str:
        """The last lines of its output."""
        return "\n".join(self._lines)

    @property
    def succeeded(self) -> bool:
        """Whether it reports that everything was written and verified; its exit status is not sufficient."""
        return self.status == 0 and "Hash of data verified" in self.text

    @property
    def wrong_chip(self) -> str:
        """The chip that it found instead; empty if the chip is right."""
        found = _WRONG_CHIP.search(self.text)
        return found[1] if found else ""

    def error(self, port: str) -> IntercoreError:
        """Return the error."""
        if other := self.wrong_chip:
            known = next((chip for chip in CHIPS if chip.title == other), None)
            means = (
                f"To flash this chip: intercore flash {known.name} --port {port}"
                if known
                else "Intercore does not support that chip"
            )
            return UsageError(f"the chip at {port} is an {other}, not an {self._chip.title}. {means}")
        last = self._last_words()
        if self.status is None:
            return IntercoreError(f"esptool does not answer. Its last output was: {last}. To fix this, {_HOLD_BOOT}")
        for failure in _FAILURES:
            if re.search(failure.says, self.text, re.IGNORECASE):
                ports = f". {_ports()[0].upper()}{_ports()[1:]}" if failure is _FAILURES[0] else ""
                return IntercoreError(f"{failure.means.format(port=port)} (esptool reports: {last}){ports}")
        why = (
            "does not report a successful verification"
            if self.status == 0
            else f"failed with exit status {self.status}"
        )
        return IntercoreError(f"esptool {why}. Its last output was: {last}")

    def _last_words(self) -> str:
        complaint = next((line for line in self._lines if "fatal error occurred" in line or "rror:" in line), None)
        words = complaint or (self._lines[-1] if self._lines else "nothing")
        return re.sub(r"^ERROR: |A fatal error occurred: ", "", words)


def no_port() -> UsageError:
    """Return the error for a missing port."""
    return UsageError(f"a port is needed: {_ports()}")


def _ports() -> str:
    """Return advice that lists the available serial ports."""
    found = [port.device for port in serial.tools.list_ports.comports()]
    there = (
        f"Available ports: {', '.join(found[:8])}"
        if found
        else "No port is available now: check that the board is connected"
    )
    return f"name the port by --port. {there}"
