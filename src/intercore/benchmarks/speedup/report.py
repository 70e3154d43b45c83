"""The report of the benchmark `speedup`: S and E by size; overhead and break-even with published ones."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from intercore.benchmarks.benchmark import AS_USUAL
from intercore.benchmarks.published import published
from intercore.benchmarks.speedup import EFFICIENCY
from intercore.benchmarks.speedup.analysis import analyse, analyse_published
from intercore.benchmarks.speedup.answers import answers, break_even_ranges, remarks
from intercore.benchmarks.speedup.caveats import caveats
from intercore.benchmarks.speedup.document import to_json
from intercore.benchmarks.speedup.exhibits import exhibits
from intercore.benchmarks.speedup.points import BENCHMARK
from intercore.benchmarks.speedup.printed import literature_tables
from intercore.benchmarks.speedup.publication import SpeedupPublication
from intercore.benchmarks.speedup.results import results
from intercore.benchmarks.speedup.thresholds import threshold_tables
from intercore.benchmarks.speedup.thresholds import to_json as thresholds_to_json
from intercore.finding import texts
from intercore.record import conditions
from intercore.view.quantity import FORMATS, bounds, duration, duration_with_bounds
from intercore.view.section import Report, Section, where, whose
from intercore.view.table import Column, Table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from intercore.benchmarks.benchmark import View
    from intercore.benchmarks.speedup.analysis import SpeedupAnalysis
    from intercore.benchmarks.speedup.break_even import BreakEven
    from intercore.benchmarks.speedup.fit import ForkJoinFit
    from intercore.benchmarks.speedup.isoefficiency import Isoefficiency
    from intercore.benchmarks.speedup.points import SpeedupPoint
    from intercore.record.measurement import Level, Run
    from intercore.statistics.intervals import Interval

TITLE = "Speed-up on several cores (speedup)"


class SpeedupResult(NamedTuple):
    """The data of a run that the page draws together with others."""

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
        analysis=SpeedupResult(analysis, efficiency, view),
        topic="parallel work",
        answers=tuple(answers(analysis, efficiency)),
        exhibits=tuple(exhibits(run, analysis, efficiency)),
        costs=tuple(break_even_ranges(analysis, efficiency)),
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
        """Write the time of the work on one core, and its size; or why it is unknown."""
        if found.t1_us is None:
            return str(found.reason)
        size = "" if found.n is None else f"\nn ≈ {FORMATS['count'](found.n.value)}"
        return self.duration(found.t1_us) + size + ("\nextrapolated" if found.extrapolated else "")

    def _cycles(self, us: float) -> str:
        return "" if self.cycle_hz is None else "\n" + FORMATS["cycles"](us * self.cycle_hz / 1e6)


def _cost_table(run: Run, analysis: SpeedupAnalysis, efficiency: float) -> Table[_Cost]:
    """One row per fit of the run and per published table, distinguished by the first column."""
    hz = conditions.cycle_hz(run)
    rows = [_Cost(whose(run), hz, fit) for fit in analysis.fits]
    for table in published(SpeedupPublication):
        fits = analyse_published(table, efficiency).fits
        rows += [_Cost(f"published: {table.label}", table.setting.cpu_hz, fit) for fit in fits]
    shared = set.intersection(*(set(fit.group.split()) for fit in analysis.fits)) if len(analysis.fits) > 1 else set()
    return Table(
        title=(
            f"Overhead of fork and join, break-even (S = 1), and work for {efficiency:.0%} efficiency, with 95 % "
            "intervals"
        ),
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
    return row.duration(row.fit.overhead_us) if below is None else "not above 0: below " + row.bound(below)
