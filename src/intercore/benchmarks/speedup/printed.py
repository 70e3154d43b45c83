"""Sizes as a publication prints them, and one's own in the same form."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from intercore.benchmarks.published import published
from intercore.benchmarks.speedup.publication import SpeedupPublication
from intercore.record import conditions
from intercore.view.quantity import bounds, significant
from intercore.view.section import where, whose
from intercore.view.table import Column, Table

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from intercore.benchmarks.speedup.points import SpeedupPoint
    from intercore.benchmarks.speedup.publication import PublishedRow, PublishedSetting
    from intercore.record.measurement import Run

_PRINTED_FROM_US = 1000.0  # shorter times are written to three digits


class Printed(NamedTuple):
    """A size as a publication prints it, of theirs or of ours."""

    n: int
    of: str
    t1_us: float
    tp_us: float
    speedup: float | None
    """Of theirs as printed, which may be of more digits than the durations; None if it is not."""
    bounds: str
    """The interval of it; empty of theirs."""
    efficiency: float | None
    """Of theirs as printed, which need not be S / P."""
    cores: int
    past_tick_us: float | None
    """How long after the last whole tick of its kernel TP ended, if it had begun with one; None if the tick is not
    known."""


def _is_theirs(row: Printed) -> bool:
    return row.of == "published"


def alike(points: Sequence[SpeedupPoint], table: SpeedupPublication) -> list[SpeedupPoint]:
    """Return the points of the same work on as many cores, started in the same way, as in a publication."""
    shared = table.setting
    wanted = shared.workload, shared.mode, shared.cores
    return [one for one in points if (one.workload, one.mode, one.cores) == wanted]


def literature_tables(run: Run, points: Sequence[SpeedupPoint]) -> Iterator[Table[Printed]]:
    """Show each published table with the sizes that were measured here, of the same work, started in the same way."""
    for table in published(SpeedupPublication):
        sizes = {row.n for row in table.figures.rows}
        if same := [one for one in alike(points, table) if one.n in sizes]:
            yield beside(run, table, same, f"{table.source.table} of {table.label}, and the same sizes on {where(run)}")


def beside(run: Run, table: SpeedupPublication, same: Sequence[SpeedupPoint], title: str) -> Table[Printed]:
    """Show a published table with points of a run, by size."""
    return Table(
        title,
        _rows(run, table, same),
        [
            *(_N, _OF, _T1, _TP, _S, _S_BOUNDS),
            Column("S / P", _share, right=True),
            _E,
            Column("TP mod tick", _past_tick, right=True),
        ],
        published=True,
        is_theirs=_is_theirs,
    )


def as_printed(run: Run, table: SpeedupPublication, same: Sequence[SpeedupPoint], title: str) -> Table[Printed]:
    """Show this run's values in the columns of the publication, with the intervals of S."""
    return Table(
        title, _rows(run, table, same), [_N, _OF, _T1, _TP, _S, _S_BOUNDS, _E], published=True, is_theirs=_is_theirs
    )


def curve(run: Run, table: SpeedupPublication, same: Sequence[SpeedupPoint], title: str) -> Table[Printed]:
    """Show the points of a curve of S, published ones and those of a run, by size."""
    return Table(title, _rows(run, table, same), [_N, _OF, _T1, _S, _S_BOUNDS], published=True, is_theirs=_is_theirs)


_N: Column[Printed] = Column("n", lambda row: f"{row.n:,}", right=True)
_OF: Column[Printed] = Column("of", lambda row: row.of)
_T1: Column[Printed] = Column("T1, ms", lambda row: _ms(row.t1_us), right=True)
_TP: Column[Printed] = Column("TP, ms", lambda row: _ms(row.tp_us), right=True)
_S: Column[Printed] = Column("S", lambda row: "" if row.speedup is None else f"{row.speedup:.4f}", right=True)
_S_BOUNDS: Column[Printed] = Column("S here, 95 %", lambda row: row.bounds, right=True)
_E: Column[Printed] = Column("E", lambda row: "" if row.efficiency is None else f"{row.efficiency:.1%}", right=True)


def _rows(run: Run, table: SpeedupPublication, same: Sequence[SpeedupPoint]) -> list[Printed]:
    tick_hz = conditions.tick_hz(run)
    varying = [name for name in same[0].setting if len({one.setting[name] for one in same}) > 1]
    theirs = [_theirs(row, table.setting) for row in table.figures.rows]
    ours = [
        _ours(" ".join([whose(run), *(f"{name}={one.setting[name]}" for name in varying)]), one, tick_hz)
        for one in same
    ]
    return sorted([*theirs, *ours], key=lambda row: row.n)


def _theirs(row: PublishedRow, shared: PublishedSetting) -> Printed:
    tp_us = row.tp_ms * 1e3
    past = _beyond(tp_us, shared.tick_hz)
    return Printed(row.n, "published", row.t1_ms * 1e3, tp_us, row.speedup, "", row.efficiency, shared.cores, past)


def _ours(of: str, point: SpeedupPoint, tick_hz: int | None) -> Printed:
    t1_us, tp_us, speedup = point.t1_us.value, point.tp_us.value, point.speedup
    span = bounds(speedup, "{:.4f}".format)
    past = _beyond(tp_us, tick_hz)
    return Printed(point.n, of, t1_us, tp_us, speedup.value, span, point.efficiency.value, point.cores, past)


def _beyond(us: float, tick_hz: int | None) -> float | None:
    return None if tick_hz is None else us % (1e6 / tick_hz)


def _share(row: Printed) -> str:
    return "" if row.speedup is None else f"{row.speedup / row.cores:.2%}"


def _ms(us: float) -> str:
    """Write a time in ms as it is printed there, to two decimals; a short one to three digits."""
    return f"{us / 1e3:,.2f}" if us >= _PRINTED_FROM_US else significant(us / 1e3)


def _past_tick(row: Printed) -> str:
    return "" if row.past_tick_us is None else f"{row.past_tick_us / 1e3:.2f} ms"
