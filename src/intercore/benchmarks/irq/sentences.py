"""What latencies of interrupts come to, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from intercore.benchmarks import uncertainty
from intercore.benchmarks.irq import DOING
from intercore.view.quantity import duration

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from intercore.benchmarks.irq import Path
    from intercore.benchmarks.irq.analysis import IrqBudget, IrqComparison, Latency

_SLOW_TO_WAKE = 1.2
_BOTH = 2  # directions, those of two cores


def sentences(
    latencies: Sequence[Latency], comparisons: Sequence[IrqComparison], budgets: Sequence[IrqBudget]
) -> Iterator[str]:
    """Say what was found and what it means for a design, what matters most first."""
    for varied in dict.fromkeys(str(one.varied) for one in latencies):
        of_one = [one for one in latencies if str(one.varied) == varied]
        levels = of_one[0].varied
        prefix = " ".join(f"{name}={level}" for name, level in levels.items()) + ": " if levels else ""
        facts = _Facts(
            of_one,
            [one for one in comparisons if one.varied == levels],
            {(one.path, one.across): one for one in budgets if one.varied == levels},
        )
        for said in (_timer(facts), _wake_up(facts), _doorbell(facts), _allow(facts), _sleep(facts)):
            if said:
                yield prefix + said
    within = max((one.within_us for one in latencies), default=0.0)
    if within:
        yield uncertainty.sentence(within, "latency")


def _text(us: float) -> str:
    return duration(us) if us else "less than a tick"


class _Facts(NamedTuple):
    """What is said of one setting of the other factors."""

    latencies: list[Latency]
    comparisons: list[IrqComparison]
    budgets: dict[tuple[Path, bool], IrqBudget]

    def median(self, path: Path, *, across: bool) -> float | None:
        """Return the usual latency of a path in µs, of the core or direction where it is longest."""
        known = self.budgets.get((path, across))
        return None if known is None else known.usual_us

    def asleep(self, path: Path, *, across: bool) -> list[Latency]:
        """Return the latencies of a path while the cores sleep, the shortest first."""
        known = [one for one in self.latencies if (one.path, one.is_across, one.interrupted) == (path, across, "idle")]
        return sorted(known, key=lambda one: one.latency_us.median.value)

    def of_several(self, path: Path, *, across: bool) -> str:
        """Say that a median is that of the slowest core or direction, if there are several."""
        count = len({(one.first, one.second) for one in self.latencies if (one.path, one.is_across) == (path, across)})
        if count == 1:
            return ""
        which = "slower" if count == _BOTH else "slowest"
        return f" in the {which} direction" if across else f" on the {which} core"

    def cycles(self, us: float) -> str:
        """Return a duration with its cycles, where those are known."""
        known = next((one for one in self.latencies if one.cycles and one.latency_us.max > 0), None)
        if known is None or known.cycles is None:
            return _text(us)
        return f"{_text(us)} ({us * known.cycles.max / known.latency_us.max:,.0f} cycles)"


def _timer(facts: _Facts) -> str:
    budget = facts.budgets.get(("timer-handler", False))
    if budget is None:
        return ""
    slower = facts.of_several("timer-handler", across=False)
    said = f"A timer's interrupt reaches its handler {facts.cycles(budget.usual_us)} after it is due{slower}"
    if budget.largest_while == "kernel" and budget.usual_us > 0:
        return (
            f"{said}, and up to {facts.cycles(budget.largest_us)} while tasks call the kernel: "
            f"{budget.largest_us / budget.usual_us:.1f} times as long."
        )
    return f"{said} (median), and {_text(budget.largest_us)} at most while {DOING[budget.largest_while]}."


def _wake_up(facts: _Facts) -> str:
    for path in ("handler-task", "timer-task"):
        found = [one for one in facts.comparisons if one.path == path and one.interrupted == "idle"]
        if found:
            told = sorted(found, key=lambda one: one.cross_core_us.value)
            told = found if len(found) <= _BOTH else [told[0], told[-1]]
            many = f" Of {len(found)} directions, these are the quickest and the slowest." if told != found else ""
            return "A task that " + "; and one that ".join(_woken(one) for one in told) + f".{many}"
    return ""


def _woken(one: IrqComparison) -> str:
    return (
        f"a handler on core {one.first} wakes runs {_text(one.same_core_us.value)} later on that core, and "
        f"{_text(one.cross_core_us.value)} later on core {one.second}, {one.ratio.value:.2f} times as long"
    )


def _doorbell(facts: _Facts) -> str:
    ring = facts.median("doorbell", across=True)
    if ring is None:
        return ""
    there_and_back = facts.median("doorbell-round-trip", across=True)
    slower = facts.of_several("doorbell", across=True)
    said = f"When one core rings another, the other core is in its handler {facts.cycles(ring)} later{slower}"
    if there_and_back is not None:
        said += f", and its answer is back after {facts.cycles(there_and_back)}"
    times = _times_a_ring(facts)
    if times is not None and times > 1:
        said += f". Waking a task there takes {times:.1f} times as long: do short work in the doorbell's handler"
    return said + "."


def _times_a_ring(facts: _Facts) -> float | None:
    """Return how many times as long waking a task takes as a ring, in the direction where a ring takes longest."""
    wake_ups = {(one.first, one.second): one for one in facts.asleep("handler-task", across=True)}
    for ring in reversed(facts.asleep("doorbell", across=True)):
        wake_up = wake_ups.get((ring.first, ring.second))
        if wake_up is not None and ring.latency_us.median.value > 0:
            return wake_up.latency_us.median.value / ring.latency_us.median.value
    return None


def _sleep(facts: _Facts) -> str:
    """Tell that to wake a core takes time, where it does: then an idle system is not the quickest one."""
    for path in ("timer-handler", "doorbell"):
        heard = [one for one in facts.latencies if one.path == path and (one.second is None or one.is_across)]
        at_work: dict[tuple[int, int | None], Latency] = {}
        for one in heard:
            if one.interrupted != "idle":  # computing, where that was measured: the kernel masks interrupts
                at_work.setdefault((one.first, one.second), one)
        pairs = [(one, at_work.get((one.first, one.second))) for one in heard if one.interrupted == "idle"]
        later = [
            (one.latency_us.median.value, other.latency_us.median.value, one)
            for one, other in pairs
            if other is not None and one.latency_us.median.value > _SLOW_TO_WAKE * other.latency_us.median.value
        ]
        if later:
            asleep, awake, one = max(later, key=lambda each: each[0])
            return (
                f"A sleeping core begins a handler later than a core at work ({path} {one.cores}: {_text(asleep)} and "
                f"{_text(awake)}). Waking the core takes time, and the deeper it sleeps, the more."
            )
    return ""


def _allow(facts: _Facts) -> str:
    whole = [one for (path, _), one in facts.budgets.items() if path == "timer-task"]
    if not whole:
        return ""
    worst = max(whole, key=lambda one: one.largest_us)
    where = "on another core" if worst.across else "on the same core"
    return (
        f"For the whole way from a timer to its task, allow more than {_text(worst.largest_us)}. That is the largest "
        f"of {sum(one.samples for one in whole):,} seen ({where}, while {DOING[worst.largest_while]}); "
        f"{_text(worst.usual_us)} is usual. The largest seen is not the largest possible."
    )
