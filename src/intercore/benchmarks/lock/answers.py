"""What `lock` answers on one line: what a lock between cores costs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from intercore.benchmarks.caveats import disturbed_samples
from intercore.benchmarks.lock.findings import LockLeastEven
from intercore.statistics.intervals import Interval
from intercore.view.answer import Answer, among, by_way
from intercore.view.cost import Cost
from intercore.view.quantity import duration

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from intercore.benchmarks.lock.analysis import LockAnalysis, LockContention, LockHandOver
    from intercore.finding import Finding

_HOLDS_NOTHING = "atomic-"
"""How the names of operations begin that are over at once: nobody has them for a while."""
_UNFAIR = 2.0
"""Times as often as another core has it from which on a lock is called unfair."""
_HAND = "hand"
"""How questions begin that ask for a hand-over."""


def answers(analysis: LockAnalysis) -> Iterator[Answer]:
    """Answer what handing over takes, and a use of one that all cores want: of a mutex, and of what is quickest.

    Of several directions the slowest is the answer, and the quickest stands beside it where it differs.
    """
    handed = _ways(analysis)
    best = min(handed, key=lambda name: _us(handed[name][-1]), default="")
    for name, ways in handed.items():
        if ways[0].lock == "mutex" and name != best:
            yield _handed(f"{_HAND} a mutex over", name, ways, brief=False)
    held = [one for one in analysis.contention if not one.lock.startswith(_HOLDS_NOTHING)] or analysis.contention
    quickest = min(held, key=lambda one: one.each_us, default=None)
    mutexes = [one for one in analysis.contention if one.lock == "mutex"]
    if mutexes:
        mutex = max(mutexes, key=lambda one: one.each_us)
        yield _turn("mutex fought over, a use", mutex)
    if best:
        yield _handed(f"{_HAND} a lock over", best, handed[best])
    if quickest is not None and quickest not in mutexes:
        yield _turn("another lock fought over", quickest, brief=not mutexes)


def _turn(question: str, one: LockContention, *, brief: bool = True) -> Answer:
    whole = max(1, sum(one.acquisitions))
    shares = ", ".join(f"{100 * each / whole:.0f} % by core {core}" for core, each in enumerate(one.acquisitions))
    unfair = "unfair: " * (max(one.acquisitions, default=0) > _UNFAIR * min(one.acquisitions, default=0))
    about = f"{among(one.lock, one.varied)}; {unfair}{shares}, longest wait {duration(one.longest_wait_us)}"
    return Answer(question, Interval(one.each_us), about=about, brief=brief)


def _handed(question: str, name: str, ways: Sequence[LockHandOver], *, brief: bool = True) -> Answer:
    quickest, slowest = ((f"{one.first} → {one.second}", _us(one)) for one in (ways[0], ways[-1]))
    return Answer(question, ways[-1].latency_us.median, about=name + by_way(slowest, quickest), brief=brief)


def costs(analysis: LockAnalysis) -> Iterator[Cost]:
    """Give what handing each lock over costs in the slowest direction, and at most."""
    for name, ways in _ways(analysis).items():
        longest = max(one.latency_us.max for one in ways)
        yield Cost("lock", f"hand over, {name}", _us(ways[-1]), longest_us=longest)


def _ways(analysis: LockAnalysis) -> dict[str, list[LockHandOver]]:
    """Return for each lock its hand-overs from core to core, the quickest first."""
    found: dict[str, list[LockHandOver]] = {}
    for one in analysis.hand_off:
        found.setdefault(among(one.lock, one.varied), []).append(one)
    return {name: sorted(ways, key=_us) for name, ways in found.items()}


def _us(one: LockHandOver) -> float:
    return one.latency_us.median.value


def concerns(finding: Finding, answer: Answer) -> bool:
    """Whether a caveat may concern an answer: disturbed hand-overs concern no lock under contention."""
    return not disturbed_samples(finding) or answer.question.startswith(_HAND)


def remarks(analysis: LockAnalysis) -> Iterator[LockLeastEven]:
    """Tell of the lock that is shared least evenly."""
    found = [one for one in analysis.contention if min(one.acquisitions) > 0]
    if found:
        worst = max(found, key=lambda one: max(one.acquisitions) / min(one.acquisitions))
        times = max(worst.acquisitions) / min(worst.acquisitions)
        yield LockLeastEven(times=times, lock=among(worst.lock, worst.varied))
