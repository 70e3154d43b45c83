"""Predictions from stored runs, for each benchmark that has a model.

Its folder has `predict(store, target, words, extrapolate=…)` in `prediction.py`; what programs and people read of what
that returns is made by `prediction_rows` and `prediction_section` in `prediction_report.py`. The answer may be several
predictions, where the words leave open which.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from intercore.benchmarks import registry
from intercore.errors import UsageError
from intercore.record.origin import LABELS

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    import msgspec

    from intercore.record.store import StoreReader
    from intercore.view.section import Section


def names() -> tuple[str, ...]:
    """Return the benchmarks that have a model."""
    return tuple(name for name in registry.names() if registry.has(name, "prediction"))


@dataclass(frozen=True)
class Predicted:
    """A prediction, for programs and for people."""

    prediction: msgspec.Struct
    rows: Sequence[Mapping[str, object]]
    """The same, flat."""
    section: Section


def predict(store: StoreReader, target: str, benchmark: str, words: Iterable[str], *, extrapolate: bool) -> Predicted:
    """Predict from the runs of a store; `words` name the setting, e.g. `size=300 transport=ring from=0 to=1`.

    Raises UsageError for what has no model, was not measured, or does not exist.
    """
    model, report = (registry.module(benchmark, name) for name in ("prediction", "prediction_report"))
    if model is None or report is None:
        raise UsageError(f"there is no model of {benchmark} that predicts; there is one of: {', '.join(names())}")
    if any(run.plan.emulated for run in store.runs() if run.plan.target == target):
        raise UsageError(f"nothing can be predicted from {target}, {LABELS['emulated']}: measure on the chip itself")
    found = model.predict(store, target, words, extrapolate=extrapolate)
    return Predicted(found, report.prediction_rows(found), report.prediction_section(found))
