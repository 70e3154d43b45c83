"""The firmware with a kernel on each core of the RP2040, for the simulated chip."""

from __future__ import annotations

import fcntl
import subprocess
from functools import cache
from typing import TYPE_CHECKING

import pytest

from tests.rp2040.conftest import ROOT, need_tools

if TYPE_CHECKING:
    from pathlib import Path


@cache
def built(opt: str) -> Path:
    """Return the benchmark program, built at that level with all warnings as errors; by one process at a time."""
    need_tools()
    folder = ROOT / "build" / "test-rp2040-amp" / opt
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        configure = ["cmake", "-S", str(ROOT / "firmware"), "-B", str(folder), "-DIC_BOARD=rp2040_amp"]
        build = ["cmake", "--build", str(folder), "--parallel", "--target", "intercore-target"]
        for command in ([*configure, f"-DIC_OPT={opt}"], build):
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            assert done.returncode == 0, done.stdout + done.stderr
    return folder / "intercore-target"


@pytest.fixture(scope="session")
def amp() -> Path:
    return built("O2")
