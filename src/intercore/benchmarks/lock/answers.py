"""The one-line answers of `lock`: what a lock between cores costs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from intercore.benchmarks.caveats import disturbed_samples
from intercore.benchmarks.lock.findings import LockLeastEven
from intercore.statistics.intervals import Interval
from intercore.view.answer import Answer, and_other_way, with_varied
from intercore.view.cost import Cost
from intercore.view.quantity import duration

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from intercore.benchmarks.lock.analysis import LockAnalysis, LockContention, LockHandOver
    from intercore.finding import Finding

_HOLDS_NOTHING = "atomic-"
"""Prefix of the names of operations that no core holds for a time."""
_UNFAIR = 2.0
"""Times as often as another core has it from which on a lock is called unfair."""
_HAND_OFF = "hand-off"
"""How questions end that ask for a lock hand-off."""


def answers(analysis: LockAnalysis) -> Iterator[Answer]:
    """Answer the time of a hand-off, and of a contended lock: of the mutex, and of the fastest lock.

    Of several directions the slowest is the answer, with the fastest behind it if it differs.
    """
    handed = _ways(analysis)
    best = min(handed, key=lambda name: _us(handed[name][-1]), default="")
    for name, ways in handed.items():
        if ways[0].lock == "mutex" and name != best:
            yield _handed(f"mutex {_HAND_OFF}", name, ways, brief=False)
    held = [one for one in analysis.contention if not one.lock.startswith(_HOLDS_NOTHING)] or analysis.contention
    quickest = min(held, key=lambda one: one.each_us, default=None)
    mutexes = [one for one in analysis.contention if one.lock == "mutex"]
    if mutexes:
        mutex = max(mutexes, key=lambda one: one.each_us)
        yield _turn("contended mutex", mutex)
    if best:
        yield _handed(f"lock {_HAND_OFF}", best, handed[best])
    if quickest is not None and quickest not in mutexes:
        yield _turn("fastest contended lock", quickest, brief=not mutexes)


def _turn(question: str, one: LockContention, *, brief: bool = True) -> Answer:
    whole = max(1, sum(one.acquisitions))
    shares = ", ".join(f"{100 * each / whole:.0f} % by core {core}" for core, each in enumerate(one.acquisitions))
    unfair = "unfair: " * (max(one.acquisitions, default=0) > _UNFAIR * min(one.acquisitions, default=0))
    about = (
        f"{with_varied(one.lock, one.varied)} per acquire/release; {unfair}{shares}, longest wait "
        f"{duration(one.longest_wait_us)}"
    )
    return Answer(question, Interval(one.each_us), about=about, brief=brief)


def _handed(question: str, name: str, ways: Sequence[LockHandOver], *, brief: bool = True) -> Answer:
    quickest, slowest = ((f"{one.first} → {one.second}", _us(one)) for one in (ways[0], ways[-1]))
    return Answer(question, ways[-1].latency_us.median, about=name + and_other_way(slowest, quickest), brief=brief)


def costs(analysis: LockAnalysis) -> Iterator[Cost]:
    """Yield the time of each lock's hand-off in the slowest direction, and its maximum."""
    for name, ways in _ways(analysis).items():
        longest = max(one.latency_us.max for one in ways)
        yield Cost("lock", f"hand-off, {name}", _us(ways[-1]), longest_us=longest)


def _ways(analysis: LockAnalysis) -> dict[str, list[LockHandOver]]:
    """Return for each lock its hand-off from core to core, the quickest first."""
    found: dict[str, list[LockHandOver]] = {}
    for one in analysis.hand_off:
        found.setdefault(with_varied(one.lock, one.varied), []).append(one)
    return {name: sorted(ways, key=_us) for name, ways in found.items()}


def _us(one: LockHandOver) -> float:
    return one.latency_us.median.value


def concerns(finding: Finding, answer: Answer) -> bool:
    """Whether a caveat may concern an answer: disturbed hand-off concern no lock under contention."""
    return not disturbed_samples(finding) or answer.question.endswith(_HAND_OFF)


def remarks(analysis: LockAnalysis) -> Iterator[LockLeastEven]:
    """Tell of the lock that is shared least evenly."""
    found = [one for one in analysis.contention if min(one.acquisitions) > 0]
    if found:
        worst = max(found, key=lambda one: max(one.acquisitions) / min(one.acquisitions))
        times = max(worst.acquisitions) / min(worst.acquisitions)
        yield LockLeastEven(times=times, lock=with_varied(worst.lock, worst.varied))
