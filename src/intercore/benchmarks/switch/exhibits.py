"""The published tables of task switches in the numbers of a run, and what the run says of what was found of them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from intercore.benchmarks.like_published import (
    another_chip,
    another_kernel,
    no_times,
    other_chip,
    to_a_tick,
    with_bounds,
)
from intercore.benchmarks.published import published
from intercore.benchmarks.switch.literature import beside_published, same_primitive
from intercore.benchmarks.switch.names import CLOCKS, pair_of
from intercore.benchmarks.switch.publication import SwitchPublication
from intercore.statistics.intervals import Interval, normal_reach
from intercore.view.exhibit import Exhibit
from intercore.view.quantity import duration, multiple, significant
from intercore.view.ranges import Range, ranges_figure
from intercore.view.section import where, whose
from intercore.view.table import Column, Table

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from intercore.benchmarks.switch.analysis import FalseTime, Ratio, SwitchAnalysis
    from intercore.benchmarks.switch.literature import BesidePublished
    from intercore.benchmarks.switch.publication import SwitchRow
    from intercore.benchmarks.switch.wake_ups import WakeUp
    from intercore.record.measurement import Run
    from intercore.statistics.distribution import Distribution
    from intercore.view.exhibit import Outcome, Verdict

_CHIP = "ESP32"
_FUNCTION_US = (4.45, 4.55)  # 4.5 µs, to its last digit
_ORDER = 10  # of magnitude
_FEW = 2  # samples that have a standard deviation


@dataclass(frozen=True)
class _Seen:
    """What a run has of what a publication measured."""

    run: Run
    table: SwitchPublication
    same: Sequence[WakeUp]
    """On one core."""
    across: Sequence[WakeUp]
    """Between cores, by a true clock."""
    ratios: Sequence[Ratio]
    false_times: Sequence[FalseTime]

    def row(self, *, crosses: bool) -> SwitchRow:
        """Return what was printed."""
        return next(row for row in self.table.figures.rows if row.crosses == crosses)

    @property
    def half_us(self) -> float:
        """Half a unit of the last printed digit."""
        return self.table.figures.rounding_ms * 1e3 / 2

    @property
    def hz(self) -> int:
        return self.table.setting.cpu_hz or 0

    @property
    def another_chip(self) -> str:
        return another_chip(self.run, _CHIP, self.hz)


def exhibits(run: Run, analysis: SwitchAnalysis) -> Iterator[Exhibit]:
    """Return the tables that a run has numbers for."""
    for table in published(SwitchPublication):
        primitive = same_primitive(table, {one.primitive for one in analysis.wake_ups})
        ours = [one for one in analysis.wake_ups if one.primitive == primitive]
        seen = _Seen(
            run,
            table,
            [one for one in ours if not one.crosses and one.time == "common"],
            [one for one in ours if one.crosses and one.is_true],
            [one for one in analysis.ratios if one.primitive == primitive],
            [one for one in analysis.false_times if one.primitive == primitive],
        )
        rows = list(beside_published(run, analysis))
        for name, crosses in _EXHIBITS.items():
            its = [row for row in rows if row.crosses == crosses]
            if any(row.is_own for row in its):
                yield _exhibit(name, seen, its, crosses=crosses)


_EXHIBITS = {"seed-002-switch-same-core": False, "seed-002-switch-across": True}


def _exhibit(name: str, seen: _Seen, rows: Sequence[BesidePublished], *, crosses: bool) -> Exhibit:
    place = where(seen.run)
    caption = (
        f"From the least to the largest time, with the average: {place} in colour, published in grey. "
        + ("Differences of two counters may be below 0: |…| is drawn without its sign. " if crosses else "")
    ).strip()
    return seen.table.shown(
        name,
        tables=[_table(seen, rows)],
        figures=[ranges_figure(name, "Task switch times beside the published ones", caption, _ranges(rows),
                               axis="time")],
        verdicts=[
            _verdict(seen, claim.id) for claim in seen.table.claims if name in claim.exhibits
        ],
        note=_note(seen.row(crosses=crosses)),
        untested=_untested(seen, crosses=crosses),
    )  # fmt: skip


def _note(row: SwitchRow) -> str:
    """Say what a published row likely is, and where that is shown."""
    if not row.likely_of_two_counters:
        return ""
    return (
        f"Our inference, which the paper does not print: {row.average_ms:.3f} ms is likely by how much the counters of "
        "the two cores were apart. docs/benchmarks/switch.md of Intercore says from what that follows, and "
        "docs/esp32.md what to run on a board."
    )


def _table(seen: _Seen, rows: Sequence[BesidePublished]) -> Table[BesidePublished]:
    own = next(row.primitive for row in rows if row.is_own)
    return Table(
        f"As published, and by {own} on {where(seen.run)}, in ms",
        rows,
        [
            Column("of", lambda row: f"FALSE: {row.of}" if row.is_false else row.of),
            Column("cores", lambda row: row.cores),
            Column("Average", lambda row: _ms(row, row.average), right=True),
            Column("“Variance”", _error, right=True),
            Column("Minimum", lambda row: _ms(row, row.low), right=True),
            Column("Maximum", lambda row: _ms(row, row.high), right=True),
            Column("what it is", lambda row: row.meaning),
        ],
        published=True,
        is_theirs=lambda row: not row.is_own,
    )


def _ms(row: BesidePublished, ms: float) -> str:
    return f"{ms:,.4f}" if row.is_own else f"{ms:,.3f}"


def _error(row: BesidePublished) -> str:
    if row.error is None:
        return "–"
    return significant(row.error, 2) if row.is_own else f"{row.error:,.3f}"


def _ranges(rows: Sequence[BesidePublished]) -> list[Range]:
    return [
        Range(
            f"{row.cores}, {row.meaning}" if row.is_own else row.of,
            row.low * 1e3,
            row.average * 1e3,
            row.high * 1e3,
            is_published=not row.is_own,
            is_false=row.is_false,
        )
        for row in rows
    ]


def _untested(seen: _Seen, *, crosses: bool) -> str:
    """Say what the target, or the run, lacks."""
    lacks = [seen.another_chip] if seen.another_chip else []
    if crosses and not seen.false_times:
        lacks.append(
            "The cores' own counters, which the paper likely subtracted, are not in this run: ask for time=raw-counter."
        )
    elif crosses and not any(one.is_plain for one in seen.false_times):
        lacks.append(
            "The cores' counters are one here, or begin together, so what the paper likely did cannot go wrong here."
        )
    if crosses and not seen.across:
        lacks.append("No wake-up between cores was timed by one clock: ask for time=common.")
    return " ".join(lacks)


# What the run says of each finding


def _verdict(seen: _Seen, claim: str) -> Verdict:
    return seen.table.held(claim, _VERDICTS[claim](seen), other_chip(seen.run, _CHIP, seen.hz))


def _same_core_time(seen: _Seen) -> tuple[Outcome, str]:
    if not seen.same:
        return "cannot tell", "No wake-up on one core was timed."
    return _time(seen, seen.same, seen.row(crosses=False), "on one core")


def _across_time(seen: _Seen) -> tuple[Outcome, str]:
    raw = _raw_words(seen)
    if not seen.across:
        return "cannot tell", " ".join(["Nothing between cores was timed by one clock.", *raw])
    outcome, because = _time(seen, seen.across, seen.row(crosses=True), "between cores")
    return outcome, " ".join([because, *raw])


def _time(seen: _Seen, found: Sequence[WakeUp], row: SwitchRow, which: str) -> tuple[Outcome, str]:
    """Hold medians against a printed range."""
    slowest = max(found, key=lambda one: one.wake_up_us.median.value)
    median = slowest.wake_up_us.median
    here = f"By {CLOCKS.get(slowest.time, 'one clock')}, it takes {with_bounds(median)} {which} here"
    if median.low is None or median.high is None:
        return "cannot tell", f"{here}; there are too few samples for an interval."
    low, high = row.minimum_ms * 1e3 - seen.half_us, row.maximum_ms * 1e3 + seen.half_us
    within = max((one.within_us for one in found), default=0.0)
    agrees = median.high + within >= low and median.low - within <= high
    return "agrees" if agrees else "contradicts", f"{here}, and {row.average_ms:.3f} ms there."


def _raw_words(seen: _Seen) -> list[str]:
    """Say what the cores' own counters make of the same wake-ups, where that is far from the truth."""
    plain = [one for one in seen.false_times if one.is_plain]
    ways = {(one.first, one.second): one for one in plain}
    if not ways:
        return []
    told = " and ".join(f"{duration(one.raw_us.median.value)} ({pair_of(one)})" for one in ways.values())
    return [f"The cores' own counters, subtracted, give {told}: how far they are apart, and no time of a switch."]


