"""What the model of the RP2040 assumes, as far as it can be altered and the quantities tell it apart."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping


class Cost(NamedTuple):
    """An assumption of docs/simulator.md that is a number."""

    name: str
    """Of the fault `costs` of the simulated chip."""
    assumed: int
    least: int
    """That a chip can have."""
    unit: str
    what: str
    """What takes so long: a clause of at most 40 characters."""
    step: int
    """By which it is altered to see what depends on it."""
    hidden: tuple[int, int]
    """Least and most that a hidden set has."""


COSTS = (
    Cost("line", 3, 1, "cycles", "an interrupt, from its block to the core", 4, (1, 8)),
    Cost("decision", 3, 1, "cycles", "a core, to begin an exception's entry", 4, (2, 8)),
    Cost("exception_return", 13, 12, "cycles", "the return from an exception", 4, (12, 18)),
    Cost("tail_chain", 6, 6, "cycles", "a handler chained to another one", 4, (7, 11)),
    Cost("fifo", 1, 1, "cycles", "a word in the FIFO between the cores", 4, (2, 6)),
    Cost("flash_miss", 4, 0, "cycles", "a miss of the flash cache, beside SPI", 4, (0, 12)),
    Cost("flash_erase", 45_000, 100, "µs", "the flash, to erase a sector", 5000, (25_000, 90_000)),
    Cost("flash_program", 400, 1, "µs", "the flash, to program a page", 50, (250, 900)),
)
BY_NAME: Mapping[str, Cost] = {cost.name: cost for cost in COSTS}
MOST_ALTERED = 3
NOT_TOLD_APART = "arbitration, fetches, the cache's policy, DMA, PIO and other blocks"
"""Assumptions that no quantity tells apart, or none depends on."""


def faults(altered: Mapping[str, int]) -> tuple[str, ...]:
    """Return what has the simulated chip take these costs instead of those assumed."""
    return (f"costs:{','.join(f'{name}={value}' for name, value in altered.items())}",) if altered else ()


def hidden(seed: int) -> dict[str, int]:
    """Return one to three costs that a seed chooses, each with another value than the model assumes."""
    chance = random.Random(seed)  # noqa: S311 - a test's choice, no secret
    chosen = chance.sample(COSTS, chance.randint(1, MOST_ALTERED))
    found = {}
    for cost in chosen:
        least, most = cost.hidden
        value = chance.randint(least, most - (least <= cost.assumed))
        found[cost.name] = value + (value >= cost.assumed >= least)
    return found
