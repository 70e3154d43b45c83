"""What `jitter` may find, and how that is worded."""

from __future__ import annotations

from typing import Literal

import msgspec

from intercore.finding import Caveat, Finding, Severity
from intercore.view.answer import Remark, about_times
from intercore.view.quantity import duration

_MILLISECOND_US = 1000.0


class Lateness(msgspec.Struct, frozen=True):
    """How late a task was released, of several settings."""

    least_median_us: float
    most_median_us: float
    largest_us: float

    def __str__(self) -> str:
        """Return it in words."""
        low, high = duration(self.least_median_us), duration(self.most_median_us)
        medians = low if low == high else f"{low} to {high}"
        return f"{medians} after it was due (median), at most {duration(self.largest_us)}"


class Deviation(msgspec.Struct, frozen=True):
    """The largest deviation of a period, of several settings."""

    largest_us: float
    """Without its sign."""
    periods_us: tuple[float, ...]
    """The periods that were asked for."""

    def __str__(self) -> str:
        """Return it in words."""
        if not self.largest_us:
            return "every period was exact to the tick of the clock"
        periods = " or ".join(map(duration, self.periods_us))
        return f"no period of {periods} deviated by more than {duration(self.largest_us)}"


class Missed(msgspec.Struct, frozen=True):
    """Releases that came a period or more late."""

    releases: int
    missed_in: int
    """Measurements with such a release."""
    measurements: int

    @property
    def where(self) -> str:
        """In how many of the measurements: `in 1 of 10 measurements`."""
        return f"in {self.missed_in:,} of {self.measurements:,} measurements"


class UpsideDown(msgspec.Struct, frozen=True):
    """The latest release under load is earlier than the latest at rest, which load does not explain."""

    loaded_us: float
    """The latest under load."""
    missed: Missed
    """At rest."""
    shorter_median_us: float | None
    """The median under load, if it is shorter, too."""

    def __str__(self) -> str:
        """Return it in words."""
        rare = ""
        if self.missed.releases:
            rare = f": {self.missed.releases:,} of the releases came a period or more late, {self.missed.where}"
        found = (
            f"Under load the worst is earlier ({duration(self.loaded_us)}), which load does not explain. Something "
            f"else likely kept the core at rest{rare}."
        )
        if self.shorter_median_us is not None:
            found += (
                f" Under load the median is shorter, too ({duration(self.shorter_median_us)}), likely because a core "
                "at rest has to wake."
            )
        return found


class JitterLateness(Finding, frozen=True):
    """How late a task was released that is not moved."""

    loaded: bool
    """Whether there was load of lower priority."""
    others_moved: bool
    """Whether the run has settings in which the task was moved, too."""
    lateness: Lateness
    deviation: Deviation
    upside_down: UpsideDown | None

    @property
    def sentence(self) -> str:
        how = "Under load of lower priority" if self.loaded else "At rest"
        how += ", never moved," if self.others_moved else ""
        found = f"{how} the task was released {self.lateness}; {self.deviation}."
        return found if self.upside_down is None else f"{found} {self.upside_down}"


class JitterAmongEquals(Finding, frozen=True):
    """How late a task was released beside one of its own priority."""

    lateness: Lateness

    @property
    def sentence(self) -> str:
        return (
            f"Beside a task of its own priority that never waits, the task was released {self.lateness}: the kernel "
            "lets tasks of equal priority take turns, and a release waits for its turn."
        )


class JitterMoved(Finding, frozen=True):
    """How far the period of a task deviated that was moved before each release."""

    published: bool
    """Whether it was moved by the procedure of Arm et al. 2022, right behind its reading, and not while it waited."""
    deviation_us: float
    unmoved: Deviation | None
    """While it was not moved; None if that was not measured."""
    asked: int
    """Migrations that were asked for."""
    moved: int
    """Those that happened."""

    @property
    def sentence(self) -> str:
        unmoved = "" if self.unmoved is None else f"; while it was not moved, {self.unmoved}"
        happened = "each happened" if self.asked == self.moved else f"{self.moved:,} happened"
        counted = f"{self.asked:,} migrations were asked for and {happened}, counted by the core of each release."
        if self.published:
            return (
                "When the task was moved by the procedure of Arm et al. 2022 as read here, before it waited, its "
                f"period deviated by at most {duration(self.deviation_us)}, by one clock{unmoved}. {counted}"
            )
        less = ", which is less than a millisecond" if self.deviation_us < _MILLISECOND_US else ""
        return (
            "When the task was moved to another core before each release, while it waited, its period deviated by at "
            f"most {duration(self.deviation_us)}{unmoved}. {counted} A design that lets a periodic task change its "
            f"core has to allow for this deviation{less}."
        )


class JitterBlocked(Finding, frozen=True):
    """What became of a task that was blocked at any time."""

    period_us: float
    shortest_us: float
    longest_us: float
    missed: int
    releases: int

    @property
    def sentence(self) -> str:
        return (
            f"When the task was blocked at any time instead, whether it waited or not, its period of "
            f"{duration(self.period_us)} was from {duration(self.shortest_us)} to {duration(self.longest_us)}, and "
            f"{self.missed} of {self.releases:,} releases were a period or more overdue. This shows for how long "
            "blockers of higher priority kept both cores, and not what a migration costs."
        )


class JitterNoBound(Finding, frozen=True):
    """Releases were a period or more late."""

    label: str
    """The setting's."""
    missed: int
    releases: int

    @property
    def sentence(self) -> str:
        return (
            f"{self.label}: no bound holds, because {self.missed} of {self.releases:,} releases were a period or more "
            "overdue."
        )


