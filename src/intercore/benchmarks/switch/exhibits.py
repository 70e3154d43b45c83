"""The published tables of task switches in the numbers of a run, and what the run says of what was found of them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import msgspec

from intercore.benchmarks.claims import (
    ENOUGH,
    ClaimResult,
    another_chip,
    another_kernel,
    cannot_tell,
    difference,
    in_words,
    inference,
    of_its_kernel,
    other_chip,
    outcome,
    time_in_words,
    to_a_tick,
)
from intercore.benchmarks.published import published
from intercore.benchmarks.switch.literature import beside_published, same_primitive
from intercore.benchmarks.switch.names import CLOCKS, pair_of
from intercore.benchmarks.switch.publication import SwitchPublication
from intercore.statistics.intervals import Interval
from intercore.text import capitalised
from intercore.view.exhibit import Exhibit
from intercore.view.quantity import duration, multiple, percent, significant
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
    from intercore.view.exhibit import Verdict

_CHIP = "ESP32"
_FUNCTION_US = (4.45, 4.55)  # 4.5 µs, to its last digit
_ORDER = 10  # of magnitude: a wake-up that is as many times as long is called long


@dataclass(frozen=True)
class _Evidence:
    """What a run has of what a publication measured."""

    run: Run
    table: SwitchPublication
    same: Sequence[WakeUp]
    """On one core."""
    across: Sequence[WakeUp]
    """Between cores, by a true clock."""
    ratios: Sequence[Ratio]
    false_times: Sequence[FalseTime]

    @property
    def hz(self) -> int:
        return self.table.setting.cpu_hz or 0


def exhibits(run: Run, analysis: SwitchAnalysis) -> Iterator[Exhibit]:
    """Return the tables that a run has numbers for."""
    for table in published(SwitchPublication):
        primitive = same_primitive(table, {one.primitive for one in analysis.wake_ups})
        ours = [one for one in analysis.wake_ups if one.primitive == primitive]
        evidence = _Evidence(
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
                yield _exhibit(name, evidence, its, crosses=crosses)


_EXHIBITS = {"seed-002-switch-same-core": False, "seed-002-switch-across": True}


def _exhibit(name: str, evidence: _Evidence, rows: Sequence[BesidePublished], *, crosses: bool) -> Exhibit:
    place = where(evidence.run)
    caption = (
        f"From the least to the largest time, with the average: {place} in colour, published in grey. "
        + ("Differences of two counters may be below 0: |…| is drawn without its sign. " if crosses else "")
    ).strip()
    return evidence.table.shown(
        name,
        tables=[_table(evidence, rows)],
        figures=[ranges_figure(name, "Task switch times beside the published ones", caption, _ranges(rows),
                               axis="time")],
        verdicts=_verdicts(evidence, name),
        note=_note(evidence.table.figures.row(crosses=crosses)),
        untested=_untested(evidence, crosses=crosses),
    )  # fmt: skip


def _note(row: SwitchRow) -> str:
    """Say what a published row likely is, and where that is shown."""
    if not row.likely_of_two_counters:
        return ""
    return inference(row.average_ms, "by how much the counters of the two cores were apart", "switch")


def _table(evidence: _Evidence, rows: Sequence[BesidePublished]) -> Table[BesidePublished]:
    own = next(row.primitive for row in rows if row.is_own)
    return Table(
        f"As published, and by {own} on {where(evidence.run)}, in ms",
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


def _untested(evidence: _Evidence, *, crosses: bool) -> str:
    """Say what the target, or the run, lacks."""
    other = another_chip(evidence.run, _CHIP, evidence.hz)
    lacks = [other] if other else []
    if crosses and not evidence.false_times:
        lacks.append(
            "The cores' own counters, which the paper likely subtracted, are not in this run: ask for time=raw-counter."
        )
    elif crosses and not any(one.is_plain for one in evidence.false_times):
        lacks.append(
            "The cores' counters are one here, or begin together, so what the paper likely did cannot go wrong here."
        )
    if crosses and not evidence.across:
        lacks.append("No wake-up between cores was timed by one clock: ask for time=common.")
    return " ".join(lacks)


# What the run says of each finding


def _verdicts(evidence: _Evidence, exhibit: str) -> list[Verdict]:
    chip, kernel = other_chip(evidence.run, _CHIP, evidence.hz), another_kernel(evidence.run)
    found = evidence.table.verdicts(exhibit, lambda claim: of_its_kernel(_SAID[claim](evidence), kernel), chip)
    times = {one.text for one in evidence.table.claims if one.id in _TIMES}
    return [
        msgspec.structs.replace(one, because=f"{one.because} {_UNSTATED}")
        if one.outcome == "contradicts" and one.finding in times
        else one
        for one in found
    ]


_TIMES = ("same-core-time", "across-time", "function-time")
_UNSTATED = "The paper states neither the version of its kernel nor the level of optimisation: both may be others here."
"""What else may be the reason for another time on its chip."""


def _same_core_time(evidence: _Evidence) -> ClaimResult:
    if not evidence.same:
        return cannot_tell(_NOT_ON_ONE)
    return _time(evidence, evidence.same, evidence.table.figures.row(crosses=False), "on one core")


_NOT_ON_ONE = "No wake-up on one core was timed."
_NOT_ACROSS = "Nothing between cores was timed by one clock."


def _across_time(evidence: _Evidence) -> ClaimResult:
    raw = _raw_words(evidence)
    if not evidence.across:
        return cannot_tell(" ".join([_NOT_ACROSS, *raw]))
    said = _time(evidence, evidence.across, evidence.table.figures.row(crosses=True), "between cores")
    return ClaimResult(said.outcome, " ".join([said.because, *raw]))


def _time(evidence: _Evidence, found: Sequence[WakeUp], row: SwitchRow, which: str) -> ClaimResult:
    """Hold the slowest median against a printed range."""
    slowest = max(found, key=lambda one: one.wake_up_us.median.value)
    median, half = slowest.wake_up_us.median, evidence.table.figures.half_us
    within = max(one.within_us for one in found)
    known = difference(median, Interval(0.0, -within, within))
    either = f", {duration(within)} either way," if within else ""
    here = f"By {CLOCKS.get(slowest.time, 'one clock')}, it takes {time_in_words(median)}{either} {which} here"
    return ClaimResult(
        outcome(known, least=row.minimum_ms * 1e3 - half, most=row.maximum_ms * 1e3 + half),
        f"{here}, and {row.average_ms:.3f} ms there." if known.low is not None else f"{here}; {_TOO_FEW}",
    )


_TOO_FEW = "there are too few samples for an interval."


def _raw_words(evidence: _Evidence) -> list[str]:
    """Say what the cores' own counters make of the same wake-ups, where that is far from the truth."""
    plain = [one for one in evidence.false_times if one.is_plain]
    ways = {(one.first, one.second): one for one in plain}
    if not ways:
        return []
    told = " and ".join(f"{duration(one.raw_us.median.value)} ({pair_of(one)})" for one in ways.values())
    return [f"The cores' own counters, subtracted, give {told}: how far they are apart, and no time of a switch."]


