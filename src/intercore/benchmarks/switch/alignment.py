"""The offset of the counters of two cores, from timestamps that the cores exchanged (firmware/core/align.h).

In an exchange core `from` reads its counter, core `to` its own, and core `from` again. So, independently of the one-way
times, the counter of `to` is ahead by (there - back) / 2 ± (there + back) / 2, half the round trip. Of many exchanges
the one with the shortest round trip is the most accurate (Cristian 1989, Probabilistic clock synchronization).
Exchanges before and after a measurement give two such moments, and a line between them gives all others.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import msgspec
import numpy as np
from msgspec import Meta

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from intercore.record.measurement import Measurement

    Ticks = NDArray[np.int64]
    Floats = NDArray[np.float64]

NonNegative = Annotated[float, Meta(ge=0)]


class CounterOffsetAtMoment(msgspec.Struct, frozen=True):
    """How far apart two counters are at one moment."""

    at_us: float
    """The moment, by the counter of core `from`, since the first exchange."""
    ahead_us: float
    """By how much the counter of core `to` is ahead of that of core `from`; behind if negative."""
    within_us: NonNegative
    """How far from that it can be: half the shortest round trip."""
    exchanges: Annotated[int, Meta(ge=1)]
    """How many there were to choose from."""


class Alignment(msgspec.Struct, frozen=True):
    """How far apart two counters are from before a measurement until after it."""

    before: CounterOffsetAtMoment
    after: CounterOffsetAtMoment
    within_us: NonNegative
    """How far any aligned time between the two moments can be off, if the counters drift evenly."""
    drift_ppm: float
    """By how much faster the counter of core `to` runs, in parts per million."""
    drift_within_ppm: NonNegative
    """How far from that it can be."""

    def ahead_us(self, at_us: Floats) -> Floats:
        """Return by how much the counter of core `to` is ahead at some moments."""
        return self.before.ahead_us + self.drift_ppm * 1e-6 * (at_us - self.before.at_us)


def alignment(measurement: Measurement) -> Alignment | None:
    """Return how the counters of a measurement's two cores align; None if it holds no exchanges before and after."""
    before, after = _apart(measurement, "before"), _apart(measurement, "after")
    if before is None or after is None or after.at_us <= before.at_us:
        return None
    lasted = after.at_us - before.at_us
    return Alignment(
        before=before,
        after=after,
        within_us=max(before.within_us, after.within_us),
        drift_ppm=(after.ahead_us - before.ahead_us) / lasted * 1e6,
        drift_within_ppm=(after.within_us + before.within_us) / lasted * 1e6,
    )


def _apart(measurement: Measurement, when: str) -> CounterOffsetAtMoment | None:
    known = {series.name: series for series in measurement.series}
    found = [known.get(f"{when}.{name}") for name in ("at", "there", "back")]
    if any(series is None for series in found):
        return None
    at, there, back = (series for series in found if series is not None)
    count = min(len(at.ticks), len(there.ticks), len(back.ticks))
    if not count:
        return None
    best = int(np.argmin(there.ticks[:count] + back.ticks[:count]))
    us = 1e6 / there.hz
    # Exact in integers before it becomes a float: counters can be far apart.
    ahead, round_trip = int(there.ticks[best]) - int(back.ticks[best]), int(there.ticks[best]) + int(back.ticks[best])
    return CounterOffsetAtMoment(float(at.ticks[best]) * us, ahead / 2 * us, max(round_trip, 0) / 2 * us, count)
