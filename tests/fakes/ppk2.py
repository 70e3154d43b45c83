"""A Power Profiler Kit II that is none: what it says at its serial port, byte for byte.

Written from Nordic's own program (pc-nrfconnect-ppk): src/constants.ts for the commands, src/device/serialDevice.ts for
the text with the calibration, the four bytes of a sample and the formula that makes a current of them.
"""

from __future__ import annotations

import contextlib
import math
import os
import threading
import time
import tty
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

HZ = 100_000
RESISTORS = (1031.64, 101.65, 10.15, 0.94, 0.043)
LARGEST = (50e-6, 500e-6, 5e-3, 80e-3, 1.0)
"""Current up to which the kit stays in a range, A."""
GAIN, OFFSET = 1.0123, 37.0
TEXT = "".join(
    f"{name}{number}: {value}\n"
    for name, values in {
        "R": RESISTORS,
        "GS": (0.0,) * 5,
        "GI": (GAIN,) * 5,
        "O": (OFFSET,) * 5,
        "S": (0.0,) * 5,
        "I": (0.0,) * 5,
        "UG": (1.0,) * 5,
    }.items()
    for number, value in enumerate(values)
)
METADATA = f"Calibrated: 0\n{TEXT}HW: 9173\nIA: 56\nEND"


def words(amps: np.ndarray, mark: np.ndarray, first: int = 0) -> np.ndarray:
    """Return what the kit sends for currents, in A, and levels of D0; `first` is the number of the first sample."""
    which = np.searchsorted(LARGEST, amps)
    adc = amps / GAIN * np.asarray(RESISTORS)[which] * (163840 / 1.8) + OFFSET
    value = np.clip(np.rint(adc / 4), 0, 0x3FFF).astype(np.uint32)
    counter = (first + np.arange(len(amps))) % 64
    found = value | which.astype(np.uint32) << 14 | counter.astype(np.uint32) << 18 | mark.astype(np.uint32) << 24
    return np.asarray(found, "<u4")


class Kit:
    """A kit at a pseudo-terminal, in a thread; `current` gives amps and levels for moments since its power-on."""

    def __init__(self, current: Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]], fault: str = "") -> None:
        self._current = current
        self._fault = fault
        self._ours, self._theirs = os.openpty()
        tty.setraw(self._theirs)
        self.port = os.ttyname(self._theirs)
        self.commands: list[tuple[int, ...]] = []
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    def close(self) -> None:
        self._stop.set()
        self._thread.join(5)
        for descriptor in (self._ours, self._theirs):
            with contextlib.suppress(OSError):
                os.close(descriptor)

    def unplug(self) -> None:
        self._stop.set()
        self._thread.join(5)
        for descriptor in (self._ours, self._theirs):
            os.close(descriptor)

    def _serve(self) -> None:
        os.set_blocking(self._ours, False)
        lengths = {0x0D: 3, 0x11: 2, 0x0C: 2}
        began, sent = math.nan, 0
        pending = b""
        while not self._stop.wait(0.005):
            with contextlib.suppress(BlockingIOError, OSError):
                pending += os.read(self._ours, 4096)
            while pending and len(pending) >= lengths.get(pending[0], 1):
                command, pending = pending[: lengths.get(pending[0], 1)], pending[lengths.get(pending[0], 1) :]
                self.commands.append(tuple(command))
                while command[0] == 0x19 and self._fault == "floods at once" and not self._stop.is_set():
                    self._write(b"1" * 4096)
                if command[0] == 0x19:
                    self._write(b"no kit\n" if self._fault == "other device" else METADATA.encode())
                if command[0] == 0x06:
                    began, sent = time.monotonic(), 0
                if command[0] == 0x07:
                    began = math.nan
            if not math.isnan(began):
                sent = self._stream(began, sent)

    def _stream(self, began: float, sent: int) -> int:
        due = int((time.monotonic() - began) * HZ)
        moments = np.arange(sent, due) / HZ
        if not len(moments) or (self._fault == "stall" and due > HZ // 20):
            return sent
        data = words(*self._current(moments), first=sent)
        if self._fault == "loses":
            data = data[np.arange(sent, due) % 1000 >= 30]  # of each thousand, however late this comes to run
        if self._fault == "garbage":
            data = np.random.default_rng(1).integers(0, 1 << 32, len(data), np.uint32)
        self._write(data.tobytes() * (50 if self._fault == "floods" else 1))
        return due

    def _write(self, data: bytes) -> None:
        while data and not self._stop.is_set():
            try:
                data = data[os.write(self._ours, data) :]
            except BlockingIOError:
                time.sleep(0.001)
