"""The one-line answers of `switch`: what it takes to wake a task."""

from __future__ import annotations

from typing import TYPE_CHECKING

from intercore.benchmarks.switch.findings import SwitchSlowerAcross
from intercore.benchmarks.switch.names import named
from intercore.statistics.repetitions import ratio_of_intervals
from intercore.view.answer import Answer, and_other_way, equality_verdict
from intercore.view.cost import Cost
from intercore.view.quantity import multiple

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from intercore.benchmarks.switch.analysis import SwitchAnalysis
    from intercore.benchmarks.switch.wake_ups import WakeUp
    from intercore.statistics.intervals import Interval

_MOST_PRIMITIVES = 4
_USUAL = "notification"
"""The primitive of the answer unless another one is significantly faster: most programs use it, and every target has
it."""


def answers(analysis: SwitchAnalysis) -> Iterator[Answer]:
    """Answer the wake-up latency on the same core and on another, sleeping one.

    Across cores by the quickest primitive; on the same core by that one, and on the core that signals across, so that
    they compare; and by the one that is quickest there. Of several cores or directions the slowest is the answer, and
    the quickest stands beside it where it differs. A yield to a task of equal priority is a context switch alone: it is
    what people look for first. Whether a core wakes its own tasks as quickly as another one does is
    asked where cores are compared.
    """
    same, across = (_ways(analysis, apart=apart) for apart in (False, True))
    yield from _context_switch(analysis)
    best = _best(across)
    if best:
        yield _woken("wake a task, other core", best, across[best])
    if best in same:
        slowest = across[best][-1]
        yield _woken("wake a task, same core", best, sorted(same[best], key=lambda one: one.first == slowest.first))
        yield from _against_same(analysis, best, slowest)
    if same and (best not in same or len(same) > 1):
        quickest = _best(same)
        question = "fastest on one core" if best in same else "wake a task, one core"
        yield _woken(question, quickest, same[quickest], brief=best not in same, again=quickest == best)
    yield from _core_against_core(best, same.get(best, ()))


def _context_switch(analysis: SwitchAnalysis) -> Iterator[Answer]:
    known = [one for one in analysis.wake_ups if one.primitive == "yield" and one.time == "common" and not one.crosses]
    if known:
        yield _woken("context switch", "yield", sorted(known, key=_us))


def _against_same(analysis: SwitchAnalysis, name: str, slowest: WakeUp) -> Iterator[Answer]:
    """Answer the wake-up latency on another core over that on the same core, in both directions, the slowest first."""
    known: dict[tuple[int, int | None, str | None], Interval] = {
        (one.first, one.second, one.target): one.ratio
        for one in analysis.ratios
        if (one.time, named(one)) == ("common", name)
    }
    times = known.get((slowest.first, slowest.second, slowest.target))
    if times is not None:
        verdict = equality_verdict(times)
        about = f"{_long(verdict)} on another core, {name} {_way(slowest)}"
        back = known.get((slowest.second, slowest.first, slowest.target))
        if back is not None and not verdict:
            about += f"; {slowest.second} → {slowest.first}: {multiple(back.value)} ×"
        yield Answer("wake-up, other/same core", times, "times", about, verdict=verdict, brief=False)


def _long(verdict: str) -> str:
    """Return the words that follow a multiple of a time, according to its verdict."""
    return "in time" if verdict else "as long"


def _core_against_core(name: str, ways: Sequence[WakeUp]) -> Iterator[Answer]:
    """Answer the wake-up latency on the other core over that on core 0."""
    others = [one for one in ways if one.first != 0]
    first = next((one for one in ways if one.first == 0), None)
    if first is not None and _us(first) > 0 and others:
        most = max(others, key=_us)
        times = ratio_of_intervals(most.wake_up_us.median, first.wake_up_us.median)
        verdict = equality_verdict(times)
        about = f"{_long(verdict)} to wake its own task, {name}"
        question = f"wake-up, core {most.first}/core 0"
        yield Answer(question, times, "times", about, verdict=verdict, brief=False, topic="both cores")


def _woken(question: str, name: str, ways: Sequence[WakeUp], *, brief: bool = True, again: bool = False) -> Answer:
    """Answer with the last of these directions, followed by the first one."""
    other, slowest_way = ((_way(one), _us(one)) for one in (ways[0], ways[-1]))
    about = f"{name}{and_other_way(slowest_way, other)}"
    return Answer(question, ways[-1].wake_up_us.median, about=about, brief=brief, again=again)


def _best(found: Mapping[str, Sequence[WakeUp]]) -> str:
    """Return the primitive that is the quickest in its slowest direction; empty if there is none.

    Of those whose intervals meet that of the quickest, it is the usual one.
    """
    quickest = min(found, key=lambda name: _us(found[name][-1]), default="")
    usual = found.get(_USUAL)
    if usual and _low(usual[-1].wake_up_us.median) <= _high(found[quickest][-1].wake_up_us.median):
        return _USUAL
    return quickest


def _low(median: Interval) -> float:
    return median.value if median.low is None else median.low


def _high(median: Interval) -> float:
    return median.value if median.high is None else median.high


def _way(one: WakeUp) -> str:
    return f"{one.first} → {one.second}" if one.crosses else f"on core {one.first}"


def costs(analysis: SwitchAnalysis) -> Iterator[Cost]:
    """Yield the wake-up latency of the four fastest primitives across cores.

    Across cores that is the slowest direction, with its signalling core.
    """
    same, across = (_ways(analysis, apart=apart) for apart in (False, True))
    for name in sorted(across, key=lambda name: _us(across[name][-1]))[:_MOST_PRIMITIVES]:
        slowest = across[name][-1]
        on_one = next((_us(one) for one in same.get(name, ()) if one.first == slowest.first), None)
        longest = max(one.wake_up_us.max for one in analysis.wake_ups if one.time == "common" and named(one) == name)
        yield Cost("signal", f"wake a task, {name}", _us(slowest), on_one, longest)


def _ways(analysis: SwitchAnalysis, *, apart: bool) -> dict[str, list[WakeUp]]:
    """Return for each primitive its wake-ups across cores, or on one core, the quickest first.

    Across cores those of a sleeping core, if there are any. If some primitives were measured both across cores and on
    one, only these are returned. A yield wakes nobody.
    """
    compared = {named(one) for one in analysis.ratios if one.time == "common"}
    known = [
        one
        for one in analysis.wake_ups
        if one.time == "common" and one.crosses == apart and (not compared or named(one) in compared)
        if one.primitive != "yield"
    ]
    asleep = {named(one) for one in known if one.target != "busy"}
    found: dict[str, list[WakeUp]] = {}
    for one in sorted(known, key=_us):
        if one.target != "busy" or named(one) not in asleep:
            found.setdefault(named(one), []).append(one)
    return found


def _us(one: WakeUp) -> float:
    return one.wake_up_us.median.value


def remarks(analysis: SwitchAnalysis) -> Iterator[SwitchSlowerAcross]:
    """Tell of the direction and the primitive by which they are farthest apart."""
    found = [one for one in analysis.ratios if one.time == "common" and one.ratio.value > 1]
    if found:
        most = max(found, key=lambda one: one.ratio.value)
        yield SwitchSlowerAcross(
            times=most.ratio.value, first=most.first, second=most.second, target=most.target, primitive=named(most)
        )
