"""What `irq` measures when the user names no levels: alone, and within the suite."""

from __future__ import annotations

from typing import TYPE_CHECKING

from intercore.benchmarks.suite import ALL

if TYPE_CHECKING:
    from collections.abc import Sequence

    from intercore.benchmarks.suite import Levels
    from intercore.record.origin import Origin

DEFAULT: Levels = {"path": ALL, "from": ["0", "1"], "to": ["0", "1"], "interrupted": ALL}
"""Every path between the first two cores, whatever these do; less than a minute."""

_SHORT: Levels = {"from": ["0", "1"], "interrupted": ["idle", "kernel"], "samples": ["50"], "dither_us": ["300"]}


def suite(origin: Origin, *, amp: bool) -> Sequence[Levels]:  # noqa: ARG001 - short enough anywhere
    """Return the grid of what ends in its own handler, and that of what goes on to a core."""
    to_a_core = ["handler-task", "timer-task", "doorbell", "doorbell-round-trip"]
    return (
        {"path": ["timer-handler"], "to": ["0"], **_SHORT},
        {"path": to_a_core, "to": ["0", "1"], **_SHORT},
    )
