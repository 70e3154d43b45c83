"""Whether a run is of what a publication measured: its chip, its clock rate, its kernel.

A time of another chip says nothing of a printed one. What is said of a kernel in general can be tried wherever it runs.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from intercore.record.conditions import cycle_hz
from intercore.view.quantity import duration, duration_bounds
from intercore.view.section import whose

if TYPE_CHECKING:
    from intercore.record.measurement import Run
    from intercore.statistics.intervals import Interval

_KERNEL = "freertos."
"""How conditions begin that tell of this kernel."""


def no_times(run: Run) -> str:
    """Return why a run's times say nothing at all: a sentence, or empty if they do."""
    return "The times of an emulated chip are no measurement." if run.plan.emulated else ""


def another_chip(run: Run, chip: str, hz: int) -> str:
    """Return why a run's times are not to be held against those of a chip at a rate: a sentence, or empty if they are.

    `chip` is a name as `ESP32`, which `ESP32-S3` and `ESP32S3` are not.
    """
    if no_times(run):
        return no_times(run)
    named = _named(run)
    if run.plan.origin == "measured" and is_chip(run, chip) and cycle_hz(run) == hz:
        return ""
    rate = cycle_hz(run)
    at = f" at {rate / 1e6:g} MHz" if rate else ""
    return (
        f"{whose(run)} has another chip than the paper: {' and '.join(sorted(named))}{at}, not {chip} at "
        f"{hz / 1e6:g} MHz. So its times are not held against the printed ones."
    )


def other_chip(run: Run, chip: str, hz: int) -> str:
    """Return the name of a run's chip if its times are not to be held against those of a chip at a rate; else empty."""
    return " and ".join(sorted(_named(run))) if another_chip(run, chip, hz) else ""


def is_chip(run: Run, chip: str) -> bool:
    """Whether all was measured on such a chip: `ESP32`, which `ESP32-S3` and `ESP32S3` are not."""
    named, like = _named(run), re.compile(rf"\b{re.escape(chip)}\b(?!-[A-Z]\d\b)")
    return bool(named) and all(map(like.search, named))


def chip_name(run: Run) -> str:
    """Return what a run's chip is called: of a computer its processor, of a target that tells neither its own name."""
    conditions = run.measurements[0].conditions
    return conditions.get("chip") or conditions.get("cpu.model") or run.plan.target


def _named(run: Run) -> set[str]:
    return {one.conditions.get("chip", "a chip without a name") for one in run.measurements}


def another_kernel(run: Run) -> str:
    """Return why a run says nothing of FreeRTOS: a sentence, or empty if it does."""
    if no_times(run):
        return no_times(run)
    if all(any(key.startswith(_KERNEL) for key in one.conditions) for one in run.measurements):
        return ""
    return f"{whose(run)} does not run FreeRTOS."


def with_bounds(estimate: Interval) -> str:
    """Return a duration given in µs with its interval; without it where both bounds read as the value does."""
    text, span = duration(estimate.value), duration_bounds(estimate)
    number = text.partition(" ")[0]
    return text if span in ("", f"{number} – {number}") else f"{text} ({span})"


def to_a_tick(us: float) -> str:
    """Return a duration given in µs as a bound: `8.00 ns`, or `a tick of the clock` where the clock has seen none."""
    return duration(us) if us else "a tick of the clock"
