"""Verdicts of a comparison: which run is faster in which settings, and where that is undecided."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

from intercore.record.plan import ENOUGH_REPETITIONS, ENOUGH_RUNS
from intercore.statistics.repetitions import chance, ratio_of_medians, repetitions_for
from intercore.statistics.verdict import VerdictBasis, judged, significant
from intercore.text import listed

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from intercore.benchmarks.series import Unit
    from intercore.statistics.intervals import Interval
    from intercore.statistics.repetitions import Medians
    from intercore.statistics.verdict import Verdict as OfMedians

Verdict: TypeAlias = Literal["faster", "slower", "more", "fewer", "same", "phase", "cannot tell"]
"""The second side against the first one. `phase`: on a simulated chip the two differ, but by no more than the unchanged
program differs from itself in another phase (`intercore.statistics.phases`)."""

WITHIN = 0.05
"""Default share up to which a difference does not matter."""

_WORDS: Mapping[Unit, Mapping[OfMedians, Verdict]] = {
    "us": {"less": "faster", "more": "slower", "same": "same", "unknown": "cannot tell"},
    "bytes_per_s": {"less": "slower", "more": "faster", "same": "same", "unknown": "cannot tell"},
    "factor": {"less": "slower", "more": "faster", "same": "same", "unknown": "cannot tell"},
    "count": {"less": "fewer", "more": "more", "same": "same", "unknown": "cannot tell"},
}


class Judgement(NamedTuple):
    """Whether the two sides of a pair differ."""

    ratio: Interval | None
    """Of the second side's median to the first one's; None if that is 0."""
    verdict: Verdict
    within: float | None
    """Of `same`: the largest difference that the interval leaves open, as a share; 0 on a simulated chip."""
    more_repetitions: int | None
    """If undecided: the additional repetitions, on the side with fewer, that would decide it at the present scatter;
    None if unknown."""
    more_runs: int | None = None
    """The same in runs, where either side has several, or both are one run of a real target."""


def judge(
    sides: Sequence[tuple[Unit, Medians, Medians]],
    *,
    within: float,
    simulated: tuple[bool, bool],
    one_target: bool = False,
    machine: float = 1.0,
) -> list[Judgement]:
    """Return a judgement for each pair of a first and a second side.

    `simulated` marks simulated chips. One repetition of those is exact, and two of them, of two targets, differ by the
    difference of their medians. For two runs of one of them, see `judge_change`. With `one_target`, both are of the
    same real target: one run of each cannot tell a change of the program from one of the machine. `machine`, at least
    1, is by how many times the machine itself was slower or faster: no smaller difference is the program's.
    """
    if all(simulated):
        return [_exact(unit, ratio_of_medians(second, first)) for unit, first, second in sides]
    sides = [
        (unit, repeated_exactly(first) if simulated[0] else first, repeated_exactly(second) if simulated[1] else second)
        for unit, first, second in sides
    ]
    ratios = [ratio_of_medians(second, first) for _, first, second in sides]
    chances = [chance(second, first) for _, first, second in sides]
    judgements = []
    for (unit, first, second), found, differs in zip(sides, ratios, significant(chances), strict=True):
        if one_target and unit != "count" and first.runs == second.runs == 1:
            judgements.append(Judgement(found, "cannot tell", None, None, ENOUGH_RUNS - 1))
            continue
        beyond = machine == 1 or found is None or unit == "count" or max(found.value, 1 / found.value) > machine
        verdict, most = judged(found, differs=differs, within=within) if beyond else VerdictBasis("unknown", None)
        more = _more(first, second, within) if verdict == "unknown" else None
        in_runs = max(first.runs, second.runs) > 1
        judgements.append(
            Judgement(found, _WORDS[unit][verdict], most, None if in_runs else more, more if in_runs else None)
        )
    return judgements


def repeated_exactly(known: Medians) -> Medians:
    """Return the medians of a second, identical repetition on a simulated chip."""
    return known._replace(each=known.each * 2) if len(known.each) == 1 else known


def _exact(unit: Unit, found: Interval | None) -> Judgement:
    if found is None:
        return Judgement(None, "cannot tell", None, None)
    if found.value == 1:
        return Judgement(found, "same", 0.0, None)
    return Judgement(found, _WORDS[unit]["less" if found.value < 1 else "more"], None, None)


def _more(first: Medians, second: Medians, within: float) -> int | None:
    """Return how many more repetitions, or runs, the side with fewer needs."""
    in_runs = max(first.runs, second.runs) > 1
    have = min(first.runs, second.runs) if in_runs else min(len(first.each), len(second.each))
    if have == 1 and not in_runs:
        return ENOUGH_REPETITIONS - 1
    needed = repetitions_for(within, second, first)
    return None if needed is None else max(needed - have, 1)


def word(unit: Unit, verdict: OfMedians) -> Verdict:
    """Return the words of a verdict on medians of a unit."""
    return _WORDS[unit][verdict]


def in_words(verdict: Verdict, within: float | None, more: int | None) -> str:
    """Return a verdict for a table's cell; `more` repetitions or runs would decide it."""
    if verdict == "same":
        return f"same ± {100 * within:.2g} %" if within else "identical"
    if verdict == "cannot tell":
        return "cannot tell" if more is None else f"cannot tell: {more} more"
    return verdict


def summary(verdicts: Sequence[Verdict], first: str, second: str, within: float, *, is_exact: bool) -> Iterator[str]:
    """Return a sentence that counts the verdicts."""
    counts = Counter(verdicts)
    if not counts:
        return
    parts = [f"{counts[name]} {name}" for name in ("slower", "faster", "fewer", "more") if counts[name]]
    if counts["same"]:
        same = "identical" if is_exact else f"the same within {100 * within:g} %"
        parts.append(f"{counts['same']} {same}")
    if counts["phase"]:
        parts.append(f"{counts['phase']} within the effect of the phase")
    if counts["cannot tell"]:
        parts.append(f"{counts['cannot tell']} undecided")
    many = f"{len(verdicts)} quantities" if len(verdicts) > 1 else "one quantity"
    yield f"{second} against {first}, of {many}: {listed(parts)}."
