"""What it would bring to move functions or data: the same run with each of them as if in a memory of its own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import msgspec

from intercore.profile.alone import compared, pace
from intercore.text import listed
from intercore.view.quantity import multiple, percent

if TYPE_CHECKING:
    from collections.abc import Iterator

    from intercore.profile.recorded import Profile

_ESTIMATE = (
    "This is the simulator's estimate: nothing else moves, and calls from flash to SRAM and back would take some "
    "cycles more."
)


class Tried(msgspec.Struct, frozen=True):
    """A run, and the same from its beginning on with functions or data as if each were in a memory of its own."""

    names: Sequence[str]
    """What was moved."""
    same_end: bool
    """Whether both came to the same place, and not to the limit of time."""
    cycles: int
    tried_cycles: int
    pace: Sequence[float | None]
    """By core, its cycles for the same instructions as a multiple of those in the second run; none if it did others."""


def tried(names: Sequence[str], before: Profile, after: Profile) -> Tried:
    """Compare a profile with one of the same part of a run, after something was moved."""
    return Tried(
        names,
        before.stop == after.stop and not before.stop.startswith("the limit"),
        before.ended - before.begun,
        after.ended - after.begun,
        [pace(compared(core, before, after).functions) for core in range(len(before.cores))],
    )


def sentences(found: Tried) -> Iterator[str]:
    """Say what it would bring."""
    moved = f"With {listed(found.names)} in memory of {'its' if len(found.names) == 1 else 'their'} own"
    if found.same_end:
        less = found.cycles - found.tried_cycles
        change = f"{percent(abs(less) / max(1, found.cycles))} {'fewer' if less > 0 else 'more'}"
        told = f"the same part takes {found.tried_cycles:,} cycles"
        told += f" instead of {found.cycles:,} ({change})" if less else ", as many as before"
    else:
        times = [f"{multiple(1 / one)} times the cycles on core {core}" for core, one in enumerate(found.pace) if one]
        told = f"the same instructions take {listed(times)}" if times else "both cores do something else"
    yield f"{moved}, {told}. {_ESTIMATE}"
