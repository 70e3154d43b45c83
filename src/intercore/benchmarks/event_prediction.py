"""What an event will take: a wake-up, a hand-over, an interrupt, from those of its setting that have been measured.

There is no model but the setting itself: its median in the runs that agree, and how much repetitions differ. What was
not measured is refused or, with `extrapolate`, taken from what each factor does by itself. A benchmark says what its
events are (`EventModel`), and has the rest from here.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple

import msgspec
import numpy as np
from msgspec import Meta

from intercore.benchmarks import prediction_basis as basis
from intercore.benchmarks.grouping import IRRELEVANT
from intercore.benchmarks.prediction_answer import REPETITIONS, advised, is_conclusive
from intercore.benchmarks.ranking import OfTarget, Rank, predict_each, ranked
from intercore.errors import UsageError
from intercore.record.measurement import Level
from intercore.statistics.intervals import CONFIDENCE, Interval
from intercore.statistics.main_effects import main_effects
from intercore.statistics.repetitions import next_median

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from intercore.record.measurement import Measurement
    from intercore.record.store import StoreReader

    Floats = NDArray[np.float64]

FEWEST_FOR_SINGLE = math.ceil(2 / (1 - CONFIDENCE)) - 1
"""Samples of which one may lie beyond each bound of the interval for a single event."""


class Event(NamedTuple):
    """What a measurement says of one kind of event."""

    setting: dict[str, Level]
    """The factors that it depends on."""
    us: Floats
    """How long each took, in µs."""
    tick_us: float
    """Resolution of the clock."""


class EventModel(NamedTuple):
    """What the events of a benchmark are."""

    benchmark: str
    title: Callable[[Mapping[str, Level]], str]
    """Return what the events of a setting are called in a heading: `Wake-up`."""
    events: Callable[[Measurement], Iterable[Event]]
    """Return those of a measurement; none if it has none that mean anything."""
    own: tuple[str, ...]
    """Factors that every setting has, in the order in which they are told; what else a setting has comes after them."""
    given: tuple[str, ...]
    """Factors that nobody chooses by speed: each of their combinations has a ranking of its own."""
    usual: Mapping[str, str] = {}
    """Levels that are meant where the user does not say."""


class ToMeasure(msgspec.Struct, frozen=True):
    """What would make an answer of a prediction that is none."""

    repetitions: Annotated[int, Meta(ge=1)]
    command: str
    """That measures them."""


class EventBasis(msgspec.Struct, frozen=True):
    """What a prediction rests on."""

    runs: tuple[int, ...]
    """Their numbers in the store, the newest first."""
    settings: Annotated[int, Meta(ge=1)]
    repetitions: Annotated[int, Meta(ge=1)]
    samples: Annotated[int, Meta(ge=1)]
    first: str
    """UTC time of the first of the measurements, ISO 8601."""
    last: str
    """UTC time of the last one."""


class EventPrediction(OfTarget, frozen=True):
    """What an event will take at one setting."""

    benchmark: str
    event: str
    """What it is: `Wake-up`."""
    setting: dict[str, Level]
    median_us: Interval
    """Median, with the interval for the median of another repetition of this setting."""
    single_us: Interval
    """The same for a single event: 95 of 100 take as long. Bounds are None with fewer than 39 samples."""
    by: Literal["measurements", "main effects"]
    """Those of this very setting; or, with --extrapolate where there is none, what each factor does by itself."""
    extrapolated: bool
    """Whether this setting was never measured."""
    conclusive: bool
    """Whether the interval of the median is an answer: neither bound farther off than half of the value."""
    to_measure: ToMeasure | None
    """What would make it one; None if it is."""
    basis: EventBasis
    notes: tuple[str, ...]
    """Sentences on what makes it doubtful."""


class EventRanking(OfTarget, frozen=True):
    """What an event will take by each setting that was measured and is not ruled out."""

    benchmark: str
    ranking: tuple[Rank[EventPrediction], ...]
    """By what is given, then by rank."""
    left_out: tuple[str, ...]
    """Settings of which there is no prediction, a sentence each without its full stop, with the reason."""
    to_measure: ToMeasure | None
    """What would make answers of those predictions that are none; None if all are."""


class _Observed(basis.Known, frozen=True):
    """Events of one measurement, whose factors are replaced by what the events depend on."""

    us: Any
    tick_us: float


def predict_events(
    model: EventModel, store: StoreReader, target: str, words: Iterable[str], *, extrapolate: bool
) -> EventPrediction | EventRanking:
    """Predict from the runs of a store; `words` name the setting, e.g. `primitive=mutex from=0 to=1`.

    Where they leave open which of several settings, all of these are predicted and ranked. Raises UsageError for what
    was not measured or does not exist.
    """
    wanted = {**model.usual, **basis.asked(words, IRRELEVANT)}
    known = list(_observed(model, store, target))
    if not known:
        raise UsageError(
            f"{store.path} holds no {model.benchmark} of {target} that has times; measure it: "
            f"intercore run {target} {model.benchmark}"
        )
    basis.check_names(model.benchmark, wanted, known, IRRELEVANT)
    ours = [one for one in known if basis.matches(one.measurement, wanted)]
    if not ours:
        return _by_main_effects(model, target, wanted, known, extrapolate=extrapolate)
    settings = basis.by_setting(ours, IRRELEVANT)
    if len(settings) > 1:
        return _of_all(model, target, settings)
    return _of_setting(model, target, ours)


def _observed(model: EventModel, store: StoreReader, target: str) -> Iterator[_Observed]:
    for one in basis.stored(store, target, model.benchmark, lambda _: True):
        for event in model.events(one.measurement):
            if len(event.us):
                names = [*model.own, *sorted(event.setting.keys() - set(model.own))]
                setting = {name: event.setting[name] for name in names if name in event.setting}
                measurement = msgspec.structs.replace(one.measurement, factors=setting)
                yield _Observed(one.run, measurement, one.origin, event.us, event.tick_us)


def _of_all(model: EventModel, target: str, settings: Sequence[Sequence[_Observed]]) -> EventRanking:
    """Predict each setting and rank them; raises UsageError if there is no prediction of any."""
    predictions, left_out = predict_each(settings, lambda ours: _of_setting(model, target, ours), _in_words)
    wanted = [(one.setting, one.to_measure) for one in predictions if one.to_measure is not None]
    to_measure = None
    if wanted:
        most = max(known.repetitions for _, known in wanted)
        to_measure = _to_measure(model, target, [setting for setting, _ in wanted], most)
    return EventRanking(
        target=target,
        simulated=predictions[0].simulated,
        emulated=predictions[0].emulated,
        benchmark=model.benchmark,
        ranking=tuple(ranked(predictions, model.given, lambda one: one.median_us)),
        left_out=left_out,
        to_measure=to_measure,
    )


def _in_words(ours: Sequence[_Observed]) -> str:
    setting = ours[0].measurement.factors
    return basis.in_words(setting, setting)


def _of_setting(model: EventModel, target: str, ours: Sequence[_Observed]) -> EventPrediction:
    """Predict a setting from its measurements. UsageError if none of them has a time above 0."""
    chosen, notes = basis.agreeing(ours)
    setting = dict(chosen[0].measurement.factors)
    values, tick = [one.us for one in chosen], max(one.tick_us for one in chosen)
    median = next_median(values, tick=tick)
    where = basis.in_words(setting, [name for name in setting if name not in IRRELEVANT])
    if median.value <= 0:
        raise UsageError(
            f"the median of {where} is 0, below what its clock can tell, so nothing can be predicted from it"
        )
    if len(chosen) == 1:
        notes.append("This was measured once: how repetitions differ is not known, and not in the interval.")
    pooled = np.concatenate(values)
    if len(pooled) < FEWEST_FOR_SINGLE:
        notes.append(
            f"Nothing is known of a single one: that takes {FEWEST_FOR_SINGLE} samples, and there are {len(pooled)}."
        )
    conclusive = is_conclusive(median)
    return EventPrediction(
        target=target,
        simulated=ours[0].origin == "simulated",
        emulated=ours[0].origin == "emulated",
        benchmark=model.benchmark,
        event=model.title(setting),
        setting=_told(setting),
        median_us=median,
        single_us=_single(pooled, median),
        by="measurements",
        extrapolated=False,
        conclusive=conclusive,
        to_measure=None if conclusive else _to_measure(model, target, [setting], _repetitions(values)),
        basis=_basis(chosen, 1),
        notes=(*basis.label_notes(ours[0].origin), *notes),
    )


def _told(setting: Mapping[str, Level]) -> dict[str, Level]:
    return {name: level for name, level in setting.items() if name not in IRRELEVANT}


def _single(values: Floats, median: Interval) -> Interval:
    """Return the interval for a single event, by ranks: a further one is below the k-th of n in k of n + 1 cases."""
    ordered = np.sort(values)
    beyond = math.floor((len(ordered) + 1) * (1 - CONFIDENCE) / 2)
    if beyond < 1:
        return Interval(median.value)
    return Interval(
        median.value, min(float(ordered[beyond - 1]), median.value), max(float(ordered[-beyond]), median.value)
    )


def _repetitions(values: Sequence[Floats]) -> int:
    """Return how many repetitions it takes until the median is known well enough."""
    if len(values) == 1:
        return REPETITIONS
    medians = [max(float(np.median(one)), 1e-6) for one in values]
    return advised(len(values), float(np.std(np.log(medians), ddof=1)) / math.sqrt(len(values)))


def _to_measure(model: EventModel, target: str, settings: Sequence[Mapping[str, Level]], repetitions: int) -> ToMeasure:
    """Return what measures settings: all combinations of the levels that these have."""
    names = dict.fromkeys(name for setting in settings for name in setting if name not in IRRELEVANT)
    levels = {name: dict.fromkeys(str(each[name]) for each in settings if name in each) for name in names}
    words = "".join(f" {name}={','.join(known)}" for name, known in levels.items())
    skip = " --skip-impossible" if len(settings) > 1 else ""
    command = f"intercore run {target} {model.benchmark}{words} --repetitions {repetitions}{skip}"
    return ToMeasure(repetitions, command)


def _basis(chosen: Sequence[_Observed], settings: int) -> EventBasis:
    started = sorted(one.measurement.started for one in chosen)
    return EventBasis(
        runs=tuple(dict.fromkeys(one.run for one in chosen)),
        settings=settings,
        repetitions=len(chosen),
        samples=sum(len(one.us) for one in chosen),
        first=started[0],
        last=started[-1],
    )


def _by_main_effects(
    model: EventModel, target: str, wanted: Mapping[str, str], known: Sequence[_Observed], *, extrapolate: bool
) -> EventPrediction:
    """Predict a combination that was not measured from those that were, or refuse to."""
    if not extrapolate:
        raise UsageError(f"{basis.never_measured(target, wanted, known)}. {basis.BY_EFFECTS}")
    alike = {name: wanted[name] for name in model.usual}  # of other measures, nothing follows
    known = [one for one in known if basis.matches(one.measurement, alike)]
    settings = basis.by_setting(known, IRRELEVANT)
    times = [
        (pool[0].measurement.factors, float(np.median(np.concatenate([one.us for one in pool])))) for pool in settings
    ]
    times = [(setting, us) for setting, us in times if us > 0]
    names = [name for name in _told(known[0].measurement.factors) if len(basis.levels(known, name)) > 1]
    if left_out := [name for name in names if name not in wanted]:
        raise UsageError(f"give a level for each factor that was measured with several: {', '.join(left_out)}")
    basis.refuse_several_kernels(known)
    median = main_effects(times, names, wanted)
    conclusive = is_conclusive(median)
    return EventPrediction(
        target=target,
        simulated=known[0].origin == "simulated",
        emulated=known[0].origin == "emulated",
        benchmark=model.benchmark,
        event=model.title(wanted),
        setting=dict(wanted),
        median_us=median,
        single_us=Interval(median.value),
        by="main effects",
        extrapolated=True,
        conclusive=conclusive,
        to_measure=None if conclusive else _to_measure(model, target, [wanted], REPETITIONS),
        basis=_basis(known, len(settings)),
        notes=(
            *basis.label_notes(known[0].origin),
            "Extrapolated: this setting was never measured. The prediction assumes that each factor multiplies the "
            f"time by a ratio of its own, whatever the others are, as found in {len(settings)} settings. Where factors "
            "depend on one another, that is wrong.",
        ),
    )
