"""The findings of `contention`.

Parts of a core are relative to a task alone on its core. A contest is named by its active tasks, with the activity of
those without work in parentheses: `task1 (main spins)`.
"""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal, TypeAlias

import msgspec
from msgspec import Meta

from intercore.benchmarks.caveats import FailedCheck
from intercore.finding import Caveat, Finding
from intercore.text import listed
from intercore.view.answer import Remark
from intercore.view.quantity import significant

Loop: TypeAlias = Literal["spin", "block", "delay"]
"""Activity of a main loop without work: it never waits, waits for an event, or sleeps to each next tick."""

Difference: TypeAlias = Literal["chip", "workload", "discs", "window_ms", "yield"]
"""Reason why counts of towers are not comparable with published ones: the chip, or a factor."""

_DIFFERENCES: dict[Difference, str] = {
    "chip": "the chip",
    "workload": "the work",
    "discs": "the number of discs",
    "window_ms": "the window",
    "yield": "the sleep after each tower",
}


class ContentionOwnWork(Finding, frozen=True):
    """The competitors' work instead of towers: a user's workload."""

    workload: str
    """As a level of the factor: `own:fft`."""
    work: str
    """Its name alone."""
    units: int

    @property
    def sentence(self) -> str:
        return (
            f"With workload={self.workload}, wherever a tower of Hanoi is named, the work is {self.work} with "
            f"{self.units} unit{'s' * (self.units != 1)}."
        )


class SeparateWindows(msgspec.Struct, frozen=True):
    """The work of two tasks in separate windows."""

    parts_percent: tuple[float, float]
    """Of a core, by task."""
    lost_percent: float | None
    """Of a core: what both do less when they work at the same time; None where that is no difference."""


class ContentionBothCores(Finding, frozen=True):
    """The work of two cores with a task on each."""

    contest: str
    work: str
    """The work: `recursion`, or the name of a user's workload."""
    times: float
    """The work of both over that of one core alone."""
    parts_percent: tuple[float, float]
    """Of a core, by task."""
    apart: SeparateWindows | None
    """None if they were not measured apart."""
    slow_alone: bool
    """Whether a core did more in the contest than while it was timed alone: it was slower then."""

    @property
    def sentence(self) -> str:
        text = f"Both cores together ({self.contest}) do {self.times:.2f} times the work of one core alone"
        text += f": {_parts(self.parts_percent)} of it. "
        if self.apart is not None:
            lost = self.apart.lost_percent
            cost = (
                "neither core slows down the other"
                if lost is None
                else f"together they lose {lost:.0f} % of a core to each other"
            )
            text += f"Each of the two alone, in a window of its own, does {_parts(self.apart.parts_percent)}: {cost}. "
        if self.slow_alone:
            text += "More than 100 % is not a gain: that core was slower while it was timed alone. "
        return f"{text}The work is {self.work}; other work can gain more or less."


class ContentionCoreSpeed(Finding, frozen=True):
    """How fast a core is by itself, against the first one."""

    core: int
    first: int
    times: float
    """Time for the same work over that of the first core."""
    varied_percent: float | None
    """Variation of a core's time in the run, if that explains the difference."""

    @property
    def sentence(self) -> str:
        text = f"Alone, core {self.core} takes {self.times:.2f} times as long as core {self.first} for the same work"
        if self.varied_percent is None:
            return f"{text}."
        return (
            f"{text}, which shows no difference: the time of one core alone varied by "
            f"{significant(self.varied_percent, 2)} % in this run, likely with the processor's clock."
        )


class ContentionBesideLoop(Finding, frozen=True):
    """The work of a task on core 1 with a main loop without work."""

    loop: Loop
    part_percent: float
    """Of a core."""

    @property
    def sentence(self) -> str:
        loop, why = {
            "spin": (
                "has nothing to do and never waits",
                ": loop() returns at once and is called again, at the same priority",
            ),
            "block": ("waits for an event", ""),
            "delay": ("sleeps to each next tick (delay(1))", ""),
        }[self.loop]
        part = f"{self.part_percent:.1f} %"
        return f"With a main loop that {loop}, a task on core 1 does {part} of its work alone{why}."


class ContentionCoreNotReserved(Finding, frozen=True):
    """No part of core 1 is kept for the main loop: a task gets what a loop that waits leaves."""

    spin_percent: float
    """Of a core, with a main loop that never waits."""
    waiting_percent: float
    """Of a core, with one that waits."""

    @property
    def sentence(self) -> str:
        return (
            "An article on the ESP32, likely by makotaka, asks whether half of core 1 is reserved for the main loop. "
            f"Here it is not: a task does {self.spin_percent:.1f} % of its work alone with a loop that never waits, "
            f"and {self.waiting_percent:.1f} % with a loop that waits. Let an empty loop() wait, or delete its task."
        )


