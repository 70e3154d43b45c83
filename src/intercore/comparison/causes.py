"""Where differences between two runs of one simulated target come from, as far as that was told apart."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

import numpy as np

from intercore.comparison.most import largest_first
from intercore.record.factors import TARGET_FACTORS
from intercore.text import listed

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from intercore.comparison.change import Change
    from intercore.comparison.pairs import Pair
    from intercore.record.measurement import Level, Plan

_MOST_NAMED = 3
"""Functions; more are only counted."""
_TOLD = frozenset({"faster", "slower", "fewer", "more"})


def causes(pairs: Sequence[Pair], change: Change | None) -> Iterator[str]:
    """Say which functions differ, and by how many cycles what they changed is longer or shorter."""
    if change is None or change.functions is None:
        return
    if not change.functions:
        yield "No function differs between the two programs."
        return
    count = len(change.functions)
    names = listed([*change.functions]) if count <= _MOST_NAMED else f"{count} functions"
    told = [pair for pair in pairs if pair.verdict in _TOLD]
    settings = {(pair.benchmark, tuple(pair.setting.items())) for pair in told}
    cycles = [pair.cycles for pair in told if pair.cycles is not None]
    typical = f"{np.median(cycles):+,.0f} cycles in the median of " if cycles else ""
    many = f"{len(settings)} setting{'s' * (len(settings) != 1)}"
    does = "differs" if count == 1 else "differ"
    yield f"{names} {does}: {typical}{many} that changed." if settings else f"{names} {does}: no setting changed by it."


def where_to_look(
    pairs: Sequence[Pair], change: Change | None, plan: Plan, usual: Mapping[str, Level]
) -> Iterator[str]:
    """Say which command shows what the largest difference consists of; `plan` is that of the second side.

    `usual` has the default levels of the target's own factors, which nobody has to name.
    """
    told = [pair for pair in pairs if pair.verdict in _TOLD and pair.unit == "us"]
    if change is None or not told or plan.own is not None:
        return
    first = largest_first(told)[0]
    builds = {name: levels[0] for part in plan.parts for name, levels in part.levels.items() if name in TARGET_FACTORS}
    build = {name: level for name, level in builds.items() if usual.get(name) != level}
    levels = [f"{name}={level}" for name, level in {**build, **first.setting}.items()]
    named = {"--kernel": plan.kernel, "--firmware": plan.firmware}
    options = [word for option, value in named.items() if value is not None for word in (option, value)]
    command = shlex.join(["intercore", "trace", plan.target, first.benchmark, *levels, *options])
    yield f"What the largest consists of: {command}"


def unknown_phases(pairs: Sequence[Pair], change: Change | None) -> Iterator[str]:
    """Warn of differences that may be those of the change, or of phases."""
    unknown = sum(pair.verdict == "cannot tell" for pair in pairs)
    if change is not None and change.why_unknown and unknown:
        yield (
            f"{unknown} differences are real, but may come from other phases than before and not from the change: how "
            f"far phases move these numbers is not known ({change.why_unknown})."
        )
