"""The predicted time of an event, such as a wake-up, a hand-off or an interrupt, from measurements of its setting.

There is no model but the setting itself: its median in the runs that agree, and how much repetitions differ. A setting
that was not measured is refused or, with `extrapolate`, predicted from the effect of each factor. A benchmark describes
its events (`EventModel`).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple

import msgspec
import numpy as np
from msgspec import Meta

from intercore.benchmarks import prediction_basis as basis
from intercore.benchmarks.grouping import IRRELEVANT, by_run
from intercore.benchmarks.prediction import (
    FEWEST_FOR_SINGLE,
    REPETITIONS,
    Basis,
    NextMeasurement,
    Prediction,
    Question,
    Ranking,
    advised,
    is_conclusive,
    run_command,
    single_bounds,
)
from intercore.errors import UsageError
from intercore.record.measurement import Level
from intercore.statistics.intervals import Interval
from intercore.statistics.main_effects import main_effects
from intercore.statistics.repetitions import next_median

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from intercore.benchmarks.prediction import Rank
    from intercore.record.measurement import Measurement
    from intercore.record.store import StoreReader

    Floats = NDArray[np.float64]


class Event(NamedTuple):
    """The samples of a measurement for one kind of event."""

    setting: dict[str, Level]
    """The factors that it depends on."""
    us: Floats
    """How long each took, in µs."""
    tick_us: float
    """Resolution of the clock."""


class EventModel(NamedTuple):
    """The events of a benchmark."""

    benchmark: str
    title: Callable[[Mapping[str, Level]], str]
    """Return the name of a setting's events in a heading: `Wake-up`."""
    events: Callable[[Measurement], Iterable[Event]]
    """Return those of a measurement; none if it has none that mean anything."""
    own: tuple[str, ...]
    """Factors of every setting, in the order of their display; other factors follow."""
    given: tuple[str, ...]
    """Factors that are not chosen by speed: each of their combinations has a separate ranking."""
    usual: Mapping[str, str] = {}
    """Levels that are meant where the user does not say."""


class EventBasis(Basis, frozen=True):
    """What a prediction rests on."""

    settings: Annotated[int, Meta(ge=1)]
    repetitions: Annotated[int, Meta(ge=1)]


class EventPrediction(Prediction, frozen=True):
    """The predicted time of an event at one setting."""

    benchmark: str
    event: str
    """What it is: `Wake-up`."""
    median_us: Interval
    """Median, with the interval for the median of another repetition of this setting."""
    single_us: Interval
    """The same for a single event: 95 of 100 take as long. Bounds are None with fewer than 39 samples."""
    by: Literal["measurements", "main effects"]
    """Those of this setting; or, with --extrapolate if there is none, the effect of each factor."""
    basis: EventBasis


class EventRanking(Ranking[EventPrediction], frozen=True):
    """The predicted time of an event at each measured setting that matches the question."""

    benchmark: str


class _Observed(basis.StoredMeasurement, frozen=True):
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
    question = _Question(
        benchmark=model.benchmark,
        target=target,
        wanted={**model.usual, **basis.asked(words, IRRELEVANT)},
        no_setting=IRRELEVANT,
        given=model.given,
        extrapolate=extrapolate,
        model=model,
    )
    return question.answer(store)


