"""The one-line answers of `jitter`: how late a periodic task is released."""

from __future__ import annotations

from typing import TYPE_CHECKING

from intercore.benchmarks.caveats import disturbed_samples
from intercore.benchmarks.jitter.findings import JitterLoad, OfSetting
from intercore.benchmarks.jitter.under_load import (
    is_worse_without_load,
    largest_us,
    missed,
    settings_under,
    typical_us,
)
from intercore.statistics.intervals import Interval
from intercore.view.answer import Answer
from intercore.view.cost import Cost
from intercore.view.quantity import duration

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from intercore.benchmarks.jitter.analysis import JitterAnalysis, JitterSetting
    from intercore.finding import Finding


_CORES = {"core0": "core 0", "core1": "core 1", "both": "all cores"}
"""Where a load is, by its level."""
_AT_REST, _LOADED = "worst lateness, no load", "worst lateness, loaded"


def answers(analysis: JitterAnalysis) -> Iterator[Answer]:
    """Answer the largest lateness without load and under load of lower priority, without migration.

    If that without load is larger, the answer is marked as likely disturbed.
    """
    rest, load = (settings_under(analysis.settings, loaded=loaded) for loaded in (False, True))
    for question, found, under in (
        (_AT_REST, rest, ""),
        (_LOADED, load, f"; with {_load_of(load)}"),
    ):
        if found:
            periods = [duration(us) for us in sorted({one.period_us for one in found})]
            seen = sum(one.activations for one in found)
            about = f"max of {seen:,}{under}; period {' or '.join(periods)}"
            about += f"; median {duration(typical_us(found))}"
            late = missed(found)
            if late.activations:
                about += f"; {late.activations:,} of them a period or more late, {late.where}"
            verdict = ""
            if found is rest and is_worse_without_load(rest, load):
                about += "; later than under load"
                verdict = "likely disturbed"
            yield Answer(question, Interval(largest_us(found)), about=about, verdict=verdict, worst=True)


def _load_of(found: Sequence[JitterSetting]) -> str:
    """Return the description of a load: tasks that compute in a loop, and their cores."""
    where = {one.load: _CORES[one.load] for one in found if one.load in _CORES}
    return f"lower-priority tasks{' on ' + next(iter(where.values())) if len(where) == 1 else ''}"


def concerns(finding: Finding, answer: Answer) -> bool:
    """Whether a caveat may concern an answer: unless it is of settings that the answer is not of."""
    settings = [(one.levels["load"], one.levels["migrate"]) for one in disturbed_samples(finding)]
    if isinstance(finding, OfSetting):
        settings = [(finding.load, finding.migrate)]
    return not settings or any(
        migrate == "none" and load != "same-priority" and (answer.question == _LOADED) == (load != "none")
        for load, migrate in settings
    )


def costs(analysis: JitterAnalysis) -> Iterator[Cost]:
    """Yield how late an activation is, without load and under load."""
    for label, loaded in (("lateness, no load", False), ("lateness under load", True)):
        found = settings_under(analysis.settings, loaded=loaded)
        if found:
            yield Cost("deadline", label, typical_us(found), longest_us=largest_us(found))


def remarks(analysis: JitterAnalysis) -> Iterator[JitterLoad]:
    """Report the effect of load on the largest lateness."""
    rest, load = (largest_us(settings_under(analysis.settings, loaded=loaded)) for loaded in (False, True))
    if 0 < rest < load:
        yield JitterLoad(times=load / rest, largest_us=load)
