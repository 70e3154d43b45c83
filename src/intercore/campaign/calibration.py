"""How fast this machine itself is: a fixed work, timed before and after each measurement of a target on it.

Between two runs, what slows the machine down (its other load, a hypervisor, its clock rate) is a covariate of every
time. The work is the tool's own, so a change of the measured program does not change it.
"""

from __future__ import annotations

import hashlib
import os
import sys
import threading
import time
from typing import TYPE_CHECKING

import numpy as np

from intercore.record.measurement import MACHINE_COMPUTE, MACHINE_HAND_OVER, Series

if TYPE_CHECKING:
    from collections.abc import Iterator

_BLOCK = bytes(16384)
_COMPUTED = 20
_HAND_OVERS = 40
_NS = 1_000_000_000


def calibrated() -> dict[str, list[int]]:
    """Time the work, some 10 ms in all; the times in ns by series."""
    return {MACHINE_COMPUTE: list(_computing()), MACHINE_HAND_OVER: list(_handing_over())}


def series_of(before: dict[str, list[int]], after: dict[str, list[int]]) -> tuple[Series, ...]:
    """Return the times before and after a measurement as series."""
    return tuple(Series(name, "host", _NS, np.array([*before[name], *after[name]], dtype=np.int64)) for name in before)


def _computing() -> Iterator[int]:
    """Time a hash on one core, which is bound by the core alone."""
    for _ in range(_COMPUTED):
        began = time.perf_counter_ns()
        hashlib.sha256(_BLOCK).digest()
        yield time.perf_counter_ns() - began


def _handing_over() -> Iterator[int]:
    """Time how long a byte takes to a thread on another core and back, which is mostly the kernel's wake-ups."""
    there, here = os.pipe(), os.pipe()
    cores = sorted(_cores())

    def answer() -> None:
        _pin(cores[-1:])
        while byte := os.read(there[0], 1):
            os.write(here[1], byte)

    other = threading.Thread(target=answer, daemon=True)
    other.start()
    try:
        _pin(cores[:1])
        for _ in range(_HAND_OVERS):
            began = time.perf_counter_ns()
            os.write(there[1], b".")
            os.read(here[0], 1)
            yield time.perf_counter_ns() - began
    finally:
        _pin(cores)
        os.close(there[1])
        other.join()
        for end in (there[0], *here):
            os.close(end)


def _cores() -> set[int]:
    """Return the cores that this thread may run on; none where the system does not say."""
    if sys.platform == "linux":
        return os.sched_getaffinity(0)
    return set()


def _pin(cores: list[int]) -> None:
    """Keep the calling thread on these cores, where the system can."""
    if sys.platform == "linux" and cores:
        os.sched_setaffinity(0, cores)
