"""The causes of differences between two runs of one simulated target, if known."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

import numpy as np

from intercore.benchmarks.grouping import IRRELEVANT
from intercore.comparison.largest import largest_first
from intercore.comparison.pairs import WITHOUT_LEVEL
from intercore.text import listed

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from intercore.comparison.change import Change
    from intercore.comparison.pairs import Pair
    from intercore.record.measurement import Level, Measurement, Plan

_MOST_NAMED = 3
"""Functions; more are only counted."""
_DECIDED = frozenset({"faster", "slower", "fewer", "more"})
_ALIKE = 0.1  # of the typical cycles, that the middle half may be off


def causes(pairs: Sequence[Pair], change: Change | None, *, is_one_setting: bool) -> Iterator[str]:
    """Return which functions differ, and by how many cycles the quantities are longer or shorter that changed.

    The cycles are those of the functions only if each setting is the same on both sides (`is_one_setting`).
    """
    if change is None or change.functions is None:
        return
    count = len(change.functions)
    if not count:
        yield "No function differs between the two programs: their data differs, or its addresses."
        return
    names = listed([*change.functions]) if count <= _MOST_NAMED else f"{count} functions"
    differ = f"{names} {'differs' if count == 1 else 'differ'}"
    decided = [pair for pair in pairs if pair.verdict in _DECIDED]
    if not is_one_setting or any(pair.verdict == "cannot tell" for pair in pairs):
        yield f"{differ}."
    elif not decided:
        yield f"{differ}: no number changed by more than another phase changes it."
    else:
        settings = {(pair.benchmark, tuple(pair.setting.items())) for pair in decided}
        many = f"{len(settings)} setting{'s' * (len(settings) != 1)}"
        yield f"{differ}: {many} changed{_in_cycles([pair.cycles for pair in decided if pair.cycles is not None])}."


def _in_cycles(cycles: Sequence[float]) -> str:
    """Return by how many cycles most of what changed did, or from how many to how many; empty if nothing is a time."""
    if not cycles:
        return ""
    low, typical, high = np.percentile(cycles, (25, 50, 75))
    if max(abs(low - typical), abs(high - typical)) <= _ALIKE * abs(typical):
        return f", most by {typical:+,.0f} cycles"
    return f", by {min(cycles):+,.0f} to {max(cycles):+,.0f} cycles"


def trace_command(
    pairs: Sequence[tuple[Pair, Measurement]], change: Change | None, plan: Plan, usual: Mapping[str, Level]
) -> Iterator[str]:
    """Return the command that shows the parts of the largest difference; `plan` is that of the second side.

    Each pair comes with its measurement there. `usual` has the default levels of the target's factors, which the
    command omits.
    """
    decided = {id(pair): one for pair, one in pairs if pair.verdict in _DECIDED and pair.unit == "us"}
    first = next((pair for pair in largest_first([pair for pair, _ in pairs]) if id(pair) in decided), None)
    if change is None or first is None or plan.own is not None:
        return
    factors = decided[id(first)].factors
    levels = [
        f"{name}={level}"
        for name, level in factors.items()
        if name not in IRRELEVANT | WITHOUT_LEVEL and usual.get(name) != level
    ]
    named = {"--kernel": plan.kernel, "--firmware": plan.firmware}
    options = [word for option, value in named.items() if value is not None for word in (option, value)]
    command = shlex.join(["intercore", "trace", plan.target, first.benchmark, *levels, *options])
    yield f"To see the parts of the largest difference: {command}"


def unknown_phases(pairs: Sequence[Pair], change: Change | None) -> Iterator[str]:
    """Warn of differences that may be those of the change, or of phases."""
    unknown = sum(pair.verdict == "cannot tell" for pair in pairs)
    if change is None or not unknown:
        return
    many = f"{unknown} differences are" if unknown > 1 else "1 difference is"
    why = change.why_unknown or "fewer than two other phases were measured, or a sample is not above 0"
    yield (
        f"{many} real, but may come from another phase and not from the change: the effect of the phase on "
        f"{'these numbers' if unknown > 1 else 'this number'} is unknown ({why})."
    )
