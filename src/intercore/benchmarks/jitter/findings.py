"""The findings of `jitter`."""

from __future__ import annotations

from typing import Literal

import msgspec

from intercore.finding import Caveat, Finding, Severity
from intercore.text import plural
from intercore.view.answer import Remark, about_times
from intercore.view.quantity import duration, percent

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
        return f"{medians} late (median), at most {duration(self.largest_us)}"


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


class MissedActivations(msgspec.Struct, frozen=True):
    """Activations that came a period or more late."""

    activations: int
    missed_in: int
    """Measurements with such an activation."""
    measurements: int

    @property
    def where(self) -> str:
        """In how many of the measurements: `in 1 of 10 measurements`."""
        return f"in {self.missed_in:,} of {self.measurements:,} measurements"


class WorseWithoutLoad(msgspec.Struct, frozen=True):
    """The latest activation under load is earlier than the latest without load, which load does not explain."""

    loaded_us: float
    """The latest under load."""
    missed: MissedActivations
    """At rest."""
    shorter_median_us: float | None
    """The median under load, if it is shorter, too."""

    def __str__(self) -> str:
        """Return it in words."""
        rare = ""
        if self.missed.activations:
            rare = f": {self.missed.activations:,} of the activations were a period or more late, {self.missed.where}"
        found = (
            f"The worst under load is smaller ({duration(self.loaded_us)}), so other work likely kept the core "
            f"busy{rare}."
        )
        if self.shorter_median_us is not None:
            found += (
                f" Under load the median is shorter, too ({duration(self.shorter_median_us)}), likely because an idle "
                "core has to wake up first."
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
    worse_without_load: WorseWithoutLoad | None

    @property
    def sentence(self) -> str:
        how = "Under load of lower priority" if self.loaded else "Without load"
        how += ", without migration," if self.others_moved else ""
        found = f"{how} the task was activated {self.lateness}; {self.deviation}."
        return found if self.worse_without_load is None else f"{found} {self.worse_without_load}"


class JitterAmongEquals(Finding, frozen=True):
    """Lateness of a task with another one of equal priority."""

    lateness: Lateness

    @property
    def sentence(self) -> str:
        return (
            f"With a task of equal priority that never waits, the task was activated {self.lateness}: the kernel uses "
            "time slicing between tasks of equal priority, so an activation waits for its slice."
        )


class JitterMoved(Finding, frozen=True):
    """How far the period of a task deviated that was moved before each activation."""

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
        unmoved = "" if self.unmoved is None else f"; without migration, {self.unmoved}"
        happened = "each took place" if self.asked == self.moved else f"{self.moved:,} happened"
        counted = f"{self.asked:,} migrations were requested and {happened}, counted by the core of each activation."
        if self.published:
            return (
                "When the task was migrated by the procedure of Arm et al. 2022 as we read it, before it waited, its "
                f"period deviated by at most {duration(self.deviation_us)}, by one clock{unmoved}. {counted}"
            )
        less = ", which is less than a millisecond" if self.deviation_us < _MILLISECOND_US else ""
        return (
            "When the task was migrated before each activation, while it waited, its period deviated by at most "
            f"{duration(self.deviation_us)}{unmoved}. {counted} A design that migrates a periodic task has to allow "
            f"for this deviation{less}."
        )


class JitterBlocked(Finding, frozen=True):
    """The periods of a task that was blocked at any time."""

    period_us: float
    shortest_us: float
    longest_us: float
    missed: int
    activations: int

    @property
    def sentence(self) -> str:
        return (
            "When blockers stopped the task at any time, whether it waited or not, its period of "
            f"{duration(self.period_us)} was from {duration(self.shortest_us)} to {duration(self.longest_us)}, and "
            f"{self.missed} of {self.activations:,} activations were a period or more late. This shows how long "
            "blockers of higher priority kept both cores, and not the cost of a migration."
        )


class JitterNoBound(Finding, frozen=True):
    """Activations were a period or more late."""

    label: str
    """The setting's."""
    missed: int
    activations: int

    @property
    def sentence(self) -> str:
        return (
            f"{self.label}: no bound holds, because {self.missed} of {self.activations:,} activations were a period or "
            "more late."
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
    """The sentence of the tail's statistics on rarer activations."""

    @property
    def sentence(self) -> str:
        before, after = self.first_half_us, self.second_half_us
        verdict = (
            f"likely yes: the second half of the periods stayed within the bound of the first half, {duration(before)}"
            if self.holds
            else f"the bound grew in the second half, from {duration(before)} to {duration(after)}; measure longer"
        )
        return f"Does the bound hold? For the widest bound ({self.label}), {verdict}. {self.tail}"


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
            f"FALSE on purpose ({self.label}): subtracting the counters of two cores, of {self.bits} bits at "
            f"{self.hz / 1e6:g} MHz, as if they were one counter, gives periods of {', '.join(map(str, self.ways))}: "
            f"{duration(self.mean_us)} on average. The common clock gives {duration(self.true_us)} for the same "
            "activations."
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
                "wraps, so the offset between the counters does not matter"
            )
        elif self.wraps == "neither way":
            made = f": {period}. Neither way wraps, or both do, so the offset between the counters does not matter"
        return f"{found} The counters' width and rate and the period give {duration(self.implied_us)}{made}."


class JitterSynchronisedCounters(Finding, frozen=True):
    """Subtracting raw counters gives no false periods."""

    @property
    def sentence(self) -> str:
        return (
            "Subtracting raw counters gives no false periods here: the task stayed on one core, or the counters of "
            "this machine's cores are synchronised, as far as these samples show. That is a property of the machine, "
            "not of the method."
        )


class JitterLoad(Remark, frozen=True):
    """The effect of load on the largest lateness."""

    largest_us: float
    """Under load."""

    @property
    def sentence(self) -> str:
        return (
            f"Under load an activation is up to {duration(self.largest_us)} late, {about_times(self.times)} times the "
            "worst without load."
        )


class JitterLeftOut(Caveat, frozen=True):
    """Measurements lack the core of each activation."""

    measurements: int

    @property
    def sentence(self) -> str:
        return f"{self.measurements} measurements are left out: the target did not report the core of each activation."


class OfSetting(Caveat, frozen=True):
    """A caveat on one setting."""

    label: str
    """The setting's, with `raw counters` behind it where periods are by these."""
    load: str
    migrate: str

    @property
    def _where(self) -> str:
        return f"moved by {self.label}" if self.migrate in ("affinity", "blockers") else self.label


class JitterEarly(OfSetting, frozen=True):
    """Activations came before they were due."""

    activations: int

    @property
    def severity(self) -> Severity:
        return "error"

    @property
    def sentence(self) -> str:
        return (
            f"{self._where}: {self.activations} activations came before they were due: the kernel's tick and the "
            "common clock do not agree, so every lateness here is wrong."
        )


class JitterStrayed(OfSetting, frozen=True):
    """The task was on another core than the one that it was pinned to."""

    times: int

    @property
    def sentence(self) -> str:
        return f"{self._where}: the task ran {self.times} times on a core other than the one it was pinned to."


class JitterLost(OfSetting, frozen=True):
    """Activations were not kept."""

    activations: int

    @property
    def sentence(self) -> str:
        return (
            f"{self._where}: {self.activations} activations did not fit into the buffer, or their lateness was beyond "
            "the histogram."
        )


class JitterNotMoved(OfSetting, frozen=True):
    """Migrations did not happen."""

    asked: int
    moved: int

    @property
    def sentence(self) -> str:
        return f"{self._where}: {self.asked - self.moved} of the {self.asked} requested migrations did not take place."


class JitterFewMigrations(OfSetting, frozen=True):
    """Not all activations came after a migration."""

    asked: int
    """Those that did."""
    activations: int

    @property
    def sentence(self) -> str:
        return (
            f"{self._where}: only {self.asked} of {self.activations} activations came after a migration. Before the "
            "others, the task that requests migrations did not run in time, because its core was busy."
        )


class JitterDeadlineBroken(Finding, frozen=True):
    """An activation was later than the deadline."""

    label: str
    deadline_us: float
    largest_us: float
    repetitions: int
    broken: int
    """Of them."""

    @property
    def sentence(self) -> str:
        return (
            f"{self.label}: a deadline of {duration(self.deadline_us)} is broken in {self.broken:,} of "
            f"{self.repetitions:,} repetitions, by up to {duration(self.largest_us - self.deadline_us)}."
        )


class _NotBroken(Finding, frozen=True):
    """No activation was later than the deadline."""

    label: str
    deadline_us: float
    largest_us: float
    activations: int
    repetitions: int
    at_most: float
    """The 95 % bound on the fraction of repetitions that break it."""
    needed: int
    """Repetitions that would show it."""

    @property
    def _seen(self) -> str:
        return (
            f"none of {self.activations:,} activations in {plural(self.repetitions, 'repetition')} was later than "
            f"{duration(self.largest_us)}, so with 95 % confidence fewer than {percent(self.at_most)} of such "
            "repetitions break it"
        )


class JitterDeadlineKept(_NotBroken, frozen=True):
    """There are repetitions enough to say that it is kept."""

    @property
    def sentence(self) -> str:
        return f"{self.label}: a deadline of {duration(self.deadline_us)} is kept: {self._seen}."


class JitterDeadlineNotShown(_NotBroken, frozen=True):
    """There are too few repetitions."""

    @property
    def sentence(self) -> str:
        return (
            f"{self.label}: a deadline of {duration(self.deadline_us)} is not shown to be kept: {self._seen}. It takes "
            f"{self.needed} repetitions without a later one (--repetitions {self.needed})."
        )
