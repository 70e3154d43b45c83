"""Verdicts on two runs that were measured by turns: from the ratio within each turn (`intercore.campaign.by_turns`)."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from intercore.benchmarks.series import Unit, derived, has_median, quantity
from intercore.comparison.verdicts import Judgement, word
from intercore.record.factors import of_target
from intercore.record.plan import ENOUGH_REPETITIONS, canonical
from intercore.statistics.by_turns import chance, ratio, repetitions_for
from intercore.statistics.repetitions import grouped_median
from intercore.statistics.verdict import judged, significant

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from intercore.record.measurement import Measurement, Run

_Turn: TypeAlias = tuple[int, str]
"""A repetition, and its setting but for how the target is built."""


class AlternatingPair(NamedTuple):
    """A quantity of one setting, and what it was measured in on both sides."""

    series: str
    unit: Unit
    first: Sequence[Measurement]
    second: Sequence[Measurement]


def are_by_turns(first: Sequence[Run], second: Sequence[Run]) -> bool:
    """Whether two sides are a run each, and these were measured by turns."""
    if len(first) != 1 or len(second) != 1:
        return False
    return first[0].plan.partner == second[0].id and second[0].plan.partner == first[0].id


def judge_by_turns(quantities: Sequence[AlternatingPair], *, within: float) -> list[Judgement]:
    """Return a judgement for each quantity, as `verdicts.judge` does, from the turns that both sides have.

    A repetition that is lost or failed leaves its counterpart out.
    """
    sides = [_medians(one) for one in quantities]
    differs = significant([chance(theirs, mine) for mine, theirs in sides])
    found = []
    for one, (mine, theirs), is_reported in zip(quantities, sides, differs, strict=True):
        between = ratio(theirs, mine)
        verdict, most = judged(between, differs=is_reported, within=within)
        more = _more_turns(mine, theirs, within) if verdict == "unknown" else None
        found.append(Judgement(between, word(one.unit, verdict), most, more))
    return found


def _medians(one: AlternatingPair) -> tuple[list[float], list[float]]:
    """Return the medians of both sides in the turns that they have in common."""
    mine, theirs = (dict(_by_turn(one, side)) for side in (one.first, one.second))
    turns = sorted(mine.keys() & theirs.keys())
    return [mine[turn] for turn in turns], [theirs[turn] for turn in turns]


def _by_turn(of: AlternatingPair, side: Sequence[Measurement]) -> Iterator[tuple[_Turn, float]]:
    for one in side:
        build = of_target(one.factors)
        turn = one.repetition, canonical({name: level for name, level in one.factors.items() if name not in build})
        for series in one.series:
            if has_median(one.benchmark, series) and len(series.ticks):
                name, unit, values = quantity(one, series)
                if (name, unit) == (of.series, of.unit):
                    yield turn, grouped_median(values, 1e6 / series.hz if unit == "us" else 0.0)
        for name, unit, values in derived(one):
            if (name, unit) == (of.series, of.unit):
                yield turn, grouped_median(values, 0.0)


def _more_turns(mine: Sequence[float], theirs: Sequence[float], within: float) -> int | None:
    if len(mine) < 2:
        return ENOUGH_REPETITIONS - len(mine)
    needed = repetitions_for(within, theirs, mine)
    return None if needed is None else max(needed - len(mine), 1)
