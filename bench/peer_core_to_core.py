"""core-to-core-latency, by Nicolas Viennot: how long a word takes from one core to another.

Its first benchmark lets two threads change one word by compare-exchange, each as soon as the other has, and gives half
of a round trip. That is our `lock measure=ping-pong lock=atomic-swap`. A sample is the mean of ROUND_TRIPS on both
sides, as many as it takes by its own default: reading the clock, some 30 ns, is nothing beside some 100 µs.

It prints the mean of its samples alone, so each run of it is asked for one sample, behind a warm-up as long; ours has
one, too. It asks for no real-time priority: it is given that of our tasks (chrt), or it would measure who else runs.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from peer import Peer, Samples, measure

if TYPE_CHECKING:
    from intercore.link.session import Session

NAME = "core-to-core-latency"
VERSION = "1.2.0"
INSTALLED = Path(__file__).parent.parent / "build" / "peers" / "bin"
"""Where cargo puts it."""
ROUND_TRIPS = 1000
"""In a sample."""
SAMPLES = 10
"""In a round."""
FIFO_PRIORITY = 12
"""Of our tasks: 2 as port.h counts, and what the Linux port adds (firmware/port/posix/port_posix.c)."""


def ours(session: Session) -> Samples:
    """Measure by `lock`, between cores 0 and 1."""
    factors = {"measure": "ping-pong", "lock": "atomic-swap", "from": 0, "to": 1}
    factors |= {"batch": ROUND_TRIPS, "samples": SAMPLES, "dither_us": 0}
    return measure(session, "lock", factors, "round_trips") / (2 * ROUND_TRIPS)


def theirs() -> Samples:
    """Measure between the same two processors."""
    cores = ",".join(map(str, sorted(os.sched_getaffinity(0))[:2]))
    command = [str(INSTALLED / NAME), str(ROUND_TRIPS), "1", "--cores", cores, "--csv"]
    return np.array([_one_way(_with_our_priority(command)) for _ in range(SAMPLES)])


def _with_our_priority(command: list[str]) -> list[str]:
    """Return the command with real-time priority, where this machine permits it, as ours asks for it."""
    chrt = ["chrt", "-f", str(FIFO_PRIORITY)]
    permitted = (
        shutil.which("chrt") is not None
        and subprocess.run([*chrt, "true"], capture_output=True, check=False).returncode == 0
    )
    return [*chrt, *command] if permitted else command


def _one_way(command: list[str]) -> float:
    """Run it and return its matrix's only number, in ns."""
    said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    (found,) = [float(cell) for cell in said.replace("\n", ",").split(",") if cell]
    return found


CORE_TO_CORE = Peer(
    name=NAME,
    package=f"cargo install {NAME} --version {VERSION} --locked --root build/peers",
    quantity="one way of a word between two cores",
    setting=f"compare-exchange, {ROUND_TRIPS} round trips per sample, SCHED_FIFO {FIFO_PRIORITY}, cores 0 and 1",
    benchmark="lock",
    ours=ours,
    theirs=theirs,
)
