"""The one-line answers of `speedup`: the break-even of work that is split over cores."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, get_args

import msgspec

from intercore.benchmarks.caveats import FailedCheck
from intercore.benchmarks.speedup.findings import (
    SpeedupPaysFrom,
    SpeedupSlower,
    SpeedupUnstable,
    Start,
    StartingMethod,
    Tasks,
)
from intercore.benchmarks.speedup.points import TASKS
from intercore.benchmarks.speedup.words import settings_of_groups
from intercore.statistics.intervals import Interval
from intercore.view.answer import Answer
from intercore.view.cost import BreakEvenRange
from intercore.view.quantity import duration

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from intercore.benchmarks.speedup.analysis import SpeedupAnalysis
    from intercore.benchmarks.speedup.break_even import BreakEven
    from intercore.benchmarks.speedup.fit import ForkJoinFit
    from intercore.benchmarks.speedup.isoefficiency import Isoefficiency
    from intercore.benchmarks.speedup.points import SpeedupPoint
    from intercore.finding import Finding
    from intercore.record.measurement import Level
    from intercore.view.answer import Bound


_WORK = "of work on one core"
_NO_WORK = "not reached by any size measured"
_KEEPING = "the tasks keep their cores"
_KINDS = {TASKS["pool"]: "the tasks exist beforehand", TASKS["spin"]: _KEEPING}
_WAYS = 4  # that a sentence lists


def answers(analysis: SpeedupAnalysis, efficiency: float) -> Iterator[Answer]:
    """Answer the break-even, the work for an efficiency, and the largest speed-up.

    Work is given as its time on one core. If there are few ways of starting the parts, each has an answer; otherwise
    the best one has, that with the smallest work.
    """
    by_method = [*_each_way(analysis, efficiency)] if len(analysis.fits) > 1 else []
    few = 1 < len(analysis.fits) <= _WAYS and bool(by_method)
    if not few:
        yield from _from(analysis, "break-even", _best(analysis, 1.0, lambda fit: fit.break_even))
        question = f"{efficiency:.0%} efficiency from"
        without = (
            "unknown: it takes three sizes or more" if all(fit.loss is None for fit in analysis.fits) else _NO_WORK
        )
        yield from _from(analysis, question, _best(analysis, efficiency, lambda fit: fit.isoefficiency), without)
    for answer in by_method:
        yield msgspec.structs.replace(answer, brief=few)
    several = [point for point in analysis.points if point.cores > 1]
    if several:
        best = max(several, key=lambda point: point.speedup.value)
        about = f"as fast, with {best.work} by {best.tasks}; one core takes {duration(best.t1_us.value)}"
        yield Answer("largest speed-up", best.speedup, "times", about, brief=False)


def _each_way(analysis: SpeedupAnalysis, efficiency: float) -> Iterator[Answer]:
    """Answer the break-even and the work for an efficiency of each way of starting the parts, if known."""
    several = len({point.workload for point in analysis.points}) > 1
    for fit in analysis.fits:
        begin = _begin(analysis, fit, 1.0, fit.break_even)
        if begin is not None:
            tasks = _tasks(analysis, fit)
            used = _used(analysis, fit, efficiency)
            work = f"{used}; both as the work's time on one core" if used else _WORK
            about = "; ".join(filter(None, (work, begin.how_known, _KINDS.get(tasks, ""))))
            named = [_smallest(analysis, fit).work] if several else []
            question = f"{', '.join(filter(None, (*named, tasks)))} break even"
            yield Answer(question, begin.t1_us, about=about, bound=begin.bound, rated=False)


def break_even_ranges(analysis: SpeedupAnalysis, efficiency: float) -> Iterator[BreakEvenRange]:
    """Yield the break-even and the work for an efficiency of each group."""
    for fit in analysis.fits:
        begin, well = _begin(analysis, fit, 1.0, fit.break_even), fit.isoefficiency.t1_us
        how = _tasks(analysis, fit) or "parallel work"
        smallest = _smallest(analysis, fit)
        if _reached(smallest, efficiency):
            yield BreakEvenRange(how, 0.0, smallest.t1_us.value, efficiency, at_most=True)
        elif well is not None:
            yield BreakEvenRange(
                how, 0.0 if begin is None or begin.bound else begin.t1_us.value, well.value, efficiency
            )


def break_even_findings(analysis: SpeedupAnalysis, efficiency: float) -> Iterator[SpeedupPaysFrom]:
    """Yield the finding on the break-even of each way of starting the parts.

    Nothing if unknown, or if there are more ways than a sentence lists.
    """
    ways: list[StartingMethod] = []
    for fit in analysis.fits if len(analysis.fits) <= _WAYS else ():
        begin = _begin(analysis, fit, 1.0, fit.break_even)
        if begin is not None:
            levels = _levels(analysis, fit)
            tasks = next((known for known in get_args(Tasks) if known == levels.get("mode")), None)
            others = {name: level for name, level in levels.items() if tasks is None or name != "mode"}
            ways.append(StartingMethod(tasks, others, _start(begin), _efficient(analysis, fit, efficiency)))
    if ways:
        yield SpeedupPaysFrom(ways=tuple(ways), efficiency_percent=100 * efficiency)


def _used(analysis: SpeedupAnalysis, fit: ForkJoinFit, efficiency: float) -> str:
    """Return the smallest work for the efficiency, in words; empty if unknown."""
    used = _efficient(analysis, fit, efficiency)
    return "" if used is None else f"{efficiency:.0%} efficiency from {used}"


def _efficient(analysis: SpeedupAnalysis, fit: ForkJoinFit, efficiency: float) -> Start | None:
    """Return the smallest work for the efficiency; None if unknown."""
    used = _begin(analysis, fit, efficiency, fit.isoefficiency)
    if used is None:
        return None
    if fit.isoefficiency.is_rough and not used.bound and used.t1_us.low is not None:
        return Start(used.t1_us, "between")
    return _start(used)


def _start(begin: _Begin) -> Start:
    return Start(begin.t1_us, "or less" if begin.bound else "exactly")


def remarks(analysis: SpeedupAnalysis) -> Iterator[SpeedupSlower]:
    """Tell of work that takes longer on several cores than on one."""
    points = [point for point in analysis.points if point.cores > 1]
    slowest = min(points, key=lambda point: point.speedup.value, default=None)
    if slowest and 0 < slowest.speedup.value < 1:
        times = 1 / slowest.speedup.value
        yield SpeedupSlower(times=times, t1_us=slowest.t1_us.value, cores=slowest.cores, mode=slowest.mode)


def concerns(finding: Finding, answer: Answer) -> bool:
    """Whether a caveat may concern an answer: unless it is about other ways of starting the parts than the answer."""
    modes = _modes(finding)
    asked = {mode for mode, tasks in TASKS.items() if tasks in f"{answer.question} {answer.about}"}
    return not modes or not asked or bool(modes & asked)


def _modes(finding: Finding) -> set[str]:
    """Return the ways of starting the parts that a caveat is about; none if it is about all."""
    match finding:
        case SpeedupUnstable():
            return set(finding.modes)
        case FailedCheck(factor="mode"):
            return set(finding.levels)
        case _:
            return {str(level) for name, level in finding.setting.items() if name == "mode"}


def _from(
    analysis: SpeedupAnalysis, question: str, best: tuple[ForkJoinFit, _Begin] | None, without: str = _NO_WORK
) -> Iterator[Answer]:
    """Answer by the group with the smallest work; `without` is the answer if there is none."""
    if best is not None:
        fit, found = best
        tasks = _tasks(analysis, fit)
        how = ", at best by ".join(filter(None, (_WORK, tasks)))
        about = "; ".join(filter(None, (how, _KEEPING * (tasks == TASKS["spin"]), found.how_known)))
        yield Answer(question, found.t1_us, about=about, bound=found.bound, rated=False)
    elif analysis.fits:
        yield Answer(question, None, about=without)


def _best(
    analysis: SpeedupAnalysis, wanted: float, of: Callable[[ForkJoinFit], BreakEven | Isoefficiency]
) -> tuple[ForkJoinFit, _Begin] | None:
    """Return the group with the smallest work for the wanted efficiency, and that work; None if unknown."""
    known = [(fit, found) for fit in analysis.fits if (found := _begin(analysis, fit, wanted, of(fit))) is not None]

    def needs(one: tuple[ForkJoinFit, _Begin]) -> float:
        fit, found = one
        return -_smallest(analysis, fit).speedup.value if found.bound else found.t1_us.value

    return min(known, key=needs, default=None)


class _Begin(NamedTuple):
    """The smallest work of a group with the wanted efficiency."""

    t1_us: Interval
    """Its time on one core."""
    bound: Bound = ""
    """`≤` if even the smallest work measured has it."""
    how_known: str = ""
    """In words, if this size was not measured, or no smaller one."""


def _begin(
    analysis: SpeedupAnalysis, fit: ForkJoinFit, wanted: float, found: BreakEven | Isoefficiency
) -> _Begin | None:
    """Return the smallest work of a group with a speed-up of 1, or an efficiency; None if unknown."""
    smallest = _smallest(analysis, fit)
    if _reached(smallest, wanted) and (found.t1_us is None or found.extrapolated):
        return _Begin(Interval(smallest.t1_us.value), "≤", "the smallest size measured")
    return None if found.t1_us is None else _Begin(found.t1_us, "", "extrapolated" * found.extrapolated)


def _smallest(analysis: SpeedupAnalysis, fit: ForkJoinFit) -> SpeedupPoint:
    return min((point for point in analysis.points if point.group == fit.group), key=lambda point: point.t1_us.value)


def _tasks(analysis: SpeedupAnalysis, fit: ForkJoinFit) -> str:
    """Return the tasks of a group, if groups differ in them: `polling tasks`."""
    levels = _levels(analysis, fit)
    return " ".join(
        TASKS.get(str(level), f"mode={level}") if name == "mode" else f"{name}={level}"
        for name, level in levels.items()
    )


def _levels(analysis: SpeedupAnalysis, fit: ForkJoinFit) -> dict[str, Level]:
    """Return the levels that distinguish a group, without the workload; for a single group, the mode."""
    if len(analysis.fits) == 1:
        return {"mode": analysis.points[0].mode}
    levels = settings_of_groups(analysis.points)[fit.group]
    return {name: level for name, level in levels.items() if name != "workload"}


def _reached(point: SpeedupPoint, wanted: float) -> bool:
    """Whether a point is significantly beyond an efficiency; for 1, beyond the break-even."""
    found = point.speedup if wanted == 1.0 else point.efficiency
    return (found.value if found.low is None else found.low) >= wanted
