"""What `intercore validate` has found: the file to pass on, written and read again as something foreign."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal, TypeAlias

import msgspec
import numpy as np

import intercore
from intercore.errors import IntercoreError
from intercore.files.bounds import VALIDATION, contents
from intercore.files.replacement import VALIDATION as KIND
from intercore.files.replacement import replacement
from intercore.text import printable, shortened
from intercore.validate.campaign import differences
from intercore.validate.costs import COSTS
from intercore.validate.explanation import suspects
from intercore.validate.quantities import QUANTITIES

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from intercore.validate.explanation import Suspect

VERSION = 2
"""Of the file's format. In version 1 a quantity was the mean of the middle half of its samples."""
MOST_CYCLES = 1e12
"""Cycles of any time at most; the longest here is a hundredth of a millionth of it."""
Origin: TypeAlias = Literal["board", "simulated board"]
Name = Annotated[str, msgspec.Meta(max_length=100)]
Text = Annotated[str, msgspec.Meta(max_length=1000)]


class Compared(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A quantity on both, in cycles."""

    quantity: Name
    compared: float
    """Median, of what is compared with the model: a board, or a simulated board."""
    simulated: float
    """Median."""
    difference: float
    """By how much the first one takes longer, as `differences` has it."""


class Effect(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What the step of a cost adds to each quantity, in cycles."""

    cost: Name
    assumed: int
    step: int
    adds: Annotated[tuple[float, ...], msgspec.Meta(max_length=100)]


class Validation(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A campaign on a board and on its model."""

    kind: Literal["intercore validation"]
    version: int
    tool: Name
    origin: Origin
    """Of the numbers that are compared with the model's."""
    conditions: Annotated[dict[Name, Text], msgspec.Meta(max_length=200)]
    """What the program says of itself and its chip."""
    quantities: Annotated[tuple[Compared, ...], msgspec.Meta(max_length=100)]
    effects: Annotated[tuple[Effect, ...], msgspec.Meta(max_length=100)]

    @property
    def differences(self) -> list[float]:
        """Cycles by which each quantity takes longer than simulated."""
        return [one.difference for one in self.quantities]

    def suspects(self) -> list[Suspect]:
        """Return all costs, the most suspect first."""
        return suspects(self.differences, [one.adds for one in self.effects])


def validation(
    origin: Origin,
    conditions: Mapping[str, str],
    compared: Sequence[NDArray[np.int64]],
    simulated: Sequence[NDArray[np.int64]],
    effects: Sequence[Sequence[float]],
) -> Validation:
    """Return what was found, from the samples of each quantity, and the effects of each cost, in their order."""
    moved = differences(compared, simulated)
    return Validation(
        "intercore validation",
        VERSION,
        intercore.__version__,
        origin,
        dict(conditions),
        tuple(
            Compared(quantity.name, float(np.median(ours)), float(np.median(theirs)), difference)
            for quantity, ours, theirs, difference in zip(QUANTITIES, compared, simulated, moved, strict=True)
        ),
        tuple(
            Effect(cost.name, cost.assumed, cost.step, tuple(adds)) for cost, adds in zip(COSTS, effects, strict=True)
        ),
    )


def write(found: Validation, path: Path, *, force: bool = False) -> None:
    """Write the file. Raises IntercoreError, also if it would replace a file of another kind without `force`."""
    with replacement(path, KIND, force=force) as file:
        file.write(msgspec.json.format(msgspec.json.encode(found), indent=1) + b"\n")


def read(path: Path) -> Validation:
    """Read a file of anybody's. Raises IntercoreError with what is wrong with it."""
    try:
        found = msgspec.json.decode(contents(path, VALIDATION), type=Validation)
    except OSError as error:
        raise IntercoreError(f"cannot read {path}: {error.strerror}") from None
    except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
        raise IntercoreError(f"{path} is no file of intercore validate: {printable(shortened(str(error)))}") from None
    if (wrong := _wrong(found)) is not None:
        raise IntercoreError(f"{path} is no file of intercore validate that can be used: {wrong}")
    return found


def _wrong(found: Validation) -> str | None:
    """Return what is wrong with a file whose form is right."""
    costs = [(one.cost, one.assumed, one.step) for one in found.effects]
    times = [time for one in found.quantities for time in (one.compared, one.simulated)]
    effects = [*found.differences, *(added for one in found.effects for added in one.adds)]
    texts = [found.tool, *found.conditions, *found.conditions.values()]
    rules = (
        (found.version == VERSION, f"its format has version {found.version}, and this tool reads version {VERSION}"),
        (
            [one.quantity for one in found.quantities] == [one.name for one in QUANTITIES],
            "its quantities are not those that this version measures",
        ),
        (
            costs == [(cost.name, cost.assumed, cost.step) for cost in COSTS],
            "its costs are not those that this version assumes",
        ),
        (
            all(len(one.adds) == len(QUANTITIES) for one in found.effects),
            "the effects of a cost are not one for each quantity",
        ),
        (all(0 < time < MOST_CYCLES for time in times), "a time is not above 0, or too long"),
        (all(abs(added) < MOST_CYCLES for added in effects), "a difference or an effect is too large"),
        (all(printable(text) == text for text in texts), "a text has control characters"),
    )
    return next((wrong for right, wrong in rules if not right), None)
