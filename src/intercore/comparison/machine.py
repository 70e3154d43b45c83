"""By how much the machine itself was slower on one side of a comparison than on the other (`campaign.calibration`)."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from intercore.benchmarks.grouping import ticks, units_us
from intercore.record.measurement import MACHINE_COMPUTE, MACHINE_HAND_OVER
from intercore.statistics.repetitions import chance, medians, ratio_of_medians
from intercore.statistics.verdict import FALSE_ALARMS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from intercore.record.measurement import Measurement

_LEAST = 1.01  # times: less matters to nobody


class MachineState(NamedTuple):
    """How long the fixed work took on the second side, in times of the first one; 1 where that is not known."""

    compute: float = 1.0
    hand_over: float = 1.0
    """To a thread on another core and back."""
    differs: bool = False
    """Whether it differs by more than what differs between runs, or between repetitions of single runs."""

    @property
    def most(self) -> float:
        """How many times slower or faster the machine was, at least 1; 1 where it does not surely differ by 1 %."""
        found = max(self.compute, self.hand_over, 1 / self.compute, 1 / self.hand_over)
        return found if self.differs and found >= _LEAST else 1.0

    def in_words(self, first: str, second: str) -> str:
        """Say it in a sentence; empty if there is nothing to say."""
        if self.most == 1:
            return ""
        slower = max(self.compute, self.hand_over) * min(self.compute, self.hand_over) >= 1
        one, other = (second, first) if slower else (first, second)
        what = {"computing": self.compute, "a hand-over between cores": self.hand_over}
        named = ", ".join(f"{name} {ratio if slower else 1 / ratio:.2f}" for name, ratio in what.items())
        return (
            f"The machine itself was {self.most:.2f} times slower in {one} than in {other} (fixed work: {named}): no "
            "change up to that size is called faster or slower."
        )


def machine_state(first: Sequence[Measurement], second: Sequence[Measurement]) -> MachineState:
    """Return how the machine itself differed between two sides."""
    ratios, differs = [], False
    for name in (MACHINE_COMPUTE, MACHINE_HAND_OVER):
        sides = [[one for one in side if len(ticks(one, name))] for side in (first, second)]
        if not all(sides):
            return MachineState()
        mine, theirs = (medians(units_us(side, name), runs=len({one.run for one in side})) for side in sides)
        ratio, alike = ratio_of_medians(theirs, mine), chance(theirs, mine)
        if ratio is None or alike is None:
            return MachineState()
        ratios.append(ratio.value)
        differs = differs or alike <= FALSE_ALARMS / 2  # of two kinds of work, either may differ by chance
    return MachineState(ratios[0], ratios[1], differs)
