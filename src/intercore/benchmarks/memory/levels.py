"""What `memory` measures when the user names no levels: alone, and within the suite."""

from __future__ import annotations

from typing import TYPE_CHECKING

from intercore.benchmarks.suite import ALL

if TYPE_CHECKING:
    from collections.abc import Sequence

    from intercore.benchmarks.suite import Levels
    from intercore.record.origin import Origin

DEFAULT: Levels = {
    "access": ALL,
    "region": ALL,
    "core": ["0"],
    "other": ["read", "write", "copy"],
    "other_region": ALL,
}
"""Everything beside everything, on the first core."""

INTERPRETED: Levels = {"bytes": ["8192"], "samples": ["8"]}
"""Where no time means anything, as much as the suite takes: more would be as right, in minutes."""

OWN: Levels = {"other_region": []}
"""Beside work of the user's own, which is in no region."""


def suite(origin: Origin, *, amp: bool) -> Sequence[Levels]:  # noqa: ARG001 - alike on one kernel and on two
    """Return the grid of everything beside a core that reads and one that copies."""
    size, samples = ("65536", "40") if origin == "measured" else ("8192", "8")
    beside = {"core": ["0", "1"], "other": ["read", "copy"]}
    return ({**DEFAULT, **beside, "bytes": [size], "samples": [samples], "dither_us": ["100"]},)