def _same_core_steady(evidence: _Evidence) -> ClaimResult:
    return _steady(evidence, evidence.same, crosses=False) if evidence.same else cannot_tell(_NOT_ON_ONE)


def _across_steady(evidence: _Evidence) -> ClaimResult:
    return _steady(evidence, evidence.across, crosses=True) if evidence.across else cannot_tell(_NOT_ACROSS)


def _steady(evidence: _Evidence, found: Sequence[WakeUp], *, crosses: bool) -> ClaimResult:
    """Hold how far times are above the least against the printed times, in µs and in parts: the paper gives no bound.

    Where most are as near, and some are not, that cannot be told.
    """
    row, half = evidence.table.figures.row(crosses=crosses), evidence.table.figures.half_us
    most_us = (row.average_ms - row.minimum_ms) * 1e3 + 2 * half
    most_part = (row.maximum_ms * 1e3 + half) / (row.minimum_ms * 1e3 - half) - 1
    worst = max((one.wake_up_us for one in found), key=lambda one: one.max - one.min)
    span = worst.max - worst.min
    part = f", {percent(span / worst.min)} above the least" if worst.min > 0 else ""
    ends = (
        f"{worst.n} wake-ups are from {duration(worst.min)} to {duration(worst.max)}{part}, and on average "
        f"{duration(worst.mean - worst.min)} above the least"
    )
    bound = (
        f"within {duration(most_us)} and {percent(most_part)} of the least, as the published average and the published "
        "largest time are"
    )
    if span <= min(most_us, most_part * worst.min):
        return ClaimResult("agrees" if worst.n >= ENOUGH else "cannot tell", f"All are {bound}: {ends}.")
    if worst.p90 is None or worst.p90.low is None or worst.p90.high is None:
        return cannot_tell(f"Not all are {bound}, and how many are not is not known: {ends}.")
    low, high = worst.p90.low - worst.min, worst.p90.high - worst.min
    if low > most_us:
        return ClaimResult(
            "contradicts", f"One of ten is {duration(low)} or more above the least, not {bound}: {ends}."
        )
    if high > most_us:
        return cannot_tell(f"Not all are {bound}, and how many are not is not known well enough: {ends}.")
    return cannot_tell(f"Nine of ten are within {to_a_tick(high)} of the least, but outliers are not {bound}: {ends}.")


