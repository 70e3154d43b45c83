"""Writes the whole flash of one of Espressif's chips over its serial port, by esptool, version 5 or newer.

esptool is run as a program, so that what it says can be read: how far it is, that it has verified, and why it failed.
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
from intercore.process_group import OWN_GROUP, end_group, wait_for_group
from intercore.text import printable

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path
    from typing import IO

    from intercore.board.esp_image import Chip

FAST, SLOW = 460800, 115200
"""Bits per second: what the USB bridges of most boards do, and what all of them do."""
TIMEOUT_S = 900.0
"""For one attempt: 16 MB at the slower rate, compressed to half."""
SILENCE_S = 120.0
"""Without a word: to erase a large chip takes half of that."""

_POLL_S = 0.2
_LINES_KEPT = 200
_LONGEST = 4096
_INSTALL = "install it: pip install 'intercore[esp32]'"
_PERCENT = re.compile(r"(?<![\d.])(\d{1,3})(?:\.\d+)?\s?%")
_WRONG_CHIP = re.compile(r"This chip is (ESP32[\w-]*), not ")
_TRANSFER = re.compile(r"Changing baud rate|Stub flasher running|Running stub flasher|Writing at", re.IGNORECASE)


class _Failure(msgspec.Struct, frozen=True):
    """What esptool says, and what it means."""

    says: str
    """A pattern, for any case."""
    means: str
    """A clause with `{port}`."""


_HOLD_BOOT = (
    "hold the board's BOOT button (IO0) until writing begins, and try again; look also for a cable that only charges, "
    "and for another program that uses the port"
)
_FAILURES = (
    _Failure(r"no such file|cannot find the file|could not find|FileNotFoundError", "there is no port {port}"),
    _Failure(
        r"permission denied|access is denied|errno 13",
        "this user may not open {port}: join the group that owns it (Debian, Ubuntu: sudo usermod -aG dialout $USER, "
        "then log in again), or, on Windows, close the program that has it open",
    ),
    _Failure(
        r"errno 16|errno 11|device or resource busy|exclusively lock|port is busy|temporarily unavailable",
        "{port} is in use: close the serial monitor or other program that has it open",
    ),
    _Failure(
        r"failed to connect|no serial data received|wrong boot mode|invalid head of packet|no sync reply",
        f"the chip at {{port}} does not answer: {_HOLD_BOOT}",
    ),
    _Failure(
        r"md5 of file does not match|digest mismatch|verif\w+ failed|does not match data in flash",
        "the flash at {port} does not hold what was written to it: try again, with a shorter cable or another supply",
    ),
    _Failure(
        r"no more data|serial data stream stopped|device reports readiness|timed out|guru meditation|disconnected",
        "the connection to {port} broke off: try again, with another cable, another USB port, or without a hub",
    ),
    _Failure(
        r"secure download mode|secure boot|flash encryption|encrypted",
        "the chip at {port} has security features switched on that keep other programs out: it cannot be used",
    ),
)
"""The first that fits is told."""


def flash_serial(image: Path, chip: Chip, port: str | None, say: Callable[[str], None]) -> str:
    """Write a file with the whole flash to the chip at a serial port, verify it, and reset the chip.

    Return in a few words what was done. `say` is told how far it is. Raises UsageError for a port that cannot be one or
    a chip that is another, and IntercoreError, with what to do, if esptool is missing or fails.
    """
    if port is None:
        raise no_port()
    if port.startswith(("labgrid://", "-")):
        raise UsageError(
            f"{chip.title} is flashed at a device or a pyserial URL, such as /dev/ttyUSB0, and not at {port}"
        )
    check_esptool()
    for rate in (FAST, SLOW):
        said = _Run(_command(image, chip, port, rate), chip, say)
        if said.succeeded:
            return f"written to {port} and verified"
        if rate != SLOW and said.status is not None and _TRANSFER.search(said.text) and not said.wrong_chip:
            say(f"that failed at {FAST} bits per second: trying once more at {SLOW}")
            continue
        break
    raise said.error(port)


def check_esptool() -> str:
    """Return the version of esptool. Raises IntercoreError if there is none, or one that is too old."""
    try:
        version = importlib.metadata.version("esptool")
    except importlib.metadata.PackageNotFoundError:
        raise IntercoreError(f"there is no esptool, which writes to the flash; {_INSTALL}") from None
    if not (found := re.match(r"\d+", version)) or int(found[0]) < 5:
        raise IntercoreError(f"esptool 5 or newer is needed, and this is {version}; {_INSTALL}")
    return version


def _command(image: Path, chip: Chip, port: str, rate: int) -> list[str]:
    # -P: what lies in the current folder is not imported. The image's own header has mode, frequency and size: kept.
    return [
        *(sys.executable, "-P", "-m", "esptool", "--chip", chip.name, "--port", port, "--baud", str(rate)),
        *("--before", "default-reset", "--after", "hard-reset", "write-flash"),
        *("--flash-mode", "keep", "--flash-freq", "keep", "--flash-size", "keep", "0x0", str(image)),
    ]


class _Run:
    """One attempt of esptool's, to its end."""

    def __init__(self, command: Sequence[str], chip: Chip, say: Callable[[str], None]) -> None:
        self._chip = chip
        self._say = say
        self._lines: list[str] = []
        self._silent_s = 0.0
        """Counted in waits: time in which this program itself was stopped (Ctrl-Z) is no silence of esptool's."""
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
        """Cut what it says into lines, which progress ends with a carriage return."""
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
        """What it said, the last lines of it."""
        return "\n".join(self._lines)

    @property
    def succeeded(self) -> bool:
        """Whether it says that all was written and verified; its exit status alone is not enough."""
        return self.status == 0 and "Hash of data verified" in self.text

    @property
    def wrong_chip(self) -> str:
        """The chip that it has found instead; empty if that is not what went wrong."""
        found = _WRONG_CHIP.search(self.text)
        return found[1] if found else ""

    def error(self, port: str) -> IntercoreError:
        """Return what went wrong, for people."""
        if other := self.wrong_chip:
            known = next((chip for chip in CHIPS if chip.title == other), None)
            means = (
                f"flash it by: intercore flash {known.name} --port {port}"
                if known
                else "Intercore has no program for it"
            )
            return UsageError(f"the chip at {port} is an {other} and not an {self._chip.title}; {means}")
        last = self._last_words()
        if self.status is None:
            return IntercoreError(f"esptool hangs; its last words are: {last}; {_HOLD_BOOT}")
        for failure in _FAILURES:
            if re.search(failure.says, self.text, re.IGNORECASE):
                ports = f"; {_ports()}" if failure is _FAILURES[0] else ""
                return IntercoreError(f"{failure.means.format(port=port)} (esptool says: {last}){ports}")
        why = (
            "does not say that it verified what it wrote" if self.status == 0 else f"failed, exit status {self.status}"
        )
        return IntercoreError(f"esptool {why}; its last words are: {last}")

    def _last_words(self) -> str:
        complaint = next((line for line in self._lines if "fatal error occurred" in line or "rror:" in line), None)
        words = complaint or (self._lines[-1] if self._lines else "nothing")
        return re.sub(r"^ERROR: |A fatal error occurred: ", "", words)


def no_port() -> UsageError:
    """Return the error of a board that is to be flashed nobody knows where."""
    return UsageError(f"which port? {_ports()}")


def _ports() -> str:
    """Name the serial ports that there are."""
    found = [port.device for port in serial.tools.list_ports.comports()]
    there = f"there are: {', '.join(found[:8])}" if found else "there is none now: is the board plugged in?"
    return f"name one by --port; {there}"
