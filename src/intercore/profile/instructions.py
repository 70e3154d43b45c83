"""Profiles of a chip that has no time: how many instructions each core executes, by function, task and interrupt."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from intercore.profile.sums import by_function, by_root, entered, inclusive
from intercore.record.origin import Origin, in_heading
from intercore.text import listed
from intercore.view.quantity import percent
from intercore.view.section import Section
from intercore.view.table import Column, Table

if TYPE_CHECKING:
    from collections.abc import Iterator

    from intercore.profile.recorded import CoreProfile, Profile

_NAMED = 3
_WORTH_A_WORD = 0.01


class FunctionInstructions(msgspec.Struct, frozen=True):
    """Instructions of a function on a core."""

    core: int
    function: str
    calls: int
    instructions: int
    """Without the functions that it called."""
    inclusive: int
    """With the functions that it called, and without interrupts meanwhile."""


class RootInstructions(msgspec.Struct, frozen=True):
    """Instructions of a task or an exception handler on a core, with all that it called."""

    core: int
    name: str
    entered: int
    """How often a handler was entered; 0 for a task."""
    instructions: int


class InstructionsAnalysis(msgspec.Struct, frozen=True, tag_field="kind", tag="intercore instructions"):
    """The analysis of a profile without time, as `intercore profile stm32h745-sim … --format json` prints it."""

    image: str
    origin: Origin
    stop: str
    cores: Sequence[int]
    """Instructions of each core."""
    roots: Sequence[RootInstructions]
    functions: Sequence[FunctionInstructions]
    """Those with the most instructions first."""
    schema: int = 1
    """Version of this shape. 1: the first."""


def instructions_of(profile: Profile) -> InstructionsAnalysis:
    """Sum the instructions of a profile up."""
    functions = [one for number, core in enumerate(profile.cores) for one in _functions(number, core)]
    roots = [one for number, core in enumerate(profile.cores) for one in _roots(number, core)]
    return InstructionsAnalysis(
        profile.image,
        "emulated",
        profile.stop,
        [sum(node.costs.instructions for node in core.nodes) for core in profile.cores],
        sorted(roots, key=lambda one: (one.core, -one.instructions)),
        sorted(functions, key=lambda one: (-one.instructions, one.core, one.function)),
    )


def rows(analysis: InstructionsAnalysis) -> list[dict[str, object]]:
    """Return a row for each function on each core, for CSV."""
    return [msgspec.structs.asdict(one) for one in analysis.functions]


def section(analysis: InstructionsAnalysis, top: int) -> Section:
    """Return sentences and tables; `top` is the number of rows of the first one, 0 for all."""
    shown = analysis.functions[: top or None]
    left = len(analysis.functions) - len(shown)
    more = f"; {left:,} more with --top 0" if left else ""
    counted = [f"core {core} executed {count:,} instructions" for core, count in enumerate(analysis.cores)]
    sentences = [
        f"{analysis.image}: until {analysis.stop}, {listed(counted)}. This chip is emulated without its "
        "time: what they take, and what the cores lose to each other, is not known.",
        *(_core_sentence(analysis, core) for core, count in enumerate(analysis.cores) if count),
    ]

    def part(core: int, count: int) -> str:
        return percent(count / analysis.cores[core]) if count else ""

    tables: list[Table[Any]] = [
        Table(
            in_heading(f"Functions by instructions{more}", analysis.origin),
            shown,
            [
                Column("core", lambda one: str(one.core)),
                Column("function", lambda one: one.function),
                Column("instructions", lambda one: f"{one.instructions:,}", right=True),
                Column("own", lambda one: part(one.core, one.instructions), right=True),
                Column("total", lambda one: part(one.core, one.inclusive), right=True),
                Column("calls", lambda one: f"{one.calls:,}", right=True),
            ],
        ),
        Table(
            in_heading("Tasks and interrupts", analysis.origin),
            analysis.roots,
            [
                Column("core", lambda one: str(one.core)),
                Column("task or interrupt", lambda one: one.name),
                Column("instructions", lambda one: f"{one.instructions:,}", right=True),
                Column("part", lambda one: part(one.core, one.instructions), right=True),
                Column("entered", lambda one: f"{one.entered:,}" if one.entered else "", right=True),
            ],
        ),
    ]
    return Section(f"Profile: {in_heading(analysis.image, analysis.origin)}", sentences, tables)


def _core_sentence(analysis: InstructionsAnalysis, core: int) -> str:
    whole = analysis.cores[core]
    most = [one for one in analysis.functions if one.core == core and one.instructions >= _WORTH_A_WORD * whole]
    return (
        f"Core {core}: {listed([f'{percent(one.instructions / whole)} in {one.function}' for one in most[:_NAMED]])}."
    )


def _functions(number: int, core: CoreProfile) -> Iterator[FunctionInstructions]:
    for name, costs, whole in by_function(core, inclusive(core, lambda costs: costs.instructions)):
        calls, instructions = sum(one.calls for one in costs), sum(one.instructions for one in costs)
        yield FunctionInstructions(number, name, calls, instructions, whole)


def _roots(number: int, core: CoreProfile) -> Iterator[RootInstructions]:
    for root, costs in by_root(core):
        if instructions := sum(one.instructions for one in costs):
            yield RootInstructions(number, root.name, entered(root), instructions)
