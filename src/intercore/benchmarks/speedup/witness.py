"""What is watched of a user's own workload on the simulated chip: how long a core waits for what the other holds."""

from __future__ import annotations

from typing import TYPE_CHECKING

from intercore.benchmarks.speedup.own import CONFLICTS
from intercore.record.measurement import Truth
from intercore.record.own_work import PREFIX
from intercore.sim.observation import Witness

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from intercore.record.measurement import Level, Series
    from intercore.sim import Simulator

_CORES = (0, 1)


class SpeedupWitness(Witness):
    """Counts the cycles in which a core waits because the other one has a slave of the bus, by slave.

    While a workload is timed or checked on one core, the other sleeps: what is counted is of the windows on both. With
    mode=spin it spins between them as well, and what is counted says nothing.
    """

    def __init__(self, chip: Simulator) -> None:
        """Watch from now on."""
        self._chip = chip
        self._before = self._conflicts()

    def forget(self) -> None:
        """See Witness."""
        self._before = self._conflicts()

    def truth(self, measured: Sequence[Series], factors: Mapping[str, Level]) -> Truth:  # noqa: ARG002 - none is told
        """Return the cycles as checks. None of a workload that is not the user's own: of those more is known."""
        if not str(factors.get("workload", "")).startswith(PREFIX) or factors.get("mode") == "spin":
            return Truth()
        now = self._conflicts()
        return Truth(
            checks={f"{CONFLICTS}{slave.lower()}": cycles - self._before.get(slave, 0) for slave, cycles in now.items()}
        )

    def _conflicts(self) -> dict[str, int]:
        found: dict[str, int] = {}
        for core in _CORES:
            for slave, cycles in self._chip.statistics(core).conflicts.items():
                found[slave] = found.get(slave, 0) + cycles
        return found


def witness(chip: Simulator) -> Witness:
    """Return what sees this benchmark on a chip, from now on."""
    return SpeedupWitness(chip)
