"""Says of a run that fails what must fall where."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from intercore.hunt.calls import Calls
from intercore.hunt.memory import object_name
from intercore.hunt.variation.deviations import FlashCache, Hold, Phase, PowerOn, faults_of
from intercore.hunt.variation.places import (
    ACCESS,
    EVENT,
    FIFOS,
    PERIPHERALS,
    SPINLOCKS,
    SRAM,
    SRAM_BYTES,
    accesses_of,
    event_instructions,
)
from intercore.sim import Simulator
from intercore.view.quantity import duration

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    import numpy.typing as npt

    from intercore.hunt.variation.deviations import Deviation
    from intercore.sim import Probe

_BEFORE = 50_000
"""Cycles before a hold in which the last access of its core is looked for."""
_BEHIND = 5_000
"""The same of the first one behind it."""


class _Around:
    """A hold in a run: what was accessed before, meanwhile and after it."""

    def __init__(self, image: Path, deviations: Sequence[Deviation], hold: Hold, end: int) -> None:
        self.simulator = Simulator(image)
        self.calls = Calls(self.simulator)
        self.hold = hold
        simulator = self.simulator
        simulator.set_faults(faults_of(deviations))
        simulator.run_to(max(0, hold.cycle - _BEFORE))
        probes: list[tuple[Probe, bool, int | None]] = [
            (simulator.watch_execution(at), writes, EVENT) for at, writes in event_instructions(simulator)
        ]
        for first, size in ((SRAM, SRAM_BYTES), FIFOS, SPINLOCKS, PERIPHERALS):
            probes += [(simulator.watch_reads(first, size), False, None)]
            probes += [(simulator.watch_writes(first, size), True, None)]
        begins = simulator.watch_execution(hold.pc)
        self.released: int | None = None
        found = []
        while simulator.now < end and self.released is None:
            before = simulator.now
            simulator.run(max(_BEHIND, hold.cycles) if before >= hold.cycle else hold.cycle - before)
            hits = begins.take()
            there = hits[(hits["core"] == hold.core) & (hits["cycle"] >= hold.cycle + hold.cycles)]
            if there.size:
                self.released = int(there["cycle"][0])
                simulator.run(_BEHIND)
            found += [accesses_of(probe, writes=writes, word=word) for probe, writes, word in probes]
            if simulator.now == before:
                break
        accesses = np.concatenate(found) if found else np.zeros(0, ACCESS)
        self.accesses = accesses[np.argsort(accesses["cycle"], kind="stable")]

    def parts(self) -> tuple[np.void | None, np.void | None, np.void | None]:
        """Return the last access before the hold, that of the other core that falls into it, and the one behind it."""
        if self.released is None:
            return None, None, None
        everything, core = self.accesses, self.hold.core
        own, others = everything[everything["core"] == core], everything[everything["core"] != core]
        shared = (
            np.isin(own["word"], np.unique(others["word"])) | (own["word"] < SRAM) | (own["word"] >= SRAM + SRAM_BYTES)
        )
        own = own[shared]
        begun = self.released - self.hold.cycles
        before, behind = own[own["cycle"] < begun], own[own["cycle"] >= self.released]
        meanwhile = others[(others["cycle"] >= begun) & (others["cycle"] <= self.released)]
        last = before[-1] if before.size else None
        first = behind[0] if behind.size else None
        return last, self._decisive(meanwhile, [one["word"] for one in (last, first) if one is not None], first), first

    def _decisive(self, meanwhile: npt.NDArray[np.void], words: Sequence[int], first: np.void | None) -> np.void | None:
        """Return the last access of the other core to what its own core uses then; a store, if that is a load."""
        word = meanwhile["word"]
        claims = (word >= SPINLOCKS[0]) & (word < SPINLOCKS[0] + SPINLOCKS[1])
        orders = meanwhile["writes"] | claims | (first is not None and bool(first["writes"]))
        private = (word == EVENT) | ((word >= PERIPHERALS[0]) & (word < FIFOS[0]))
        related = meanwhile[np.isin(word, words) & orders & ~private]
        found: np.void
        if related.size:
            found = related[-1]
            return found
        handed = meanwhile[meanwhile["writes"] & ((meanwhile["word"] == EVENT) | (meanwhile["word"] >= FIFOS[0]))]
        if not handed.size:
            return None
        found = handed[-1]
        return found

    def place(self, pc: int) -> str:
        """Return where an instruction is, in words."""
        for name, file, line in self.simulator.source_frames([pc])[0]:
            if name and file and line:
                return f"{name} ({file.rpartition('/')[2]}:{line})"
            if name:
                return f"{name} ({pc:#x})"
        return f"{pc:#x}"

    def access(self, access: np.void) -> str:
        """Return an access in words."""
        word, writes = int(access["word"]), bool(access["writes"])
        where = self.place(int(access["pc"]))
        if word == EVENT:
            return f"{'SEV' if writes else 'WFE'} in {where}"
        if SRAM <= word < SRAM + SRAM_BYTES:
            what = object_name(self.simulator, self.calls, word)
        elif SPINLOCKS[0] <= word < SPINLOCKS[0] + SPINLOCKS[1]:
            lock = (word - SPINLOCKS[0]) // 4
            return f"{'release' if writes else 'claim'} of spinlock {lock} in {where}"
        elif word == FIFOS[0]:
            return f"{'store to the' if writes else 'load of its'} FIFO in {where}"
        else:
            what = self.simulator.register_name(word)
        return f"{'store to' if writes else 'load of'} {what} in {where}"


def sentences(
    image: Path, deviations: Sequence[Deviation], launch: tuple[int, int] | None, end: int, hz: int
) -> Iterator[str]:
    """Yield what must fall where for a run to fail, a clause for each of its deviations."""
    for one in deviations:
        if isinstance(one, Hold):
            yield _of_hold(image, deviations, one, launch, end, hz)
        elif isinstance(one, Phase):
            yield f"TIMER, UARTs and other peripherals are {_long(one.cycles, hz)} further in cycle {one.cycle:,}"
        elif isinstance(one, FlashCache):
            yield f"the flash cache is empty in cycle {one.cycle:,}"
        elif isinstance(one, PowerOn):
            yield f"SRAM and ring oscillator hold at power-on what seed {one.seed} gives"


def _long(cycles: int, hz: int) -> str:
    return f"{cycles:,} cycles ({duration(cycles * 1e6 / hz)})"


def _of_hold(
    image: Path, deviations: Sequence[Deviation], hold: Hold, launch: tuple[int, int] | None, end: int, hz: int
) -> str:
    if launch is not None and (hold.core, hold.pc) == (1, launch[1]):
        return f"core 1 begins {_long(hold.cycles, hz)} later"
    around = _Around(image, deviations, hold, end)
    last, decisive, first = around.parts()
    core = hold.core
    if first is None:
        return f"core {core} is held for {_long(hold.cycles, hz)} before {around.place(hold.pc)}"
    between = f"the {around.access(last)} and the {around.access(first)}" if last is not None else ""
    if decisive is None:
        if not between:
            return f"core {core} comes {_long(hold.cycles, hz)} later to the {around.access(first)}"
        return f"core {core} takes {_long(hold.cycles, hz)} longer between the {between.removeprefix('the ')}"
    what = f"core {1 - core}'s {around.access(decisive)}"
    if not between:
        return f"{what} comes before core {core}'s {around.access(first)}"
    return f"{what} falls between these two of core {core}: {between}"
