"""Programs for this machine that are built from the firmware for a test alone."""

from __future__ import annotations

import fcntl
import os
import subprocess
from pathlib import Path

from intercore.build import SANITIZE_VARIABLE, firmware_sources

ROOT = Path(__file__).parents[2]


def build(target: str) -> Path:
    """Build a target of firmware/CMakeLists.txt, with the sanitizers that the environment asks for.

    All are built in one folder, which is kept, so that what they share is compiled once. Of several processes that run
    tests, one builds at a time.
    """
    sanitize = os.environ.get(SANITIZE_VARIABLE, "")
    folder = ROOT / "build" / f"test-host-{sanitize.replace(',', '-') or 'plain'}"
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        configure = ["cmake", "-S", str(firmware_sources()), "-B", str(folder), f"-DIC_SANITIZE={sanitize}"]
        subprocess.run(configure, check=True, stdout=subprocess.DEVNULL)
        command = ["cmake", "--build", str(folder), "--target", target, "--parallel"]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return folder / target
