"""The POSIX port keeps the promises of port.h: firmware/port/port_test.c, run here."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

from tests.target.program import build

if TYPE_CHECKING:
    from pathlib import Path


def test_the_port_keeps_every_promise(tmp_path: Path) -> None:
    program = build("intercore-port-test", tmp_path)
    result = subprocess.run([program], capture_output=True, text=True, check=False)
    assert (result.returncode, result.stdout, result.stderr) == (0, "the port keeps every promise\n", "")
