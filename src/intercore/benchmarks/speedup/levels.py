"""What `speedup` measures when the user names no levels: alone, and within the suite."""

from __future__ import annotations

from typing import TYPE_CHECKING

from intercore.benchmarks.suite import ALL

if TYPE_CHECKING:
    from collections.abc import Sequence

    from intercore.benchmarks.suite import Levels
    from intercore.record.origin import Origin

DEFAULT: Levels = {
    "workload": ["fp"],
    "n": ["1000", "10000", "100000", "1000000", "10000000"],
    "mode": ALL,
    "join": ["notify"],
}
"""The sizes of Table 1 of seed 000, and every way of starting the parts; about half a minute on a desk computer."""

INTERPRETED: Levels = {"n": ["1000", "10000", "100000"]}
"""Where no time means anything, the others would take hours to be as right as these."""

OWN: Levels = {"n": [str(2**power) for power in range(1, 21)]}
OWN_WHOLE = "n"
"""Of a workload of the user's own a unit may be anything: from one for each of two cores to all that it has."""


def suite(origin: Origin, *, amp: bool) -> Sequence[Levels]:  # noqa: ARG001 - alike on one kernel and on two
    """Return the same for smaller work: some for which a second core does not pay, so that it shows from which on."""
    if origin == "measured":
        return ({"workload": ["fp"], "n": ["100", "1000", "10000", "100000", "1000000"], "mode": ALL},)
    return ({"workload": ["fp"], "n": ["10", "30", "100", "300", "1000", "3000"], "mode": ALL, "samples": ["10"]},)
