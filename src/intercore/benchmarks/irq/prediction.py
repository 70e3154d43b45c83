"""The predicted interrupt latency: `intercore predict TARGET irq path=doorbell from=0 to=1`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from intercore.benchmarks.event_prediction import Event, EventModel, EventPrediction, EventRanking, predict_events
from intercore.benchmarks.irq import PATHS
from intercore.benchmarks.irq.analysis import SERIES
from intercore.text import capitalised

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from intercore.record.measurement import Measurement
    from intercore.record.store import StoreReader

_WITHOUT_TO = "timer-handler"
"""The path for which `to` has no meaning."""


def events(one: Measurement) -> Iterator[Event]:
    """Return the interrupts of a measurement."""
    setting = dict(one.factors)
    if setting.get("path") == _WITHOUT_TO:
        setting.pop("to", None)
    for series in one.series:
        if series.name == SERIES:
            yield Event(setting, series.ns / 1e3, 1e6 / series.hz)


def _title(setting: Mapping[str, object]) -> str:
    return next((capitalised(what) for path, what in PATHS.items() if path == setting.get("path")), "Interrupt")


MODEL = EventModel(
    benchmark="irq",
    title=_title,
    events=events,
    own=("path", "from", "to", "interrupted"),
    given=("path", "interrupted", "opt"),
)


def predict(
    store: StoreReader, target: str, words: Iterable[str], *, extrapolate: bool
) -> EventPrediction | EventRanking:
    """Predict interrupts from the runs of a store; see `predict_events`."""
    return predict_events(MODEL, store, target, words, extrapolate=extrapolate)
