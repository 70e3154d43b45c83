"""The findings of `speedup`."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal, TypeAlias

import msgspec
from msgspec import Meta

from intercore.benchmarks.caveats import FailedCheck
from intercore.benchmarks.speedup.points import TASKS, Why, in_words
from intercore.benchmarks.speedup.words import called
from intercore.finding import Caveat, Finding, Severity
from intercore.statistics.intervals import Interval
from intercore.text import capitalised, listed
from intercore.view.answer import Remark, about_times
from intercore.view.quantity import bounds, duration, duration_with_bounds, percent, significant

Tasks: TypeAlias = Literal["create", "pool", "spin"]
"""The ways of starting the parts of a job for which there are words."""


class OfGroup(Finding, frozen=True):
    """Something that a group of settings shows, which people know by words: `created tasks, n = 1,000`."""

    @property
    def text(self) -> str:
        words = called(self.setting, self.setting)
        return f"{capitalised(words)}: {self.sentence}" if words else self.sentence


class GroupCaveat(OfGroup, frozen=True):
    """A caveat on the numbers of a group of settings."""

    @property
    def severity(self) -> Severity:
        return "warning"


class Start(msgspec.Struct, frozen=True):
    """Work from which on a group has what is wanted of it, by how long one core takes for it."""

    t1_us: Interval
    known: Literal["between", "exactly", "or less"]
    """Whether its interval is too wide for the value alone, or it is the smallest work measured."""

    def __str__(self) -> str:
        """Return the work in words."""
        if self.known == "between" and self.t1_us.low is not None:
            end = "more, or never" if self.t1_us.high is None else duration(self.t1_us.high)
            return f"{duration(self.t1_us.low)} or {end}"
        return f"{duration(self.t1_us.value)}{' or less' if self.known == 'or less' else ''}"


class StartingMethod(msgspec.Struct, frozen=True):
    """A way of starting the parts of work on several cores, and its break-even."""

    tasks: Tasks | None
    """The tasks that do the parts; None if the same for all."""
    levels: dict[str, int | str]
    """The other factors that distinguish it."""
    break_even: Start
    efficient: Start | None
    """From which work on all cores are used as well as wanted; None if unknown."""


class SpeedupPaysFrom(Finding, frozen=True):
    """From which work on a job is worth splitting, by what one builds for it."""

    ways: Annotated[tuple[StartingMethod, ...], Meta(min_length=1)]
    efficiency_percent: float
    """The efficiency wanted."""

    @property
    def sentence(self) -> str:
        first, *others = self.ways
        parts = [
            f"{first.break_even} of work on one core{self._how(first)}",
            *(f"{way.break_even}{self._how(way)}" for way in others),
        ]
        return f"Break-even is {listed(parts)}."

    def _how(self, way: StartingMethod) -> str:
        tasks = {
            None: "",
            "create": " with created tasks",
            "pool": " with woken tasks",
            "spin": " with polling tasks, which keep their cores",
        }[way.tasks]
        levels = f" with {in_words(way.levels)}" if way.levels else ""
        well = f" ({self.efficiency_percent:.4g} % efficiency from {way.efficient})" if way.efficient else ""
        return f"{tasks}{levels}{well}"


class SpeedupLoss(OfGroup, frozen=True):
    """Each core is slower while all of them work, however large the work is."""

    loss_percent: float

    @property
    def sentence(self) -> str:
        return (
            f"Each core is {self.loss_percent:.2g} % slower while all of them work: they share memory, a bus or a "
            "power budget, or one of them is slower. Larger jobs do not recover this."
        )


# Of a user's workload


class FromSize(msgspec.Struct, frozen=True, tag_field="from", tag="size"):
    """A break-even size."""

    n: int | None
    """In units; None if T1 does not grow in proportion to it."""
    t1_us: Interval

    def __str__(self) -> str:
        """Return it in words."""
        return f"{'' if self.n is None else f'n={self.n}, '}{duration_with_bounds(self.t1_us)} of work on one core"


class FromSmallest(msgspec.Struct, frozen=True, tag_field="from", tag="smallest"):
    """The smallest size measured is beyond the break-even."""

    n: int
    unit_us: float | None
    """The time of a unit, if no smaller size can be split."""


class _Own(Finding, frozen=True):
    """A finding on a user's workload."""

    work: str
    """Its name."""


