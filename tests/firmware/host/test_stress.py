"""The stress run of firmware/port/stress.c on this machine: the POSIX port, and the stress program itself."""

from __future__ import annotations

import json
import os
import subprocess
import time
import zlib
from typing import TYPE_CHECKING

import pytest

from intercore.board.build import SANITIZE_VARIABLE
from tests.firmware.host.program import build

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.skipif(
    os.environ.get(SANITIZE_VARIABLE) == "thread",
    reason="the thread sanitizer does not know sem_clockwait(), and so reports what a semaphore orders",
)

SECONDS = 3.0
INPUT = bytes(ord("!") + at % 89 for at in range(100_000))


def test_the_port_bears_the_stress(tmp_path: Path) -> None:
    program = build("intercore-stress")
    said = tmp_path / "said"
    with said.open("wb") as output:
        process = subprocess.Popen([program], stdin=subprocess.PIPE, stdout=output, stderr=subprocess.STDOUT)
        try:
            assert process.stdin is not None
            process.stdin.write(INPUT)
            process.stdin.flush()
            time.sleep(SECONDS)
            process.stdin.write(b"\n")
            process.stdin.close()
            status = process.wait(timeout=60)
        finally:
            process.kill()
    *lines, verdict, rest = said.read_bytes().replace(b"\r\n", b"\n").split(b"\n")
    assert (verdict, rest, status) == (b"the port bears the stress", b"", 0)
    for number, line in enumerate(lines):
        text, _, crc = line.rpartition(b" *")
        assert int(crc, 16) == zlib.crc32(text)
        assert json.loads(text)["line"] == number
    finish = json.loads(lines[-1].rpartition(b" *")[0])
    assert finish["received"] == len(INPUT)
    assert min(finish[name] for name in ("round", "created", "moved", "notified", "passed", "timeouts")) >= 2
