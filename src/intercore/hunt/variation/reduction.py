"""Reduces a run that fails to the fewest deviations, and each of them to the least that still fails."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from intercore.hunt.variation.deviations import Hold, Phase

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from intercore.hunt.variation.deviations import Deviation


class Reduced(msgspec.Struct, frozen=True):
    """A run of which no deviation can be left out, or made a cycle shorter, without changing how it fails."""

    deviations: Sequence[Deviation]
    runs: int
    """How many it took."""


def reduced(deviations: Sequence[Deviation], fails: Callable[[Sequence[Deviation]], bool]) -> Reduced:
    """Return the least of a run that still fails.

    This is ddmin (Zeller and Hildebrandt, Simplifying and isolating failure-inducing input, 2002) with subsets of one:
    there are seven deviations at most, and its result is the same kind of minimum. Then each length is halved between
    one that does not fail and one that does, until they are neighbours.
    """
    runs = 0

    def still_fails(attempt: Sequence[Deviation]) -> bool:
        nonlocal runs
        runs += 1
        return fails(attempt)

    left = list(deviations)
    number = 0
    while number < len(left):
        without = [*left[:number], *left[number + 1 :]]
        if without and still_fails(without):
            left, number = without, 0
        else:
            number += 1
    for number, one in enumerate(list(left)):
        if not isinstance(one, Hold | Phase):
            continue

        passes, failing = 0, one.cycles
        while failing - passes > 1:
            middle = (passes + failing) // 2
            if still_fails(_with_length(left, number, middle)):
                failing = middle
            else:
                passes = middle
        left = _with_length(left, number, failing)
    return Reduced(left, runs)


def _with_length(deviations: Sequence[Deviation], number: int, cycles: int) -> list[Deviation]:
    changed = msgspec.structs.replace(deviations[number], cycles=cycles)
    return [*deviations[:number], changed, *deviations[number + 1 :]]
