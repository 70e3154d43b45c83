"""How far a run's stop rule has come: which medians it asks for, how well they are known."""

from __future__ import annotations

from typing import TYPE_CHECKING

from intercore.benchmarks.failed import is_sound
from intercore.benchmarks.findings import ImpreciseSetting, PrecisionNotReached
from intercore.benchmarks.series import has_median
from intercore.record.plan import repetitions_by_setting, setting_of
from intercore.statistics.precision import percent, worst
from intercore.statistics.precision import precisions as precisions_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from intercore.record.measurement import Measurement, Run, StopRule
    from intercore.statistics.precision import Precision


def until_text(rule: StopRule) -> str:
    """Return how well medians are to be known, as `--until` takes it: `0.5%`."""
    return f"{percent(rule.until, 10)}%"


def precisions(repetitions: Iterable[Measurement]) -> list[Precision]:
    """Return how well the median of each main series is known, over a setting's repetitions that have not failed."""
    return precisions_of(filter(is_sound, repetitions), has_median)


def is_reached(rule: StopRule, repetitions: Iterable[Measurement]) -> bool:
    """Whether the medians of all main series of a setting are known as well as asked."""
    return all(one.within(rule.until) for one in precisions(repetitions))


def caveats(run: Run) -> Iterator[PrecisionNotReached]:
    """Return the finding on settings that have all allowed repetitions and miss the precision."""
    rule = run.plan.stop
    if rule is None:
        return
    short = [
        ImpreciseSetting(pool[0].benchmark, dict(setting_of(run.plan, pool[0]).factors), known)
        for pool in repetitions_by_setting(run).values()
        if len(pool) >= rule.cap and not is_reached(rule, pool) and (known := worst(precisions(pool))) is not None
    ]
    if short:
        short.sort(key=lambda one: one.series.width, reverse=True)
        yield PrecisionNotReached(until=rule.until, cap=rule.cap, settings=tuple(short))


def to_json(run: Run) -> dict[str, object] | None:
    """Return the rule and how far each setting came, in the documented shape; None without a rule."""
    rule = run.plan.stop
    if rule is None:
        return None
    return {
        "until": rule.until,
        "cap": rule.cap,
        "settings": [
            {
                "benchmark": pool[0].benchmark,
                "factors": setting_of(run.plan, pool[0]).factors,
                "repetitions": len(pool),
                "reached": is_reached(rule, pool),
                "series": [
                    {"series": one.series, "samples": one.samples, "half_width": one.fraction}
                    for one in precisions(pool)
                ],
            }
            for pool in repetitions_by_setting(run).values()
        ],
    }
