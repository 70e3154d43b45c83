"""Measures the quantities on a board, and on simulated chips with the same program."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import numpy as np

from intercore.errors import IntercoreError
from intercore.target.targets import Address, find
from intercore.validate.costs import COSTS, faults
from intercore.validate.quantities import QUANTITIES

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from intercore.link.session import Session
    from intercore.target.simulated_chip import SimulatedPico
    from intercore.validate.quantities import Quantity

SIMULATED = "pico-sim"
OF_THE_CHIP = ("chip.", "console")
"""Conditions that differ between boards with the same program begin with one of these."""


def measure(session: Session, say: Callable[[str], None]) -> list[float]:
    """Return the typical time of each quantity in cycles: the mean of the middle half of its samples.

    Raises IntercoreError if the target cannot measure one of them, or its check failed.
    """
    found = []
    for quantity in QUANTITIES:
        say(f"measuring {quantity.what}")
        found.append(_typical(session, quantity))
    return found


def _typical(session: Session, quantity: Quantity) -> float:
    answer = session.measure(quantity.benchmark, {**quantity.parameters, "samples": quantity.samples, "seed": 1})
    if answer.status != "ok" or answer.checks.get("wrong") or answer.checks.get("lost"):
        raise IntercoreError(f"the target could not measure {quantity.what}: the run was {answer.status}")
    for series in answer.series:
        if series.name == quantity.series and len(series.ticks):
            ordered = np.sort(series.ticks)
            cut = len(ordered) // 4
            return float(ordered[cut : len(ordered) - cut].mean())
    raise IntercoreError(f"the target has sent no samples of {quantity.what}")


class Model:
    """A simulated chip with a program, started once; each campaign begins from the same state."""

    def __init__(self, program: Path, say: Callable[[str], None]) -> None:
        """Start the program. Raises IntercoreError."""
        target = find(SIMULATED)
        self._opened = target.open(Address(programs=(program,)), say)
        self._session = self._opened.session(target.timeout)
        self.conditions: Mapping[str, str] = self._session.info().conditions
        """What the program says of itself."""
        self._session.raise_rate()
        self._simulator = cast("SimulatedPico", self._opened.chip).simulator
        self._restore = self._simulator.keep(), self._session.snapshot()

    def measure(self, altered: Mapping[str, int], say: Callable[[str], None]) -> list[float]:
        """Return what `measure` does on the chip with altered costs."""
        for restore in self._restore:
            restore()
        self._simulator.set_faults(faults(altered))
        return measure(self._session, say)

    def effects(self, simulated: Sequence[float], say: Callable[[str], None]) -> list[list[float]]:
        """Return for each cost what its step adds to each quantity, in cycles: one campaign for each."""
        found = []
        for cost in COSTS:
            say(f"simulating with another cost: {cost.what}")
            moved = self.measure({cost.name: cost.assumed + cost.step}, lambda _: None)
            found.append([after - before for after, before in zip(moved, simulated, strict=True)])
        return found


def check_same_program(board: Mapping[str, str], expected: Mapping[str, str]) -> None:
    """Raise IntercoreError if a board says of itself that it runs another program than the simulated chip."""
    for name in sorted({*board, *expected}):
        if not name.startswith(OF_THE_CHIP) and board.get(name) != expected.get(name):
            raise IntercoreError(
                f"the board runs another program: its condition {name} is {board.get(name, 'missing')}, not "
                f"{expected.get(name, 'missing')}. Flash it: intercore flash pico --code flash"
            )
