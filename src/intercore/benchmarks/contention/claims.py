"""What seed 001 finds, each held against a run.

Chips differ in how many towers they do, so counts are compared as parts of what one task does that has its core to
itself, and as ratios. A count is known to a tower: as many as ended, or one more.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

from intercore.benchmarks.claims import ClaimResult, cannot_tell, difference, in_words, outcome, quotient
from intercore.benchmarks.contention.charge import above, milli, published_charges
from intercore.statistics.intervals import Interval
from intercore.text import listed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from intercore.benchmarks.contention.charge import ChargeRow
    from intercore.benchmarks.contention.contest import Competitor, Contest
    from intercore.benchmarks.contention.publication import ContentionPublication
    from intercore.view.exhibit import Outcome, Verdict

_ALL, _ONE_EACH = ("task0", "task1", "main"), ("task0", "main")
_SAME = 0.05
"""Of a core, or of a total: numbers this close count as the same. A published count is known to 1 in 59."""


class _Bounds(NamedTuple):
    """Between which parts a finding has one, and that in words."""

    least: float
    most: float = math.inf

    def __str__(self) -> str:
        return (
            f"at least {100 * self.least:g} %"
            if self.most == math.inf
            else (f"{100 * self.least:g} to {100 * self.most:g} %")
        )


_HALF, _WHOLE = _Bounds(0.5 - _SAME, 0.5 + _SAME), _Bounds(1 - _SAME)
_SHARPLY = 2.0
"""A ratio of currents from which on the rise counts as sharp; the published one is four or five."""
_USB_V = (4.5, 5.5)
_MAIN_WAITS = ({"main": "block"}, {"main": "delay"})


@dataclass(frozen=True)
class Evidence:
    """What the findings are held against."""

    table: ContentionPublication
    rows: Mapping[tuple[str, ...], Contest]
    """Those of the published table, by who is at work."""
    others: Sequence[Contest]
    """What else the run has of contests."""
    main_loop: str = ""
    """What the target says of its main loop."""
    charges: Sequence[ChargeRow] = ()
    """What the run's own rows took."""
    estimated: str = ""
    """Whose currents an estimate is made of; empty of a meter's."""
    chip: str = ""
    """The chip, where it is not the article's."""
    kernel: str = ""
    """Why the run says nothing of FreeRTOS: a sentence, or empty if it does."""

    @property
    def has_main_loop(self) -> bool:
        """Whether there is a framework's main loop, and not a task that stands in for it."""
        return bool(self.main_loop) and not self.main_loop.startswith("none")


def verdicts(evidence: Evidence) -> Iterator[Verdict]:
    """Return what the run says of each finding."""
    for claim in evidence.table.claims:
        yield evidence.table.held(claim.id, CLAIMS[claim.id](evidence), evidence.chip, evidence.kernel)


# Who gets the processor


def _core_0_alone(evidence: Evidence) -> ClaimResult:
    parts = {names: part_of(one, "task0") for names, one in evidence.rows.items() if "task0" in names}
    if len(parts) < 2:
        return cannot_tell("This needs task0 in at least two rows.")
    apart = [difference(first, second) for first, second in combinations(parts.values(), 2)]
    if any(one.low is None or one.high is None for one in apart):
        return cannot_tell("A row has no window of task0.")
    widest = Interval(
        max(abs(one.value) for one in apart),
        max(max(one.low or 0.0, -(one.high or 0.0), 0.0) for one in apart),
        max(max(one.high or 0.0, -(one.low or 0.0)) for one in apart),
    )
    told = ", ".join(_percent(one) for one in parts.values())
    return ClaimResult(
        outcome(widest, most=_SAME),
        f"In {len(parts)} rows task0 does {told} of what it does alone; a difference of up to {100 * _SAME:g} % of a "
        "core counts as none.",
    )


def _shared_in_halves(evidence: Evidence) -> ClaimResult:
    return _in_rows(
        evidence,
        (_ALL, ("task1", "main")),
        _share_of_task1,
        _HALF,
        missing="The run has no row of task1 beside main.",
        words=f"Of the towers of core 1 task1 does {{}}; {_HALF} counts as half.",
    )


def _half_beside_idle_loop(evidence: Evidence) -> ClaimResult:
    return _in_rows(
        evidence,
        (("task0", "task1"), ("task1",)),
        lambda row: part_of(row, "task1"),
        _HALF,
        missing="The run has no row of task1 beside a main loop without work.",
        words=f"Beside a main loop that spins without work task1 does {{}}, of what it does alone; {_HALF} counts as "
        "half.",
    )


def _main_has_core_1(evidence: Evidence) -> ClaimResult:
    return _in_rows(
        evidence,
        (_ONE_EACH, ("main",)),
        lambda row: part_of(row, "main"),
        _WHOLE,
        missing="The run has no row of main without task1.",
        words=f"main does {{}}, of what one task does that has core 1 to itself; {_WHOLE} counts as all.",
    )


