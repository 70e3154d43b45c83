"""What `lock` measures when the user names no levels: alone, and within the suite."""

from __future__ import annotations

from typing import TYPE_CHECKING

from intercore.benchmarks.suite import ALL

if TYPE_CHECKING:
    from collections.abc import Sequence

    from intercore.benchmarks.suite import Levels
    from intercore.record.origin import Origin

DEFAULT: Levels = {"measure": ALL, "lock": ALL, "from": ["0"], "to": ["1"]}
"""Every lock between the first two cores."""


def suite(origin: Origin, *, amp: bool) -> Sequence[Levels]:  # noqa: ARG001 - where there are two kernels, it is refused
    """Return a grid of each measure with the locks that have it."""
    hand_overs, bouts, batches = ("200", "200", "200") if origin == "measured" else ("50", "10", "50")
    same = {"from": ["0"], "to": ["1"], "dither_us": ["300"]}
    return (
        {"measure": ["hand-over"], "lock": ALL, "samples": [hand_overs], **same},
        {"measure": ["contention"], "lock": ALL, "samples": [bouts], **same},
        {"measure": ["ping-pong"], "lock": ["atomic-add", "atomic-swap"], "samples": [batches], **same},
    )