class JitterBound(Finding, frozen=True):
    """Whether the widest bound of a period seems to hold."""

    label: str
    """The setting's."""
    first_half_us: float
    """The largest deviation in the first half of the periods, without its sign."""
    second_half_us: float
    holds: bool
    """Whether the second half stayed within the bound of the first."""
    tail: str
    """What rarer releases may come to, as the statistics of the tail word it."""

    @property
    def sentence(self) -> str:
        before, after = self.first_half_us, self.second_half_us
        verdict = (
            "it seems to hold: the second half of the periods stayed within the bound of the first half, "
            f"{duration(before)}"
            if self.holds
            else f"the bound grew in the second half, from {duration(before)} to {duration(after)}; measure longer"
        )
        return f"Does the bound hold? Where it is widest ({self.label}), {verdict}. {self.tail}"


class FalseWay(msgspec.Struct, frozen=True):
    """The median of periods by raw counters that began on one core and ended on one."""

    first: int
    second: int
    median_us: float

    def __str__(self) -> str:
        """Return it in words."""
        way = f"on core {self.first}" if self.first == self.second else f"from core {self.first} to core {self.second}"
        return f"{duration(self.median_us)} {way}"


class JitterFalsePeriods(Finding, frozen=True):
    """Subtracting the counters of two cores as if they were one gives false periods."""

    label: str
    """The setting's."""
    bits: int
    hz: int
    """Of the counters."""
    ways: tuple[FalseWay, ...]
    mean_us: float
    true_us: float
    """By the common clock."""
    implied_us: float | None
    """The mean that follows from width and rate of the counters and from the period; None where none does."""
    period_us: float
    wrap_us: float
    """After how long a counter is back where it was."""
    wraps: Literal["one way", "neither way", ""]
    """Which way wraps, where therefore the distance between the counters does not matter; else empty."""

    @property
    def sentence(self) -> str:
        found = (
            f"FALSE on purpose ({self.label}): subtracting the cores' counters, of {self.bits} bits at "
            f"{self.hz / 1e6:g} MHz, as if they were one gives periods of {', '.join(map(str, self.ways))}: "
            f"{duration(self.mean_us)} on average. The common clock gives {duration(self.true_us)} for the same "
            "releases."
        )
        if self.implied_us is None:
            return found
        left = self.period_us % self.wrap_us
        period = "the period" if self.period_us < self.wrap_us else "the part of the period above whole wraps"
        made = f", with a wrap of {duration(self.wrap_us)}"
        if self.wraps == "one way":
            half = "and" if self.implied_us > left else "less"
            made = (
                f": {period}, {duration(left)}, {half} half a wrap of {duration(self.wrap_us)}. One of the two ways "
                "wraps, so the distance between the counters does not matter"
            )
        elif self.wraps == "neither way":
            made = f": {period}. Neither way wraps, or both do, so the distance between the counters does not matter"
        return f"{found} The counters' width and rate and the period give {duration(self.implied_us)}{made}."


class JitterSynchronisedCounters(Finding, frozen=True):
    """Subtracting raw counters gives no false periods."""

    @property
    def sentence(self) -> str:
        return (
            "Subtracting raw counters gives no false periods here: the task stayed on one core, or the counters of "
            "this machine's cores are synchronised, as far as these samples can tell. That is a property of the "
            "machine, not of the method."
        )


class JitterLoad(Remark, frozen=True):
    """What load does to the largest lateness."""

    largest_us: float
    """Under load."""

    @property
    def sentence(self) -> str:
        return (
            f"Load makes a release up to {duration(self.largest_us)} late, {about_times(self.times)} times as much as "
            "at rest."
        )


class JitterLeftOut(Caveat, frozen=True):
    """Measurements lack the core of each release."""

    measurements: int

    @property
    def sentence(self) -> str:
        return f"{self.measurements} measurements are left out: the target did not report the core of each release."


class OfSetting(Caveat, frozen=True):
    """What makes one setting doubtful."""

    label: str
    """The setting's, with `raw counters` behind it where periods are by these."""
    load: str
    migrate: str

    @property
    def _where(self) -> str:
        return f"moved by {self.label}" if self.migrate in ("affinity", "blockers") else self.label


class JitterEarly(OfSetting, frozen=True):
    """Releases came before they were due."""

    releases: int

    @property
    def severity(self) -> Severity:
        return "error"

    @property
    def sentence(self) -> str:
        return (
            f"{self._where}: {self.releases} releases came before they were due: the kernel's tick and the common "
            "clock do not agree, so no latency here is right."
        )


class JitterStrayed(OfSetting, frozen=True):
    """The task was on another core than the one that it was pinned to."""

    times: int

    @property
    def sentence(self) -> str:
        return f"{self._where}: the task was found {self.times} times on a core other than the one it was pinned to."


class JitterLost(OfSetting, frozen=True):
    """Releases were not kept."""

    releases: int

    @property
    def sentence(self) -> str:
        return (
            f"{self._where}: {self.releases} releases did not fit the buffer, or were later than a histogram can count."
        )


class JitterNotMoved(OfSetting, frozen=True):
    """Migrations did not happen."""

    asked: int
    moved: int

    @property
    def sentence(self) -> str:
        return (
            f"{self._where}: {self.asked - self.moved} of the {self.asked} migrations that were asked for did not "
            "happen."
        )


class JitterFewMigrations(OfSetting, frozen=True):
    """Not all releases came after a migration."""

    asked: int
    """Those that did."""
    releases: int

    @property
    def sentence(self) -> str:
        return (
            f"{self._where}: only {self.asked} of {self.releases} releases came after a migration. Before the others, "
            "the task that moves it did not run in time, because something else kept its core."
        )
