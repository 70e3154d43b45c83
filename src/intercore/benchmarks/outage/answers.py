"""The one-line answers of `outage`: for how long a write to flash stops the other core and its interrupts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from intercore.benchmarks.outage.analysis import COMPUTING
from intercore.statistics.intervals import Interval
from intercore.view.answer import Answer, with_varied

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from intercore.benchmarks.outage.analysis import Outage, OutageAnalysis

_QUESTIONS: Mapping[str, Sequence[str]] = {
    "flash write, other core": COMPUTING,
    "flash write, interrupt": ("interrupt",),
    "flash write, a task": ("task",),
}


def answers(analysis: OutageAnalysis) -> Iterator[Answer]:
    """Answer the longest standstill of the other core, and the largest lateness there, over what is written.

    They are of the safe way with which it is shortest, as a designer would choose it.
    """
    for question, doing in _QUESTIONS.items():
        found = [one for one in analysis.outages if one.other in doing and one.gave_up < one.outages]
        worst = [_worst(found, safe) for safe in dict.fromkeys(one.safe for one in found if one.safe != "unsafe")]
        if worst:
            best = min(worst, key=lambda one: one.longest_us.max)
            others = [f"{one.safe}: {one.longest_us.max / 1e3:.1f} ms" for one in worst if one is not best]
            samples = sum(one.outages for one in found if one.safe == best.safe)
            about = "; ".join([f"{with_varied(best.safe, best.varied)}, maximum of {samples:,}", *others])
            yield Answer(question, Interval(best.longest_us.max), about=about, worst=True)


def _worst(found: Sequence[Outage], safe: str) -> Outage:
    return max((one for one in found if one.safe == safe), key=lambda one: one.longest_us.max)
