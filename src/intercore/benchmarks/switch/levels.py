"""What `switch` measures when the user names no levels: alone, and within the suite."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from intercore.benchmarks.suite import Levels
    from intercore.record.origin import Origin

_PRIMITIVES = [
    *("binary-semaphore", "counting-semaphore", "mutex", "queue", "notification", "event-group", "stream-buffer"),
]

DEFAULT: Levels = {
    "primitive": _PRIMITIVES,
    "from": ["0", "1"],
    "to": ["0", "1"],
    "target": ["idle"],
    "time": ["common"],
}
"""Every primitive that works between cores, between the first two: a few seconds."""


def suite(origin: Origin, *, amp: bool) -> Sequence[Levels]:  # noqa: ARG001 - alike on one kernel and on two
    """Return the grids of every primitive, of a busy target, of yields, and of one primitive by all clocks."""
    short = {"samples": ["150" if origin == "measured" else "40"], "dither_us": ["300"]}
    across = ({"from": ["0"], "to": ["1"]}, {"from": ["1"], "to": ["0"]})
    on_one = ({"from": ["0"], "to": ["0"]}, {"from": ["1"], "to": ["1"]})
    idle, semaphore = {"target": ["idle"]}, {"primitive": ["binary-semaphore"]}
    return (
        {**DEFAULT, **short},
        *({**semaphore, **pair, "target": ["busy"], "time": ["common"], **short} for pair in across),
        *({"primitive": ["yield"], **pair, **idle, "time": ["common"], **short} for pair in on_one),
        *({**semaphore, **pair, **idle, "time": ["aligned", "raw-counter"], **short} for pair in across),
    )
