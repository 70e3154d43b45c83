"""The functions and the phases of a change between two runs of one simulated target."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

import msgspec
import numpy as np

from intercore.comparison.quantities import OfSamples
from intercore.comparison.verdicts import Judgement, Verdict, word
from intercore.statistics.intervals import Interval
from intercore.statistics.phases import Difference, Phase, difference, phase
from intercore.statistics.verdict import significant

if TYPE_CHECKING:
    from collections.abc import Sequence

    from intercore.benchmarks.series import Unit
    from intercore.comparison.quantities import Quantity
    from intercore.record.measurement import Run

_ROUNDING = 1e-9  # of a sample, that arithmetic may put it off
_NEARLY_ALL = 0.9  # of the samples


class Change(msgspec.Struct, frozen=True):
    """The changes of two programs, and one of them in other phases."""

    functions: tuple[str, ...] | None = None
    """Names of those that differ between the two programs; None if these are not at hand."""
    is_one_program: bool = False
    """Whether both sides ran the same image, with the same settings but for the seed."""
    is_in_place: bool = False
    """Whether the programs differ in the instructions of these functions alone, and nothing lies elsewhere."""
    phases: tuple[Run, ...] = ()
    """The changed quantities, measured again in other phases of one side's program."""
    phased: Literal[0, 1] = 0
    """Which side's."""
    why_unknown: str = ""
    """Why there are no phases, a clause; empty if there are, if nothing changed, or if not requested."""


class ChangedQuantity(NamedTuple):
    """A quantity on both sides, and one side's in other phases."""

    unit: Unit
    first: Quantity
    second: Quantity
    phases: Sequence[Quantity]
    is_one_seed: bool
    """Whether both sides were measured with the same seeds."""
    cycle: float
    """A cycle of a core in the unit; 0 for what is no time, or if unknown."""


def judge_change(sides: Sequence[ChangedQuantity], change: Change) -> list[Judgement]:
    """Return a judgement for each quantity of two runs of one simulated target.

    Medians that are equal are the same. Where nothing but code of the same size at the same place differs, and nearly
    every sample is longer by the same time, that is the change's. Any other difference is held against phases.
    """
    differences = [_difference(one, change) for one in sides]
    differs = significant([None if one is None else one.chance for one in differences])
    return [
        _judged(one, found, change, differs=is_reported)
        for one, found, is_reported in zip(sides, differences, differs, strict=True)
    ]


def _difference(one: ChangedQuantity, change: Change) -> Difference | None:
    first, second = one.first.medians.whole.value, one.second.medians.whole.value
    if first == second:
        return Difference(Interval(1.0, 1.0, 1.0), 1.0)
    if min(first, second) <= 0:
        return None
    if change.is_in_place and one.is_one_seed and _is_one_shift(one.first, one.second):
        ratio = second / first
        return Difference(Interval(ratio, ratio, ratio), 0.0)
    of_program, other = (one.first, one.second) if change.phased == 0 else (one.second, one.first)
    known = [_phase(each, one.cycle) for each in (of_program, *one.phases)]
    phases, beside = [each for each in known if each is not None], _phase(other, one.cycle)
    if known[0] is None or beside is None:
        return None
    return difference(phases, beside, is_second=change.phased == 0)


def _phase(known: Quantity, cycle: float) -> Phase | None:
    return phase(known.medians, known.least, known.largest, known.samples, step=cycle)


def _is_one_shift(first: Quantity, second: Quantity) -> bool:
    """Whether nearly every sample is longer, or shorter, by the same time: some meet the kernel's tick."""
    if not isinstance(first, OfSamples) or not isinstance(second, OfSamples):
        return False
    mine, theirs = (np.concatenate(one.repetitions) for one in (first, second))
    if len(mine) != len(theirs):
        return False
    shifts = theirs - mine
    typical, rounding = float(np.median(shifts)), _ROUNDING * max(first.largest, second.largest)
    alike = np.abs(shifts - typical) <= rounding
    return abs(typical) > rounding and float(np.mean(alike)) >= _NEARLY_ALL


def _judged(one: ChangedQuantity, found: Difference | None, change: Change, *, differs: bool) -> Judgement:
    first, second = one.first.medians.whole.value, one.second.medians.whole.value
    if first == second:
        return Judgement(None if first <= 0 else Interval(1.0, 1.0, 1.0), "same", 0.0, None)
    if found is None or change.is_one_program:
        ratio = Interval(second / first) if min(first, second) > 0 else None
        return Judgement(ratio, "phase" if change.is_one_program else "cannot tell", None, None)
    low, high = found.ratio.low, found.ratio.high
    verdict: Verdict = "phase"
    if differs and low is not None and high is not None and not low <= 1 <= high:
        verdict = word(one.unit, "less" if high < 1 else "more")
    return Judgement(found.ratio, verdict, None, None)
