"""The one-line answers of `api`: what calls of the kernel cost."""

from __future__ import annotations

from typing import TYPE_CHECKING

from intercore.benchmarks.api.analysis import ALONE, EMPTY
from intercore.benchmarks.api.findings import ApiDearer, ApiFailedCheck
from intercore.benchmarks.caveats import disturbed_samples
from intercore.statistics.intervals import Interval
from intercore.view.answer import Answer, with_varied
from intercore.view.cost import CoreTime
from intercore.view.quantity import duration

if TYPE_CHECKING:
    from collections.abc import Iterator

    from intercore.benchmarks.api.analysis import ApiAnalysis, ApiCall
    from intercore.finding import Finding


_FREE = {"lock": "lock a free mutex", "unlock": "unlock a free mutex"}
"""The question on each of these calls."""
_FAR = 0.5
"""Of a median: where its interval begins at most, for the samples to lie on several levels far apart."""


def answers(analysis: ApiAnalysis) -> Iterator[Answer]:
    """Answer the cost of a free mutex, and of the most expensive call, with one core active.

    Like all answers, they include the timestamp overhead, which the analysis subtracts; the net cost follows. The cost
    of a free mutex is under the topic locks.
    """
    alone = [one for one in analysis.calls if one.other == ALONE and one.call != EMPTY and one.cost_us.value > 0]
    for call, question in _FREE.items():
        found = [one for one in alone if one.call == call]
        if found:
            usual = min(found, key=lambda one: one.core)
            about = f"per call; {_without_reading(usual)}"
            yield Answer(question, _as_read(usual), about=about, brief=False, topic="locks", leads=True)
    if alone:
        dearest = max(alone, key=lambda one: one.cost_us.value)
        low = dearest.cost_us.low
        about = _called(dearest) + ", one core active; samples vary widely" * (
            low is not None and low < _FAR * dearest.cost_us.value
        )
        yield Answer("longest kernel call", _as_read(dearest), about=f"{about}; {_without_reading(dearest)}")


def _as_read(one: ApiCall) -> Interval:
    """Return the time of a call with timestamp overhead, in µs; for a batch, with its share of it."""
    cost, reading = one.cost_us, one.timestamp_overhead_us / one.batch
    low, high = (None if bound is None else bound + reading for bound in (cost.low, cost.high))
    return Interval(cost.value + reading, low, high)


def _without_reading(one: ApiCall) -> str:
    return f"{duration(one.cost_us.value)} without timestamp overhead"


_PAIRS = {
    ("lock", "unlock"): "mutex, locked and unlocked",
    ("take", "give"): "semaphore, taken and given",
    ("critical",): "critical section",
}
"""What a program does as one: these calls."""


def core_times(analysis: ApiAnalysis) -> Iterator[CoreTime]:
    """Yield the processor time of locks that are free, by what the other core does meanwhile."""
    costs = {(one.call, one.core, one.other, tuple(one.varied.items())): one.cost_us.value for one in analysis.calls}
    for calls, what in _PAIRS.items():
        for call, core, other, varied in costs:
            keys = [(each, core, other, varied) for each in calls]
            if call == calls[0] and all(key in costs for key in keys):
                beside = "" if other == ALONE else f", other={other}"
                yield CoreTime(with_varied(f"{what}{beside}", dict(varied)), {core: sum(costs[key] for key in keys)})


def concerns(finding: Finding, answer: Answer) -> bool:
    """Whether a caveat may concern an answer: unless it names calls, and not that of the answer."""
    named = {one.levels["call"] for one in disturbed_samples(finding)}
    if isinstance(finding, ApiFailedCheck):
        named = {*finding.levels}
    asked = next((call for call, question in _FREE.items() if question == answer.question), answer.choice)
    return not named or asked in named


def remarks(analysis: ApiAnalysis) -> Iterator[ApiDearer]:
    """Report the largest slowdown of a call by the other core's calls."""
    found = [(one.factor, one) for one in analysis.calls if one.factor is not None and one.factor > 1]
    if found:
        factor, most = max(found, key=lambda each: each[0])
        yield ApiDearer(times=factor, call=_called(most), other=most.other)


def _called(one: ApiCall) -> str:
    return with_varied(one.call if one.size is None else f"{one.call} {one.size:,}", one.varied)
