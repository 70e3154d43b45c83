"""The stop rule of `--until 1%`: settings are repeated until their medians have this precision."""

from __future__ import annotations

from intercore.errors import UsageError
from intercore.record.measurement import StopRule
from intercore.text import percentage

DEFAULT_CAP = 30
"""Maximum repetitions per setting: they make an interval about 5 times narrower than the first one."""


def parse_rule(until: str | None, cap: int | None, repetitions: int, prefix: str = "--") -> StopRule | None:
    """Return the requested rule; `cap` is None for the default. Raises UsageError for an invalid rule.

    `prefix` precedes the names in messages: `--` for options, empty for keys of a file.
    """
    if until is None:
        if cap is not None:
            raise UsageError(
                f"{prefix}cap limits the repetitions that {prefix}until adds: give {prefix}until too, e.g. "
                f"{prefix}until 1%, or use {prefix}repetitions instead"
            )
        return None
    fraction = percentage(until)
    if fraction is None:
        raise UsageError(f"{prefix}until must be a percentage such as 1% or 0.5%, not '{until}'")
    if not 0 < fraction <= 1:
        raise UsageError(f"{prefix}until={until} is out of range: it must be above 0% and at most 100%")
    return StopRule(fraction, max(DEFAULT_CAP, repetitions) if cap is None else cap)
