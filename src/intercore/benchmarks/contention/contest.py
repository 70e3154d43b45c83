"""The types of the analysis of `contention`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal, TypeAlias

import msgspec
from msgspec import Meta

PINNED: Mapping[str, int] = {"task0": 0, "task1": 1, "main": 1}
"""The pinned competitors, and their cores."""
PINNED_CORES = frozenset(PINNED.values())

Does: TypeAlias = Literal["work", "spin", "delay", "block"]
"""Work: tower after tower. Without work: spin never waits, delay sleeps to each next tick, block all the time."""

Count = Annotated[int, Meta(ge=0)]
Part = Annotated[float, Meta(ge=0)]


class Competitor(msgspec.Struct, frozen=True):
    """What one competitor came to."""

    name: str
    """`task0`, `task1`, `main`, or `free0` and so on for unpinned tasks."""
    does: Does
    core: int | None
    """The core it is pinned to; null for a task without one."""
    towers: tuple[Count, ...]
    """Towers done in each window, in their order; none for a competitor without work."""
    by_core: tuple[Part, ...]
    """Its work over all windows by the core it ran on, 0, 1, …, in towers: of a free task a tower may be done in parts
    on several. None for a competitor without work."""
    unplaced: Part
    """The rest of its work, in towers: what it did while it changed its core. All of a free task's work in runs from
    before its parts were counted: then only where towers ended is known."""
    share: Part
    """Of all towers of the contest, 0 to 1."""
    of_a_core: Part
    """Part of what one task does that has a core to itself, with the same sleep after each tower; of whole towers."""
    of_a_core_at_most: Part
    """The same with one tower more per window, the one that was under way at its end."""
    longest_wait_us: Part | None
    """Longest time from the end of a tower, or the begin of the window, to the end of the next, in µs; null if there is
    no tower."""

    @property
    def per_window(self) -> float:
        """Mean number of towers in a window."""
        return sum(self.towers) / len(self.towers) if self.towers else 0.0


class CoreUse(msgspec.Struct, frozen=True):
    """What one core was used for."""

    core: Count
    alone_us: Annotated[float, Meta(gt=0)]
    """Median time that a task which has the core to itself takes for a tower, with the sleep behind it if competitors
    sleep, in µs."""
    tower_us: Annotated[float, Meta(gt=0)]
    """The same without the sleep."""
    alone: Annotated[int, Meta(ge=1)]
    """How many towers that is the median of."""
    towers: Part
    """Work done on it over all windows, in towers."""
    used: Annotated[float, Meta(ge=0, le=1)]
    """Part of the windows for which that work keeps the core busy, if a tower takes as long as alone. At most 1: where
    a core is faster in the windows than before them, a warning says so."""
    used_at_most: Annotated[float, Meta(ge=0, le=1)]
    """The same if all work that is not known to have been done on another core was done on this one."""

    @property
    def sleep(self) -> float:
        """Part of its time that a task which has the core to itself sleeps."""
        return max(1 - self.tower_us / self.alone_us, 0.0)


class PublishedTowers(msgspec.Struct, frozen=True):
    """The result of a competitor in the published row."""

    name: str
    towers: Count
    of_a_core: Part
    """Over the largest published count on the same core."""


class Contest(msgspec.Struct, frozen=True):
    """The competitors of a contest, and its result."""

    label: str
    """The competitors at work, and in brackets what those without work do: `task1 (main spins)`."""
    row: Annotated[int, Meta(ge=1)] | None
    """Number of the row of the published table; null for a contest of the user."""
    varied: dict[str, int | str]
    """The other factors that take more than one level in the run, by name."""
    sleeps: bool
    """Whether each competitor sleeps to the next tick after each tower (`yield=tick`)."""
    alone_sleeps: bool
    """Whether a task alone was timed with that sleep as well. If not, though competitors sleep, parts of a core are
    those of a task that never sleeps, and not comparable with published ones: so in runs without `tower.<core>`."""
    windows: Annotated[int, Meta(ge=1)]
    window_us: Annotated[float, Meta(gt=0)]
    """Length of each, in µs."""
    competitors: tuple[Competitor, ...]
    cores: tuple[CoreUse, ...]
    """Those on which somebody worked."""
    total: Part
    """Mean number of towers in a window, of all competitors together."""
    of_a_core: Part
    """All that was done, in parts of what one task does that has a core to itself."""
    published: tuple[PublishedTowers, ...]
    """What the published row has for each of its competitors at work; none for a contest of the user."""

    def competitor(self, name: str) -> Competitor | None:
        """Return the competitor of that name, if it took part."""
        return next((one for one in self.competitors if one.name == name), None)

    @property
    def workers(self) -> list[Competitor]:
        """The competitors at work."""
        return [one for one in self.competitors if one.does == "work"]

    @property
    def idlers(self) -> dict[str, Does]:
        """The activity of competitors without work, by name."""
        return {name: does for name, does in self.does.items() if does != "work"}

    @property
    def busy(self) -> list[int | None]:
        """The cores of the competitors that work or spin, one entry each."""
        return [one.core for one in self.competitors if one.does in ("work", "spin")]

    @property
    def is_one_on_each(self) -> bool:
        """Whether two tasks on separate cores are active, and no other one."""
        cores = {worker.core for worker in self.workers}
        return cores == PINNED_CORES and len(self.workers) == len(self.competitors) == len(cores)

    @property
    def does(self) -> dict[str, Does]:
        """The activity of each competitor, by name."""
        return {one.name: one.does for one in self.competitors}
