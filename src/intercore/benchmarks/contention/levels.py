"""What `contention` measures when the user names no levels: alone, and within the suite."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from intercore.benchmarks.suite import Levels
    from intercore.record.origin import Origin

DEFAULT: Levels = {
    "preset": ["none", "qiita-table"],
    "task0": ["off"],
    "main": ["block"],
    "yield": ["none"],
    "discs": ["14"],
    "window_ms": ["400"],
    "rest_ms": ["30"],
}
"""The table of seed 001, and its last row with a main loop that waits. The windows hold several turns of Linux's
SCHED_RR, and the rests leave others the time that it keeps from real-time tasks; some seconds."""

_WINDOWS: Mapping[Origin, Levels] = {
    "measured": {"discs": ["14"], "window_ms": ["400"], "rest_ms": ["30"]},
    "simulated": {"discs": ["12"], "window_ms": ["160"], "rest_ms": ["0"]},
    "emulated": {"discs": ["18"], "window_ms": ["400"], "rest_ms": ["30"]},
}
"""An emulated chip is slow at waking a task and as fast as this machine at moving discs."""


def suite(origin: Origin, *, amp: bool) -> Sequence[Levels]:  # noqa: ARG001 - where there are two kernels, it is refused
    """Return the grids of seed 001's table, of its last row with loops that wait, and of tasks without a core."""
    same = {"yield": ["none"], **_WINDOWS[origin]}
    off = {"task0": ["off"], "task1": ["off"], "main": ["off"]}
    return (
        {"preset": ["qiita-table"], "free": ["0"], **off, **same},
        {"preset": ["none"], "free": ["0"], **off, "task1": ["work"], "main": ["block", "delay"], **same},
        {"preset": ["none"], "free": ["3"], **off, **same},
    )
