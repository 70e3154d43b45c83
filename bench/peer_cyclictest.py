"""cyclictest, of the Linux real-time project: how late a periodic task is released.

It sleeps to absolute times on a grid of its own and reads the clock when it wakes: what `jitter` calls the release
latency. Debian's package rt-tests has it: scripts/install-packages cyclictest:rt-tests.
"""

from __future__ import annotations

import re
import subprocess

import numpy as np
from peer import Peer, Samples, measure

PERIOD_US = 1000
RELEASES = 1000
"""In a round."""
CORE = 0
PRIORITY = 4
"""Of `jitter`, as port.h counts."""
FIFO_BASE = 10
"""What the Linux port adds to it (firmware/port/posix/port_posix.c)."""


def ours() -> Samples:
    """Measure by `jitter`."""
    factors = {"core": str(CORE), "period_us": PERIOD_US, "priority": PRIORITY, "samples": RELEASES}
    return measure("jitter", factors, "late")


def theirs() -> Samples:
    """Measure by cyclictest: memory locked, as ours; every value in ns."""
    words = ["-m", "-q", "-v", "-N", "-t", "1", "-d", "0", "-a", str(CORE), "-p", str(FIFO_BASE + PRIORITY)]
    words += ["-i", str(PERIOD_US), "-l", str(RELEASES)]
    said = subprocess.run(["cyclictest", *words], capture_output=True, text=True, check=True).stdout
    return np.array(re.findall(r"^ *0: *\d+: *(\d+)$", said, re.MULTILINE), np.float64)


CYCLICTEST = Peer(
    name="cyclictest",
    quantity="release latency of a periodic task",
    setting=f"period {PERIOD_US} µs, SCHED_FIFO {FIFO_BASE + PRIORITY}, core {CORE}, nothing else",
    ours_name="jitter",
    ours=ours,
    theirs_name="cyclictest",
    theirs=theirs,
)
