"""What a message of one size will take by each setting that was measured, the fastest first.

Directions, and what else the cores do, are given: there is a ranking for each of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import msgspec
from msgspec import Meta

from intercore.benchmarks.message.choice import GIVEN
from intercore.benchmarks.message.curve import Measure
from intercore.benchmarks.message.next_measurement import ToMeasure
from intercore.benchmarks.message.prediction_types import Prediction
from intercore.benchmarks.prediction_answer import is_above
from intercore.record.measurement import Level

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from intercore.record.origin import Origin


class PredictedRank(msgspec.Struct, frozen=True):
    """One setting in its place."""

    given: dict[str, Level]
    """Direction, and load, of all it is compared with."""
    rank: Annotated[int, Meta(ge=1)]
    """1 is the fastest under what is given."""
    times_first: float
    """How many times as long it takes as the first, by their medians."""
    told_from_first: bool
    """Whether its interval and that of the first have nothing in common; true of the first itself."""
    prediction: Prediction


class PredictedRanking(msgspec.Struct, frozen=True):
    """What a message of one size will take by each setting that was measured."""

    target: str
    simulated: bool
    emulated: bool
    measure: Measure
    size: Annotated[int, Meta(ge=1)]
    """Bytes of the message."""
    ranking: tuple[PredictedRank, ...]
    """By what is given, then by rank."""
    left_out: tuple[str, ...]
    """Settings of which there is no prediction, a sentence each without its full stop, with the reason."""
    to_measure: ToMeasure | None
    """What would make answers of those predictions that are none; None if all are."""

    @property
    def origin(self) -> Origin:
        """Where the numbers come from that it rests on."""
        return "emulated" if self.emulated else "simulated" if self.simulated else "measured"


def ranked(predictions: Iterable[Prediction]) -> Iterable[PredictedRank]:
    """Put predictions in order, those of one direction and load after the other."""
    groups: dict[tuple[tuple[str, Level], ...], list[Prediction]] = {}
    for one in predictions:
        given = tuple((name, one.setting[name]) for name in GIVEN if name in one.setting)
        groups.setdefault(given, []).append(one)
    for given, group in sorted(groups.items(), key=repr):
        yield from _in_order(dict(given), sorted(group, key=lambda one: one.median_us.value))


def _in_order(given: dict[str, Level], group: Sequence[Prediction]) -> Iterable[PredictedRank]:
    first = group[0].median_us
    for rank, one in enumerate(group, start=1):
        times = one.median_us.value / first.value
        told = rank == 1 or is_above(one.median_us, first)
        yield PredictedRank(given, rank, times, told, one)
