"""How wake-ups, and the clocks that time them, are named."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from intercore.benchmarks.switch.analysis import FalseTime, Ratio
    from intercore.benchmarks.switch.wake_ups import WakeUp

CLOCKS = {"common": "one clock", "aligned": "aligned counters"}


def pair_of(one: WakeUp | FalseTime | Ratio) -> str:
    """Return from which core to which, and whether the latter was busy."""
    return f"{one.first} → {one.second}" + (", busy" if one.target == "busy" else "")


def named(one: WakeUp | Ratio) -> str:
    """Return the primitive, and what else distinguishes a row that has no column."""
    return " ".join([one.primitive] + [f"{name}={level}" for name, level in one.varied.items()])
