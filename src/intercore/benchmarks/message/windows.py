"""What the mark is high for in `message`: all repetitions together, of one message each, or of a stream of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from intercore.record.measurement import Measurement

OPERATION = "message"


def operations(one: Measurement) -> int:
    """Return how many messages were sent: a round trip has two, and a stream as many as the setting says."""
    done = max(one.checks.get("done", 0), 0)
    if one.factors.get("measure") == "throughput":
        return done * int(one.factors.get("messages", 1))
    return done * (2 if any(series.name == "round_trip" for series in one.series) else 1)
