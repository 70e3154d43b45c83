"""What `speedup` answers on one line: from which work on several cores pay."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import msgspec

from intercore.benchmarks.speedup.points import BUILT, TASKS
from intercore.statistics.intervals import Interval
from intercore.text import listed
from intercore.view.answer import Answer, RemarkedWords, about_times
from intercore.view.cost import Paying
from intercore.view.quantity import duration

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from intercore.benchmarks.speedup.analysis import SpeedupAnalysis
    from intercore.benchmarks.speedup.break_even import BreakEven
    from intercore.benchmarks.speedup.fit import ForkJoinFit
    from intercore.benchmarks.speedup.isoefficiency import Isoefficiency
    from intercore.benchmarks.speedup.points import SpeedupPoint
    from intercore.view.answer import Bound


_QUESTION = 24  # letters of a question
_WORK = "of work on one core"
_NO_WORK = "no work measured"
_TWO = 2
_KEEPING = "these keep their cores"
_KINDS = {TASKS["pool"]: "these are made beforehand", TASKS["spin"]: _KEEPING}
_WAYS = 4  # that a sentence lists


def answers(analysis: SpeedupAnalysis, efficiency: float) -> Iterator[Answer]:
    """Answer from which work on several cores are faster than one and well used, and what they gain at most.

    Work is told by how long one core takes for it. Of a few ways to have the work done, each is answered; otherwise it
    is told at best: of those that do the work, by the ones that need the least of it.
    """
    by_way = [*_each_way(analysis, efficiency)] if len(analysis.fits) > 1 else []
    few = 1 < len(analysis.fits) <= _WAYS and bool(by_way)
    if not few:
        yield from _from(analysis, "more cores pay from", _best(analysis, 1.0, lambda fit: fit.break_even))
        question = f"{efficiency:.0%} efficient from"
        without = "not told by fewer than three sizes" if all(fit.loss is None for fit in analysis.fits) else _NO_WORK
        yield from _from(analysis, question, _best(analysis, efficiency, lambda fit: fit.isoefficiency), without)
    for answer in by_way:
        yield msgspec.structs.replace(answer, brief=few)
    several = [point for point in analysis.points if point.cores > 1]
    if several:
        best = max(several, key=lambda point: point.speedup.value)
        about = f"as fast, at {best.work} by {best.tasks}; one core takes {duration(best.t1_us.value)}"
        yield Answer("one job split, at best", best.speedup, "times", about, brief=False)


def _each_way(analysis: SpeedupAnalysis, efficiency: float) -> Iterator[Answer]:
    """Answer for each way to have the work done, as far as it is known, from which on it pays and is used well."""
    for fit in analysis.fits:
        begin = _begin(analysis, fit, 1.0, fit.break_even)
        if begin is not None:
            tasks = _tasks(analysis, fit)
            work = ", ".join(filter(None, ("of work", _used(analysis, fit, efficiency))))
            about = "; ".join(filter(None, (work, begin.how_known, _KINDS.get(tasks, ""))))
            question = f"{tasks} pay from"
            yield Answer(question[:_QUESTION], begin.t1_us, about=about, bound=begin.bound, rated=False)


def paying(analysis: SpeedupAnalysis, efficiency: float) -> Iterator[Paying]:
    """Give for each group from which work on several cores are faster than one, and from which they are well used."""
    for fit in analysis.fits:
        begin, well = _begin(analysis, fit, 1.0, fit.break_even), fit.isoefficiency.t1_us
        how = _tasks(analysis, fit) or "parallel work"
        smallest = _smallest(analysis, fit)
        if _reached(smallest, efficiency):
            yield Paying(how, 0.0, smallest.t1_us.value, efficiency, at_most=True)
        elif well is not None:
            yield Paying(how, 0.0 if begin is None or begin.bound else begin.t1_us.value, well.value, efficiency)


def ways(analysis: SpeedupAnalysis, efficiency: float) -> str:
    """Say in a sentence from which work on a job is worth splitting, by what one builds for it.

    Empty if that is not known, or there are more ways than a sentence lists.
    """
    said: list[str] = []
    for fit in analysis.fits if len(analysis.fits) <= _WAYS else ():
        begin = _begin(analysis, fit, 1.0, fit.break_even)
        if begin is None:
            continue
        on_one = "" if said else " of work on one core"
        way = _tasks(analysis, fit, BUILT)
        built = f" if {way}" if way else ""
        well = _used(analysis, fit, efficiency)
        said.append(f"from {_in_words(begin)}{on_one}{built}{f' ({well})' if well else ''}")
    return f"A job is worth splitting {listed(said)}." if said else ""


def _used(analysis: SpeedupAnalysis, fit: ForkJoinFit, efficiency: float) -> str:
    """Say from which work on all cores are used well; empty if that is not known."""
    used = _begin(analysis, fit, efficiency, fit.isoefficiency)
    cores = "both" if fit.cores == _TWO else f"{fit.cores}"
    if used is None:
        return ""
    known = used.t1_us
    if fit.isoefficiency.is_rough and not used.bound and known.low is not None:
        end = "more, or never" if known.high is None else duration(known.high)
        return f"{cores} cores {efficiency:.0%} used from {duration(known.low)} or {end}"
    return f"{cores} cores {efficiency:.0%} used from {_in_words(used)}"


def _in_words(begin: _Begin) -> str:
    return f"{duration(begin.t1_us.value)}{' or less' if begin.bound else ''}"


def remarks(analysis: SpeedupAnalysis) -> Iterator[RemarkedWords]:
    """Tell of work that takes longer on several cores than on one."""
    points = [point for point in analysis.points if point.cores > 1]
    slowest = min(points, key=lambda point: point.speedup.value, default=None)
    if slowest and 0 < slowest.speedup.value < 1:
        times = 1 / slowest.speedup.value
        yield RemarkedWords(
            times=times,
            words=f"Work of {duration(slowest.t1_us.value)} takes {about_times(times)} times as long on {slowest.cores} "  # noqa: E501
            f"cores as on one, by {slowest.tasks} (mode={slowest.mode}).",
        )


def _from(
    analysis: SpeedupAnalysis, question: str, best: tuple[ForkJoinFit, _Begin] | None, without: str = _NO_WORK
) -> Iterator[Answer]:
    """Answer by the group that needs the least work, how long one core takes for it; `without` one, say so."""
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
    """Return the group that needs the least work for what is wanted, and how much; None if that cannot be told."""
    known = [(fit, found) for fit in analysis.fits if (found := _begin(analysis, fit, wanted, of(fit))) is not None]

    def needs(one: tuple[ForkJoinFit, _Begin]) -> float:
        fit, found = one
        return -_smallest(analysis, fit).speedup.value if found.bound else found.t1_us.value

    return min(known, key=needs, default=None)


class _Begin(NamedTuple):
    """From which work on a group has what is wanted of it."""

    t1_us: Interval
    """How long one core takes for it."""
    bound: Bound = ""
    """That it is less, if all work that was measured has what is wanted."""
    how_known: str = ""
    """In words, if work of this size was not measured, or none that is smaller."""


def _begin(
    analysis: SpeedupAnalysis, fit: ForkJoinFit, wanted: float, found: BreakEven | Isoefficiency
) -> _Begin | None:
    """Return from which work on a group has a speed-up of 1, or an efficiency; None if that cannot be told."""
    smallest = _smallest(analysis, fit)
    if _reached(smallest, wanted) and (found.t1_us is None or found.extrapolated):
        return _Begin(Interval(smallest.t1_us.value), "≤", "the smallest tried")
    return None if found.t1_us is None else _Begin(found.t1_us, "", "extrapolated" * found.extrapolated)


def _smallest(analysis: SpeedupAnalysis, fit: ForkJoinFit) -> SpeedupPoint:
    return min((point for point in analysis.points if point.group == fit.group), key=lambda point: point.t1_us.value)


def _tasks(analysis: SpeedupAnalysis, fit: ForkJoinFit, called: Mapping[str, str] = TASKS) -> str:
    """Return which tasks do the work of a group, as far as others do other groups': `polling tasks`."""
    words = [word for word in fit.group.split() if not word.startswith("workload=")]
    shared = set.intersection(*(set(one.group.split()) for one in analysis.fits))
    own = [word for word in words if word not in shared or (len(analysis.fits) == 1 and word.startswith("mode="))]
    return " ".join(called.get(word.removeprefix("mode="), word) for word in own)


def _reached(point: SpeedupPoint, wanted: float) -> bool:
    """Whether a point is surely beyond an efficiency; of 1, beyond break-even."""
    found = point.speedup if wanted == 1.0 else point.efficiency
    return (found.value if found.low is None else found.low) >= wanted
