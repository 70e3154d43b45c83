"""Which of the model's costs explain how a board differs: the fewest of them that do."""

from __future__ import annotations

import itertools
import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from intercore.validate.costs import COSTS, MOST_ALTERED
from intercore.validate.quantities import QUANTITIES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

SLACK = 0.6
"""By how much less than a chip can have a cost may come out, as what is fitted is not exact."""
COST_OF_SUSPECT = 8.0
"""By how much the sum of squares must fall, in units of the floors, for one suspect more (Akaike's is 2)."""


class Suspect(NamedTuple):
    """An assumption, and what would be true instead."""

    name: str
    """Of the cost."""
    explains: float
    """Share of the differences, as squares, that stays without it and is gone with it: 0 to 1."""
    instead: float
    """What the cost would be, in its unit."""
    needed: bool
    """Whether it is one of the fewest that explain the differences; others only could be."""


def suspects(differences: Sequence[float], effects: Sequence[Sequence[float]]) -> list[Suspect]:
    """Return all costs, the most suspect first.

    `differences` has a number of cycles for each quantity, `effects` for each cost of COSTS what its step adds to it.
    """
    scale = np.array([quantity.floor for quantity in QUANTITIES])
    target = np.asarray(differences, float) / scale
    columns = np.asarray(effects, float).T / scale[:, None]
    every = range(len(COSTS))
    sets = [chosen for size in range(MOST_ALTERED + 1) for chosen in itertools.combinations(every, size)]
    left = {chosen: _left(columns, target, chosen) for chosen in sets}
    best = min(sets, key=lambda chosen: left[chosen] + COST_OF_SUSPECT * len(chosen))
    total = max(float(target @ target), 1e-12)
    found = []
    for index in every:
        needed = index in best
        with_it = best if needed else _with(best, index, left)
        without = tuple(one for one in with_it if one != index)
        steps = _steps(columns, target, with_it)[with_it.index(index)]
        cost = COSTS[index]
        explains = max(0.0, (left[without] - left[with_it]) / total)
        found.append(Suspect(cost.name, min(explains, 1.0), float(cost.assumed + steps * cost.step), needed))
    return sorted(found, key=lambda one: (not one.needed, -one.explains))


def _with(best: tuple[int, ...], index: int, left: dict[tuple[int, ...], float]) -> tuple[int, ...]:
    """Return the set with a further cost, in place of the one that is missed least if the set is full."""
    bases = [best] if len(best) < MOST_ALTERED else list(itertools.combinations(best, MOST_ALTERED - 1))
    return min((tuple(sorted({*base, index})) for base in bases), key=left.__getitem__)


def _steps(columns: NDArray[np.float64], target: NDArray[np.float64], chosen: tuple[int, ...]) -> NDArray[np.float64]:
    if not chosen:
        return np.zeros(0)
    return np.asarray(np.linalg.lstsq(columns[:, list(chosen)], target, rcond=None)[0], np.float64)


def _left(columns: NDArray[np.float64], target: NDArray[np.float64], chosen: tuple[int, ...]) -> float:
    """Return the sum of squares that a set leaves; infinite if it would take what no chip can have."""
    steps = _steps(columns, target, chosen)
    costs = [COSTS[index] for index in chosen]
    if any(cost.assumed + step * cost.step < cost.least - SLACK for cost, step in zip(costs, steps, strict=True)):
        return math.inf
    rest = target - columns[:, list(chosen)] @ steps
    return float(rest @ rest)
