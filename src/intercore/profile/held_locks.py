"""When each hardware spinlock was held, by which core and claimed in which function, by probes of its register."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from intercore.profile.names import readable

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from intercore.sim import Probe, Simulator

_SPINLOCK0 = 0xD000_0100
"""SIO: a load claims the lock if it is not 0, a store releases it (RP2040 datasheet 2.3.1.3)."""


class Hold(NamedTuple):
    """Time in which a core held a lock."""

    begin: int
    """Cycle."""
    end: int
    core: int
    function: str
    """In which it was claimed; empty if it is not known."""


class HeldLocks:
    """Probes of spinlocks."""

    def __init__(self, simulator: Simulator, locks: Iterable[int]) -> None:
        """Watch locks from now on."""
        self._simulator = simulator
        self._probes: dict[int, tuple[Probe, Probe]] = {
            lock: (simulator.watch_reads(_SPINLOCK0 + 4 * lock, 4), simulator.watch_writes(_SPINLOCK0 + 4 * lock, 4))
            for lock in sorted(locks)
        }
        self._functions: dict[int, str] = {}

    def holds(self, end: int) -> dict[int, Sequence[Hold]]:
        """Return for each lock when it was held, up to a cycle."""
        return {lock: list(self._of_lock(*probes, end)) for lock, probes in self._probes.items()}

    def _of_lock(self, loads: Probe, stores: Probe, end: int) -> Iterable[Hold]:
        hits = loads.hits()
        claims = hits[hits["value"] != 0]
        ends = np.sort(np.concatenate([stores.hits()["cycle"], claims["cycle"]]))
        at = np.searchsorted(ends, claims["cycle"], side="right")
        for claim, after in zip(claims, at, strict=True):
            until = int(ends[after]) if after < len(ends) else end
            yield Hold(
                int(claim["cycle"]), max(int(claim["cycle"]), until), int(claim["core"]), self._at(int(claim["pc"]))
            )

    def _at(self, pc: int) -> str:
        if pc not in self._functions:
            found = self._simulator.function_at(pc)
            self._functions[pc] = "" if found is None else readable(found[0])
        return self._functions[pc]
