"""The findings of `hartstone`."""

from __future__ import annotations

from intercore.finding import Caveat, Finding
from intercore.view.quantity import multiple

_TASKS_ARE = {
    "one-core": "With all five tasks on one core",
    "pinned": "With each of the five tasks pinned to a core",
    "free": "With all five tasks unpinned",
}


def _with(placement: str) -> str:
    return _TASKS_ARE.get(placement, f"With placement={placement}")


def tenths(percent: float) -> str:
    """Return a load, in tenths of a percent: one breaks down within a few of them."""
    return f"{percent:.1f} %"


def _load(percent: float) -> str:
    return f"{tenths(percent)} of one core"


class HartstoneBreakdown(Finding, frozen=True):
    """The loads between which a set of tasks breaks down."""

    placement: str
    period_us: int
    """The shortest period."""
    kept_percent: float | None
    """The highest load below the first at which a deadline was missed."""
    missed_percent: float | None
    """The lowest load at which one was."""
    kept_of_all_percent: float | None
    """The first of them, of all cores that the tasks may use."""

    @property
    def sentence(self) -> str:
        start = _with(self.placement)
        if self.kept_percent is None:
            least = "" if self.missed_percent is None else f", from {_load(self.missed_percent)} on"
            return f"{start}, deadlines were missed at every load measured{least}."
        kept = _load(self.kept_percent)
        if self.placement != "one-core" and self.kept_of_all_percent is not None:
            kept += f" ({tenths(self.kept_of_all_percent)} of all cores)"
        if self.missed_percent is None:
            return f"{start}, no deadline was missed at any load measured, up to {kept}."
        return f"{start}, no deadline was missed up to a load of {kept}, and some were at {_load(self.missed_percent)}."


class HartstoneGain(Finding, frozen=True):
    """How many times the load of one core several carry before a deadline is missed."""

    placement: str
    least_times: float
    most_times: float

    @property
    def sentence(self) -> str:
        times = " to ".join(dict.fromkeys((multiple(self.least_times), multiple(self.most_times))))
        return f"{_with(self.placement)}, the set carried {times} times the load of one core."


class HartstoneUneven(Caveat, frozen=True):
    """A deadline was missed at a load, and none at a higher one."""

    placement: str
    missed_percent: float
    kept_percent: float

    @property
    def sentence(self) -> str:
        return (
            f"{_with(self.placement)}, a deadline was missed at {_load(self.missed_percent)} and none at "
            f"{_load(self.kept_percent)}: other work likely ran at the lower load, or the higher one had too few "
            "samples. Measure again, with more samples."
        )