def _same_core_steady(seen: _Seen) -> tuple[Outcome, str]:
    if not seen.same:
        return "cannot tell", "No wake-up on one core was timed."
    worst = max(seen.same, key=lambda one: one.wake_up_us.max - one.wake_up_us.min).wake_up_us
    ends = f"from {duration(worst.min)} to {duration(worst.max)}"
    if another_kernel(seen.run):
        return "cannot tell", f"They are {ends}. {another_kernel(seen.run)}"
    return _steady(worst, ends, 2 * seen.half_us)


def _steady(found: Distribution, ends: str, unit: float) -> tuple[Outcome, str]:
    """Say whether nine of ten are within a unit, in µs, of the least."""
    if found.max - found.min <= unit:
        return "agrees", f"All {found.n} wake-ups are {ends}."
    if found.p90 is None or found.p90.low is None or found.p90.high is None:
        return "cannot tell", f"They are {ends}; of {found.n} it is not known how many are far from the least."
    low, high = found.p90.low - found.min, found.p90.high - found.min
    if high <= unit:
        return "agrees", f"Nine of ten are within {to_a_tick(high)} of the least; all are {ends}."
    if low > unit:
        return "contradicts", f"One of ten is {duration(low)} or more above the least; all are {ends}."
    return "cannot tell", f"They are {ends}, and how many are far from the least is not known well enough."