def _kept_for_main(evidence: Evidence) -> ClaimResult:
    known = [
        (one.does["main"], part_of(one, "task1"))
        for one in evidence.others
        if [worker.name for worker in one.workers] == ["task1"] and one.idlers in _MAIN_WAITS
    ]
    if not known:
        return cannot_tell("An answer needs a main loop that waits without work, beside task1: main=block or delay.")
    told = ", ".join(f"{_percent(part)} beside one that {loop}s" for loop, part in known)
    kept = _together([outcome(part, most=0.5 + _SAME) for _, part in known])
    instead = "" if evidence.has_main_loop else " There is no Arduino main loop here: a task stands in for it."
    return cannot_tell(
        f"A question is neither confirmed nor refuted; an answer: beside a main loop that waits, {_KEPT[kept]} Of what "
        f"it does alone, task1 does {told}.{instead}"
    )


_KEPT: Mapping[Outcome, str] = {
    "agrees": "task1 gets no more than half, so the rest may be kept.",
    "contradicts": "task1 gets more than half, so no half is kept.",
    "cannot tell": "what task1 gets is not clear.",
}


def _main_on_core_1(evidence: Evidence) -> ClaimResult:
    if not evidence.has_main_loop:
        return cannot_tell("There is no Arduino main loop here: a task pinned to core 1 stands in for it.")
    mains = [one.competitor("main") for one in evidence.rows.values()]
    cores = {core for one in mains if one is not None for core, towers in enumerate(one.by_core) if towers}
    if not cores:
        return cannot_tell("The main loop did no tower.")
    told = " and ".join(map(str, sorted(cores)))
    return ClaimResult("agrees" if cores == {1} else "contradicts", f"All its towers ended on core {told}.")


def _twice(evidence: Evidence) -> ClaimResult:
    both = evidence.rows.get(_ONE_EACH)
    alone = [evidence.rows[names] for names in (("task0",), ("main",)) if names in evidence.rows]
    if both is None or not alone or any(not one.total for one in alone):
        return cannot_tell("This needs a row of one task on each core, and one of either alone.")
    one = _mean([_total(each) for each in alone])
    ratio = quotient(_total(both), one)
    least, most = 2 * (1 - _SAME), 2 * (1 + _SAME)
    return ClaimResult(
        outcome(ratio, least=least, most=most),
        f"task0 and main do {both.total:,.4g} towers in a window, and a row of one of them {one.value:,.4g}: "
        f"{_number(ratio)} times as many; {least:g} to {most:g} counts as twice. Total {both.of_a_core:.2f} in the "
        "table has another baseline: the time of a tower of a task that has its core to itself, before the windows.",
    )


def _no_affinity(evidence: Evidence) -> ClaimResult:
    for names, one in evidence.rows.items():
        for free in evidence.others:
            if not _is_as_free(free, one):
                continue
            ratio = quotient(_total(free), _total(one))
            return ClaimResult(
                outcome(ratio, least=1 - _SAME, most=1 + _SAME),
                f"{len(free.workers)} tasks without a core do {free.total:,.4g} towers in a window, {listed(names)} "
                f"{one.total:,.4g} beside the same main loop: {_number(ratio)} times as many.",
            )
    return cannot_tell("This needs as many tasks without a core beside the same main loop: free=2 main=spin.")


def _is_as_free(free: Contest, pinned: Contest) -> bool:
    """Whether the workers of a contest have no core, and are as many as those pinned to both, beside the same loop."""
    unpinned = all(one.core is None for one in free.workers)
    both = {one.core for one in pinned.workers} == {0, 1}
    alike = len(free.workers) == len(pinned.workers) and free.idlers == pinned.idlers and free.varied == pinned.varied
    return unpinned and both and alike and bool(pinned.total)


# What it takes


def _core_0_takes(evidence: Evidence) -> ClaimResult:
    pairs = [(("main",), _ONE_EACH), (("task1", "main"), _ALL), (("task1",), ("task0", "task1"))]
    found = [ratio for without, beside in pairs if (ratio := above(evidence.charges, without, beside)) is not None]
    if not found:
        return cannot_tell("The run has no currents of rows with task0 and without it.")
    told = "With task0 at work the current is " + ", ".join(map(_number, found)) + " times that of the row without it"
    if evidence.estimated:
        return cannot_tell(f"{told}, ESTIMATED: an estimate takes both cores to be alike.")
    return ClaimResult(
        _together([outcome(ratio, least=_SHARPLY) for ratio in found]),
        f"{told}; at least {_SHARPLY:g} times counts as sharp.",
    )


