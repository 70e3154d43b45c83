"""What the wake-ups come to, in words."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from intercore.benchmarks import uncertainty
from intercore.benchmarks.counter import with_bound
from intercore.benchmarks.exactness import PROMISED_SPREAD, constant
from intercore.benchmarks.switch.names import named
from intercore.benchmarks.switch.wake_ups import TRUE_TIMES, place
from intercore.view.quantity import duration, multiple

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from intercore.benchmarks.switch.analysis import FalseTime, Ratio
    from intercore.benchmarks.switch.wake_ups import WakeUp

_BOTH = 2  # directions, those of two cores


def name_of(primitive: str, first: int, second: int) -> str:
    """Name a primitive and its way."""
    return f"{primitive} from core {first} to core {second}"


def sentences(wake_ups: Sequence[WakeUp], ratios: Sequence[Ratio], false_times: Sequence[FalseTime]) -> Iterator[str]:
    """Say what was found, what matters most first."""
    yield from _about_ratios(ratios)
    yield from _about_calls(wake_ups)
    yield from _about_uncertainty(wake_ups)
    yield from _about_alignment(wake_ups)
    yield from _about_false_times(false_times)
    yield from _about_exactness(wake_ups)


def _about_ratios(ratios: Sequence[Ratio]) -> Iterator[str]:
    if not ratios:
        return
    time = next(time for time in TRUE_TIMES if any(one.time == time for one in ratios))
    more = (
        " These are medians, and include the cost of looking at the clock. On one core the woken task preempts the "
        "signaller; across cores the signaller stays out of the kernel meanwhile."
    )
    for target in ("idle", "busy"):
        ways: dict[tuple[int, int], list[Ratio]] = defaultdict(list)
        for one in ratios:
            if (one.target, one.time) == (target, time):
                ways[one.first, one.second].append(one)
        if ways:
            what = "asleep" if target == "idle" else "busy with a task of lower priority"
            told = "; ".join(_way(found, place == 0) for place, found in enumerate(_told(list(ways.values()))))
            yield f"Waking a task on another core that is {what} takes {told}.{_of_many(len(ways))}{more}"
            more = ""


def _told(ways: Sequence[Sequence[Ratio]]) -> Sequence[Sequence[Ratio]]:
    """Return the directions to tell of: of more than two, the quickest and the slowest, by their quickest primitive."""
    if len(ways) <= _BOTH:
        return ways
    ordered = sorted(ways, key=lambda found: min(one.cross_us.value for one in found))
    return ordered[0], ordered[-1]


def _of_many(directions: int) -> str:
    return f" Of {directions} directions, these are the quickest and the slowest." if directions > _BOTH else ""


def _way(found: Sequence[Ratio], is_first: bool) -> str:
    """Say of one direction what waking takes, by the quickest primitive and by the slowest one.

    Of the first of several it is also said what the factor is of.
    """
    quickest, slowest = (choose(found, key=lambda one: one.cross_us.value) for choose in (min, max))
    low, high = (choose(one.ratio.value for one in found) for choose in (min, max))
    factor = _factor(low) + (f" to {_factor(high)}" if _factor(high) != _factor(low) else "")
    takes = f"{_us(quickest.cross_us.value)} ({named(quickest)})"
    way, on_one = f"from core {quickest.first} to core {quickest.second}", _us(quickest.same_us.value)
    if slowest is quickest:
        return f"{takes} {way}, {factor} times the time on core {quickest.first} ({on_one})"
    takes += f" to {_us(slowest.cross_us.value)} ({named(slowest)})"
    what = f" what the same primitive takes on core {quickest.first}" if is_first else ""
    there = "there" if is_first else f"on core {quickest.first}"
    return f"{takes} {way}, {factor} times{what} ({there} {named(quickest)} takes {on_one})"


def _about_calls(wake_ups: Sequence[WakeUp]) -> Iterator[str]:
    known = [one for one in wake_ups if one.time == "common" and one.primitive != "yield" and one.target != "busy"]
    for crosses, where, several in (
        (False, "a task of lower priority on its own core", "cores"),
        (True, "a task on another core", "directions"),
    ):
        found = [one for one in known if one.crosses == crosses]
        medians: dict[str, float] = {}
        for one in found:
            medians[one.primitive] = max(one.call_us.median.value, medians.get(one.primitive, 0.0))
        if medians:
            least, most = min(medians, key=lambda name: medians[name]), max(medians, key=lambda name: medians[name])
            yield (
                f"The call that wakes {where} keeps the caller for {_us(medians[least])} ({least})"
                + (f" to {_us(medians[most])} ({most})." if most != least else ".")
                + (f" Of several {several}, the slowest counts." if len({place(one)[1:3] for one in found}) > 1 else "")
            )


def _about_uncertainty(wake_ups: Sequence[WakeUp]) -> Iterator[str]:
    within = max((one.within_us for one in wake_ups if one.time == "common"), default=0.0)
    if within:
        yield uncertainty.sentence(within, "wake-up")


def _about_alignment(wake_ups: Sequence[WakeUp]) -> Iterator[str]:
    known = {(place(one), one.time): one for one in wake_ups}
    aligned = [one for one in wake_ups if one.alignment is not None]
    first = next(iter(aligned), None)
    if first is None or (found := first.alignment) is None:
        return
    apart = (
        f"cannot be told apart: they differ by less than {_us(found.within_us)}"
        if abs(found.before.ahead_us) <= found.before.within_us
        else f"are {_us(abs(found.before.ahead_us))} apart, give or take {_us(found.before.within_us)}"
    )
    yield (
        f"The counters of cores {first.first} and {first.second} {apart}, and drift by "
        f"{with_bound(found.drift_ppm, found.drift_within_ppm)} ppm, by time stamps exchanged before and after."
    )
    both = [(one, known[place(one), "common"]) for one in aligned if (place(one), "common") in known]
    if both:
        most = max(abs(one.wake_up_us.median.value - other.wake_up_us.median.value) for one, other in both)
        within = max(one.within_us + other.within_us for one, other in both)
        verdict = (
            "the difference is no more than that, the medians' intervals and the cost of reading either explain"
            if all(_agree(*pair) for pair in both)
            else "more than that explains, so the machine was not equally quiet in both measurements"
        )
        yield (
            f"Aligned counters and the common clock differ by up to {_us(most)} in {len(both)} medians, where the "
            f"alignment can be off by {_us(within)}: {verdict}."
        )


def _agree(one: WakeUp, other: WakeUp) -> bool:
    """Whether the medians differ by no more than the alignment, the statistics and the cost of looking leave open."""
    slack = one.within_us + other.within_us + sum(
        max(abs((median.low if median.low is not None else median.value) - median.value),
            abs((median.high if median.high is not None else median.value) - median.value))
        for median in (one.wake_up_us.median, other.wake_up_us.median)
    )  # fmt: skip
    looking = max((abs(cost - other.looking_us.get(core, cost)) for core, cost in one.looking_us.items()), default=0.0)
    return abs(one.wake_up_us.median.value - other.wake_up_us.median.value) <= slack + looking


def _about_false_times(false_times: Sequence[FalseTime]) -> Iterator[str]:
    plain = [one for one in false_times if one.is_plain]
    if plain:
        worst = max(plain, key=lambda one: abs(one.raw_us.median.value))
        true = "" if worst.true_us is None else f" instead of {_us(worst.true_us)}"
        back = next((one for one in plain if (one.first, one.second) == (worst.second, worst.first)), None)
        yield (
            f"FALSE on purpose: subtracting the counters of two cores that were never aligned gives "
            f"{_us(worst.raw_us.median.value)} from core {worst.first} to core {worst.second}{true}, with a standard "
            f"deviation of {_us(worst.raw_us.stdev)}"
            + (f", and {_us(back.raw_us.median.value)} the other way" if back is not None else "")
            + (
                ". It is not a time: it shows how much later one counter began, and so it is large, nearly constant, "
                "and of the opposite sign in the opposite direction."
            )
        )
    elif false_times:
        yield (
            "Subtracting raw counters gives no false times here: the counters of this machine's cores are "
            "synchronised, as far as these samples can tell. That is a property of the machine, not of the method."
        )


def _about_exactness(wake_ups: Sequence[WakeUp]) -> Iterator[str]:
    seen = [(one, one.exactness) for one in wake_ups if one.exactness is not None]
    if seen:
        count = sum(one.wake_up_us.n - found.interrupted for one, found in seen)
        spread = max(found.spread for _, found in seen)
        interrupted = sum(found.interrupted for _, found in seen)
        differences = sorted({found.difference for _, found in seen})
        between = f"{differences[0]:g}" + (f" to {differences[-1]:g}" if len(differences) > 1 else "")
        verdict = (
            f"in each setting {constant(spread)}"
            if spread <= PROMISED_SPREAD
            else f"within a setting by up to {spread} apart, more than the {PROMISED_SPREAD} that the clock promises"
        )
        yield (
            f"Checked against the simulator: {count:,} wake-ups were measured {between} ticks longer than they truly "
            f"were, {verdict}" + (f"; {interrupted:,} more were looked at during an interrupt." if interrupted else ".")
        )


def _us(us: float) -> str:
    return duration(us) if us else "less than a tick"


def _factor(ratio: float) -> str:
    return multiple(ratio)
