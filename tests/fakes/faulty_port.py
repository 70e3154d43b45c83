"""A bad cable: a port that flips, drops and doubles bytes in both directions."""

from __future__ import annotations

import random

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
