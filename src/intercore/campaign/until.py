"""The stop rule as a user asks for it, `--until 1%`: settings are repeated until their medians are known that well."""

from __future__ import annotations

from intercore.errors import UsageError
from intercore.record.measurement import StopRule
from intercore.text import percentage

DEFAULT_CAP = 30
"""Repetitions per setting: they make an interval about 5 times narrower than the first one did."""


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
    fraction = percentage(until)
    if fraction is None:
        raise UsageError(f"{prefix}until is a percentage such as 1% or 0.5%, and not '{until}'")
    if not 0 < fraction <= 1:
        raise UsageError(f"{prefix}until={until} is out of range: above 0 %, at most 100 %")
    return StopRule(fraction, max(DEFAULT_CAP, repetitions) if cap is None else cap)
