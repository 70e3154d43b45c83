"""The predicted wake-up latency: `intercore predict TARGET switch primitive=mutex from=0 to=1`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from intercore.benchmarks.event_prediction import Event, EventModel, EventPrediction, EventRanking, predict_events
from intercore.benchmarks.switch import incomparable

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from intercore.record.measurement import Measurement
    from intercore.record.store import StoreReader

_SERIES = "switch"


def events(one: Measurement) -> Iterator[Event]:
    """Return the wake-ups of a measurement; none by the cores' own counters, whose differences are no times."""
    if incomparable(one):
        return
    for series in one.series:
        if series.name == _SERIES:
            yield Event(dict(one.factors), series.ns / 1e3, 1e6 / series.hz)


MODEL = EventModel(
    benchmark="switch",
    title=lambda _: "Wake-up latency",
    events=events,
    own=("primitive", "from", "to", "target", "time"),
    given=("from", "to", "target", "opt"),
)


def predict(
    store: StoreReader, target: str, words: Iterable[str], *, extrapolate: bool
) -> EventPrediction | EventRanking:
    """Predict wake-ups from the runs of a store; see `predict_events`."""
    return predict_events(MODEL, store, target, words, extrapolate=extrapolate)
