"""Predictions from stored runs, for each benchmark that has a model."""

from __future__ import annotations

from typing import TYPE_CHECKING

from intercore.benchmarks import registry
from intercore.errors import UsageError
from intercore.record.origin import LABELS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from intercore.benchmarks.benchmark import PredictionDocument
    from intercore.record.store import StoreReader


def names() -> tuple[str, ...]:
    """Return the benchmarks that have a model."""
    return tuple(one.name for one in registry.known() if one.load_prediction is not None)


def predict(
    store: StoreReader, target: str, benchmark: str, words: Iterable[str], *, extrapolate: bool
) -> PredictionDocument:
    """Predict from the runs of a store; `words` name the setting, e.g. `size=300 transport=ring from=0 to=1`.

    Raises UsageError for what has no model, was not measured, or does not exist.
    """
    load = registry.benchmark(benchmark).load_prediction
    if load is None:
        raise UsageError(f"predictions are not available for the benchmark {benchmark}, only for {', '.join(names())}")
    if any(run.plan.emulated for run in store.runs() if run.plan.target == target):
        raise UsageError(f"nothing can be predicted from {target}, {LABELS['emulated']}: measure on the real chip")
    return load()(store, target, words, extrapolate=extrapolate)
