"""Published periods beside those of a run, what the published ones likely are, and what was made false on purpose."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from intercore.benchmarks.jitter.activations import BY_PROCEDURE, PUBLISHED
from intercore.benchmarks.jitter.publication import JitterPublication
from intercore.benchmarks.jitter.two_counters import PeriodCount, TwoCounters, WrappedRow, wrap_us
from intercore.benchmarks.printed_variance import variance_notes
from intercore.benchmarks.published import published
from intercore.view.quantity import duration
from intercore.view.ranges import Range, ranges_figure
from intercore.view.section import where, whose
from intercore.view.table import Column, Table

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from intercore.benchmarks.jitter.analysis import JitterAnalysis
    from intercore.benchmarks.jitter.false_periods import FalsePeriods
    from intercore.benchmarks.jitter.publication import Periods
    from intercore.record.measurement import Run
    from intercore.view.figure import Figure

_TRUE = "periods, by one clock"
_PRINTED = "as printed"
_FALSE = "FALSE: two counters"
_NOT_ALIGNED = "raw counters"


# What a published row likely is


class Counters(NamedTuple):
    """A published row of periods, taken for differences of two counters that wrapped."""

    label: str
    row: Periods
    rest_ms: float
    """The average of the same task when it was not moved."""
    wrapped: WrappedRow
    splits: list[PeriodCount]
    """Every number of periods that gives the row to the last digit."""
    model: TwoCounters | None
    """What gives it, if there is but one such number."""

    @property
    def sentence(self) -> str:
        """The arithmetic, in words."""
        one = self.wrapped
        half = one.wrap / 2
        text = (
            f"{self.label}: the average of {one.mean:,.3f} ms is likely of two counters that were taken for one. A "
            f"counter of {self._bits} bits at {self._hz / 1e6:g} MHz wraps after {one.wrap:,.3f} ms. Suppose that a "
            "period is the reading of one core's counter less the earlier reading of the other's, as an unsigned "
            "number, and that the counters are d apart. Then it is the period plus d one way, and the period plus a "
            "wrap less d the other way. With as many each way, the average is the period plus half a wrap, whatever d "
            f"is. {one.mean:,.3f} − {half:,.3f} = {one.period:.3f} ms, and at rest the same task had "
            f"{self.rest_ms:.3f}. Least and largest add up to a wrap and {one.ends_together:.3f} ms: the shortest true "
            "period one way and the longest one back."
        )
        if self.model is None:
            return text
        (split,) = self.splits
        low, high = split.apart_ms
        return (
            f"{text} If no true period was above the {one.longest:.3f} ms at rest, only {split.periods:,} periods, "
            f"{split.forth} one way and {split.back} the other, give the average and the printed “Variance” of "
            f"{one.error:.3f}, as standard error of the mean, to the last digit. Then d is {low:.2f} to {high:.2f} ms, "
            f"and the true periods are between {one.least - high:.2f} and {one.largest - one.wrap + high:.2f} ms."
        )

    @property
    def _bits(self) -> int:
        return self.row.likely_counters.bits if self.row.likely_counters else 0

    @property
    def _hz(self) -> int:
        return self.row.likely_counters.hz if self.row.likely_counters else 0


def counters_of(table: JitterPublication) -> Iterator[Counters]:
    """Take the rows of a table that are likely of two counters for that."""
    rest = next((row for row in table.figures.rows if not row.moved), None)
    for row in table.figures.rows:
        counters = row.likely_counters
        if counters is None or rest is None or row.variance_ms is None:
            continue
        wrapped = WrappedRow(
            mean=row.average_ms,
            least=row.minimum_ms,
            largest=row.maximum_ms,
            error=row.variance_ms,
            rounding=table.figures.rounding_ms,
            longest=rest.maximum_ms,
            wrap=wrap_us(counters.bits, counters.hz) / 1e3,
        )
        splits = wrapped.splits()
        model = None
        if len(splits) == 1:
            (split,) = splits
            apart_us = sum(split.apart_ms) / 2 * 1e3
            model = TwoCounters(counters.bits, counters.hz, split.period_ms * 1e3, apart_us, split.forth, split.back)
        yield Counters(table.label, row, rest.average_ms, wrapped, splits, model)


def notes() -> Iterator[str]:
    """Say what the published figures likely are, and on what that rests."""
    for table in published(JitterPublication):
        yield table.in_words
        yield from (one.sentence for one in counters_of(table))
        rows = {"moved" if row.moved else "not moved": row for row in table.figures.rows}
        yield from variance_notes(table.label, table.figures.rounding_ms, rows)


# Beside ours


class BesidePublished(NamedTuple):
    """Average and ends of a period, ms."""

    origin: str
    setting: str | None
    """The label of ours; None for a published one."""
    moved: str
    average: float
    low: float
    high: float
    error: float | None
    """What is printed as a variance; of ours the standard error of the mean."""
    meaning: str
    """What the numbers are."""
    period_us: float
    """What was asked for."""
    is_false: bool = False
    """Whether they are no times, and were made on purpose."""
    is_raw: bool = False
    """Whether they are of the cores' own counters."""


