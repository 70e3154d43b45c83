"""Published switches beside those of a run, and beside the false times that it has made on purpose."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from intercore.benchmarks.printed_variance import variance_notes
from intercore.benchmarks.published import published
from intercore.benchmarks.switch.names import CLOCKS, pair_of
from intercore.benchmarks.switch.publication import SwitchPublication
from intercore.view.section import where, whose
from intercore.view.table import Column, Table

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    from intercore.benchmarks.switch.analysis import FalseTime, SwitchAnalysis
    from intercore.benchmarks.switch.wake_ups import WakeUp
    from intercore.record.measurement import Run


class BesidePublished(NamedTuple):
    """A wake-up as the publication prints one: average and ends, ms."""

    of: str
    cores: str
    average: float
    low: float
    high: float
    error: float | None
    """What is printed as a variance; of ours the standard error of the mean."""
    meaning: str
    """What the numbers are."""
    primitive: str
    is_own: bool
    crosses: bool
    """Whether it is between two cores."""

    @property
    def is_false(self) -> bool:
        """Whether it is no time of a wake-up, and was made on purpose."""
        return self.meaning == _COUNTERS_APART


_TRUE = "a wake-up"
_PRINTED = "as printed"
"""Of what was published. What it likely is, is our inference, and stands in notes."""
_COUNTERS_APART = "FALSE: two counters apart"
"""Of our own, made on purpose."""


def beside_published(run: Run, analysis: SwitchAnalysis) -> Iterator[BesidePublished]:
    """Return the published rows, and below each those of this run that measure the same."""
    known = {one.primitive for one in analysis.wake_ups}
    for table in published(SwitchPublication):
        same = same_primitive(table, known)
        for row in table.figures.rows:
            cores = "across" if row.crosses else "one core"
            times = (row.average_ms, row.minimum_ms, row.maximum_ms, row.variance_ms)
            yield BesidePublished(
                "published", cores, *times, _PRINTED, table.setting.primitive, is_own=False, crosses=row.crosses
            )
            for one in analysis.wake_ups:
                if one.primitive == same and one.crosses == row.crosses:
                    yield _own_printed(run, one, analysis.false_times)


def _own_printed(run: Run, one: WakeUp, false_times: Iterable[FalseTime]) -> BesidePublished:
    found = one.wake_up_us
    setting = " ".join([whose(run), *(f"{name}={level}" for name, level in one.varied.items())])
    if one.is_true:
        meaning = f"{_TRUE}, {CLOCKS.get(one.time, 'one counter')}"
    else:
        plainly = any(other.is_plain for other in false_times if _setting_of(other) == _setting_of(one))
        meaning = _COUNTERS_APART if plainly else "two counters, not aligned"
    times = (found.mean / 1e3, found.min / 1e3, found.max / 1e3, found.standard_error / 1e3)
    return BesidePublished(setting, pair_of(one), *times, meaning, one.primitive, is_own=True, crosses=one.crosses)


def _setting_of(one: WakeUp | FalseTime) -> tuple[object, ...]:
    return one.primitive, one.first, one.second, one.target, one.varied


_SAME_AS = {"semaphore": ("binary-semaphore", "counting-semaphore")}
"""Our levels that a published primitive may stand for, the likeliest first."""


def same_primitive(table: SwitchPublication, known: Collection[str]) -> str | None:
    """Return which of the known primitives is the likeliest to be the one of a publication; None if none is."""
    return next((name for name in _SAME_AS.get(table.setting.primitive, ()) if name in known), None)


def literature_table(run: Run, rows: Sequence[BesidePublished]) -> Table[BesidePublished]:
    """Return the table of what `beside_published` has found."""
    labels = " and ".join(table.label for table in published(SwitchPublication))
    primitive = next(row.primitive for row in rows if row.is_own)
    return Table(
        f"The tables of {labels}, and ours by {primitive} on {where(run)}, in ms",
        rows,
        [
            Column("of", lambda row: row.of),
            Column("cores", lambda row: row.cores),
            Column("average", lambda row: _ms(row.average), right=True),
            Column("minimum", lambda row: _ms(row.low), right=True),
            Column("maximum", lambda row: _ms(row.high), right=True),
            Column("“Variance”", lambda row: "–" if row.error is None else _ms(row.error), right=True),
            Column("what it is", lambda row: row.meaning),
        ],
        published=True,
    )


def like_published(analysis: SwitchAnalysis) -> WakeUp | None:
    """Return a wake-up across cores by a primitive that was published, if there is one."""
    likely = [name for table in published(SwitchPublication) for name in _SAME_AS.get(table.setting.primitive, ())]
    found = [one for one in analysis.wake_ups if one.crosses and one.primitive in likely]
    return min(found, key=lambda one: likely.index(one.primitive), default=None)


class _Compared(NamedTuple):
    """A time beside the true one, ours or published."""

    what: str
    cores: str
    shown_ms: float
    deviation: str
    true: str


def false_times_table(run: Run, false_times: Sequence[FalseTime]) -> Table[_Compared]:
    """Return the false times beside the true ones and the published ones."""
    rows = [
        _Compared(
            f"{one.primitive}, raw counters",
            pair_of(one),
            one.raw_us.median.value / 1e3,
            f"{_ms(one.raw_us.min / 1e3)} to {_ms(one.raw_us.max / 1e3)}",
            "–" if one.true_us is None else f"{_ms(one.true_us / 1e3)}",
        )
        for one in false_times
    ]
    for table in published(SwitchPublication):
        rows += [
            _Compared(
                f"published: {table.label}",
                "across" if row.crosses else "same",
                row.average_ms,
                f"{_ms(row.minimum_ms)} to {_ms(row.maximum_ms)}",
                "–",
            )
            for row in table.figures.rows
        ]
    return Table(
        f"FALSE times, made on purpose on {where(run)}, beside the published ones, in ms",
        rows,
        [
            Column("what", lambda row: row.what),
            Column("cores", lambda row: row.cores),
            Column("as subtracted", lambda row: _ms(row.shown_ms), right=True),
            Column("least to largest", lambda row: row.deviation, right=True),
            Column("by one clock", lambda row: row.true, right=True),
        ],
    )


def notes() -> Iterator[str]:
    """Say what the published figures likely are, and on what that rests."""
    for table in published(SwitchPublication):
        yield table.in_words
        rows = {"between cores" if row.crosses else "on one core": row for row in table.figures.rows}
        yield from variance_notes(table.label, table.figures.rounding_ms, rows)


def _ms(ms: float) -> str:
    return f"{ms:,.4f}"
