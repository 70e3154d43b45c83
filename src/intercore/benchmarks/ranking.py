"""Settings in the order of what is predicted of them, those that are compared with each other by themselves."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Generic, Protocol, TypeVar

import msgspec
from msgspec import Meta

from intercore.benchmarks.prediction_answer import is_above
from intercore.errors import UsageError
from intercore.record.measurement import Level
from intercore.record.origin import Origin

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

    from intercore.statistics.intervals import Interval


class OfTarget(msgspec.Struct, frozen=True):
    """What is predicted of a target."""

    target: str
    simulated: bool
    """Whether it rests on a simulated chip: then it says nothing certain about a real one."""
    emulated: bool
    """Whether it rests on an emulated chip: then it says nothing about a real one."""

    @property
    def origin(self) -> Origin:
        """Where the numbers come from that it rests on."""
        return "emulated" if self.emulated else "simulated" if self.simulated else "measured"


class _OfSetting(Protocol):
    @property
    def setting(self) -> dict[str, Level]: ...


P = TypeVar("P", bound=_OfSetting)


class Rank(msgspec.Struct, Generic[P], frozen=True):
    """One setting in its place."""

    given: dict[str, Level]
    """What nobody chooses by speed, of all it is compared with."""
    rank: Annotated[int, Meta(ge=1)]
    """1 is the fastest under what is given."""
    times_first: float
    """How many times as long it takes as the first, by their medians."""
    told_from_first: bool
    """Whether its interval and that of the first have nothing in common; true of the first itself."""
    prediction: P


S = TypeVar("S")


def predict_each(
    settings: Sequence[S], predict: Callable[[S], P], in_words: Callable[[S], str]
) -> tuple[list[P], tuple[str, ...]]:
    """Return a prediction of each setting that has one, and of the others a sentence each, with the reason.

    Raises UsageError if there is none of any.
    """
    predictions, refusals = [], {}
    for one in settings:
        try:
            predictions.append(predict(one))
        except UsageError as error:
            refusals[in_words(one)] = str(error)
    if not predictions:
        reasons = list(dict.fromkeys(refusals.values()))
        more = f"; {len(reasons) - 1} more settings have reasons of their own" if len(reasons) > 1 else ""
        raise UsageError(f"none of the {len(settings)} settings can be predicted: {reasons[0]}{more}")
    return predictions, tuple(f"{where}: {reason}" for where, reason in refusals.items())


def ranked(predictions: Iterable[P], names: Collection[str], us: Callable[[P], Interval]) -> Iterator[Rank[P]]:
    """Put predictions in order by how long each takes, those with the same levels of the factors `names` together."""
    groups: dict[tuple[tuple[str, Level], ...], list[P]] = {}
    for one in predictions:
        given = tuple((name, one.setting[name]) for name in names if name in one.setting)
        groups.setdefault(given, []).append(one)
    for given, group in sorted(groups.items(), key=repr):
        ordered = sorted(group, key=lambda one: us(one).value)
        first = us(ordered[0])
        for rank, one in enumerate(ordered, start=1):
            told = rank == 1 or is_above(us(one), first)
            yield Rank(dict(given), rank, us(one).value / first.value, told, one)