@dataclass(frozen=True, kw_only=True)
class _Question(Question[_Observed, EventPrediction, EventRanking]):
    model: EventModel

    def measured(self, store: StoreReader) -> Iterator[_Observed]:
        own = self.model.own
        for one in basis.stored(store, self.target, self.benchmark, lambda _: True):
            for event in self.model.events(one.measurement):
                if len(event.us):
                    names = [*own, *sorted(event.setting.keys() - set(own))]
                    setting = {name: event.setting[name] for name in names if name in event.setting}
                    measurement = msgspec.structs.replace(one.measurement, factors=setting)
                    yield _Observed(one.run, measurement, one.origin, event.us, event.tick_us)

    def missing(self) -> tuple[str, str]:
        return (
            f"times of {self.benchmark} on {self.target}",
            f"intercore run {self.target} {self.benchmark}",
        )

    def in_words(self, ours: Sequence[_Observed]) -> str:
        factors = ours[0].measurement.factors
        return basis.in_words(factors, factors)

    def of_setting(self, ours: Sequence[_Observed]) -> EventPrediction:
        """Predict a setting from its measurements. UsageError if none of them has a time above 0."""
        chosen, notes = basis.agreeing(ours)
        factors = chosen[0].measurement.factors
        setting = _without_irrelevant(factors)
        values = by_run([one.measurement for one in chosen], [one.us for one in chosen])
        tick = max(one.tick_us for one in chosen)
        median = next_median(values, tick=tick)
        if median.value <= 0:
            raise UsageError(
                f"the median of {basis.in_words(setting, setting)} is 0, because it is shorter than the resolution of "
                "the clock. A median of 0 permits no prediction: measure a slower setting"
            )
        if len(chosen) == 1:
            notes.append(
                "This was measured once: the differences between repetitions are unknown, and the interval does not "
                "include them."
            )
        pooled = np.concatenate(values)
        if len(pooled) < FEWEST_FOR_SINGLE:
            notes.append(
                f"There is no range for a single event: that needs at least {FEWEST_FOR_SINGLE} samples, and there are "
                f"{len(pooled)}."
            )
        conclusive = is_conclusive(median)
        return EventPrediction(
            target=self.target,
            simulated=ours[0].origin == "simulated",
            emulated=ours[0].origin == "emulated",
            benchmark=self.benchmark,
            event=self.model.title(factors),
            setting=setting,
            median_us=median,
            single_us=_single(pooled, median),
            by="measurements",
            extrapolated=False,
            conclusive=conclusive,
            to_measure=None if conclusive else self._measuring([setting], _repetitions(values)),
            basis=_basis(chosen, 1),
            notes=(*basis.label_notes(ours[0].origin), *notes),
        )

    def of_unmeasured(self, known: Sequence[_Observed]) -> EventPrediction:
        """Predict by what each factor does by itself in the settings that were measured."""
        if not self.extrapolate:
            raise UsageError(f"{basis.never_measured(self.target, self.wanted, known)}. {basis.BY_EFFECTS}")
        alike = {name: self.wanted[name] for name in self.model.usual}  # of other measures, nothing follows
        known = [one for one in known if basis.matches(one.measurement, alike)]
        settings = basis.by_setting(known, IRRELEVANT)
        times = [
            (pool[0].measurement.factors, float(np.median(np.concatenate([one.us for one in pool]))))
            for pool in settings
        ]
        times = [(setting, us) for setting, us in times if us > 0]
        factors = _without_irrelevant(known[0].measurement.factors)
        names = [name for name in factors if len(basis.levels(known, name)) > 1]
        if left_out := [name for name in names if name not in self.wanted]:
            raise UsageError(
                "several levels were measured of these factors, so choose one level of each, as NAME=LEVEL: "
                f"{', '.join(left_out)}"
            )
        basis.refuse_several_kernels(known)
        median = main_effects(times, names, self.wanted)
        conclusive = is_conclusive(median)
        return EventPrediction(
            target=self.target,
            simulated=known[0].origin == "simulated",
            emulated=known[0].origin == "emulated",
            benchmark=self.benchmark,
            event=self.model.title(self.wanted),
            setting=dict(self.wanted),
            median_us=median,
            single_us=Interval(median.value),
            by="main effects",
            extrapolated=True,
            conclusive=conclusive,
            to_measure=None if conclusive else self._measuring([dict(self.wanted)], REPETITIONS),
            basis=_basis(known, len(settings)),
            notes=(*basis.label_notes(known[0].origin), basis.by_effects_note(len(settings))),
        )

    def time_us(self, found: EventPrediction) -> Interval:
        return found.median_us

    def to_measure(self, open_ones: Sequence[EventPrediction]) -> NextMeasurement:
        repetitions = max(one.to_measure.repetitions for one in open_ones if one.to_measure)
        return self._measuring([one.setting for one in open_ones], repetitions)

    def ranking(
        self, ranks: tuple[Rank[EventPrediction], ...], left_out: tuple[str, ...], to_measure: NextMeasurement | None
    ) -> EventRanking:
        origin = ranks[0].prediction.origin
        return EventRanking(
            target=self.target,
            simulated=origin == "simulated",
            emulated=origin == "emulated",
            benchmark=self.benchmark,
            ranking=ranks,
            left_out=left_out,
            to_measure=to_measure,
        )

    def _measuring(self, settings: Sequence[Mapping[str, Level]], repetitions: int) -> NextMeasurement:
        command = run_command(self.target, self.benchmark, settings, repetitions)
        return NextMeasurement(repetitions, f"{command} --skip-impossible" if len(settings) > 1 else command)


def _without_irrelevant(setting: Mapping[str, Level]) -> dict[str, Level]:
    return {name: level for name, level in setting.items() if name not in IRRELEVANT}


def _single(values: Floats, median: Interval) -> Interval:
    bounds = single_bounds(values)
    if bounds is None:
        return Interval(median.value)
    low, high = bounds
    return Interval(median.value, min(low, median.value), max(high, median.value))


def _repetitions(values: Sequence[Floats]) -> int:
    """Return how many repetitions it takes until the median is known well enough."""
    if len(values) == 1:
        return REPETITIONS
    medians = [max(float(np.median(one)), 1e-6) for one in values]
    return advised(len(values), float(np.std(np.log(medians), ddof=1)) / math.sqrt(len(values)))


def _basis(chosen: Sequence[_Observed], settings: int) -> EventBasis:
    first, last = basis.period(chosen)
    return EventBasis(
        runs=basis.runs(chosen),
        settings=settings,
        repetitions=len(chosen),
        samples=sum(len(one.us) for one in chosen),
        first=first,
        last=last,
    )
