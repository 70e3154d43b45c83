"""The POSIX port keeps the promises of port.h: firmware/port/test/, run here."""

from __future__ import annotations

import subprocess

from tests.firmware.host.program import build


def test_the_port_keeps_every_promise() -> None:
    program = build("intercore-port-test")
    result = subprocess.run([program], capture_output=True, text=True, check=False)
    assert (result.returncode, result.stdout, result.stderr) == (0, "the port keeps every promise\n", "")