class ContentionSlowedByLoop(Finding, frozen=True):
    """A main loop that spins on core 1 slows down a task on core 0."""

    part_percent: float
    """Of a core: what the task does."""
    quiet_percent: float | None
    """The same where the loop does not spin; None if that was not measured."""

    @property
    def sentence(self) -> str:
        part = f"{self.part_percent:.1f} % of its work alone"
        if self.quiet_percent is None:
            return f"A task on core 0 does {part} while a main loop spins on core 1."
        return (
            f"A main loop that spins on core 1 slows down a task on core 0: the task does {part}, and "
            f"{self.quiet_percent:.1f} % where the loop does not spin."
        )


class ContentionSleep(Finding, frozen=True):
    """Effect of the sleep after each tower on a task alone on its core."""

    core: int
    tower_ms: float
    """Without the sleep."""
    alone_ms: float
    """With the sleep."""
    sleep_percent: float
    """Of the time."""

    @property
    def sentence(self) -> str:
        return (
            f"A task that has core {self.core} to itself sleeps to the next tick after each tower of Hanoi, which is "
            f"one piece of its work. So a tower with {self.tower_ms:.3g} ms of work takes {self.alone_ms:.3g} ms, and "
            f"the task leaves {self.sleep_percent:.0f} % of the core to others. Parts of a core are relative to such "
            "a task."
        )


class ContentionSharedCore(Finding, frozen=True):
    """The work of tasks on one core that sleep after each tower."""

    contest: str
    tasks: Annotated[int, Meta(ge=2)]
    times: float
    """The work of all over that of one alone."""
    used_percent: float
    """Of the time, for which they keep the core busy."""

    @property
    def sentence(self) -> str:
        return (
            f"{self.tasks} tasks that share a core ({self.contest}) do {self.times:.2f} times the work of one alone, "
            f"and keep the core busy for {self.used_percent:.0f} % of the time."
        )


class PublishedCount(msgspec.Struct, frozen=True):
    """The work of a competitor in a window, with the published one."""

    competitor: str
    contest: str
    towers: float
    """On average."""
    published: int


class ContentionPublishedShape(Finding, frozen=True):
    """How parts of a core differ from published ones."""

    rows: int
    """Published ones that were measured here."""
    competitor: str
    contest: str
    """The competitor and the contest of the largest difference."""
    difference_percent: float
    """Of a core."""
    is_same: bool
    """Whether that is small enough for the same shape."""
    differences: tuple[Difference, ...]
    """The differences from the conditions of the published counts."""
    counts: PublishedCount | None
    """Those that are farthest apart; None where something differs, so that counts say nothing."""

    @property
    def sentence(self) -> str:
        largest = f"{self.competitor} in {self.contest}"
        parts = f"Of the published rows, {largest} differs most, by {self.difference_percent:+.1f} % of a core."
        if self.is_same:
            parts = (
                f"Parts of a core match the published ones to within {abs(self.difference_percent):.1f} % of a core "
                f"(rows measured: {self.rows}; largest difference: {largest})."
            )
        if self.counts is not None:
            one = self.counts
            return (
                f"{parts} Chip, work, discs and window are the published ones, so counts can be compared: "
                f"{one.competitor} in {one.contest} differs most, with {one.towers:.4g} towers per window against "
                f"{one.published} published. A published count may include one more tower, the unfinished one at the "
                "end."
            )
        if self.is_same and self.differences:
            different = listed([_DIFFERENCES[one] for one in self.differences])
            verb = "differs" if len(self.differences) == 1 else "differ"
            return f"{parts} Counts are not compared, because {different} {verb}."
        return parts


class ContentionLongestWait(Finding, frozen=True):
    """The longest time that a task which shares a core was without a finished tower."""

    competitor: str
    contest: str
    wait_ms: float
    alone_ms: float
    """Time for a tower alone."""
    unshared_ms: float | None
    """The longest without another task on the core; None if unknown, or not shorter."""

    @property
    def sentence(self) -> str:
        text = (
            f"{self.competitor} in {self.contest} once took {self.wait_ms:.3g} ms for a piece of work (a tower of "
            f"Hanoi) that takes {self.alone_ms:.3g} ms alone"
        )
        if self.unshared_ms is None:
            return f"Of the tasks that share a core, {text}."
        return (
            f"A task that shares a core waits for its turn: {text}. Where no other task used the core, no tower took "
            f"longer than {self.unshared_ms:.3g} ms."
        )


class ContentionFreeTasks(Finding, frozen=True):
    """The work of unpinned tasks together."""

    tasks: int
    cores: int
    """On which they ran."""
    times: float
    """The work of all over that of one core alone."""
    parts_percent: Annotated[tuple[float, ...], Meta(min_length=1)]
    """Of a core, by task."""

    @property
    def sentence(self) -> str:
        each = " to ".join(dict.fromkeys(f"{end(self.parts_percent):.0f}" for end in (min, max)))
        return (
            f"Unpinned tasks do {self.times:.2f} times the work of one core alone, {each} % of a core each (tasks: "
            f"{self.tasks}, cores: {self.cores})."
        )


