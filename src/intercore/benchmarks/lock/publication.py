"""Published times that a word takes from core to core."""

from __future__ import annotations

from typing import Annotated

import msgspec
from msgspec import Meta

from intercore.benchmarks.published import Count, Publication, Text


class OneWay(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How long a word takes from one core of a processor to another."""

    cpu: Text
    """The processor, and the year in which it came."""
    one_way_ns: Annotated[tuple[Count, ...], Meta(min_length=1)]
    """In ns: one figure, or one for each kind of pair of its cores."""


class LockFigures(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One way of a ping-pong between two cores, by processor."""

    rows: Annotated[tuple[OneWay, ...], Meta(min_length=1)]


class LockPublication(Publication, frozen=True, kw_only=True, tag="lock"):
    """How long a word takes from core to core."""

    figures: LockFigures
