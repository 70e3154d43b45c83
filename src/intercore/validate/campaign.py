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

    from numpy.typing import NDArray

    from intercore.link.session import Session
    from intercore.target.simulated_chip import SimulatedPico
    from intercore.validate.quantities import Quantity

SIMULATED = "pico-sim"
OF_THE_CHIP = ("chip.", "console")
"""Conditions that differ between boards with the same program begin with one of these."""


def measure(session: Session, say: Callable[[str], None]) -> list[NDArray[np.int64]]:
    """Return the samples of each quantity in cycles, in ascending order.

    Raises IntercoreError if the target cannot measure one of them, or its check failed.
    """
    found = []
    for quantity in QUANTITIES:
        say(f"measuring {quantity.what}")
        found.append(_samples(session, quantity))
    return found


def differences(compared: Sequence[NDArray[np.int64]], simulated: Sequence[NDArray[np.int64]]) -> list[float]:
    """Return by how many cycles each quantity takes longer.

    That is the median of the differences between samples of the same rank. Many quantities have several typical times,
    by what the flash cache held; how often each of them occurs decides the median of the samples, and not this one.
    """
    return [float(np.median(ours - theirs)) for ours, theirs in zip(compared, simulated, strict=True)]


def _samples(session: Session, quantity: Quantity) -> NDArray[np.int64]:
    answer = session.measure(quantity.benchmark, {**quantity.parameters, "samples": quantity.samples, "seed": 1})
    if answer.status != "ok" or answer.checks.get("wrong") or answer.checks.get("lost"):
        raise IntercoreError(f"the target could not measure {quantity.what}: the run was {answer.status}")
    for series in answer.series:
        if series.name == quantity.series and len(series.ticks) == quantity.samples:
            return np.sort(series.ticks)
    raise IntercoreError(f"the target has not sent all samples of {quantity.what}")


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
        self.simulator = cast("SimulatedPico", self._opened.chip).simulator
        """The chip, whose costs the last campaign may have altered."""
        self._restore = self.simulator.keep(), self._session.snapshot()

    def measure(self, altered: Mapping[str, int], say: Callable[[str], None]) -> list[NDArray[np.int64]]:
        """Return what `measure` does on the chip with altered costs."""
        for restore in self._restore:
            restore()
        self.simulator.set_faults(faults(altered))
        return measure(self._session, say)

    def effects(self, simulated: Sequence[NDArray[np.int64]], say: Callable[[str], None]) -> list[list[float]]:
        """Return for each cost what its step adds to each quantity, in cycles: one campaign for each."""
        found = []
        for cost in COSTS:
            say(f"simulating with another cost: {cost.what}")
            moved = self.measure({cost.name: cost.assumed + cost.step}, lambda _: None)
            found.append(differences(moved, simulated))
        return found


def check_same_program(board: Mapping[str, str], expected: Mapping[str, str]) -> None:
    """Raise IntercoreError if a board says of itself that it runs another program than the simulated chip."""
    for name in sorted({*board, *expected}):
        if not name.startswith(OF_THE_CHIP) and board.get(name) != expected.get(name):
            raise IntercoreError(
                f"the board runs another program: its condition {name} is {board.get(name, 'missing')}, not "
                f"{expected.get(name, 'missing')}. Flash it: intercore flash pico --code flash"
            )