def beside_published(run: Run, analysis: JitterAnalysis) -> Iterator[BesidePublished]:
    """Return the periods that were published, and those of this run, whatever was asked for."""
    for table in published(JitterPublication):
        for row in table.figures.rows:
            yield BesidePublished(
                "published",
                None,
                "yes" if row.moved else "no",
                row.average_ms,
                row.minimum_ms,
                row.maximum_ms,
                row.variance_ms,
                _PRINTED,
                table.figures.period_ms * 1000,
            )
    for one in analysis.settings:
        if one.deviation_us is not None:
            deviation = one.deviation_us
            mean, low, high = ((one.period_us + each) / 1000 for each in (deviation.mean, deviation.min, deviation.max))
            error = deviation.standard_error / 1000
            yield BesidePublished(
                whose(run),
                one.label,
                _moved(one.migrate, one.load, one.wake),
                *(mean, low, high, error),
                _TRUE,
                one.period_us,
            )
    for false in analysis.false_periods:
        yield BesidePublished(
            whose(run),
            f"{false.label}, {_NOT_ALIGNED}",
            _moved(false.migrate, false.load, false.wake),
            false.mean_us / 1000,
            false.least_us / 1000,
            false.largest_us / 1000,
            None if false.standard_error_us is None else false.standard_error_us / 1000,
            _FALSE if false.is_plain else _NOT_ALIGNED,
            false.period_us,
            is_false=false.is_plain,
            is_raw=True,
        )


def _as_long(run: Run, analysis: JitterAnalysis) -> list[BesidePublished]:
    """Return the periods that were published, and those of this run which should be as long."""
    rows = list(beside_published(run, analysis))
    published_us = {row.period_us for row in rows if row.setting is None}
    return [row for row in rows if row.period_us in published_us]


def _moved(migrate: str, load: str, wake: str) -> str:
    how = BY_PROCEDURE if migrate == PUBLISHED else migrate
    return ", ".join([how, *([f"{load} busy"] * (load != "none")), *(["reset"] * (wake == "reset"))])


def literature_table(run: Run, analysis: JitterAnalysis) -> Table[BesidePublished]:
    """Return the table of published periods beside our own."""
    labels = " and ".join(table.label for table in published(JitterPublication))
    return Table(
        f"Periods of 10 ms, {labels}, and on {where(run)}, in ms",
        _as_long(run, analysis),
        [
            Column("of", lambda row: row.origin),
            Column("moved", lambda row: row.moved),
            Column("average", lambda row: f"{row.average:,.3f}", right=True),
            Column("shortest", lambda row: f"{row.low:,.3f}", right=True),
            Column("longest", lambda row: f"{row.high:,.3f}", right=True),
            Column("“Variance”", lambda row: "–" if row.error is None else f"{row.error:,.3f}", right=True),
            Column("what it is", lambda row: row.meaning),
        ],
        published=True,
    )


class _Compared(NamedTuple):
    """Periods by two counters: ours, beside what a model of them gives, or published ones."""

    what: str
    counter: str
    mean_us: float
    implied_us: float | None
    least_us: float
    largest_us: float
    true: str


def false_periods_table(run: Run, false_periods: Sequence[FalsePeriods]) -> Table[_Compared]:
    """Return what raw counters made of periods, with the mean that follows, beside the published ones."""
    rows = [
        _Compared(
            one.label,
            _counter(one.bits, one.hz),
            one.mean_us,
            one.implied_us,
            one.least_us,
            one.largest_us,
            duration(one.true_us),
        )
        for one in false_periods
    ]
    for table in published(JitterPublication):
        rows += [
            _Compared(
                f"published: {table.label}; counters inferred",
                _counter(one.row.likely_counters.bits, one.row.likely_counters.hz) if one.row.likely_counters else "",
                one.row.average_ms * 1e3,
                (table.figures.period_ms + one.wrapped.wrap / 2) * 1e3,  # of the period that was meant
                one.row.minimum_ms * 1e3,
                one.row.maximum_ms * 1e3,
                f"likely {duration(one.wrapped.period * 1e3)}",
            )
            for one in counters_of(table)
        ]
    return Table(
        f"FALSE periods, of raw counters on purpose on {where(run)}, beside published ones",
        rows,
        [
            Column("what", lambda row: row.what),
            Column("counters", lambda row: row.counter),
            Column("mean", lambda row: duration(row.mean_us), right=True),
            Column("follows", lambda row: "–" if row.implied_us is None else duration(row.implied_us), right=True),
            Column("least", lambda row: duration(row.least_us), right=True),
            Column("largest", lambda row: duration(row.largest_us), right=True),
            Column("one clock", lambda row: row.true, right=True),
        ],
    )


def _counter(bits: int | None, hz: int) -> str:
    return f"{'?' if bits is None else bits} bits, {hz / 1e6:.6g} MHz"


def periods_figure(run: Run, analysis: JitterAnalysis) -> Figure:
    """Draw each period from the shortest to the longest, with its average; published ones grey and hollow."""
    caption = (
        f"From the shortest to the longest period, with the average: {where(run)} in colour, published in grey. The "
        "published periods of the task that was moved are likely differences of two counters that wrapped. Then their "
        "average is the period plus half a wrap, and says nothing of what a migration costs."
    )
    title = "Periods of 10 ms beside published ones"
    return figure_of("jitter-periods", title, caption, _as_long(run, analysis))


def figure_of(name: str, title: str, caption: str, rows: Sequence[BesidePublished]) -> Figure:
    """Draw each row from its shortest to its longest period, with its average."""
    ranges = [
        Range(_name(row), row.low * 1e3, row.average * 1e3, row.high * 1e3, row.setting is None, row.is_false)
        for row in rows
    ]
    return ranges_figure(name, title, caption, ranges, axis="period", ends=("shortest", "longest"))


def _name(row: BesidePublished) -> str:
    if row.setting is not None:
        return f"FALSE: {row.setting}" if row.is_false else row.setting
    return f"{row.origin}, {'moved' if row.moved == 'yes' else 'not moved'}"
