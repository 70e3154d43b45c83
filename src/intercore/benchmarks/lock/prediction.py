"""The predicted time of a lock: `intercore predict TARGET lock lock=spinlock from=0 to=1`.

A hand-off unless another measure is named: `measure=contention` for each acquisition while several cores want it,
`measure=ping-pong` for one way of a word between two cores.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from intercore.benchmarks.event_prediction import Event, EventModel, EventPrediction, EventRanking, predict_events
from intercore.benchmarks.lock.analysis import CONTENTION, HAND_OVER, IDLE, PING_PONG, Bouts, has_samples

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from intercore.record.measurement import Level, Measurement
    from intercore.record.store import StoreReader

_TITLES: Mapping[object, str] = {
    HAND_OVER: "From before a release to after the acquisition on another core",
    CONTENTION: "Each acquisition under contention",
    PING_PONG: "One way of a word from core to core",
}


def events(one: Measurement) -> Iterator[Event]:
    """Return the samples of one measure: hand-off both ways, acquisitions, or one-way times of a word."""
    measure = str(one.factors["measure"])
    if measure not in IDLE or not has_samples(one):
        return
    setting: dict[str, Level] = {name: level for name, level in one.factors.items() if name not in IDLE[measure]}
    if measure == HAND_OVER:
        back = {**setting, "from": setting["to"], "to": setting["from"]}
        for name, way in (("there", setting), ("back", back)):
            series = one.samples(name)
            yield Event(way, series.ns / 1e3, 1e6 / series.hz)
    elif measure == PING_PONG:
        series, ways = one.samples("round_trips"), 2 * int(one.factors["batch"])
        yield Event(setting, series.ns / 1e3 / ways, 1e6 / series.hz / ways)
    else:
        yield Event(setting, Bouts(one).each_us, 0.0)


MODEL = EventModel(
    benchmark="lock",
    title=lambda setting: _TITLES.get(setting.get("measure"), "Lock"),
    events=events,
    own=("measure", "lock", "from", "to", "cores", "hold", "pause", "rounds", "batch"),
    given=("measure", "from", "to", "cores", "hold", "pause", "opt"),
    usual={"measure": HAND_OVER},
)


def predict(
    store: StoreReader, target: str, words: Iterable[str], *, extrapolate: bool
) -> EventPrediction | EventRanking:
    """Predict the times of locks from the runs of a store; see `predict_events`."""
    return predict_events(MODEL, store, target, words, extrapolate=extrapolate)
