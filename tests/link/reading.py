"""Reading from a port until something comes, or until it is dead."""

from __future__ import annotations

import time

import pytest

from intercore.link.port import Port, TargetLostError

NEVER = 3600.0
"""Seconds that no test takes: what would wait so long is ended by the limit of time of all tests."""


def read_until(port: Port, wanted: bytes, seconds: float = 60) -> bytes:
    data = b""
    deadline = time.monotonic() + seconds
    while wanted not in data and time.monotonic() < deadline:
        data += port.read(0.1)
    return data


def read_to_death(port: Port) -> TargetLostError:
    with pytest.raises(TargetLostError) as caught:
        read_until(port, b"never")
    return caught.value
