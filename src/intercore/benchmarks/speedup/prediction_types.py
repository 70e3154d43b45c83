"""What a prediction of a speed-up is."""

from __future__ import annotations

from typing import Annotated

import msgspec
from msgspec import Meta

from intercore.benchmarks.ranking import OfTarget, Rank
from intercore.record.measurement import Level
from intercore.statistics.intervals import Interval


class ToMeasure(msgspec.Struct, frozen=True):
    """What would make an answer of a prediction that is none."""

    n: tuple[int, ...]
    """Sizes of the work."""
    repetitions: Annotated[int, Meta(ge=1)]
    command: str
    """That measures them."""


class SpeedupBasis(msgspec.Struct, frozen=True):
    """What a prediction rests on."""

    runs: tuple[int, ...]
    """Their numbers in the store, the newest first."""
    n: tuple[int, ...]
    """Sizes of the work that were measured."""
    shortest_us: float
    """Their shortest duration on one core, as far as its interval reaches."""
    longest_us: float
    samples: Annotated[int, Meta(ge=1)]
    first: str
    """UTC time of the first of the measurements, ISO 8601."""
    last: str
    """UTC time of the last one."""


class SpeedupPrediction(OfTarget, frozen=True):
    """What work of some duration on one core takes on several, at one setting."""

    duration_us: float
    """What the work takes on one core."""
    cores: Annotated[int, Meta(ge=1)]
    setting: dict[str, Level]
    """The factors, without the size of the work."""
    tp_us: Interval
    """What it takes on so many cores, from before the fork to after the join, with the interval for the median of
    another measurement."""
    speedup: Interval
    """`duration_us` / `tp_us`."""
    efficiency: Interval
    """The speed-up by the number of cores, as a fraction."""
    pays: bool | None
    """Whether it is faster than on one core; None if the interval leaves that open."""
    overhead_us: float
    """Of the model TP = (1 + loss) T1 / P + overhead."""
    loss: float
    extrapolated: bool
    """Whether the duration is outside of what was measured."""
    conclusive: bool
    """Whether the interval of `tp_us` is an answer: neither bound farther off than half of the value."""
    to_measure: ToMeasure | None
    """What would make it one; None if it is."""
    basis: SpeedupBasis
    notes: tuple[str, ...]
    """Sentences on what makes it doubtful."""


class SpeedupRanking(OfTarget, frozen=True):
    """What work takes by each setting that was measured and is not ruled out."""

    duration_us: float
    ranking: tuple[Rank[SpeedupPrediction], ...]
    """By what is given, then by rank."""
    left_out: tuple[str, ...]
    """Settings of which there is no prediction, a sentence each without its full stop, with the reason."""
    to_measure: ToMeasure | None
    """What would make answers of those predictions that are none; None if all are."""
