"""What `clock` measures when the user names no levels: alone, and within the suite."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from intercore.benchmarks.suite import Levels
    from intercore.record.origin import Origin

DEFAULT: Levels = {"from": ["0", "1"], "to": ["0", "1"], "time": ["common"]}
"""Each of the first two cores to itself and to the other; a few seconds."""


def suite(origin: Origin, *, amp: bool) -> Sequence[Levels]:  # noqa: ARG001 - alike on one kernel and on two
    """Return intervals between the first two cores, and their counters."""
    samples = {"samples": ["200" if origin == "measured" else "100"]}
    return (
        {"from": ["0", "1"], "to": ["0", "1"], "time": ["common"], **samples},
        {"from": ["0"], "to": ["1"], "time": ["counter"], **samples},
    )