def _function_time(seen: _Seen) -> tuple[Outcome, str]:
    if not seen.same:
        return "cannot tell", "The signalling call was not timed on one core."
    longest = max(seen.same, key=lambda one: one.call_us.median.value)
    call, whole = longest.call_us.median, longest.wake_up_us.median.value
    here = f"The signalling call alone takes {with_bounds(call)} here, of {duration(whole)} on one core"
    if call.low is None or call.high is None:
        return "cannot tell", f"{here}; there are too few samples for an interval."
    low, high = _FUNCTION_US
    return ("agrees" if call.high >= low and call.low <= high else "contradicts"), f"{here}."


def _printed_ratio(seen: _Seen) -> float:
    """Return the least ratio of the two tables that their digits leave open."""
    across, same = seen.row(crosses=True), seen.row(crosses=False)
    return (across.average_ms * 1e3 - seen.half_us) / (same.average_ms * 1e3 + seen.half_us)


def _ratio(seen: _Seen) -> tuple[Interval | None, str]:
    """Return how many times as long a wake-up between cores takes, of the direction that is slowest, and in words."""
    reason = another_kernel(seen.run)
    found = max((one for one in seen.ratios), key=lambda one: one.ratio.value, default=None)
    if found is None:
        return None, reason or "A wake-up between cores and one on the core that signals were not timed by one clock."
    ratio = found.ratio
    bounds = {multiple(end) for end in (ratio.low, ratio.high) if end is not None} - {multiple(ratio.value)}
    between = f" ({multiple(ratio.low)} to {multiple(ratio.high)})" if bounds and ratio.low and ratio.high else ""
    words = (
        f"by {CLOCKS.get(found.time, 'one clock')}, a wake-up from core {found.first} to core {found.second} takes "
        f"{multiple(ratio.value)} times{between} as long as on core {found.first}"
    )
    if reason:
        return None, f"{_capital(words)}. {reason}"
    if ratio.low is None or ratio.high is None:
        return None, f"{_capital(words)}; there are too few samples for an interval."
    return ratio, words


