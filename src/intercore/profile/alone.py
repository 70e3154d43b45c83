"""What the other core costs: a core beside it, and from the same state on alone, with the other core held still."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import msgspec

from intercore.profile.recorded import Sums, total
from intercore.profile.sums import functions, roots
from intercore.record.origin import in_heading
from intercore.text import listed
from intercore.view.quantity import multiple, percent, significant
from intercore.view.table import Column, Table

if TYPE_CHECKING:
    from collections.abc import Iterator

    from intercore.profile.recorded import Profile

_ROWS = 10
_NAMED = 3
_WORTH_A_WORD = 0.005
"""Part of the time from which on a difference is told."""
_ALIKE = 2
"""Up to how many times as many instructions a function may execute in one run as in the other to be compared."""
_MUCH = 0.1
"""Part of the time from which on a function that takes so much more of it alone is probably a wait."""


class FunctionAlone(msgspec.Struct, frozen=True):
    """A function of a core, beside the other core and alone. Cycles are those awake, without callees."""

    function: str
    calls: int
    instructions: int
    cycles: int
    alone_calls: int
    alone_instructions: int
    alone_cycles: int

    @property
    def slower(self) -> float | None:
        """Cycles for an instruction, as a multiple of those alone; none if the two runs executed it differently."""
        least, most = sorted([self.instructions, self.alone_instructions])
        if _ALIKE * least < most or not self.alone_cycles:
            return None
        return self.cycles / self.instructions / (self.alone_cycles / self.alone_instructions)


class Alone(msgspec.Struct, frozen=True):
    """A core, beside the other core and alone, from the same state of the chip on."""

    core: int
    cycles: int
    """Of the part beside the other core."""
    alone_cycles: int
    sums: Sums
    alone_sums: Sums
    interrupts: int
    """Cycles in interrupts."""
    alone_interrupts: int
    stop: str
    """Why the part alone ended."""
    functions: Sequence[FunctionAlone]
    """Those with the most cycles first."""


def compared(core: int, beside: Profile, alone: Profile) -> Alone:
    """Compare the profile of a core beside the other core with one of it alone."""
    both = [_by_name(core, one) for one in (beside, alone)]
    nothing = (0, 0, 0)
    found = [
        FunctionAlone(name, *both[0].get(name, nothing), *both[1].get(name, nothing)) for name in both[0] | both[1]
    ]
    sums = [total(node.costs.sums for node in one.cores[core].nodes) for one in (beside, alone)]
    interrupts = [
        sum(root.sums.cycles for root in roots(core, one.cores[core]) if root.entered) for one in (beside, alone)
    ]
    return Alone(
        core,
        beside.cores[core].cycles,
        alone.cores[core].cycles,
        sums[0],
        sums[1],
        interrupts[0],
        interrupts[1],
        alone.stop,
        sorted(found, key=lambda one: (-max(one.cycles, one.alone_cycles), one.function)),
    )


def pace(functions: Sequence[FunctionAlone]) -> float | None:
    """Return the cycles of the first run as a multiple of those of the second one, for what both executed alike."""
    common = [one for one in functions if one.slower is not None]
    would = sum(one.cycles / one.slower for one in common if one.slower)
    return sum(one.cycles for one in common) / would if would else None


def sentences(alone: Alone) -> Iterator[str]:
    """Say what the other core costs this one, and where the comparison ends."""
    core, other = alone.core, 1 - alone.core
    common = [one for one in alone.functions if one.slower is not None]
    taken = sum(one.cycles for one in common)
    if (times := pace(alone.functions)) is not None:
        slower = [
            f"{one.function} {multiple(one.slower)}"
            for one in common
            if one.slower and one.cycles * (1 - 1 / one.slower) > _WORTH_A_WORD * taken
        ][:_NAMED]
        told = f": {listed(slower)}" if slower else ""
        awake = alone.cycles - alone.sums.asleep
        yield (
            f"Beside core {other}, core {core} takes {multiple(times)} times the cycles that the same "
            f"instructions take alone, in the functions that do about the same in both runs "
            f"({percent(taken / awake)} of its time awake){told}."
        )
    else:
        yield f"Core {core} does nothing alone that it does beside core {other}."
    if alone.alone_cycles < (1 - _WORTH_A_WORD) * alone.cycles:
        yield f"Alone, it came to cycle {alone.alone_cycles:,} of {alone.cycles:,}: {alone.stop}."
    shares = [
        alone.interrupts / max(1, alone.cycles),
        alone.alone_interrupts / max(1, alone.alone_cycles),
    ]
    if abs(shares[0] - shares[1]) > _WORTH_A_WORD:
        yield (
            f"Its interrupts take {percent(shares[0])} of its time beside core {other}, and {percent(shares[1])} alone."
        )
    waits = [
        f"{percent(one.alone_cycles / alone.alone_cycles)} in {one.function} "
        f"({percent(one.cycles / alone.cycles)} beside core {other})"
        for one in alone.functions
        if one.alone_cycles / max(1, alone.alone_cycles) - one.cycles / max(1, alone.cycles) > _MUCH
    ]
    asleep = [alone.sums.asleep / max(1, alone.cycles), alone.alone_sums.asleep / max(1, alone.alone_cycles)]
    if asleep[1] - asleep[0] > _MUCH:
        waits.append(f"{percent(asleep[1])} asleep ({percent(asleep[0])} beside core {other})")
    if waits:
        yield (
            f"Alone, core {core} spends its time otherwise: {listed(waits)}. If it waits there for "
            f"core {other}, only what it executes in both parts can be compared."
        )


def table(alone: Alone) -> Table[FunctionAlone]:
    """Return the functions of the core, beside the other core and alone."""

    def share(cycles: int, of: int) -> str:
        return percent(cycles / of) if cycles and of else ""

    def each(cycles: int, instructions: int) -> str:
        return significant(cycles / instructions) if instructions else ""

    return Table(
        in_heading(f"Core {alone.core} beside core {1 - alone.core} and alone, by function", "simulated"),
        alone.functions[:_ROWS],
        [
            Column("function", lambda one: one.function),
            Column("beside", lambda one: share(one.cycles, alone.cycles), right=True),
            Column("alone", lambda one: share(one.alone_cycles, alone.alone_cycles), right=True),
            Column("cycles/instr.", lambda one: each(one.cycles, one.instructions), right=True),
            Column("alone", lambda one: each(one.alone_cycles, one.alone_instructions), right=True),
            Column("slower", lambda one: "" if one.slower is None else f"{one.slower:.3f}", right=True),
        ],
    )


def _by_name(core: int, profile: Profile) -> dict[str, tuple[int, int, int]]:
    """Return calls, instructions and cycles awake of each function; functions that share a name are one."""
    found: dict[str, tuple[int, int, int]] = {}
    for one in functions(core, profile.cores[core]):
        calls, instructions, cycles = found.get(one.function, (0, 0, 0))
        awake = one.own.cycles - one.own.asleep
        found[one.function] = calls + one.calls, instructions + one.instructions, cycles + awake
    return found
