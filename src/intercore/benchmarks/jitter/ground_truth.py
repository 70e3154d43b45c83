"""When each activation of `jitter` read the clock on the simulated chip, by probes of the program."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from intercore.sim.observation import SYSTICK, Answered, Answers, Passages, contradiction, first_after

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from intercore.record.measurement import Level, Series
    from intercore.sim import Simulator

TICKING = 0
"""The core that ticks for both (`configTICK_CORE`, firmware/port/freertos_smp)."""


class JitterAnswers(Answers):
    """Sees activations, and readings of the clock."""

    series = "late"
    apart = ("load", "migrate")

    def __init__(self, chip: Simulator) -> None:
        """Watch from now on."""
        self._activations = Passages(chip, "jitter_released")
        self._readings = Passages(chip, "port_clock_reads")

    def answered(self, measured: Sequence[Series], factors: Mapping[str, Level]) -> Sequence[Answered]:  # noqa: ARG002
        """See Answers."""
        by_core = [self._activations.cycles(core) for core in (0, 1)]
        cycles = np.concatenate(by_core)
        cores = np.repeat([0, 1], [len(one) for one in by_core])
        series = {one.name: one.ticks for one in measured}
        begins, count = series["begins"], len(series[self.series])
        order = np.argsort(cycles)[: count + len(begins)]  # those that are only counted come behind them
        if len(order) != count + len(begins):
            raise contradiction(count, max(len(order) - len(begins), 0))
        kept = np.delete(order, begins + np.arange(len(begins)))  # the first one of each stretch is not recorded
        readings = [self._readings.cycles(core) for core in (0, 1)]
        found = []
        for at in kept.tolist():
            core = int(cores[at])
            (end,) = first_after(readings[core], cycles[at : at + 1])
            found.append(Answered(int(end), [core] if core == TICKING else [TICKING, core], SYSTICK))
        return found
