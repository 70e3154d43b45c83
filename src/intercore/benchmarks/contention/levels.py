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
    "discs": ["13"],
    "window_ms": ["80"],
    "rest_ms": ["6"],
}
"""The table of seed 001, and its last row with a main loop that waits. The windows hold some fifteen turns of equals on
Linux and eighty of FreeRTOS, and some forty towers of a Pico; the rests leave others the time that Linux keeps from
real-time tasks. Five repetitions take about as long as one did of windows that held four turns of SCHED_RR."""

TRACED: Levels = {"discs": ["10"], "window_ms": ["10"], "rest_ms": ["0"], "samples": ["1"]}
"""A window of ten ticks of a Pico with some thirty towers fits into its recorder's rings."""

OWN: Levels = {"preset": ["none"], "task0": ["off", "work"], "main": ["off"], "units": ["16"], "window_ms": ["100"]}
"""Work of the user's own in a task on core 1, alone and beside the same on core 0."""

_WINDOWS: Mapping[Origin, Levels] = {
    "measured": {"discs": ["13"], "window_ms": ["80"], "rest_ms": ["6"]},
    "simulated": {"discs": ["12"], "window_ms": ["160"], "rest_ms": ["0"]},
    "emulated": {"discs": ["18"], "window_ms": ["400"], "rest_ms": ["30"]},
}
"""An emulated chip is slow at waking a task and as fast as this machine at moving discs."""


def suite(origin: Origin, *, amp: bool) -> Sequence[Levels]:  # noqa: ARG001 - where there are two kernels, it is refused
    """Return the grids of seed 001's table, of its last rows with loops that wait, and of tasks without a core."""
    same = {"yield": ["none"], **_WINDOWS[origin]}
    off = {"task0": ["off"], "task1": ["off"], "main": ["off"]}
    return (
        {"preset": ["qiita-table"], "free": ["0"], **off, **same},
        {"preset": ["none"], "free": ["0"], **off, "task1": ["work"], "main": ["block", "delay"], **same},
        {"preset": ["none"], "free": ["0"], **off, "task0": ["work"], "main": ["block"], **same},
        {"preset": ["none"], "free": ["3"], **off, **same},
    )
