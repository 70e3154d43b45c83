"""Chooses the deviations of a run by a seed.

A fault of two cores shows under few orders of few accesses. Musuvathi and Qadeer (Iterative context bounding for
systematic testing of multithreaded programs, PLDI 2007; the tool CHESS) found faults with two preemptions or less.
Burckhardt, Kothari, Musuvathi and Nagarakatte (A randomized scheduler with probabilistic guarantees of finding bugs,
ASPLOS 2010; PCT) choose d - 1 of k steps at random where the order of n threads changes, and find a fault of depth d
with a probability of at least 1/(n k^(d-1)) in each run.

Here the threads are two cores that both run, so a change of order is a hold of a core for a while. It is placed before
an access to what both cores use: before any other instruction it has the same effect. Instructions are chosen first and
one of their executions then, so that what is executed rarely is as likely as what is polled. Up to three holds are
chosen. The length of a hold is either random on a logarithmic scale, or such that it ends just after one of the next
accesses of the other core to the same word: then this access falls before the one that is held.
"""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import numpy as np

from intercore.hunt.variation.deviations import FlashCache, Hold, Phase, PowerOn
from intercore.hunt.variation.places import EVENT, instructions_of

if TYPE_CHECKING:
    import numpy.typing as npt

    from intercore.hunt.variation.deviations import Deviation

_HOLDS = (0, 1, 1, 1, 1, 2, 2, 3)
"""How many, each as likely as its share."""
_DIRECTED = 0.6
"""Of holds, those that let an access of the other core pass."""
_PASSED = 2048
"""Accesses of the other core among which that one is: one of each instruction."""
_AFTER = 40
"""Cycles by which it is passed at most."""
_LONGEST = 17
"""Binary logarithm of the longest hold of random length: 1 ms at 125 MHz."""
_LATEST = 20
"""The same of the latest start of core 1: 8 ms."""
_PHASES = 1250
"""Cycles: more than a tick of TIMER, or than a bit at 115,200 baud."""
_STARTED = 1_000_000
"""The cycle at which phases are changed if core 1 never begins: clocks and peripherals have been set up."""
_OTHERS = 0.15
"""Probability of each deviation that is not a hold."""
_SEEDS = 1_000_000_000


class Choices:
    """The deviations that a program can have."""

    def __init__(self, accesses: npt.NDArray[np.void], launch: tuple[int, int] | None, *, in_flash: bool) -> None:
        """Choose from recorded accesses; `launch` is cycle and address at which core 1 begins, if it does."""
        self._instructions = instructions_of(accesses)
        self._of = {
            one: accesses[(accesses["core"] == one[0]) & (accesses["pc"] == one[1])] for one in self._instructions
        }
        self._by_core = [accesses[accesses["core"] == core] for core in (0, 1)]
        self._launch = launch
        self._in_flash = in_flash

    @property
    def instructions(self) -> int:
        """How many instructions there are to hold a core at."""
        return len(self._instructions)

    def chosen(self, seed: int, number: int) -> list[Deviation]:
        """Return the deviations of a run, which depend on nothing but its seed and number."""
        chance = random.Random(f"{seed} {number}")  # noqa: S311 - no secret
        found: list[Deviation] = []
        if chance.random() < _OTHERS:
            found.append(PowerOn(chance.randrange(_SEEDS)))
        if chance.random() < _OTHERS:
            found.append(Phase(chance.randint(1, _PHASES), self._launch[0] if self._launch else _STARTED))
        if chance.random() < _OTHERS and self._launch:
            began, entry = self._launch
            found.append(Hold(1, entry, _logarithmic(chance, _LATEST), began))
        if chance.random() < _OTHERS and self._in_flash and self._instructions:
            found.append(FlashCache(self._access(chance)[2]))
        if self._instructions:
            found += [self._hold(chance) for _ in range(chance.choice(_HOLDS))]
        return found

    def _access(self, chance: random.Random) -> tuple[int, int, int, int]:
        """Return core, instruction, cycle and word of an access."""
        core, pc = chance.choice(self._instructions)
        of_place = self._of[core, pc]
        access = of_place[chance.randrange(of_place.size)]
        return core, pc, int(access["cycle"]), int(access["word"])

    def _hold(self, chance: random.Random) -> Hold:
        core, pc, cycle, word = self._access(chance)
        cycles = _logarithmic(chance, _LONGEST)
        if chance.random() < _DIRECTED:
            others = self._by_core[1 - core]
            later = others[np.searchsorted(others["cycle"], cycle) :]
            if word != EVENT:
                later = later[later["word"] == word]
            if later.size:
                _, firsts = np.unique(later["pc"][:_PASSED], return_index=True)
                passed = later[chance.choice(firsts.tolist())]
                cycles = int(passed["cycle"]) - cycle + chance.randint(1, _AFTER)
        return Hold(core, pc, cycles, cycle)


def _logarithmic(chance: random.Random, most: int) -> int:
    return max(1, round(2 ** chance.uniform(2, most)))
