"""The probe of a user's workload on the simulated chip: the waits of a core, on one core and on all."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from typing import TYPE_CHECKING

from intercore.benchmarks.speedup.own import ALONE, ASLEEP, CONFLICTS, WAITS
from intercore.record.measurement import Truth
from intercore.record.own_work import PREFIX
from intercore.sim.observation import Witness

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from intercore.record.measurement import Level, Series
    from intercore.sim import Simulator
    from intercore.sim.chip import Count

_WINDOW = "ic_run_window"
"""Called before the beginning of each time that is taken, and behind its end (firmware/core/run.c)."""
_OWN = "intercore_expected"
"""Only a program that has works of a user's own has this (firmware/workload/own/own.c)."""
_T1, _TP = 1, 2
"""The values of its argument (enum mark, firmware/bench/speedup.c)."""
_CALLS = 4
"""In each repetition: around the time on one core, and around that on all."""


class SpeedupProbe(Witness):
    """Counts the cycles that cores lose within the times that are taken, and those in which they sleep.

    They are lost because the other core has a slave of the bus, or to wait states of a slave: of the flash's cache,
    those are its misses.
    """

    def __init__(self, chip: Simulator) -> None:
        """Watch from now on."""
        self._tally = chip.tally(_WINDOW) if {_WINDOW, _OWN} <= chip.symbols.keys() else None

    def forget(self) -> None:
        """See Witness."""
        if self._tally is not None:
            self._tally.forget()

    def truth(self, measured: Sequence[Series], factors: Mapping[str, Level]) -> Truth:
        """Return the cycles as checks. None of a workload that is not the user's: of those more is known.

        What is counted are the windows that have a sample: the first repetition warms up.
        """
        counts = [] if self._tally is None else self._tally.take()
        repetitions = {len(series.ticks) for series in measured if series.name in {"t1", "tp"}}
        if not str(factors.get("workload", "")).startswith(PREFIX) or len(repetitions) != 1:
            return Truth()
        if len(counts) != _CALLS * (repetitions.pop() + 1):
            return Truth()  # interrupted, or a wrong unit was looked for
        windows = [(begin, end) for begin, end in pairwise(counts[_CALLS:]) if begin.arguments[2] & 1]
        lost = Counter[str]()
        for begin, end in windows:
            if begin.arguments[1] == _TP:
                lost.update(_lost(begin, end))
            elif begin.arguments[1] == _T1:
                alone = _lost(begin, end, cores=(begin.core,))
                lost.update({f"{ALONE}{name}": cycles for name, cycles in alone.items() if name != ASLEEP})
        return Truth(checks=dict(lost))


def _lost(begin: Count, end: Count, cores: Sequence[int] = (0, 1)) -> dict[str, int]:
    """Return the losses of cores between two counts, by the name of the check; without zeros."""
    found = Counter[str]()
    for core in cores:
        before, after = begin.statistics[core], end.statistics[core]
        found[ASLEEP] += after.asleep - before.asleep
        for slave, cycles in after.conflicts.items():
            found[f"{CONFLICTS}{slave.lower()}"] += cycles - before.conflicts[slave]
        for slave, cycles in after.waits.items():
            found[f"{WAITS}{slave.lower()}"] += cycles - before.waits[slave]
    return {name: cycles for name, cycles in found.items() if cycles}
