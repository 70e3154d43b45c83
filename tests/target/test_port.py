"""The POSIX port keeps the promises of port.h: firmware/port/port_test.c, run here."""

from __future__ import annotations

import os
import subprocess
from typing import TYPE_CHECKING

from intercore.build import SANITIZE_VARIABLE, firmware_sources

if TYPE_CHECKING:
    from pathlib import Path


def test_the_port_keeps_every_promise(tmp_path: Path) -> None:
    sanitize = os.environ.get(SANITIZE_VARIABLE, "")
    configure = ["cmake", "-S", str(firmware_sources()), "-B", str(tmp_path), f"-DIC_SANITIZE={sanitize}"]
    subprocess.run(configure, check=True, stdout=subprocess.DEVNULL)
    build = ["cmake", "--build", str(tmp_path), "--target", "intercore-port-test"]
    subprocess.run(build, check=True, stdout=subprocess.DEVNULL)
    result = subprocess.run([tmp_path / "intercore-port-test"], capture_output=True, text=True, check=False)
    assert (result.returncode, result.stdout, result.stderr) == (0, "the port keeps every promise\n", "")
