"""The stop rule as a user asks for it, `--until 1%`: settings are measured again until their medians are known so."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import TYPE_CHECKING

from intercore.errors import UsageError
from intercore.record.measurement import LOOKING_PREFIX, StopRule

if TYPE_CHECKING:
    from intercore.record.measurement import Series

DEFAULT_CAP = 30
"""Repetitions per setting: they make an interval about 5 times narrower than the first one did."""

_WITH_MEDIANS = {"tick", "count"}
"""Units of which a median means something: moments and numbers of cores have none."""
_BESIDES = {"true", "begins", "late.counts", "longer.counts", "shorter.counts", "extremes"} | {
    f"{when}.{way}" for when in ("before", "after") for way in ("there", "back")
}
"""Series that have none either: what an observer saw, where stretches begin, histograms, the two ends of a sample, and
exchanges of time stamps, of which the shortest counts."""
_WITHOUT_MEDIANS = {"clock", "contention"}
"""Benchmarks whose samples as a whole have none: intervals of random length, and moments whose number is the result."""


def parse_rule(until: str | None, cap: int | None, repetitions: int, prefix: str = "--") -> StopRule | None:
    """Return the rule that a user asked for; `cap` is None for the default. UsageError for what is no rule.

    `prefix` is what stands before the names in messages: that of options, or nothing for the keys of a file.
    """
    if until is None:
        if cap is not None:
            raise UsageError(
                f"{prefix}cap limits what {prefix}until asks for: give {prefix}until too, e.g. {prefix}until 1%, "
                f"or {prefix}repetitions"
            )
        return None
    number = re.fullmatch(r"\s*(\d+(?:\.\d+)?|\.\d+)\s*%\s*", until, re.ASCII)
    if number is None:
        raise UsageError(f"{prefix}until is a percentage such as 1% or 0.5%, and not '{until}'")
    fraction = float(Decimal(number[1]) / 100)
    if not 0 < fraction <= 1:
        raise UsageError(f"{prefix}until={until} is out of range: above 0 %, at most 100 %")
    return StopRule(fraction, max(DEFAULT_CAP, repetitions) if cap is None else cap)


def has_median(benchmark: str, series: Series) -> bool:
    """Whether the median of a series is a result of the benchmark."""
    beside = series.name.startswith(LOOKING_PREFIX) or series.name in _BESIDES
    return series.unit in _WITH_MEDIANS and not beside and benchmark not in _WITHOUT_MEDIANS
