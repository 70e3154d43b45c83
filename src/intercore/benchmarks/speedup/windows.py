"""The windows of `speedup`: with mark=t1 or mark=tp each time on one core, or each on all."""

from __future__ import annotations

from typing import TYPE_CHECKING

from intercore.benchmarks.windows import of_samples, work_of

if TYPE_CHECKING:
    from intercore.record.measurement import Measurement
    from intercore.record.meter_recording import Window

OPERATION = "unit of work"
SAID = ("n", "mode", "mark")
"""The factors that the label of a window tells."""


def windows(one: Measurement) -> tuple[Window, ...] | None:
    """Return the windows that the mark was high for; None where that was all repetitions together."""
    kind = one.factors.get("mark")
    series = next((each for each in one.series if each.name == kind), None)
    if series is None:
        return None
    work = work_of(one, ("mode", "join", "cores"))
    cores = int(one.factors.get("cores", 2)) if kind == "tp" else 1
    label = f"{kind} n={one.factors.get('n')}" + (f" mode={one.factors.get('mode')}" if kind == "tp" else "")
    return of_samples(one, series, label, int(one.factors.get("n", 0)), cores, work)


def operations(one: Measurement) -> int:
    """Return how many units were worked on: the same on one core and on all, in each repetition."""
    return 2 * int(one.factors.get("n", 0)) * max(one.checks.get("done", 0), 0)
