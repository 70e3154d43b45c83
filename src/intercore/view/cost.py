"""What an operation costs: for the one picture of what crossing cores costs, and as a part of each core at a rate."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Mapping

Group: TypeAlias = Literal["signal", "lock", "message", "deadline"]


class Cost(NamedTuple):
    """One operation. Times are in microseconds; one that is unknown is None."""

    group: Group
    label: str
    """In few words, the best choice in brackets where there was one."""
    across_us: float | None
    """Median from one core to another, in the slowest direction; of what happens on one core alone, there, on the
    slowest core."""
    same_us: float | None = None
    """Median on the core where that direction begins."""
    longest_us: float | None = None
    """The longest that was seen."""


class BreakEvenRange(NamedTuple):
    """The work from break-even to a wanted efficiency. Times are in microseconds on one core."""

    label: str
    """How the work is started."""
    faster_us: float
    """From which on they are faster than one; 0 if they are with the smallest work that was measured."""
    used_us: float
    """From which on they are used well."""
    efficiency: float
    """How well that is, above 0 and at most 1."""
    at_most: bool = False
    """Whether smaller work, which was not measured, may be enough."""


class CoreTime(NamedTuple):
    """The processor time of one operation, in microseconds."""

    what: str
    """In few words, to stand behind `a`: `message by ring, 64 bytes, 0 → 1`."""
    us: Mapping[int, float]
    """By core; of two cores, the one that begins it first."""
