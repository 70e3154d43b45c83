"""What is measured on both: times of which each depends on other assumptions."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

    from intercore.record.measurement import Level

BUILD: Mapping[str, Level] = {"code": "flash"}
"""Levels of the program's factors; others have their defaults. Code in flash shows what a miss of its cache costs."""
SAMPLES = 61
"""Of each quantity; fewer of those that take long."""


class Quantity(NamedTuple):
    """A time, as a benchmark measures it."""

    name: str
    what: str
    """For people, in at most 30 characters."""
    benchmark: str
    parameters: Mapping[str, Level]
    series: str
    floor: float = 0.25
    """Differences in cycles that say nothing: it moves by as much with the phases of a program."""
    samples: int = SAMPLES


QUANTITIES = (
    Quantity(
        "timer-asleep",
        "a timer to its handler, asleep",
        "irq",
        {"path": "timer-handler", "interrupted": "idle"},
        "latency",
    ),
    Quantity(
        "timer-busy",
        "a timer to its handler, busy",
        "irq",
        {"path": "timer-handler", "interrupted": "busy"},
        "latency",
    ),
    Quantity(
        "doorbell-asleep",
        "a doorbell to a core asleep",
        "irq",
        {"path": "doorbell", "from": 0, "to": 1, "interrupted": "idle"},
        "latency",
        0.8,
    ),
    Quantity(
        "doorbell-busy",
        "a doorbell to a busy core",
        "irq",
        {"path": "doorbell", "from": 0, "to": 1, "interrupted": "busy"},
        "latency",
        0.8,
        301,
    ),
    Quantity(
        "handler-task",
        "a handler to the task it wakes",
        "irq",
        {"path": "handler-task", "from": 0, "to": 0},
        "latency",
    ),
    Quantity("switch", "a switch of tasks on one core", "switch", {"from": 0, "to": 0}, "switch"),
    Quantity("tick", "a tick to the task it wakes", "jitter", {"period_us": 1000}, "late"),
    Quantity("sram", "4 KiB read from SRAM", "memory", {"region": "sram-striped", "bytes": 4096}, "alone"),
    Quantity("flash", "64 KiB read from flash", "memory", {"region": "flash", "bytes": 65536}, "alone", 1000.0, 15),
    Quantity(
        "launch",
        "core 1 launched, cache empty",
        "launch",
        {"what": "core", "cache": "cold"},
        "launch",
        50.0,
        21,
    ),
    Quantity(
        "erase", "a sector of the flash erased", "outage", {"op": "erase", "other": "interrupt"}, "write", 1000.0, 1
    ),
    Quantity(
        "program",
        "a page of the flash programmed",
        "outage",
        {"op": "program", "other": "interrupt"},
        "write",
        1000.0,
        1,
    ),
)
