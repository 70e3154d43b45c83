"""The findings of `launch`."""

from __future__ import annotations

from intercore.finding import Finding
from intercore.view.quantity import duration, multiple

_WHATS = {"task": "A task that core 0 creates for core 1", "core": "Core 1"}


def _executes(what: str) -> str:
    return f"{_WHATS.get(what, f'What core 1 is asked for (what={what})')} executes its first instruction"


class LaunchTime(Finding, frozen=True):
    """How long a launch takes."""

    what: str
    cache: str
    launch_us: float
    """Until the first instruction on core 1."""
    call_us: float | None
    """Until core 0 has returned from the call."""

    @property
    def sentence(self) -> str:
        cold = ", with an empty cache of code" if self.cache == "cold" else ""
        call = "" if self.call_us is None else f" The call keeps core 0 for {duration(self.call_us)}."
        return f"{_executes(self.what)} {duration(self.launch_us)} after it is asked for{cold}.{call}"


class LaunchCold(Finding, frozen=True):
    """What an empty cache of code makes of a launch."""

    what: str
    warm_us: float
    cold_us: float

    @property
    def sentence(self) -> str:
        return (
            f"{_executes(self.what)} {duration(self.cold_us)} after it is asked for, if the cache of code is empty: "
            f"{multiple(self.cold_us / self.warm_us)} times as long as the {duration(self.warm_us)} with a warm one."
        )
