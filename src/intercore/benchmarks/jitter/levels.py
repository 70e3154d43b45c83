"""What `jitter` measures when the user names no levels: alone, and within the suite."""

from __future__ import annotations

from typing import TYPE_CHECKING

from intercore.benchmarks.suite import ALL

if TYPE_CHECKING:
    from collections.abc import Sequence

    from intercore.benchmarks.suite import Levels
    from intercore.record.origin import Origin

DEFAULT: Levels = {"core": ["0"], "load": ["none", "both"], "migrate": ALL}
"""At rest and with both cores busy, left alone and moved: the period of seed 002's paper; some 20 s."""


def suite(origin: Origin, *, amp: bool) -> Sequence[Levels]:  # noqa: ARG001 - where there are two kernels, it is refused
    """Return grids with enough releases for a tail at 1 ms, and some at seed 002's 10 ms, by its procedure, too."""
    core = {"core": ["0"], "wake": ["kept"]}
    short = {"time": ["common"], "period_us": ["1000"], "samples": ["1100"]}
    long = {"period_us": ["10000"], "samples": ["60" if origin == "measured" else "30"]}
    return (
        {**core, "load": ["none"], "migrate": ["none", "affinity", "blockers"], **short},
        {**core, "load": ["both"], "migrate": ["none"], **short},
        {**core, "load": ["none"], "migrate": ["none", "affinity", "unsynchronised"], "time": ["common"], **long},
        {**core, "load": ["none"], "migrate": ["published"], "time": ["common", "raw-counter"], **long},
    )
