"""The series of `threadmetric`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from intercore.benchmarks.series import Quantity, Result, Role
from intercore.benchmarks.threadmetric.analysis import PERIOD_S, rates_of

if TYPE_CHECKING:
    from intercore.record.measurement import Measurement, Series

_COUNT = "count"
_QUANTITY = f"count_{PERIOD_S}s"

RESULTS = {_QUANTITY: Result("count", f"count in {PERIOD_S} s")}

ROLES = {
    _COUNT: Role.RESULT,  # as what is counted in Thread-Metric's period: see `quantity`
    "window": Role.AUXILIARY,
    "least": Role.AUXILIARY,
    "most": Role.AUXILIARY,
}


def quantity(one: Measurement, series: Series) -> Quantity | None:
    """Return counts as those of Thread-Metric's period: windows are of other lengths on other targets."""
    if series.name != _COUNT:
        return None
    return Quantity(_QUANTITY, "count", PERIOD_S * np.asarray(rates_of([one])))