class _OwnSizes(_Own, frozen=True):
    """Its speed-up on several cores."""

    mode: str
    """The best way of starting its parts."""
    cores: Annotated[int, Meta(ge=2)]
    largest_n: int
    """The largest size measured."""
    largest_speedup: Interval

    @property
    def at_largest(self) -> str:
        between = bounds(self.largest_speedup, significant)
        speedup = significant(self.largest_speedup.value)
        return f"at n={self.largest_n} S is {speedup}{f' ({between})' if between else ''}"


class SpeedupOwnPays(_OwnSizes, frozen=True):
    """The break-even of the user's workload."""

    begin: FromSize | FromSmallest

    @property
    def sentence(self) -> str:
        begin, how = self.begin, f"(mode={self.mode}), and {self.at_largest}."
        text = f"With {self.cores} cores {self.work} is faster from"
        if isinstance(begin, FromSize):
            return f"{text} {begin} {how}"
        less = f"For less work, give a smaller n, at least {self.cores}."
        if begin.unit_us is not None:
            unit = duration(begin.unit_us)
            less = f"For less work, make a unit, {unit}, smaller with a constant: --flag=-DNAME=VALUE."
        return f"{text} the smallest size measured, n={begin.n} {how} {less}"


class SpeedupOwnDoesNotPay(_OwnSizes, frozen=True):
    """Several cores are not faster at any size measured."""

    extrapolated: FromSize | None
    """The extrapolated break-even; None if unknown."""
    loss_percent: float | None
    """The loss per core, if that alone makes them slower than one; else None."""

    @property
    def sentence(self) -> str:
        text = (
            f"With {self.cores} cores {self.work} is faster at no size measured (mode={self.mode}): {self.at_largest}."
        )
        if self.loss_percent is not None:
            text += f" Larger work does not change this: each core loses {percent(self.loss_percent / 100)}."
        if self.extrapolated is not None:
            never = ", or never" if self.extrapolated.t1_us.high is None else ""
            text += f" Extrapolated, it is faster from {self.extrapolated}{never}."
        return text


class SpeedupOwnOverhead(_Own, frozen=True):
    """The overhead of starting and joining its parts, which limits small work."""

    overhead_us: Interval | None
    """None if unknown from 0."""

    @property
    def sentence(self) -> str:
        if self.overhead_us is None:
            return f"The time of starting and joining the parts of {self.work} is not significantly above 0."
        overhead = duration_with_bounds(self.overhead_us)
        return f"Small sizes of {self.work} are limited by starting and joining its parts, which takes {overhead}."


class SpeedupOwnFewSizes(_Own, frozen=True):
    """Too few sizes to separate the overhead of starting and joining from the loss of large work."""

    @property
    def sentence(self) -> str:
        return (
            f"With fewer than three sizes of {self.work}, the overhead of starting and joining its parts cannot be "
            "separated from the loss of large work."
        )


class _OwnLargest(_Own, frozen=True):
    """The loss per core of the largest work."""

    n: int
    with_overhead: bool
    """Whether starting and joining is among it; if not, it is beyond that."""

    @property
    def what(self) -> str:
        return f"{self.work} with n={self.n}"

    @property
    def beyond(self) -> str:
        return " (starting and joining included)" if self.with_overhead else " beyond starting and joining"


class SpeedupOwnNoLoss(_OwnLargest, frozen=True):
    """The largest work loses almost nothing."""

    @property
    def sentence(self) -> str:
        return f"Each core's part of {self.what} takes hardly longer than alone{self.beyond}."


class SpeedupOwnUncertainLoss(_OwnLargest, frozen=True):
    """The loss of the largest work is not significantly above 0."""

    most_percent: float

    @property
    def sentence(self) -> str:
        most = percent(self.most_percent / 100)
        part = f"Each core's part of {self.what}"
        return f"{part} does not take significantly longer than alone{self.beyond}: at most {most}."


