"""When each hardware spinlock was held, by which core and claimed in which function, by probes of its register."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from intercore.profile.names import readable

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import numpy.typing as npt

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


class LockWait(NamedTuple):
    """Time in which a core waited for a lock that the other core held."""

    begin: int
    """Cycle."""
    end: int
    core: int
    lock: int


_APART = 256
"""Cycles between two loads of a lock in one wait, at most, as in sim/src/core/profile/contention.rs."""


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
        return {lock: self._of(lock, end) for lock in self._probes}

    def _of(self, lock: int, end: int) -> Sequence[Hold]:
        return list(self._of_lock(*self._probes[lock], end))

    def waits(self, begin: int, end: int) -> list[LockWait]:
        """Return when each core loaded a lock in vain, up to the load that got it, or the last one in vain.

        Those are left out that were over before a cycle.
        """
        found: list[LockWait] = []
        for lock, (loads, _) in self._probes.items():
            hits = loads.hits()
            holds = self._of(lock, end) if np.any(hits["cycle"] >= begin) else []
            for core in (0, 1):
                others = [hold for hold in holds if hold.core != core and hold.end >= begin]
                found += self._waits_of(lock, core, hits[hits["core"] == core], others)
        return [wait for wait in found if wait.end > begin]

    @staticmethod
    def _waits_of(lock: int, core: int, loads: npt.NDArray[np.void], others: Sequence[Hold]) -> Iterable[LockWait]:
        waiting: LockWait | None = None
        first = min((hold.begin for hold in others), default=0)
        for hit in loads[loads["cycle"].astype(np.int64) >= first] if others else ():
            cycle, got = int(hit["cycle"]), bool(hit["value"])
            if waiting is not None and cycle <= waiting.end + _APART:
                waiting = waiting._replace(end=cycle)
            elif waiting is not None:
                yield waiting
                waiting = None
            if got and waiting is not None:
                yield waiting
                waiting = None
            elif not got and waiting is None and any(hold.begin <= cycle <= hold.end for hold in others):
                waiting = LockWait(cycle, cycle, core, lock)
        if waiting is not None:
            yield waiting

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
