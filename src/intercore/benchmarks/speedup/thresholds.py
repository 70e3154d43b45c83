"""Durations in the text of a publication, with those that its table implies by the fit of this benchmark."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from intercore.benchmarks.published import published
from intercore.benchmarks.speedup.analysis import analyse_published
from intercore.benchmarks.speedup.publication import SpeedupPublication
from intercore.statistics.intervals import Interval
from intercore.view.quantity import bounds, duration_with_bounds, significant
from intercore.view.table import Column, Table, interval_cells

if TYPE_CHECKING:
    from collections.abc import Iterator

    from intercore.benchmarks.speedup.break_even import BreakEven
    from intercore.benchmarks.speedup.fit import ForkJoinFit
    from intercore.benchmarks.speedup.isoefficiency import Isoefficiency


class StatedDuration(NamedTuple):
    """A duration, and the statement on it."""

    t1_us: Interval
    """Of one core, µs: where a publication does not say of which, it is taken for that."""
    side: str
    """`below` or `above`; empty of a duration that the table implies."""
    place: str
    """Where the publication names it; of one that its table implies, the table."""
    statement: str
    likely: str | None
    """The likely duration; None if unknown."""
    speedup: Interval
    """S of work that takes one core so long, by the fit to the table."""
    efficiency: Interval
    """S / P."""
    extrapolated: bool
    """Whether the table has no work so small or so large."""


class Thresholds(NamedTuple):
    """The durations in the text of one publication, and those implied by its table."""

    table: SpeedupPublication
    named: tuple[StatedDuration, ...]


def thresholds(efficiency: float) -> Iterator[Thresholds]:
    """Return them for each publication that names any; `efficiency` is the one wanted of all cores."""
    for table in published(SpeedupPublication):
        if table.figures.thresholds:
            (fit,) = analyse_published(table, efficiency).fits
            implied = [*_implied(table, fit, fit.break_even), *_implied(table, fit, fit.isoefficiency)]
            found = [*_named(table, fit), *implied]
            yield Thresholds(table, tuple(sorted(found, key=lambda one: one.t1_us.value)))


def _named(table: SpeedupPublication, fit: ForkJoinFit) -> Iterator[StatedDuration]:
    known = [row.t1_ms for row in table.figures.rows]
    for one in table.figures.thresholds:
        speedup = fit.speedup_at(one.ms * 1e3)
        yield StatedDuration(
            Interval(one.ms * 1e3),
            one.side,
            one.place,
            one.statement,
            one.likely,
            speedup,
            _over(speedup, fit.cores),
            not min(known) <= one.ms <= max(known),
        )


def _over(speedup: Interval, cores: int) -> Interval:
    low, high = (None if end is None else end / cores for end in (speedup.low, speedup.high))
    return Interval(speedup.value / cores, low, high)


def _implied(table: SpeedupPublication, fit: ForkJoinFit, found: BreakEven | Isoefficiency) -> Iterator[StatedDuration]:
    """Return where S = 1, or where the wanted efficiency is reached, if the table gives it."""
    if found.t1_us is not None:
        wanted = 1 / fit.cores if found is fit.break_even else fit.isoefficiency.efficiency
        statement = f"{fit.cores} cores are as fast as one" if found is fit.break_even else f"{wanted:.0%} of all cores"
        place = f"{table.source.table}, by its fit"
        there = Interval(wanted * fit.cores), Interval(wanted)
        yield StatedDuration(found.t1_us, "", place, statement, None, *there, found.extrapolated)


def to_json(efficiency: float) -> dict[str, list[dict[str, object]]]:
    """Return the same in the documented shape, by publication; durations in ms."""
    return {
        found.table.id: [
            {
                "place": one.place,
                "side": one.side or None,
                "ms": one.t1_us.value / 1e3,
                "ms_low": None if one.t1_us.low is None else one.t1_us.low / 1e3,
                "ms_high": None if one.t1_us.high is None else one.t1_us.high / 1e3,
                "statement": one.statement,
                "likely": one.likely,
                **interval_cells("efficiency", one.efficiency),
                "extrapolated": one.extrapolated,
            }
            for one in found.named
        ]
        for found in thresholds(efficiency)
    }


def threshold_tables(efficiency: float) -> Iterator[Table[StatedDuration]]:
    """Show each publication's durations with S and E there, and what its own table implies, by duration."""
    for found in thresholds(efficiency):
        yield Table(
            f"Short work: the text of {found.table.label} and the result of its {found.table.source.table}",
            found.named,
            [
                Column("T1", _t1),
                Column("where", lambda one: one.place),
                Column("S, by the fit", _speedup, right=True),
                Column("E", lambda one: f"{one.efficiency.value:.1%}", right=True),
                Column("statement", lambda one: one.statement + (f" (likely {one.likely})" if one.likely else "")),
            ],
            published=True,
        )


def _t1(one: StatedDuration) -> str:
    side = f"{one.side} " if one.side else ""
    return f"{side}{duration_with_bounds(one.t1_us)}" + ("\nextrapolated" if one.extrapolated else "")


def _speedup(one: StatedDuration) -> str:
    interval = bounds(one.speedup, significant)
    return f"{significant(one.speedup.value)}" + (f" ({interval})" if interval else "")
