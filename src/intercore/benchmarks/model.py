"""How far the simulated times of a run are known to be true, by what its benchmarks measured."""

from __future__ import annotations

from typing import TYPE_CHECKING

from intercore.accuracy import trust
from intercore.benchmarks import registry
from intercore.benchmarks.claims import is_chip

if TYPE_CHECKING:
    from intercore.accuracy.figures import Category
    from intercore.record.measurement import Run

_FLASH: dict[Category, tuple[Category, ...]] = {"computing from SRAM": ("computing from flash", "flash-cache misses")}
"""What takes the place of a part if code runs from flash."""


def beside_boards(run: Run, *, brief: bool = False) -> str:
    """Return what is known of the model, without a full stop; empty if there is nothing: of no figures, or no model."""
    if not run.plan.simulated or not is_chip(run, trust.CHIP):
        return ""
    parts = [part for name in _benchmarks(run) for part in registry.benchmark(name).made_of]
    if any(one.conditions.get("memory.code") == "flash" for one in run.measurements):
        parts = [other for part in parts for other in _FLASH.get(part, (part,))]
    if not parts:
        return ""
    return trust.short_sentence(parts) if brief else trust.sentence(parts)


def _benchmarks(run: Run) -> list[str]:
    return list(dict.fromkeys(one.benchmark for one in run.measurements))