def _across_slower(seen: _Seen) -> tuple[Outcome, str]:
    ratio, words = _ratio(seen)
    if ratio is None or ratio.low is None or ratio.high is None:
        return "cannot tell", words
    bound = _printed_ratio(seen) / _ORDER
    there = f"by the printed times it is more than {math.floor(_printed_ratio(seen)):,} times."
    if ratio.high < bound:
        return "contradicts", f"Not seen here: {words}; {there}"
    return "agrees" if ratio.low >= bound else "cannot tell", f"{_capital(words)}; {there}"


def _capital(words: str) -> str:
    return words[:1].upper() + words[1:]


def _unpinned(seen: _Seen) -> tuple[Outcome, str]:
    ratio, words = _ratio(seen)
    pinned = "Each task here is pinned to a core, so none is moved: jitter core=any releases one that is not."
    return "cannot tell", pinned if ratio is None else f"{pinned} {_capital(words)}."


def _across_steady(seen: _Seen) -> tuple[Outcome, str]:
    if not seen.across:
        return "cannot tell", "Nothing between cores was timed by one clock."
    row = seen.row(crosses=True)
    bound = (row.average_ms - row.minimum_ms) * 1e3 + 2 * seen.half_us
    above = max((_above_least(one) for one in seen.across), key=lambda one: one.value)
    here = f"By one clock the average is {with_bounds(above)} above the least"
    apart = [one for one in seen.false_times if one.is_plain]
    if apart:
        widest = max(one.raw_us.mean - one.raw_us.min for one in apart)
        here += f", and by two counters {duration(widest)}: how little it varies does not tell a wake-up from an offset"
    if another_kernel(seen.run):
        return "cannot tell", f"{here}. {another_kernel(seen.run)}"
    if above.low is None or above.high is None:
        return "cannot tell", f"{here}; there are too few samples for an interval."
    outcome: Outcome = "agrees" if above.high <= bound else "contradicts" if above.low > bound else "cannot tell"
    return outcome, f"{here}. Whether the IPC is the reason was not tried."


def _above_least(one: WakeUp) -> Interval:
    found = one.wake_up_us
    above = found.mean - found.min
    if found.n < _FEW:
        return Interval(above)
    reach = normal_reach() * found.stdev / math.sqrt(found.n)
    return Interval(above, max(above - reach, 0.0), above + reach)


def _improvements_or_monitoring(seen: _Seen) -> tuple[Outcome, str]:
    """Say whether one clock shows a long time, or two counters one that is none: the authors conclude either."""
    if no_times(seen.run):
        return "cannot tell", no_times(seen.run)
    ratio, words = _ratio(seen)
    known = [one for one in seen.false_times if one.true_us is not None]
    if ratio is None and not known:
        return "cannot tell", words
    said = [] if ratio is None else [f"{_capital(words)}."]
    is_long = ratio is not None and ratio.low is not None and ratio.low >= _ORDER
    worst = max(known, key=lambda one: abs(one.raw_us.median.value), default=None)
    if worst is not None:
        said.append(
            f"From core {worst.first} to core {worst.second}, the cores' own counters give "
            f"{duration(worst.raw_us.median.value)} and one clock {duration(worst.true_us or 0.0)}."
        )
    is_false = worst is not None and worst.is_plain
    if not is_long and not is_false:
        said.append(f"No clock shows a long time on {whose(seen.run)}, so there is none to explain.")
    return "agrees" if is_long or is_false else "cannot tell", " ".join(said)


_VERDICTS: Mapping[str, Callable[[_Seen], tuple[Outcome, str]]] = {
    "same-core-time": _same_core_time,
    "same-core-steady": _same_core_steady,
    "function-time": _function_time,
    "across-time": _across_time,
    "across-slower": _across_slower,
    "across-steady": _across_steady,
    "unpinned": _unpinned,
    "improvements-or-monitoring": _improvements_or_monitoring,
}
