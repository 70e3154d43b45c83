"""How many samples of a message it takes, from a pilot of many more: as the 1024 of seed 003 follow from its 65536."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Annotated

import msgspec
import numpy as np
from msgspec import Meta

from intercore.benchmarks.message.curve import Measure, in_words
from intercore.benchmarks.message.findings import (
    MessagePilotPublished,
    MessagePilotRepetitions,
    MessagePilotSamples,
    MessagePilotTwoLevels,
)
from intercore.benchmarks.message.publication import MessagePublication
from intercore.benchmarks.published import published
from intercore.record.measurement import Level
from intercore.statistics.sample_size import median_within, samples_for_mean, samples_for_median
from intercore.view.quantity import percent
from intercore.view.table import Column, Table

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from intercore.benchmarks.message.curve import Curve
    from intercore.finding import Finding

PILOT = 1000
"""Fewest samples of a setting and size for a pilot: fewer are too rough for the density near the median."""

Samples = Annotated[int, Meta(ge=1)]


class MessagePilot(msgspec.Struct, frozen=True):
    """How many samples of one setting and size are enough."""

    measure: Measure
    setting: dict[str, Level]
    """The levels that distinguish it from others."""
    bytes: Samples
    samples: Samples
    """Of the pilot."""
    repetitions: Samples
    """Of the pilot, begun again each."""
    within: Annotated[float, Meta(gt=0, lt=1)]
    """The fraction to either side within which the time is to be known, with 95 % confidence."""
    for_median: Samples | None
    """Samples of one repetition that make the interval of the median so narrow; None if no number does, as between two
    levels."""
    for_mean: Samples | None
    """The same for the mean."""
    median_within: dict[str, float]
    """By a number of samples that a publication took: the fraction within which so many know the median."""
    repetitions_within: float | None
    """The fraction within which the pilot's repetitions know it, by how much their medians differ: where that is more
    than `within`, more samples are not enough, but more repetitions are. None of a single one."""


def pilots(found: Sequence[Curve], within: float) -> tuple[MessagePilot, ...]:
    """Return how many samples it takes of each setting and size that has PILOT samples or more."""
    return tuple(
        _pilot(curve, size, within)
        for curve in found
        for size in curve.measurements
        if len(curve.samples(size)) >= PILOT and float(np.median(curve.samples(size))) > 0
    )


def _pilot(curve: Curve, size: int, within: float) -> MessagePilot:
    pool = curve.measurements[size]
    values = curve.samples(size)
    taken = sorted({table.figures.samples for table in published(MessagePublication)})
    known = curve.median(size)
    apart = None
    if len(pool) > 1 and known.low is not None and known.high is not None:
        apart = max(known.high - known.value, known.value - known.low) / known.value
    return MessagePilot(
        curve.measure,
        dict(curve.setting),
        size,
        len(values),
        len(pool),
        within,
        samples_for_median(values, within),
        samples_for_mean(values, within),
        {str(samples): median_within(values, samples) for samples in taken},
        apart,
    )


def pilot_results(found: Sequence[MessagePilot]) -> Iterator[Finding]:
    """Return how many samples are enough everywhere, and what as many as were published know."""
    if not found:
        return
    within = found[0].within
    known = [one for one in found if one.for_median is not None]
    if known:
        most = max(known, key=lambda one: one.for_median or 0)
        yield MessagePilotSamples(
            pilot_samples=min(one.samples for one in found),
            within=within,
            samples=most.for_median or 0,
            measure=most.measure,
            curve=most.setting,
            bytes=most.bytes,
            known=len(known),
            asked=len(found),
        )
    if len(known) < len(found):
        yield MessagePilotTwoLevels(unknown=len(found) - len(known), asked=len(found), within=within)
    for table in published(MessagePublication):
        yield MessagePilotPublished(
            samples=table.figures.samples,
            pilot_samples=table.figures.pilot_samples,
            publication=table.label,
            within=max(one.median_within[str(table.figures.samples)] for one in found),
        )
    apart = [one for one in found if one.repetitions_within is not None and one.repetitions_within > one.within]
    if apart:
        worst = max(one.repetitions_within or 0.0 for one in apart)
        yield MessagePilotRepetitions(apart=len(apart), asked=len(found), within=worst)


def pilot_table(found: Sequence[MessagePilot], where: str) -> Table[MessagePilot]:
    """Show them, a row for each setting and size."""
    names = [name for name in found[0].setting if len({str(one.setting.get(name)) for one in found}) > 1]
    taken = list(found[0].median_within)
    columns = [
        *([Column[MessagePilot]("setting", lambda one: in_words(one.setting, names))] if names else []),
        Column("bytes", lambda one: f"{one.bytes:,}", right=True),
        Column("pilot", lambda one: f"{one.repetitions} × {one.samples // one.repetitions:,}", right=True),
        Column("for the median", lambda one: _samples(one.for_median), right=True),
        Column("for the mean", lambda one: _samples(one.for_mean), right=True),
        *(Column[MessagePilot](f"{samples} give it to", partial(_known, samples), right=True) for samples in taken),
        Column("all to", _repetitions, right=True),
    ]
    return Table(f"Samples needed for a time to ±{percent(found[0].within)} on {where}", found, columns)


def _known(samples: str, one: MessagePilot) -> str:
    return f"±{percent(one.median_within[samples])}"


def _samples(samples: int | None) -> str:
    return "none do" if samples is None else f"{samples:,}"


def _repetitions(one: MessagePilot) -> str:
    return "–" if one.repetitions_within is None else f"±{percent(one.repetitions_within)}"
