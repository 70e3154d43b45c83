"""What `message` measures when the user names no levels: alone, and within the suite."""

from __future__ import annotations

from typing import TYPE_CHECKING

from intercore.benchmarks.suite import All

if TYPE_CHECKING:
    from collections.abc import Sequence

    from intercore.benchmarks.suite import Levels
    from intercore.record.origin import Origin

_TRANSPORTS = All(besides="rpmsg-char:")
"""Of a device of Linux, `rpmsg-char:/dev/…`, there is a round trip to another chip's core and no way between the two
cores of this one: it is measured where it is named."""

DEFAULT: Levels = {
    "transport": _TRANSPORTS,
    "measure": ["latency", "throughput"],
    "size": ["4", "16", "64", "256", "1024", "2048", "4096"],
    "from": ["0", "1"],
    "to": ["0", "1"],
    "samples": ["16"],
    "dither_us": ["300"],
}
"""Every transport between the first two cores in all directions, by size: some 15 s on a desk computer, three minutes
on the simulated chip. What a message takes from each core is asked for by `measure=overhead`."""


def suite(origin: Origin, *, amp: bool) -> Sequence[Levels]:
    """Return grids of messages and of streams, from the first core; of AMP, where they matter most, both ways.

    And what a message takes from either core, of one size.
    """
    samples = ("150", "20") if origin == "measured" else ("20", "3")
    taken: Levels = {
        "measure": ["overhead"],
        "transport": _TRANSPORTS,
        "size": ["64"],
        "from": ["0"],
        "to": ["1"],
        "samples": ["8" if origin == "measured" else "2"],
        "dither_us": ["300"],
    }
    return *(_both_ways(*samples) if amp else _from_the_first(*samples)), taken


def _from_the_first(latency: str, throughput: str) -> Sequence[Levels]:
    """Return grids of so many messages of three sizes, and streams of two: one of a single size has no model."""
    same: Levels = {"transport": _TRANSPORTS, "from": ["0"], "to": ["1"], "dither_us": ["300"]}
    return (
        {"measure": ["latency"], "size": ["16", "256", "4096"], "samples": [latency], **same},
        {"measure": ["throughput"], "size": ["64", "1024"], "samples": [throughput], **same},
    )


def _both_ways(latency: str, throughput: str) -> Sequence[Levels]:
    """Return grids that have models: so many messages and streams of four sizes, from either core."""
    same: Levels = {"transport": _TRANSPORTS, "size": ["16", "256", "1024", "4096"], "dither_us": ["300"]}
    return tuple(
        {**same, "measure": [measure], "from": [first], "to": [second], "samples": [samples]}
        for measure, samples in (("latency", latency), ("throughput", throughput))
        for first, second in (("0", "1"), ("1", "0"))
    )
