"""What `speedup` answers on one line: from which work on several cores pay."""

from __future__ import annotations

from typing import TYPE_CHECKING

from intercore.view.answer import Answer, Remark, about_times
from intercore.view.cost import Paying
from intercore.view.quantity import duration

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from intercore.benchmarks.speedup.analysis import SpeedupAnalysis
    from intercore.benchmarks.speedup.break_even import BreakEven
    from intercore.benchmarks.speedup.fit import ForkJoinFit
    from intercore.benchmarks.speedup.isoefficiency import Isoefficiency
    from intercore.benchmarks.speedup.points import SpeedupPoint


_QUESTION = 24  # letters of a question


def answers(analysis: SpeedupAnalysis, efficiency: float) -> Iterator[Answer]:
    """Answer from which work on several cores are faster than one, and from which they are well used, at best."""
    yield from _from(analysis, "more cores pay from", 1.0, lambda fit: fit.break_even)
    question = f"{efficiency:.0%} of cores used from"
    yield from _from(analysis, question, efficiency, lambda fit: fit.isoefficiency)
    for fit in analysis.fits if len(analysis.fits) > 1 else ():
        begin, well = fit.break_even, fit.isoefficiency.t1_us
        smallest = min(_points(analysis, fit), key=lambda point: point.t1_us.value)
        if begin.t1_us is not None and not _reached(smallest, efficiency):
            used = "" if well is None else f"{efficiency:.0%} from {duration(well.value)}"
            about = ", ".join(filter(None, ("extrapolated" if begin.extrapolated else "", used)))
            how = _how(analysis, fit).replace("mode=", "")
            yield Answer(f"pay by {how} from"[:_QUESTION], begin.t1_us, about=about, brief=False)


def paying(analysis: SpeedupAnalysis, efficiency: float) -> Iterator[Paying]:
    """Give for each group from which work on several cores are faster than one, and from which they are well used."""
    for fit in analysis.fits:
        begin, well = fit.break_even.t1_us, fit.isoefficiency.t1_us
        how = _how(analysis, fit).replace("mode=", "") or "parallel work"
        smallest = min(_points(analysis, fit), key=lambda point: point.t1_us.value)
        if _reached(smallest, efficiency):
            yield Paying(how, 0.0, smallest.t1_us.value, efficiency, at_most=True)
        elif well is not None:
            yield Paying(how, 0.0 if begin is None else begin.value, well.value, efficiency)


def remarks(analysis: SpeedupAnalysis) -> Iterator[Remark]:
    """Tell of work that takes longer on several cores than on one."""
    points = [point for point in analysis.points if point.cores > 1]
    slowest = min(points, key=lambda point: point.speedup.value, default=None)
    if slowest and 0 < slowest.speedup.value < 1:
        times = 1 / slowest.speedup.value
        yield Remark(
            times,
            f"Work of {duration(slowest.t1_us.value)} takes {about_times(times)} times as long on {slowest.cores} "
            f"cores as on one (mode={slowest.mode}).",
        )


def _from(
    analysis: SpeedupAnalysis, question: str, wanted: float, of: Callable[[ForkJoinFit], BreakEven | Isoefficiency]
) -> Iterator[Answer]:
    """Answer by the group that needs the least work, how long one core takes for it."""
    enough: list[tuple[float, Answer]] = []
    for fit in analysis.fits:
        smallest = min(_points(analysis, fit), key=lambda point: point.t1_us.value)
        how = _how(analysis, fit)
        found = of(fit)
        if _reached(smallest, wanted) and (found.t1_us is None or found.extrapolated):
            least = f"{duration(smallest.t1_us.value)} or less"
            enough.append(
                (-smallest.speedup.value, Answer(question, None, about=", ".join(filter(None, (least, how)))))
            )
        elif found.t1_us is not None:
            about = ", ".join(filter(None, (how, "extrapolated" if found.extrapolated else "")))
            enough.append((found.t1_us.value, Answer(question, found.t1_us, about=about)))
    if enough:
        yield min(enough, key=lambda one: one[0])[1]
    elif analysis.fits:
        yield Answer(question, None, about="no work measured")


def _how(analysis: SpeedupAnalysis, fit: ForkJoinFit) -> str:
    """Return how the work of a group is started, as far as other groups' is started in another way."""
    shared = set.intersection(*(set(one.group.split()) for one in analysis.fits)) if len(analysis.fits) > 1 else set()
    return " ".join(word for word in fit.group.split() if word not in shared and not word.startswith("workload="))


def _points(analysis: SpeedupAnalysis, fit: ForkJoinFit) -> list[SpeedupPoint]:
    return [point for point in analysis.points if point.group == fit.group]


def _reached(point: SpeedupPoint, wanted: float) -> bool:
    """Whether a point is surely beyond an efficiency; of 1, beyond break-even."""
    found = point.speedup if wanted == 1.0 else point.efficiency
    return (found.value if found.low is None else found.low) >= wanted