class Cause(msgspec.Struct, frozen=True):
    """The share of a core's time lost to one cause, counted by a simulated chip."""

    kind: Literal["conflicts", "waits", "cache", "sleep"]
    """The other core has a slave of the bus; wait states of a slave, or misses of the flash's cache, beyond those that
    one core alone has; sleep until the other core is done."""
    share_percent: float
    slaves_percent: dict[str, float]
    """The slaves of the bus that most of it is lost to, those with the most first."""

    def __str__(self) -> str:
        """Return the activity of a core in that time."""
        share = percent(self.share_percent / 100)
        slaves = ", ".join(f"{slave.upper()} {percent(part / 100)}" for slave, part in self.slaves_percent.items())
        return {
            "conflicts": f"loses {share} to bus conflicts ({slaves})",
            "waits": f"waits {share} longer than one core alone for wait states ({slaves})",
            "cache": f"waits {share} longer than one core alone for misses of the flash cache",
            "sleep": f"sleeps {share} until the other core is done",
        }[self.kind]


class SpeedupOwnLoss(_OwnLargest, frozen=True):
    """The loss of the largest work, and its causes."""

    loss_percent: Interval
    causes: tuple[Cause, ...] | None
    """Those that matter, the largest first; None if no chip counts them."""
    unexplained_percent: float | None
    """The rest, where that matters."""

    @property
    def sentence(self) -> str:
        between = bounds(self.loss_percent, lambda value: percent(value / 100))
        loss = f"{percent(self.loss_percent.value / 100)}{f' ({between})' if between else ''}"
        text = f"Each core's part of {self.what} takes {loss} longer than alone{self.beyond}"
        if self.causes is None:
            return f"{text}; the cause is unknown."
        if not self.causes:
            return f"{text}. Almost none of that is waiting or sleep, so the cause is unknown."
        rest = ""
        if self.unexplained_percent is not None:
            why = "is starting and joining, or unknown" if self.with_overhead else "is unknown"
            rest = f"; the rest, {percent(self.unexplained_percent / 100)}, {why}"
        causes = listed(list(map(str, self.causes)))
        return f"{text}. By the chip's cycle counts, and as a share of its time, a core {causes}{rest}."


# Caveats on speed-ups


class SpeedupLeftOut(Caveat, frozen=True):
    """A setting of which no ratio can be formed."""

    why: Why
    names: tuple[str, ...]
    """The factors or the series that are missing, or are not what they must be."""

    @property
    def sentence(self) -> str:
        why = {
            "factors": f"its factors are not those of a speed-up ({', '.join(self.names)})",
            "cores": "it has no core",
            "series": f"it has no series {', '.join(self.names)}",
            "samples": "it has no samples",
            "zero": "its median T1 or TP is 0, because the work is too small for the clock. Choose a larger n",
        }[self.why]
        return f"This setting is left out: {why}."


class SpeedupImpossible(GroupCaveat, frozen=True):
    """Several cores are faster than they can be."""

    speedup: float
    cores: int

    @property
    def sentence(self) -> str:
        return (
            f"A speed-up of {self.speedup:.3f} on {self.cores} core{'s' * (self.cores != 1)} is not possible. Either "
            "it is noise (take more samples), or T1 was measured under worse conditions than TP, such as cold caches "
            "or a lower clock frequency (add rest or a warm-up)."
        )