def _against_the_pi(evidence: Evidence) -> ClaimResult:
    figures = evidence.table.figures
    known = list(published_charges(figures))
    pi = [one.coulombs.value for one in known if not one.names]
    esp = min((one for one in known if one.names == _ALL), key=lambda one: one.coulombs.value, default=None)
    printed = (
        ""
        if esp is None or not pi
        else f"Computed here from the published currents and counts: {milli(esp.coulombs.value, 2)} mA·s per tower, "
        f"against {milli(min(pi), 2)} to {milli(max(pi), 2)} mA·s of the Pi"
    )
    ours = [one for one in evidence.charges if one.names == _ALL]
    if not ours or not pi:
        return cannot_tell(f"{printed}. The run has no current of all three at work.")
    one = ours[0]
    own = one.of_discs(one.coulombs, figures.discs)
    told = f"{printed}. Here {_mas(own)} for the moves of {figures.discs} discs"
    if evidence.estimated:
        return cannot_tell(f"{told}, ESTIMATED of a chip at {one.volts:.3g} V, not the current of a board.")
    if one.volts is None or not _USB_V[0] <= one.volts <= _USB_V[1]:
        return cannot_tell(f"{told}, at another voltage than that of USB.")
    found = outcome(own, most=min(pi))
    return ClaimResult("cannot tell" if found == "contradicts" and (own.low or 0.0) <= max(pi) else found, f"{told}.")


CLAIMS: Mapping[str, Callable[[Evidence], ClaimResult]] = {
    "core-0-alone": _core_0_alone,
    "shared-in-halves": _shared_in_halves,
    "half-beside-idle-loop": _half_beside_idle_loop,
    "kept-for-main": _kept_for_main,
    "main-has-core-1": _main_has_core_1,
    "main-on-core-1": _main_on_core_1,
    "twice": _twice,
    "no-affinity": _no_affinity,
    "core-0-takes": _core_0_takes,
    "against-the-pi": _against_the_pi,
}
"""By the `id` that the published table has for each."""


# Numbers


def part_of(contest: Contest, name: str) -> Interval:
    """Return the part of a core that a competitor got: from its worst window to its best, and a tower more."""
    one = contest.competitor(name)
    if one is None or not one.towers:
        return Interval(0.0)
    if not one.per_window:
        return Interval(0.0, 0.0, one.of_a_core_at_most)
    each = one.of_a_core / one.per_window
    return Interval(one.of_a_core, min(one.towers) * each, (max(one.towers) + 1) * each)


def _share_of_task1(contest: Contest) -> Interval:
    task, main = contest.competitor("task1"), contest.competitor("main")
    if task is None or main is None or not task.towers or not main.towers or not task.per_window + main.per_window:
        return Interval(0.0)
    return Interval(
        task.per_window / (task.per_window + main.per_window),
        min(task.towers) / (min(task.towers) + max(main.towers) + 1),
        (max(task.towers) + 1) / (max(task.towers) + 1 + min(main.towers)),
    )


def _total(contest: Contest) -> Interval:
    """Return the towers of all in a window: of each from its worst window to its best, and one more."""
    some: list[Competitor] = [one for one in contest.workers if one.towers]
    return Interval(contest.total, sum(min(one.towers) for one in some), sum(max(one.towers) + 1 for one in some))


def _mean(some: Sequence[Interval]) -> Interval:
    lows, highs = [one.low or 0.0 for one in some], [one.high or 0.0 for one in some]
    return Interval(sum(one.value for one in some) / len(some), sum(lows) / len(some), sum(highs) / len(some))


def _in_rows(
    evidence: Evidence,
    rows: Iterable[tuple[str, ...]],
    part: Callable[[Contest], Interval],
    bounds: _Bounds,
    *,
    missing: str,
    words: str,
) -> ClaimResult:
    """Return what those rows that the run has say together, whose parts all have to lie between bounds."""
    found = {names: part(evidence.rows[names]) for names in rows if names in evidence.rows}
    if not found:
        return cannot_tell(missing)
    each = ", ".join(f"{_percent(known)} with {listed(names)} at work" for names, known in found.items())
    outcomes = [outcome(known, least=bounds.least, most=bounds.most) for known in found.values()]
    return ClaimResult(_together(outcomes), words.format(each))


def _together(outcomes: Sequence[Outcome]) -> Outcome:
    """Return what several rows say of one finding: one that contradicts it does, and all have to agree."""
    if "contradicts" in outcomes:
        return "contradicts"
    return "agrees" if outcomes and all(one == "agrees" for one in outcomes) else "cannot tell"


def _percent(known: Interval) -> str:
    return in_words(known, lambda value: f"{100 * value:.0f}", " %")


def _number(known: Interval) -> str:
    return in_words(known, "{:.2f}".format)


def _mas(known: Interval) -> str:
    return in_words(known, milli, " mA·s")
