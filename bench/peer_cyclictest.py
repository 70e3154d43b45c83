"""cyclictest, of the Linux real-time project: how late a periodic task is released.

It sleeps to absolute times on a grid of its own and reads the clock when it wakes: what `jitter` calls the release
latency. Debian's package rt-tests has it: scripts/install-packages cyclictest:rt-tests.
"""

from __future__ import annotations

import re
import subprocess
from typing import TYPE_CHECKING

import numpy as np
from peer import Peer, Samples, measure

if TYPE_CHECKING:
    from intercore.link.session import Session

PERIOD_US = 1000
RELEASES = 200
"""In a round."""
CORE = 0
PRIORITY = 4
"""Of `jitter`, as port.h counts."""
FIFO_BASE = 10
"""What the Linux port adds to it (firmware/port/posix/port_posix.c)."""
HIGHEST_NS = 100_000
"""Of cyclictest's histogram; what is beyond is told as this."""


def ours(session: Session) -> Samples:
    """Measure by `jitter`."""
    factors = {"core": str(CORE), "period_us": PERIOD_US, "priority": PRIORITY, "samples": RELEASES, "dither_us": 0}
    return measure(session, "jitter", factors, "late")


def theirs() -> Samples:
    """Measure by cyclictest, which sets /dev/cpu_dma_latency as we do.

    It keeps a histogram with bins of a nanosecond: were every value printed when it is taken (-v), this program would
    be woken to read them, and a machine that is woken more often sleeps less deeply.
    """
    words = ["-m", "-q", "-N", "-h", str(HIGHEST_NS), "-t", "1", "-a", str(CORE), "-p", str(FIFO_BASE + PRIORITY)]
    words += ["-i", str(PERIOD_US), "-l", str(RELEASES)]
    said = subprocess.run(["cyclictest", *words], capture_output=True, text=True, check=True).stdout
    bins = np.array(re.findall(r"^(\d+) (\d+)$", said, re.MULTILINE), np.int64)
    beyond = int(re.findall(r"Overflows: (\d+)", said)[0])
    return np.append(np.repeat(bins[:, 0], bins[:, 1]), np.full(beyond, HIGHEST_NS)).astype(np.float64)


CYCLICTEST = Peer(
    name="cyclictest",
    package="scripts/install-packages cyclictest:rt-tests",
    quantity="release latency of a periodic task",
    setting=f"period {PERIOD_US} µs, SCHED_FIFO {FIFO_BASE + PRIORITY}, core {CORE}",
    benchmark="jitter",
    ours=ours,
    theirs=theirs,
)
