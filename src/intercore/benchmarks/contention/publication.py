"""Published counts of towers."""

from __future__ import annotations

from typing import Annotated

import msgspec
from msgspec import Meta

from intercore.benchmarks.published import Count, Positive, Publication, Text, require_finite

Towered = Annotated[int, Meta(ge=0)] | None


class Towers(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The towers of each competitor with work in one window; None for one without."""

    task0: Towered = None
    """By the task pinned to core 0."""
    task1: Towered = None
    """By the task pinned to core 1."""
    main: Towered = None
    """By the main loop, on core 1."""
    current_ma: Positive | None = None
    """Current that a meter in the supply showed with the same at work, mA; None if it was not read."""

    def __post_init__(self) -> None:
        """Refuse infinity, which TOML can write."""
        require_finite(current_ma=self.current_ma)

    @property
    def by_competitor(self) -> dict[str, int]:
        """The counts of the competitors that had work, by name, in the order in which they are printed."""
        counts = {"task0": self.task0, "task1": self.task1, "main": self.main}
        return {name: count for name, count in counts.items() if count is not None}


class ReferenceCurrent(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A current of another machine, at work and without."""

    current_ma: Positive
    """At work, mA."""
    idle_ma: Positive
    """Without work, mA."""
    state: Text
    """The differences of the machine between two such readings."""

    def __post_init__(self) -> None:
        """Refuse infinity, which TOML can write."""
        require_finite(current_ma=self.current_ma, idle_ma=self.idle_ma)


class Reference(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Another machine that did the same work in one task."""

    label: Text
    """The machine."""
    towers: Annotated[int, Meta(ge=0)]
    """In one window."""
    core: Annotated[int, Meta(ge=0)] | None = None
    """The core that the publication names; None if it names none."""
    currents: tuple[ReferenceCurrent, ...] = ()
    """In the order of the publication."""


class ContentionFigures(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Completed towers of Hanoi in a window of time."""

    discs: Count
    window_ms: Count
    rows: Annotated[tuple[Towers, ...], Meta(min_length=1)]
    """In the order of the publication."""
    sleeps: bool = False
    """Whether each competitor sleeps to the next tick after each tower."""
    references: tuple[Reference, ...] = ()
    """Other machines, which the publication shows below its rows."""

    def __post_init__(self) -> None:
        """Refuse a row without competitors, and two rows with the same ones."""
        competitors = [tuple(row.by_competitor) for row in self.rows]
        if not all(competitors):
            raise ValueError("a row of the published table has no competitors")
        if len(set(competitors)) < len(competitors):
            raise ValueError("two rows of the published table have the same competitors")


class ContentionPublication(Publication, frozen=True, kw_only=True, tag="contention"):
    """Who gets the processor when tasks and a main loop compete."""

    figures: ContentionFigures
