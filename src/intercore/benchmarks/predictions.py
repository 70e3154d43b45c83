"""Predictions from stored runs, for each benchmark that has a model.

Its folder has `predict(store, target, words, extrapolate=…)` in `prediction.py`; what programs and people read of what
that returns is made by `prediction_row` and `prediction_section` in `prediction_report.py`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from intercore.benchmarks import registry
from intercore.errors import UsageError
from intercore.record.origin import LABELS

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    import msgspec

    from intercore.record.store import Store
    from intercore.view.section import Section


@dataclass(frozen=True)
class Predicted:
    """A prediction, for programs and for people."""

    prediction: msgspec.Struct
    row: Mapping[str, object]
    """The same, flat."""
    section: Section


def predict(store: Store, target: str, benchmark: str, words: Iterable[str], *, extrapolate: bool) -> Predicted:
    """Predict from the runs of a store; `words` name the setting, e.g. `size=300 transport=ring from=0 to=1`.

    Raises UsageError for what has no model, was not measured, does not exist, or is not said though it matters.
    """
    model, report = (registry.module(benchmark, name) for name in ("prediction", "prediction_report"))
    if model is None or report is None:
        known = ", ".join(name for name in registry.names() if registry.has(name, "prediction"))
        raise UsageError(f"there is no model of {benchmark} that predicts; there is one of: {known}")
    if any(run.plan.emulated for run in store.runs() if run.plan.target == target):
        raise UsageError(f"nothing can be predicted from {target}, {LABELS['emulated']}: measure on the chip itself")
    found = model.predict(store, target, words, extrapolate=extrapolate)
    return Predicted(found, report.prediction_row(found), report.prediction_section(found))
