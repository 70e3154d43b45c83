"""What the time of one sample went to, found out by repeating its measurement on a simulated chip."""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

import msgspec
from msgspec import Meta

Cause: TypeAlias = Literal["lock", "masked", "interrupt", "task", "flash", "bus", "asleep", "way"]
"""What cycles were spent with: waiting for a spinlock that the other core held (`lock`); what ran before the awaited
handler because interrupts were masked (`masked`); the handler of another interrupt (`interrupt`); another task
(`task`); misses of the flash cache (`flash`); slaves of the bus that other masters had (`bus`); sleep (`asleep`); and
what has to be executed on the way from the cause to the reading (`way`)."""

Natural = Annotated[int, Meta(ge=0)]


class Holder(msgspec.Struct, frozen=True):
    """Who held a spinlock that was waited for."""

    core: Natural
    function: str
    """The innermost function that it was in for all of the time; empty if there was none."""
    context: str
    """The task or handler that it was in."""


class ExplainedPart(msgspec.Struct, frozen=True):
    """Cycles of a sample that went to one thing."""

    cycles: Annotated[int, Meta(ge=1)]
    cause: Cause
    core: Natural
    """The core whose time it is."""
    context: str
    """The task or handler that it was in."""
    function: str
    """The innermost function that it was in for all of the time, empty if there was none; with `flash`, `bus` and `way`
    the one with the most cycles."""
    lock: Natural | None = None
    """Number of the spinlock that it waited for."""
    holder: Holder | None = None
    port: str = ""
    """The bank or port of the bus that it waited for."""
    misses: Natural = 0
    """Of the flash cache: how many."""


class Explanation(msgspec.Struct, frozen=True):
    """What the time of the longest sample of a series went to. Simulated, not measured."""

    series: str
    sample: Natural
    """Its place in the series, from 0."""
    cycles: Natural
    """The sample."""
    hz: Annotated[int, Meta(ge=1)]
    """Cycles per second."""
    parts: tuple[ExplainedPart, ...]
    """The longest first. Their cycles add up to those of the sample."""
