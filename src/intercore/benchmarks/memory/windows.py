"""The windows of `memory`: with mark=alone or mark=beside each pass of that kind."""

from __future__ import annotations

from typing import TYPE_CHECKING

from intercore.benchmarks.windows import of_samples, work_of

if TYPE_CHECKING:
    from intercore.record.measurement import Measurement
    from intercore.record.meter_recording import Window

OPERATION = "pass"
SAID = ("mark",)
"""The factors that the label of a window tells."""


def windows(one: Measurement) -> tuple[Window, ...] | None:
    """Return the windows that the mark was high for; None where that was all repetitions together."""
    kind = str(one.factors.get("mark"))
    series = next((each for each in one.series if each.name == kind), None)
    if series is None:
        return None
    return of_samples(one, series, f"{kind} {work_of(one)}", 1, 1 if kind == "alone" else 2, work_of(one))