class ContentionPinnedAsFree(Finding, frozen=True):
    """The work of the same number of pinned tasks as of unpinned ones."""

    contest: str
    times: float
    """The work of the pinned ones over that of one core alone."""
    difference: float
    """The additional work of the unpinned ones, in the same unit."""
    is_same: bool
    """Whether that is no difference."""

    @property
    def sentence(self) -> str:
        same = ", so the sums are the same, as an article on the ESP32 reports of its tasks" if self.is_same else ""
        return (
            f"The same number of pinned tasks ({self.contest}) do {self.times:.2f} times the work of one core alone; "
            f"unpinned tasks differ from that by {round(self.difference, 2) + 0.0:+.2f}{same}."
        )


class ContentionLeastShare(Remark, frozen=True):
    """The only task with work gets the least part of its core: one without work takes the rest."""

    contest: str
    part_percent: float

    @property
    def sentence(self) -> str:
        part = significant(self.part_percent, 2)
        return f"{self.contest}: the only task with work gets {part} % of its core."


class ContentionUnsteady(Caveat, frozen=True):
    """The time of a tower alone varied, so that it is no measure of a core."""

    core: int
    shortest_us: float
    median_us: float

    @property
    def sentence(self) -> str:
        return (
            f"On core {self.core} the median time of a tower alone varied from {self.shortest_us:.4g} µs to "
            f"{self.median_us:.4g} µs, so parts of this core have at least that error. Frequency scaling and other "
            "programs are likely causes."
        )


class ContentionFaster(Caveat, frozen=True):
    """A core did more in the windows than its speed before them allows."""

    core: int
    contest: str
    part_percent: float
    """Of its capacity at that speed."""

    @property
    def sentence(self) -> str:
        return (
            f"Core {self.core} did {self.part_percent:.1f} % of the work that is possible at the speed measured just "
            f"before (active: {self.contest}). So the core was faster in the windows than before them, and its parts "
            "of a core are too large by this factor. Frequency scaling is a likely cause."
        )


class ContentionFewTowers(Caveat, frozen=True):
    """A competitor ended few towers in a window."""

    contest: str
    competitor: str
    towers: float
    """In a window, on average."""

    @property
    def sentence(self) -> str:
        return (
            f"{self.contest}: {self.competitor} did {self.towers:.3g} towers per window, so the unfinished tower at "
            "its end causes a large error: use fewer discs or a longer window."
        )


class ContentionAloneWithoutSleep(Caveat, frozen=True):
    """A tower alone was timed without the sleep that competitors make."""

    @property
    def sentence(self) -> str:
        return (
            "A tower alone was timed without the sleep that competitors make (yield=tick), as in older programs. So "
            "parts of a core do not include that sleep, and cannot be compared with published ones. Measure again."
        )


class ContentionLongSleep(Caveat, frozen=True):
    """Towers are so short that the sleep after each decides what competitors do."""

    contest: str
    sleep_percent: float
    """Of the time of a task alone."""
    tower_us: float

    @property
    def sentence(self) -> str:
        return (
            f"With yield=tick a task alone sleeps {self.sleep_percent:.0f} % of the time, because a tower takes only "
            f"{self.tower_us:.4g} µs. So the results of the competitors ({self.contest}) depend on the tick. Use more "
            "discs: each one doubles a tower."
        )


class ContentionFewTurns(Caveat, frozen=True):
    """A window holds few turns of the scheduler."""

    turn_ms: int
    """For which the system lets a real-time task run."""
    window_ms: int
    fewest: int
    """Turns that a window should hold."""

    @property
    def sentence(self) -> str:
        return (
            f"The time slice of a real-time task is {self.turn_ms} ms on this system. A window of {self.window_ms} ms "
            f"holds fewer than {self.fewest} time slices, so parts of a core are too coarse. Use a longer window."
        )


class ContentionFailedCheck(FailedCheck, frozen=True):
    """A check of the firmware failed."""

    wording: ClassVar[dict[str, str]] = {
        "wrong": "{count} towers had a wrong checksum: the target computes wrongly or its stacks are too small.",
        "migrated": (
            "{count} times a tower of a pinned task ended on another core: let the program pin its tasks (check the "
            "container or cpuset)."
        ),
        "lost": (
            "{count} towers did not fit into the target's memory and are not counted: use more discs or a shorter "
            "window."
        ),
        "preempted": (
            "other programs interrupted a tower that was timed alone, or delayed the start of a competitor, {count} "
            "times. So parts of a core are wrong: close these programs and measure again."
        ),
    }


def _parts(percent: tuple[float, float]) -> str:
    return " and ".join(f"{part:.0f} %" for part in percent)
