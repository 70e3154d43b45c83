"""How far a run's stop rule has come: which medians it asks for, how well they are known, and how that is told."""

from __future__ import annotations

from typing import TYPE_CHECKING

from intercore.benchmarks.failed import is_sound
from intercore.benchmarks.series import has_median
from intercore.record.plan import repetitions_by_setting, setting_of
from intercore.statistics.precision import percent, worst
from intercore.statistics.precision import precisions as precisions_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from intercore.record.measurement import Measurement, Run, StopRule
    from intercore.statistics.precision import Precision

_NAMED = 3  # settings in a warning


def asked(rule: StopRule) -> str:
    """Return how well medians are to be known, as `--until` takes it: `0.5%`."""
    return f"{percent(rule.until, 10)}%"


def precisions(repetitions: Iterable[Measurement]) -> list[Precision]:
    """Return how well the median of each main series is known, over a setting's repetitions that have not failed."""
    return precisions_of(filter(is_sound, repetitions), has_median)


def is_reached(rule: StopRule, repetitions: Iterable[Measurement]) -> bool:
    """Whether the medians of all main series of a setting are known as well as asked."""
    return all(one.within(rule.until) for one in precisions(repetitions))


def warnings(run: Run) -> list[str]:
    """Say which settings have all the repetitions they may, and are still not known as well as asked."""
    rule = run.plan.stop
    if rule is None:
        return []
    short = [
        pool for pool in repetitions_by_setting(run).values() if len(pool) >= rule.cap and not is_reached(rule, pool)
    ]
    if not short:
        return []
    short.sort(key=_width, reverse=True)
    named = "; ".join(_how_far(run, pool) for pool in short[:_NAMED])
    more = f"; and {len(short) - _NAMED} more" if len(short) > _NAMED else ""
    times = f"{rule.cap} repetition{'s' * (rule.cap != 1)}"
    settings = f"{len(short)} setting{' is' if len(short) == 1 else 's are'} not"
    return [
        f"Medians were to be known to ±{percent(rule.until, 10)} %. After {times}, the most allowed, {settings}: "
        f"{named}{more}. Take more samples, raise --cap, or measure on a quieter machine."
    ]


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


def _width(pool: Sequence[Measurement]) -> float:
    found = worst(precisions(pool))
    return 0.0 if found is None else found.width


def _how_far(run: Run, pool: Sequence[Measurement]) -> str:
    setting = setting_of(run.plan, pool[0])
    levels = (f"{name}={level}" for name, level in setting.factors.items() if name != "seed")
    return f"{' '.join((setting.benchmark, *levels))} ({worst(precisions(pool))})"
