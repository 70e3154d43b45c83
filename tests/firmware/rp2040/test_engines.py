"""Cores that the simulator runs apart from each other do the same as in lock-step, with FreeRTOS on both.

INTERCORE_SLOW=1 makes it a billion cycles of each program.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.firmware.rp2040.conftest import built

SIMULATOR = Path(sys.executable).with_name("intercore-sim")
CYCLES = 10**9 if "INTERCORE_SLOW" in os.environ else 5 * 10**7


def hash_of(image: Path, *options: str) -> str:
    """Return the line with the hash of a run: of the whole state every 10 million cycles, and of each byte sent."""
    done = subprocess.run(
        [SIMULATOR, "--quiet", "--hash", "--max-cycles", str(CYCLES), *options, image],
        stdin=subprocess.DEVNULL,  # when input comes depends on this machine
        capture_output=True,
        text=True,
        timeout=1100,
        check=False,
    )
    [line] = [line for line in done.stderr.splitlines() if line.startswith("hash: ")]
    return line


@pytest.mark.timeout(2400)
@pytest.mark.parametrize("program", ["intercore-stress", "intercore-transport-stress", "intercore-port-test"])
def test_cores_that_run_apart_do_the_same_as_in_lock_step(program: str) -> None:
    image = built("O2") / program
    assert hash_of(image) == hash_of(image, "--lock-step")