class SpeedupUnstable(Caveat, frozen=True):
    """Settings whose medians have wide intervals."""

    unstable: int
    settings: int
    """All of them."""
    modes: Annotated[tuple[str, ...], Meta(min_length=1)]
    """The ways of starting parts of the unstable ones."""
    worst: dict[str, int | str]
    """The setting with the widest interval."""
    width_percent: float
    """Its width, over the median."""
    cause: Literal["disturbances", "placement", "unequal units"]
    """The likely cause: on a chip or computer, and on a simulated chip, of our work and of a user's own."""

    @property
    def sentence(self) -> str:
        cause = {
            "disturbances": (
                "other programs or a changing clock frequency are likely; take more samples, or measure on a quieter "
                "machine"
            ),
            "placement": (
                "nothing else runs on a simulated chip: the time of the work itself varies, because the tick, the "
                "other core or a cache affects it at different places; take more samples"
            ),
            "unequal units": (
                "nothing else runs on a simulated chip: the units of this work take unequal times, so windows of few "
                "units differ; use the largest n"
            ),
        }[self.cause]
        ways = ", ".join(TASKS.get(mode, mode) for mode in self.modes)
        return (
            f"Unstable settings: {self.unstable} of {self.settings} ({ways}). In the worst, "
            f"{called(self.worst, self.worst)}, the 95 % interval of a median is {self.width_percent:.0f} % wide: "
            f"{cause}."
        )


class SpeedupOnTicks(GroupCaveat, frozen=True):
    """TP falls on whole kernel ticks: completion was polled on the tick."""

    tick_us: float
    p_value: float
    """Of Rayleigh's test."""

    @property
    def sentence(self) -> str:
        return (
            f"TP falls on whole kernel ticks of {self.tick_us:g} µs (Rayleigh test, p = {self.p_value:.2g}): "
            "completion was polled on the tick. The overhead includes the wait for the tick, and the resolution of TP "
            "is a tick; wait for completion with join=notify."
        )


class SpeedupPoorFit(GroupCaveat, frozen=True):
    """A size is farther off the model than its samples explain."""

    residual_percent: float
    """The largest of a TP."""
    cause: Literal["disturbances", "uneven growth"]
    """The likely cause: on a chip or computer, and on a simulated chip, where nothing disturbs."""

    @property
    def sentence(self) -> str:
        cause = {
            "disturbances": (
                "Disturbances, or work that outgrows a cache between two sizes, are likely; look at the plot, take "
                "more samples, or choose sizes on one side of the step"
            ),
            "uneven growth": (
                "The time of the work does not grow evenly with its size, for example because it outgrows a cache "
                "between two sizes, or starting and joining take a different time with small work; look at the plot, "
                "and measure more and larger sizes"
            ),
        }[self.cause]
        return (
            f"The fit is poor: a TP lies {self.residual_percent:.1f} % off the model, more than its samples explain. "
            f"Overhead, break-even and the work needed for an efficiency are rough. {cause}."
        )


class SpeedupNoFlash(Caveat, frozen=True):
    """The workload that is named for the flash read something else."""

    condition: str
    """The condition with the memory that it reads."""
    read: str
    """What the target says there."""

    @property
    def sentence(self) -> str:
        return f"workload=flash read no flash ({self.condition}: {self.read}): these numbers mean nothing for flash."


class SpeedupFailedCheck(FailedCheck, frozen=True):
    """A check of the firmware failed."""

    wording: ClassVar[dict[str, str]] = {
        "wrong": (
            "{count} results of the work were wrong, so these durations mean nothing. The compiler's optimisation, "
            "the memory or an overclocked chip can be the cause."
        ),
        "migrated": (
            "{count} times a pinned task ran on another core, so these numbers do not show the cores. Permit the "
            "affinity (container, cpuset)."
        ),
        "lost": "{count} samples did not fit into the target's buffer: request fewer samples.",
        "preempted": (
            "{count} times the work was preempted while it was timed. Close other programs or permit real-time "
            "priorities."
        ),
    }


# What stands out


class SpeedupSlower(Remark, frozen=True):
    """Work that takes longer on several cores than on one."""

    t1_us: float
    """What one core takes for it."""
    cores: Annotated[int, Meta(ge=2)]
    mode: str

    @property
    def sentence(self) -> str:
        return (
            f"Work of {duration(self.t1_us)} takes {about_times(self.times)} times as long on {self.cores} cores as on "
            f"one, with {TASKS.get(self.mode, self.mode)} (mode={self.mode})."
        )
