"""Predictions, when they are conclusive, and how they are made: of one setting, or of several, ranked."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Generic, TypeVar

import msgspec
import numpy as np
from msgspec import Meta

from intercore.benchmarks.prediction_basis import StoredMeasurement, by_setting, check_names, matches
from intercore.errors import UsageError
from intercore.record.measurement import Level
from intercore.record.origin import Origin
from intercore.statistics.intervals import CONFIDENCE
from intercore.text import plural

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from intercore.record.store import StoreReader
    from intercore.statistics.intervals import Interval

TELLING = 0.5
"""Half width of an interval, as a fraction of its value, beyond which it is no answer: the truth may be a third of its
upper bound."""
REPETITIONS = 5
"""Fewest repetitions advised: fewer say little about their differences."""
MOST_REPETITIONS = 50
"""Most that are advised."""
AIM = 0.1
"""Half width of the interval that repetitions are to reach, as a fraction."""
FEWEST_FOR_SINGLE = math.ceil(2 / (1 - CONFIDENCE)) - 1
"""Samples of which one may lie beyond each bound of the interval for a single event."""


# What a prediction is


class NextMeasurement(msgspec.Struct, frozen=True):
    """The measurement that would make an inconclusive prediction conclusive."""

    repetitions: Annotated[int, Meta(ge=1)]
    command: str
    """That measures them."""


class Basis(msgspec.Struct, frozen=True):
    """What a prediction rests on."""

    runs: tuple[int, ...]
    """Their numbers in the store, the newest first."""
    samples: Annotated[int, Meta(ge=1)]
    first: str
    """UTC time of the first of the measurements, ISO 8601."""
    last: str
    """UTC time of the last one."""


class OfTarget(msgspec.Struct, frozen=True):
    """What is predicted of a target."""

    target: str
    simulated: bool
    """Whether it is based on a simulated chip: then a real one may differ."""
    emulated: bool
    """Whether it is based on an emulated chip: then it does not hold for a real one."""

    @property
    def origin(self) -> Origin:
        """Where the numbers come from that it rests on."""
        return "emulated" if self.emulated else "simulated" if self.simulated else "measured"


class Prediction(OfTarget, frozen=True):
    """The prediction for one setting."""

    setting: dict[str, Level]
    """The levels of its factors."""
    extrapolated: bool
    """Whether it is outside of what was measured."""
    conclusive: bool
    """Whether the interval of the time is an answer: neither bound farther off than half of the value."""
    to_measure: NextMeasurement | None
    """The measurement that would make it conclusive; None if it is."""
    basis: Basis
    notes: tuple[str, ...]
    """Caveats, as sentences."""


P = TypeVar("P", bound=Prediction)


class Rank(msgspec.Struct, Generic[P], frozen=True):
    """One setting in its place."""

    given: dict[str, Level]
    """The levels that are not chosen by speed and are common to all alternatives."""
    rank: Annotated[int, Meta(ge=1)]
    """1 is the fastest under what is given."""
    times_first: float
    """How many times as long it takes as the first, by their medians."""
    told_from_first: bool
    """Whether its interval and that of the first have nothing in common; true of the first itself."""
    prediction: P


class Ranking(OfTarget, Generic[P], frozen=True):
    """The prediction for each measured setting that matches the question."""

    ranking: tuple[Rank[P], ...]
    """By the given levels, then by rank."""
    left_out: tuple[str, ...]
    """Settings of which there is no prediction, a sentence each without its full stop, with the reason."""
    to_measure: NextMeasurement | None
    """The measurement that would make all predictions conclusive; None if all are."""


# How one comes about

K = TypeVar("K", bound=StoredMeasurement)
R = TypeVar("R")


@dataclass(frozen=True, kw_only=True)
class Question(ABC, Generic[K, P, R]):
    """A question on a benchmark on a target, with the model that answers it."""

    benchmark: str
    target: str
    wanted: Mapping[str, str]
    """The levels that were named, by factor."""
    no_setting: Collection[str]
    """Factors that do not distinguish settings."""
    given: Collection[str]
    """Factors that are not chosen by speed: each of their combinations has a separate ranking."""
    extrapolate: bool

    @abstractmethod
    def measured(self, store: StoreReader) -> Iterable[K]:
        """Return all measurements that may say something, those of the newest run first."""

    @abstractmethod
    def missing(self) -> tuple[str, str]:
        """Return the missing measurements of a store, in words, and the command that makes them."""

    @abstractmethod
    def in_words(self, ours: Sequence[K]) -> str:
        """Return the setting of measurements as people read it."""

    @abstractmethod
    def of_setting(self, ours: Sequence[K]) -> P:
        """Predict one setting from its measurements; raises UsageError if they do not suffice."""

    @abstractmethod
    def of_unmeasured(self, known: Sequence[K]) -> P:
        """Predict a setting without measurements from those of others, or raise UsageError."""

    @abstractmethod
    def time_us(self, found: P) -> Interval:
        """Return the time that settings are ranked by."""

    @abstractmethod
    def to_measure(self, open_ones: Sequence[P]) -> NextMeasurement:
        """Return the measurement that would make several predictions conclusive."""

    @abstractmethod
    def ranking(self, ranks: tuple[Rank[P], ...], left_out: tuple[str, ...], to_measure: NextMeasurement | None) -> R:
        """Return the predictions of several settings, which are in their order."""

    def answer(self, store: StoreReader) -> P | R:
        """Predict from the runs of a store: one setting, or all settings that match the question, ranked.

        Raises UsageError for what was not measured or does not exist.
        """
        known = list(self.measured(store))
        if not known:
            what, command = self.missing()
            raise UsageError(f"nothing can be predicted, because {store.path} holds no {what}. To measure: {command}")
        check_names(self.benchmark, self.wanted, known, self.no_setting)
        ours = [one for one in known if matches(one.measurement, self.wanted)]
        if not ours:
            return self.of_unmeasured(known)
        settings = by_setting(ours, self.no_setting)
        return self.of_setting(ours) if len(settings) == 1 else self._of_all(settings)

    def _of_all(self, settings: Sequence[Sequence[K]]) -> R:
        """Predict each setting and rank them; raises UsageError if there is no prediction of any."""
        predictions, refusals = [], {}
        for ours in settings:
            try:
                predictions.append(self.of_setting(ours))
            except UsageError as error:
                refusals[self.in_words(ours)] = str(error)
        if not predictions:
            reasons = list(refusals.values())
            others = sum(reason != reasons[0] for reason in refusals.values())
            more = f". {plural(others, 'setting')} failed for other reasons" if others else ""
            raise UsageError(
                f"none of the {len(settings)} settings can be predicted. The first failed because of this error: "
                f"{reasons[0]}{more}"
            )
        left_out = tuple(f"{where}: {reason}" for where, reason in refusals.items())
        open_ones = [one for one in predictions if one.to_measure is not None]
        to_measure = self.to_measure(open_ones) if open_ones else None
        return self.ranking(tuple(self._ranked(predictions)), left_out, to_measure)

    def _ranked(self, predictions: Iterable[P]) -> Iterator[Rank[P]]:
        """Put predictions in order by how long each takes, those under the same `given` levels together."""
        groups: dict[tuple[tuple[str, Level], ...], list[P]] = {}
        for one in predictions:
            given = tuple((name, one.setting[name]) for name in self.given if name in one.setting)
            groups.setdefault(given, []).append(one)
        for given, group in sorted(groups.items(), key=repr):
            ordered = sorted(group, key=lambda one: self.time_us(one).value)
            first = self.time_us(ordered[0])
            for rank, one in enumerate(ordered, start=1):
                time = self.time_us(one)
                yield Rank(dict(given), rank, time.value / first.value, rank == 1 or _is_above(time, first), one)


def _is_above(one: Interval, other: Interval) -> bool:
    """Whether the interval of one begins above that of another: the two differ."""
    return one.low is not None and other.high is not None and other.high < one.low


def is_conclusive(median: Interval) -> bool:
    """Whether an interval is an answer: known, and not wider than TELLING to either side."""
    if median.low is None or median.high is None:
        return False
    return max(median.high - median.value, median.value - median.low) <= TELLING * median.value


def advised(done: int, off: float) -> int:
    """Return how many repetitions it takes until a median is known to AIM.

    `off` is the standard error of the median of the `done` ones, as a fraction.
    """
    needed = math.ceil(done * (2 * off / AIM) ** 2)
    return min(max(needed, REPETITIONS), MOST_REPETITIONS)


def run_command(
    target: str, benchmark: str, settings: Iterable[Mapping[str, Level]], repetitions: int, own: Iterable[str] = ()
) -> str:
    """Return the command that measures settings: all combinations of the levels that these have.

    `own` are levels that are not of the settings, as typed: `size=300`.
    """
    levels: dict[str, dict[str, None]] = {}
    for setting in settings:
        for name, level in setting.items():
            levels.setdefault(name, {})[str(level)] = None
    words = [*own, *(f"{name}={','.join(known)}" for name, known in levels.items())]
    return f"intercore run {target} {benchmark} {' '.join(words)} --repetitions {repetitions}"


def single_bounds(samples: NDArray[np.float64]) -> tuple[float, float] | None:
    """Return the bounds within which 95 of 100 further samples are; None with fewer than FEWEST_FOR_SINGLE.

    By ranks, whatever they follow: a further sample is below the k-th of n in k of n + 1 cases.
    """
    ordered = np.sort(samples)
    beyond = math.floor((len(ordered) + 1) * (1 - CONFIDENCE) / 2)
    return (float(ordered[beyond - 1]), float(ordered[-beyond])) if beyond else None
