"""Factors of the target itself: its build and configuration, in addition to a benchmark's parameters.

They are given, ordered and stored as the parameters of a benchmark are, but not sent to the target: for another level
it is opened again. Their names are reserved, because stored runs use them for any board: no benchmark has a parameter
of these names. `intercore.board` has their levels.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from intercore.record.measurement import Level

OPT_NAME = "opt"
"""The optimisation level, which every program is built with."""
TRACE_NAME = "trace"
"""How many events of each core the recorder keeps; 0 for a program without one."""

_OF_STM32H745_CLOCKS = ("clock_hz", "clock.m4_hz", "clock.bus_hz", "flash.wait_states", "power.vos")

TARGET_FACTORS: Mapping[str, tuple[str, ...]] = {
    OPT_NAME: ("compiler.flags", "memory.heap_at_start"),
    "clock_mhz": ("clock_hz", "clock.sys_hz", "clock.peri_hz", "clock.pll", "flash.clock_hz"),
    "code": (
        *("memory.code", "memory.constants", "memory.regions", "memory.flash", "memory.heap_at_start"),
        *("flash.xip_cache", "flash.clock_hz"),
    ),
    "xip_cache": ("flash.xip_cache",),
    "bus_priority": ("bus.priority",),
    "m7_mhz": ("clock.m7_hz", *_OF_STM32H745_CLOCKS),
    "m4_mhz": _OF_STM32H745_CLOCKS,
    "supply": ("power.supply", "power.vos"),
    "icache": ("cache.instructions",),
    "dcache": ("cache.data",),
    "shared": ("memory.shared",),
    "cpu_mhz": ("clock_hz", "clock.cpu_hz", "clock.sys_hz", "clock.apb_hz"),
    TRACE_NAME: ("recorder", "memory.heap_at_start"),
    "flash_suspend": ("flash.suspend", "memory.heap_at_start"),
    "psram": ("psram", "psram.bytes", "memory.regions", "memory.heap_at_start", "compiler.flags"),
}
"""By the name of each: the conditions that follow from its level, and so may differ within a run that has several."""


def of_target(levels: Mapping[str, Level]) -> dict[str, Level]:
    """Return those of the levels of a setting that say how its target is built or configured."""
    return {name: level for name, level in levels.items() if name in TARGET_FACTORS}
