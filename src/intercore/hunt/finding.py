"""A finding of a hunt. docs/hunt.md has the rules."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias

import msgspec

if TYPE_CHECKING:
    from collections.abc import Sequence

    from intercore.hunt.calls import Place

Code: TypeAlias = Literal[
    "deadlock",
    "no-progress",
    "lost-wake-up",
    "crash",
    "not-reached",
    "outcome",
    "stack-overflow",
    "foreign-stack",
    "starvation",
    "data-race",
    "lost-update",
    "torn-read",
    "interrupt-storm",
    "watchdog",
    "systick-off",
    "divider-shared",
    "started-twice",
    "flash-busy",
    "interrupt-on-wrong-core",
    "misuse",
]


class Finding(msgspec.Struct, frozen=True):
    """A fault, or what looks like one."""

    code: Code
    text: str
    places: Sequence[Place] = ()
    cycle: int | None = None
    timeline: str = ""
    """The file with the last millisecond before it, if one was asked for."""
