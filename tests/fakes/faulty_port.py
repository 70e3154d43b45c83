"""A bad cable: a port that flips, drops and doubles bytes in both directions; and a slow one."""

from __future__ import annotations

import random
import time

from intercore.link.port import Port


class FaultyPort(Port):
    def __init__(self, port: Port, fraction: float, seed: int) -> None:
        self._port = port
        self.description = f"{port.description} over a bad cable"
        self._fraction = fraction
        self._random = random.Random(seed)  # noqa: S311 - repeatable

    def read(self, timeout: float) -> bytes:
        return self.damage(self._port.read(timeout))

    def write(self, data: bytes) -> None:
        self._port.write(self.damage(data))

    def close(self) -> None:
        self._port.close()

    def damage(self, data: bytes) -> bytes:
        damaged = bytearray()
        for byte in data:
            if self._random.random() >= self._fraction:
                damaged.append(byte)
                continue
            match self._random.randrange(3):
                case 0:
                    damaged.append(byte ^ 1 << self._random.randrange(8))
                case 1:
                    damaged += bytes([byte, byte])
                case _:
                    pass
        return bytes(damaged)


class SlowPort(Port):
    """Carries so many bytes per second from the target, all that it is given to the target at once."""

    def __init__(self, port: Port, bytes_per_s: float) -> None:
        self._port = port
        self.description = f"{port.description} over a slow line"
        self.bytes_per_s = bytes_per_s
        self._kept = b""

    def wait_until_it_speaks(self) -> None:
        """Wait for what comes first, which is then read as if it had just come."""
        while not self._kept:
            self._kept = self._port.read(1)

    def read(self, timeout: float) -> bytes:
        if not self._kept:
            self._kept = self._port.read(timeout)
        if self._kept:
            time.sleep(1 / self.bytes_per_s)
        carried, self._kept = self._kept[:1], self._kept[1:]
        return carried

    def write(self, data: bytes) -> None:
        self._port.write(data)

    def close(self) -> None:
        self._port.close()
