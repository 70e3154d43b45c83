"""Round trips of messages to an echo with its own clock: see the transport rpmsg-char.

Durations are in µs. The two one-way latencies are unknown, so no round trip is halved or ranked among latencies.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import msgspec
from msgspec import Meta

from intercore.benchmarks.grouping import by_level, distribution_us, median_us, pools, ticks
from intercore.record.measurement import Level
from intercore.statistics.distribution import Distribution
from intercore.statistics.intervals import Interval

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from intercore.record.measurement import Measurement

SERIES = "round_trip"
_OWN = ("transport", "from", "to", "receiver", "load", "size")


class MessageRoundTrip(msgspec.Struct, frozen=True):
    """Round trips of messages of one size at one setting."""

    transport: str
    """With the device that leads to the echo."""
    first: Annotated[int, Meta(ge=0)] = msgspec.field(name="from")
    """Core of the task that sends."""
    second: Annotated[int, Meta(ge=0)] = msgspec.field(name="to")
    """Core of the task that receives the echo, on the same machine."""
    receiver: str
    """How both wait: `blocked` or `polling`."""
    load: str
    """Ends on whose cores another task keeps working."""
    varied: dict[str, Level]
    """The other factors that take more than one level in the run, by name."""
    bytes: Annotated[int, Meta(ge=1)]
    round_trip_us: Distribution
    """From the begin of the send to the end of the receive of the echo: two ways, and what the echo does."""
    send_us: Interval | None
    """Median of the send alone; None if unknown."""
    wrong: Annotated[int, Meta(ge=0)]
    """Echoes that were lost, came twice, or were not what was sent."""


def round_trips(measurements: Iterable[Measurement]) -> tuple[MessageRoundTrip, ...]:
    """Return the round trips among the measurements of `message`; those of a setting and size are pooled."""
    ours = [one for one in measurements if _is_usable(one)]
    found = pools(ours, "message", SERIES, lambda factors: tuple(factors[name] for name in _OWN), (*_OWN, "region"))
    rows = []
    for (setting, varied), pool in found.items():
        sends = [one for one in pool if len(ticks(one, "send"))]
        row = {
            **dict(zip(_OWN[:-1], setting, strict=False)),
            "varied": dict(varied),
            "bytes": setting[-1],
            "round_trip_us": distribution_us(pool, SERIES),
            "send_us": median_us(sends, "send") if sends else None,
            "wrong": sum(one.checks.get("wrong", 0) for one in pool),
        }
        rows.append(msgspec.convert(row, MessageRoundTrip))
    return tuple(sorted(rows, key=lambda row: (row.transport, by_level(row.varied), row.first, row.second, row.bytes)))


def _is_usable(one: Measurement) -> bool:
    """Whether its levels are valid: a target may send anything."""
    known: Mapping[str, Level] = one.factors
    if one.benchmark != "message" or not set(_OWN) <= set(known) or not len(ticks(one, SERIES)):
        return False
    numbers = [known[name] for name in ("from", "to", "size")]
    names = [known[name] for name in ("transport", "receiver", "load")]
    return (
        all(isinstance(number, int) and number >= 0 for number in numbers)
        and numbers[-1] != 0
        and all(isinstance(name, str) for name in names)
        and one.samples(SERIES).is_time
    )