def _across_steady_cause(evidence: _Evidence) -> ClaimResult:
    """No run has another IPC, or other tasks at work. What two counters give is another possible cause."""
    apart = [one for one in evidence.false_times if one.is_plain]
    told = ""
    if apart:
        widest = max(one.raw_us.mean - one.raw_us.min for one in apart)
        told = (
            f" The cores' own counters, subtracted, are {to_a_tick(widest)} above their least on average: how little a "
            "time varies does not tell a wake-up from an offset."
        )
    return cannot_tell(f"Whether the IPC, or that nothing else runs, is the reason was not tried.{told}")


def _function_time(evidence: _Evidence) -> ClaimResult:
    if not evidence.same:
        return cannot_tell("The signalling call was not timed on one core.")
    longest = max(evidence.same, key=lambda one: one.call_us.median.value)
    call, whole = longest.call_us.median, longest.wake_up_us.median.value
    here = f"The signalling call alone takes {time_in_words(call)} here, of {duration(whole)} on one core"
    low, high = _FUNCTION_US
    return ClaimResult(
        outcome(call, least=low, most=high), f"{here}." if call.low is not None else f"{here}; {_TOO_FEW}"
    )


def _printed_ratio(evidence: _Evidence) -> float:
    """Return the least ratio of the two tables that their digits leave open."""
    figures = evidence.table.figures
    across, same = figures.row(crosses=True), figures.row(crosses=False)
    return (across.average_ms * 1e3 - figures.half_us) / (same.average_ms * 1e3 + figures.half_us)


def _ratio(evidence: _Evidence) -> tuple[Interval | None, str]:
    """Return how many times as long a wake-up between cores takes, of the direction that is slowest, and in words."""
    found = max(evidence.ratios, key=lambda one: one.ratio.value, default=None)
    if found is None:
        return None, "A wake-up between cores and one on the core that signals were not timed by one clock"
    few = "" if found.ratio.low is not None else ", of too few samples for an interval"
    return found.ratio, (
        f"by {CLOCKS.get(found.time, 'one clock')}, a wake-up from core {found.first} to core {found.second} takes "
        f"{in_words(found.ratio, multiple, ' times')} as long as on core {found.first}{few}"
    )


def _across_slower(evidence: _Evidence) -> ClaimResult:
    ratio, words = _ratio(evidence)
    if ratio is None:
        return cannot_tell(f"{words}.")
    found = outcome(ratio, least=_printed_ratio(evidence) / _ORDER)
    if found == "contradicts" and outcome(ratio, least=_ORDER) != "contradicts":
        found = "cannot tell"  # long as well, though not as long as printed
    here = f"Not seen here: {words}" if found == "contradicts" else capitalised(words)
    printed = math.floor(_printed_ratio(evidence))
    return ClaimResult(
        found,
        f"{here}; by the printed times it is more than {printed:,} times. The paper gives no bound: a tenth of that "
        f"agrees, and less than {_ORDER} times contradicts.",
    )


def _unpinned(evidence: _Evidence) -> ClaimResult:
    ratio, words = _ratio(evidence)
    pinned = "Each task here is pinned to a core, so none is moved: jitter core=any releases one that is not."
    return cannot_tell(pinned if ratio is None else f"{pinned} {capitalised(words)}.")


def _improvements_or_monitoring(evidence: _Evidence) -> ClaimResult:
    """Say whether one clock shows a long time, or two counters one that is none: the authors conclude either."""
    ratio, words = _ratio(evidence)
    known = [one for one in evidence.false_times if one.true_us is not None]
    if ratio is None and not known:
        return cannot_tell(f"{words}.")
    said = [] if ratio is None else [f"{capitalised(words)}."]
    is_long = ratio is not None and ratio.low is not None and ratio.low >= _ORDER
    worst = max(known, key=lambda one: abs(one.raw_us.median.value), default=None)
    if worst is not None:
        said.append(
            f"From core {worst.first} to core {worst.second}, the cores' own counters give "
            f"{duration(worst.raw_us.median.value)} and one clock {duration(worst.true_us or 0.0)}."
        )
    is_false = worst is not None and worst.is_plain
    if is_long:
        said.append(f"From {_ORDER} times on it counts as long.")
    if not is_long and not is_false:
        said.append(f"No clock shows a long time on {whose(evidence.run)}, so there is none to explain.")
    return ClaimResult("agrees" if is_long or is_false else "cannot tell", " ".join(said))


_SAID: Mapping[str, Callable[[_Evidence], ClaimResult]] = {
    "same-core-time": _same_core_time,
    "same-core-steady": _same_core_steady,
    "function-time": _function_time,
    "across-time": _across_time,
    "across-slower": _across_slower,
    "across-steady": _across_steady,
    "across-steady-cause": _across_steady_cause,
    "unpinned": _unpinned,
    "improvements-or-monitoring": _improvements_or_monitoring,
}
