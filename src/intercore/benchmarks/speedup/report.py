"""The report of the benchmark `speedup`: S and E by size; overhead and break-even beside published ones."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from intercore.benchmarks.benchmark import AS_USUAL
from intercore.benchmarks.published import published
from intercore.benchmarks.speedup import EFFICIENCY
from intercore.benchmarks.speedup.analysis import analyse, analyse_published
from intercore.benchmarks.speedup.answers import answers, paying, remarks
from intercore.benchmarks.speedup.caveats import caveats
from intercore.benchmarks.speedup.document import to_json
from intercore.benchmarks.speedup.points import BENCHMARK
from intercore.benchmarks.speedup.publication import SpeedupPublication
from intercore.benchmarks.speedup.results import results
from intercore.benchmarks.speedup.thresholds import threshold_tables
from intercore.benchmarks.speedup.thresholds import to_json as thresholds_to_json
from intercore.finding import texts
from intercore.record import conditions
from intercore.view.quantity import FORMATS, bounds, duration, duration_with_bounds, significant
from intercore.view.section import Report, Section, where, whose
from intercore.view.table import Column, Table

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from intercore.benchmarks.benchmark import View
    from intercore.benchmarks.speedup.analysis import SpeedupAnalysis
    from intercore.benchmarks.speedup.break_even import BreakEven
    from intercore.benchmarks.speedup.fit import ForkJoinFit
    from intercore.benchmarks.speedup.isoefficiency import Isoefficiency
    from intercore.benchmarks.speedup.points import SpeedupPoint
    from intercore.benchmarks.speedup.publication import PublishedRow, PublishedSetting
    from intercore.record.measurement import Level, Run
    from intercore.statistics.intervals import Interval

_PRINTED_FROM_US = 1000.0  # shorter times are written to three digits


TITLE = "What more than one core buys (speedup)"


class Analysed(NamedTuple):
    """What the page draws of a run, together with others."""

    analysis: SpeedupAnalysis
    efficiency: float
    """The one wanted."""
    view: View


def report(run: Run, efficiency: float = EFFICIENCY.default, view: View = AS_USUAL) -> Report:
    """Report on the measurements of `speedup`; `efficiency` is the one wanted of all cores."""
    analysis = analyse(run.measurements, efficiency)
    document = to_json(analysis)
    found = [
        *results(analysis, run.measurements, efficiency),
        *caveats(analysis, (*run.measurements, *run.failed), run.plan.origin),
    ]
    return Report(
        BENCHMARK,
        {**document, "thresholds": thresholds_to_json(efficiency)},
        document["speedup"],
        found,
        Section(
            TITLE,
            texts(found),
            [
                _point_table(run, analysis.points),
                _cost_table(run, analysis, efficiency),
                *threshold_tables(efficiency),
                *literature_tables(run, analysis.points),
            ],
        ),
        analysis=Analysed(analysis, efficiency, view),
        topic="parallel work",
        answers=tuple(answers(analysis, efficiency)),
        costs=tuple(paying(analysis, efficiency)),
        remarks=tuple(remarks(analysis)),
    )


def _point_table(run: Run, points: Sequence[SpeedupPoint]) -> Table[SpeedupPoint]:
    """One row per point. What all points share stands in the title, what differs in columns."""
    levels: dict[str, set[Level]] = {}
    for point in points:
        for name, level in point.setting.items():
            levels.setdefault(name, set()).add(level)
    varied = [name for name, known in levels.items() if len(known) > 1 and name != "n"]
    shared = [f"{name}={next(iter(known))}" for name, known in levels.items() if len(known) == 1 and name != "n"]
    return Table(
        title=f"Speed-up on {where(run)}: {' '.join(shared)}",
        rows=points,
        columns=[
            *(_level_column(name) for name in varied),
            Column("n", lambda point: f"{point.n:,}", right=True),
            Column("T1", lambda point: duration(point.t1_us.value), right=True),
            Column("TP", lambda point: duration(point.tp_us.value), right=True),
            Column("S", lambda point: f"{point.speedup.value:.3f}", right=True),
            Column("S, 95 %", lambda point: bounds(point.speedup, "{:.3f}".format), right=True),
            Column("E", lambda point: f"{point.efficiency.value:.1%}", right=True),
            Column("Karp–Flatt", _karp_flatt, right=True),
        ],
    )


def _level_column(name: str) -> Column[SpeedupPoint]:
    return Column(name, lambda point: str(point.setting[name]))


def _karp_flatt(point: SpeedupPoint) -> str:
    return "" if point.karp_flatt is None else f"{point.karp_flatt.value:.3f}"


class _Printed(NamedTuple):
    """A size as a publication prints it, of theirs or of ours."""

    n: int
    of: str
    t1_us: float
    tp_us: float
    speedup: float | None
    """Of theirs as printed, which may be of more digits than the durations; None if it is not."""
    efficiency: float | None
    """Of theirs as printed, which need not be S / P."""
    cores: int
    past_tick_us: float | None
    """How long after the last whole tick of its kernel TP ended, if it had begun with one; None if the tick is not
    known."""


def literature_tables(run: Run, points: Sequence[SpeedupPoint]) -> Iterator[Table[_Printed]]:
    """Show each published table with the sizes that were measured here, of the same work, started in the same way."""
    tick_hz = conditions.tick_hz(run)
    for table in published(SpeedupPublication):
        shared = table.setting
        same = [
            one
            for one in points
            if (one.workload, one.mode, one.cores) == (shared.workload, shared.mode, shared.cores)
            and any(one.n == row.n for row in table.figures.rows)
        ]
        theirs = [_theirs(row, shared) for row in table.figures.rows]
        told = [name for name in (same[0].setting if same else ()) if len({one.setting[name] for one in same}) > 1]
        ours = [
            _ours(" ".join([whose(run), *(f"{name}={one.setting[name]}" for name in told)]), one, tick_hz)
            for one in same
        ]
        if ours:
            yield Table(
                f"{table.source.table} of {table.label}, and its sizes on {where(run)}",
                sorted([*theirs, *ours], key=lambda row: row.n),
                [
                    Column("n", lambda row: f"{row.n:,}", right=True),
                    Column("of", lambda row: row.of),
                    Column("T1, ms", lambda row: _ms(row.t1_us), right=True),
                    Column("TP, ms", lambda row: _ms(row.tp_us), right=True),
                    Column("S", lambda row: "" if row.speedup is None else f"{row.speedup:.4f}", right=True),
                    Column("S / P", _share, right=True),
                    Column("E", lambda row: "" if row.efficiency is None else f"{row.efficiency:.1%}", right=True),
                    Column("past a tick", _past_tick, right=True),
                ],
                published=True,
            )


def _theirs(row: PublishedRow, shared: PublishedSetting) -> _Printed:
    tp_us = row.tp_ms * 1e3
    past = _beyond(tp_us, shared.tick_hz)
    return _Printed(row.n, "published", row.t1_ms * 1e3, tp_us, row.speedup, row.efficiency, shared.cores, past)


def _ours(of: str, point: SpeedupPoint, tick_hz: int | None) -> _Printed:
    t1_us, tp_us = point.t1_us.value, point.tp_us.value
    past = _beyond(tp_us, tick_hz)
    return _Printed(point.n, of, t1_us, tp_us, point.speedup.value, point.efficiency.value, point.cores, past)


def _beyond(us: float, tick_hz: int | None) -> float | None:
    return None if tick_hz is None else us % (1e6 / tick_hz)


def _share(row: _Printed) -> str:
    return "" if row.speedup is None else f"{row.speedup / row.cores:.2%}"


def _ms(us: float) -> str:
    """Write a time in ms as it is printed there, to two decimals; a short one to three digits."""
    return f"{us / 1e3:,.2f}" if us >= _PRINTED_FROM_US else significant(us / 1e3)


def _past_tick(row: _Printed) -> str:
    return "" if row.past_tick_us is None else f"{row.past_tick_us / 1e3:.2f} ms"


class _Cost(NamedTuple):
    where: str
    cycle_hz: int | None
    fit: ForkJoinFit

    def duration(self, estimate: Interval) -> str:
        """Write a duration given in µs; where cycles have one length, also as so many of them."""
        return duration_with_bounds(estimate) + self._cycles(estimate.value)

    def bound(self, us: float) -> str:
        """Write a duration in the same way that is but a bound."""
        return duration(us) + self._cycles(us)

    def work(self, found: BreakEven | Isoefficiency) -> str:
        """Write how long the work takes one core, and its size; or why that cannot be told."""
        if found.t1_us is None:
            return str(found.reason)
        size = "" if found.n is None else f"\nn ≈ {FORMATS['count'](found.n.value)}"
        return self.duration(found.t1_us) + size + ("\nextrapolated" if found.extrapolated else "")

    def _cycles(self, us: float) -> str:
        return "" if self.cycle_hz is None else "\n" + FORMATS["cycles"](us * self.cycle_hz / 1e6)


def _cost_table(run: Run, analysis: SpeedupAnalysis, efficiency: float) -> Table[_Cost]:
    """One row per fit of the run and per published table, told apart by the first column."""
    hz = conditions.cycle_hz(run)
    rows = [_Cost(whose(run), hz, fit) for fit in analysis.fits]
    for table in published(SpeedupPublication):
        fits = analyse_published(table, efficiency).fits
        rows += [_Cost(f"published: {table.label}", table.setting.cpu_hz, fit) for fit in fits]
    shared = set.intersection(*(set(fit.group.split()) for fit in analysis.fits)) if len(analysis.fits) > 1 else set()
    return Table(
        title="Cost of fork and join, break-even (S = 1), and "
        f"work for {efficiency:.0%} efficiency, with 95 % intervals",
        rows=rows,
        columns=[
            Column("where", lambda row: row.where),
            Column("setting", lambda row: " ".join(word for word in row.fit.group.split() if word not in shared)),
            Column("overhead", _overhead),
            Column("break-even at T1", lambda row: row.work(row.fit.break_even)),
            Column(f"{efficiency:.0%} from T1", lambda row: row.work(row.fit.isoefficiency)),
        ],
    )


def _overhead(row: _Cost) -> str:
    below = row.fit.resolution_us
    return row.duration(row.fit.overhead_us) if below is None else "too small to tell: below " + row.bound(below)
