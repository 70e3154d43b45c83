"""The paths of an interrupt, and what the cores do that are interrupted."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Mapping

Path: TypeAlias = Literal["timer-handler", "handler-task", "timer-task", "doorbell", "doorbell-round-trip"]
Doing: TypeAlias = Literal["idle", "busy", "kernel"]

PATHS: Mapping[Path, str] = {
    "timer-handler": "from a timer to its handler",
    "handler-task": "from a handler to the task that it wakes",
    "timer-task": "from a timer to the task that its handler wakes",
    "doorbell": "from a ring to the handler of the core that is rung",
    "doorbell-round-trip": "from a ring to the handler of the ring that answers it",
}
"""What each path is, in the order in which they are shown."""
DOING: Mapping[Doing, str] = {
    "idle": "the cores sleep",
    "busy": "the cores compute",
    "kernel": "the cores call the kernel",
}
"""What the cores do that are interrupted."""
