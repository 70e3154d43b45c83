"""The series of `message`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from intercore.benchmarks.message.overhead import ENDS, TRUE, TURNS, taken_us
from intercore.benchmarks.series import Quantity, Result, Role

if TYPE_CHECKING:
    from intercore.record.measurement import Measurement, Series

_STREAM = "window"

ROLES = {
    "latency": Role.RESULT,
    "round_trip": Role.RESULT,
    "send": Role.RESULT,
    _STREAM: Role.RESULT,
    f"{TURNS}*": Role.RESULT,  # what a message takes: see `quantity`
    "idle_turns_*": Role.AUXILIARY,
    "block_*": Role.AUXILIARY,
    "length": Role.AUXILIARY,
    f"{TRUE}*": Role.AUXILIARY,
}


_LATENCY, _OVERHEAD = {"measure": ("latency",)}, {"measure": ("overhead",)}
RESULTS = {
    "latency": Result("us", only=_LATENCY),
    "round_trip": Result("us", only=_LATENCY),
    "send": Result("us", "sending call", only=_LATENCY),
    "throughput": Result("bytes_per_s", only={"measure": ("throughput",)}),
    "taken_from": Result("us", "sender's work", only=_OVERHEAD),
    "taken_to": Result("us", "receiver's work", only=_OVERHEAD),
}


def quantity(one: Measurement, series: Series) -> Quantity | None:
    """Return the throughput of streams, which `window` times as a whole; and what a message takes from a core."""
    for end in ENDS:
        if series.name == f"{TURNS}{end}" and one.factors.get("measure") == "overhead":
            return Quantity(f"taken_{end}", "us", taken_us(one, end))
    messages, size = one.factors.get("messages"), one.factors.get("size")
    if series.name == _STREAM and isinstance(messages, int) and isinstance(size, int):
        return Quantity("throughput", "bytes_per_s", messages * size * 1e9 / np.maximum(series.ns, 1e-9))
    return None


def events(one: Measurement, series: Series) -> int:
    """Return how many messages of a stream come one after another."""
    messages = one.factors.get("messages", 0)
    return messages if series.name == _STREAM and isinstance(messages, int) else 0
