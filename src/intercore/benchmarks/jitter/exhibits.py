"""The published tables of periods in the numbers of a run, and what the run says of what was found of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from intercore.benchmarks.claims import (
    ENOUGH,
    ClaimResult,
    another_chip,
    another_kernel,
    cannot_tell,
    difference,
    inference,
    of_its_kernel,
    other_chip,
    outcome,
    time_in_words,
    to_a_tick,
)
from intercore.benchmarks.jitter.activations import BENCHMARK, FORCED, PUBLISHED, UNSYNCHRONISED
from intercore.benchmarks.jitter.literature import beside_published, counters_of, figure_of
from intercore.benchmarks.jitter.publication import JitterPublication
from intercore.benchmarks.jitter.two_counters import wrap_us
from intercore.benchmarks.published import published
from intercore.record.conditions import tick_hz
from intercore.statistics.intervals import Interval
from intercore.view.exhibit import Exhibit
from intercore.view.quantity import duration, percent, significant
from intercore.view.section import where, whose
from intercore.view.table import Column, Table

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from intercore.benchmarks.jitter.analysis import JitterAnalysis, JitterSetting
    from intercore.benchmarks.jitter.false_periods import FalsePeriods
    from intercore.benchmarks.jitter.literature import BesidePublished
    from intercore.benchmarks.jitter.publication import Periods
    from intercore.record.measurement import Run
    from intercore.view.exhibit import Outcome, Verdict

_CHIP, _HZ = "ESP32", 240_000_000
_ESP_IDF = "IDF"  # how the version of its kernel ends
_NEXT_TO_NOTHING = 0.01  # of a period
_SHORT, _LONG = 0.1, 2.0  # periods, of those that an overdue release makes, and of those that load does
_FOLLOWS = 1e-3  # of a wrap, by which a mean may differ from the one that follows


@dataclass(frozen=True)
class _Evidence:
    """What a run has of what a publication measured."""

    run: Run
    table: JitterPublication
    rest: Sequence[JitterSetting]
    """Of its period, not moved, without load."""
    moved: Sequence[JitterSetting]
    """By its procedure, each migration having happened, whatever the period."""
    waiting: Sequence[JitterSetting]
    """Moved while the task waits, likewise."""
    blocked: Sequence[JitterSetting]
    """Stopped by blockers at any time, while it keeps the time of its last release."""
    false: Sequence[FalsePeriods]
    """Moved by its procedure, and timed by the cores' own counters."""


def exhibits(run: Run, analysis: JitterAnalysis) -> Iterator[Exhibit]:
    """Return the tables that a run has numbers for."""
    known = [one for one in analysis.settings if one.deviation_us is not None]
    has_moved = [one for one in known if one.asked and one.moved == one.asked]
    for table in published(JitterPublication):
        period_us = table.figures.period_ms * 1e3
        evidence = _Evidence(
            run,
            table,
            [one for one in known if (one.migrate, one.load, one.period_us) == ("none", "none", period_us)],
            [one for one in has_moved if one.migrate == PUBLISHED],
            [one for one in has_moved if one.migrate in FORCED],
            [one for one in known if (one.migrate, one.wake) == (UNSYNCHRONISED, "kept")],
            [one for one in analysis.false_periods if one.migrate == PUBLISHED],
        )
        rows = list(beside_published(run, analysis))
        if evidence.rest:
            its = {one.label for one in evidence.rest}
            yield _exhibit("seed-002-jitter-at-rest", evidence, _rows(rows, its, period_us, is_moved=False))
        if evidence.moved or evidence.waiting or evidence.false:
            its = {one.label for one in (*evidence.moved, *evidence.waiting)}
            yield _exhibit("seed-002-jitter-moved", evidence, _rows(rows, its, None, is_moved=True))


def _rows(
    rows: Sequence[BesidePublished], labels: set[str], period_us: float | None, *, is_moved: bool
) -> list[BesidePublished]:
    """Return the published row of a table and those of this run that belong to it."""
    printed = "yes" if is_moved else "no"
    return [
        row
        for row in rows
        if (row.moved == printed if row.setting is None else row.setting in labels or (is_moved and row.is_raw))
        and period_us in (None, row.period_us)
    ]


def _exhibit(name: str, evidence: _Evidence, rows: Sequence[BesidePublished]) -> Exhibit:
    place = where(evidence.run)
    caption = f"From the shortest to the longest period, with the average: {place} in colour, published in grey."
    is_moved = name.endswith("moved")
    return evidence.table.shown(
        name,
        tables=[_table(evidence, rows), *([_arithmetic(evidence)] if is_moved and evidence.false else [])],
        figures=[figure_of(name, "Periods beside the published ones", caption, rows)],
        verdicts=_verdicts(evidence, name),
        note=_note(evidence.table.figures.row(moved=is_moved)),
        untested=_untested(evidence, is_moved=is_moved),
    )


def _note(row: Periods) -> str:
    """Say what a published row likely is, and where that is shown."""
    if row.likely_counters is None:
        return ""
    bits = row.likely_counters.bits
    likely = f"the period and half a wrap of two counters of {bits} bits that were taken for one"
    return inference(row.average_ms, likely, BENCHMARK)


def _table(evidence: _Evidence, rows: Sequence[BesidePublished]) -> Table[BesidePublished]:
    return Table(
        f"As published, and on {where(evidence.run)}, in ms",
        rows,
        [
            Column("of", lambda row: f"FALSE: {row.origin}" if row.is_false else row.origin),
            Column("setting", _setting),
            Column("period", lambda row: f"{row.period_us / 1e3:g}", right=True),
            Column("Average", lambda row: _ms(row, row.average), right=True),
            Column("“Variance”", _error, right=True),
            Column("Minimum", lambda row: _ms(row, row.low), right=True),
            Column("Maximum", lambda row: _ms(row, row.high), right=True),
            Column("what it is", lambda row: row.meaning),
        ],
        published=True,
        is_theirs=lambda row: row.setting is None,
    )


def _ms(row: BesidePublished, ms: float) -> str:
    return f"{ms:,.3f}" if row.setting is None or ms >= _THREE_DECIMALS else f"{ms:,.4f}"


def _error(row: BesidePublished) -> str:
    if row.error is None:
        return "–"
    return f"{row.error:,.3f}" if row.setting is None or row.error >= 1 else significant(row.error, 2)


def _setting(row: BesidePublished) -> str:
    """Return the label of a setting; by which clock it was timed stands in another column."""
    return "–" if row.setting is None else row.setting.removesuffix(", raw counters")


_THREE_DECIMALS = 100.0  # ms, from which on more decimals say nothing


class _Counters(NamedTuple):
    """Two counters that are taken for one, in µs: ours, or those that were likely published."""

    of: str
    period_us: float
    bits: int | None
    hz: int
    apart_us: float | None
    implied_us: float | None
    mean_us: float
    true: str

    @property
    def wrap_us(self) -> float | None:
        return None if self.bits is None else wrap_us(self.bits, self.hz)


def _arithmetic(evidence: _Evidence) -> Table[_Counters]:
    """Return what follows from width, rate and distance of the counters: the same for any chip."""
    plain = any(one.is_plain for one in evidence.false)
    rows = [
        _Counters(
            "inferred for the published row",
            evidence.table.figures.period_ms * 1e3,
            one.row.likely_counters.bits,
            one.row.likely_counters.hz,
            None if one.model is None else one.model.apart_us,
            None if one.model is None else one.model.mean_us,
            one.row.average_ms * 1e3,
            f"likely {duration(one.wrapped.period * 1e3)}",
        )
        for one in counters_of(evidence.table)
        if one.row.likely_counters is not None
    ]
    rows += [
        _Counters(
            f"FALSE: {whose(evidence.run)}" if one.is_plain else whose(evidence.run),
            one.period_us,
            *(one.bits, one.hz, one.apart_us, one.implied_us),
            one.mean_us,
            duration(one.true_us),
        )
        for one in evidence.false
    ]
    return Table(
        f"Two counters that are taken for one,{' FALSE on purpose' * plain} on {where(evidence.run)}",
        rows,
        [
            Column("of", lambda one: one.of),
            Column("period", lambda one: duration(one.period_us), right=True),
            Column("counters", lambda one: f"{'?' if one.bits is None else one.bits} bits, {one.hz / 1e6:.5g} MHz"),
            Column("apart", lambda one: _known(one.apart_us), right=True),
            Column("wrap", lambda one: _known(one.wrap_us), right=True),
            Column("+ wrap/2", lambda one: _known(one.wrap_us and one.period_us + one.wrap_us / 2), right=True),
            Column("follows", lambda one: _known(one.implied_us), right=True),
            Column("average", lambda one: duration(one.mean_us), right=True),
            Column("one clock", lambda one: one.true, right=True),
        ],
        published=True,
    )


def _known(us: float | None) -> str:
    return "–" if us is None else duration(us)


def _untested(evidence: _Evidence, *, is_moved: bool) -> str:
    """Say what the target, or the run, lacks."""
    other = another_chip(evidence.run, _CHIP, _HZ)
    return " ".join([*([other] if other else []), *([_PROCEDURE, *_untested_counters(evidence)] if is_moved else [])])


_PROCEDURE = (
    "“By the paper's procedure” is as its text is read here: it does not say how many auxiliary tasks there are, on "
    "which cores, nor which task suspends and resumes them."
)


def _untested_counters(evidence: _Evidence) -> list[str]:
    if not evidence.false:
        return ["The cores' own counters, which the paper likely read, are not in this run: ask for time=raw-counter."]
    if not any(one.is_plain for one in evidence.false):
        return [
            "The cores' counters are one here, or begin together, so what the paper likely did cannot go wrong here."
        ]
    lost = [one for one in evidence.false if one.wrap_us is not None and one.wrap_us <= one.period_us]
    lacks = []
    if lost:
        lacks.append(
            f"Counters read with {lost[0].bits} bits wrap within a period, so whole wraps are lost: ask for "
            "counter_bits=32."
        )
    near = [
        one
        for one in evidence.false
        if one not in lost and one.apart_us is not None and abs(one.apart_us) < one.period_us
    ]
    lacks += [
        f"The counters are {duration(abs(one.apart_us or 0.0))} apart, less than the period of "
        f"{duration(one.period_us)}, so the difference wraps in neither direction. The published ones would be some "
        "203 to 205 ms apart, as we infer from their smallest and their largest."
        for one in near
    ]
    return lacks


# What the run says of each finding


def _verdicts(evidence: _Evidence, exhibit: str) -> list[Verdict]:
    chip, kernel = other_chip(evidence.run, _CHIP, _HZ), another_kernel(evidence.run)
    return evidence.table.verdicts(exhibit, lambda claim: of_its_kernel(_SAID[claim](evidence), kernel), chip)


def _mean_us(one: JitterSetting) -> Interval:
    """Return the mean period, with an interval by the standard error."""
    asked = one.period_us
    if one.deviation_us is None:
        return Interval(asked)
    return difference(one.deviation_us.mean_interval, Interval(-asked, -asked, -asked))


def _rest_average(evidence: _Evidence) -> ClaimResult:
    if not evidence.rest:
        return cannot_tell("The task was not measured at rest.")
    figures = evidence.table.figures
    asked = figures.period_ms * 1e3
    bound = abs(figures.row(moved=False).average_ms * 1e3 - asked) + figures.half_us
    worst = max(map(_mean_us, evidence.rest), key=lambda one: abs(one.value - asked))
    if worst.low is None or worst.high is None:
        return cannot_tell("There is only one period.")
    far = max(abs(worst.low - asked), abs(worst.high - asked))
    here = (
        f"Here the average is within {to_a_tick(far)} of {duration(asked)}, with 95 % confidence. The printed one may "
        f"be up to {duration(bound)} off, so no more than that agrees."
    )
    return ClaimResult(outcome(worst, least=asked - bound, most=asked + bound), here)


def _rest_range(evidence: _Evidence) -> ClaimResult:
    if not evidence.rest:
        return cannot_tell("The task was not measured at rest.")
    half, row = evidence.table.figures.half_us, evidence.table.figures.row(moved=False)
    periods = sum(one.deviation_us.n for one in evidence.rest if one.deviation_us is not None)
    shortest, longest = _ends_us(evidence.rest)
    ends = dict.fromkeys(f"{us / 1e3:,.4f}" for us in (shortest, longest))
    here = f"Here {periods:,} periods are {' to '.join(ends)} ms"
    if shortest < row.minimum_ms * 1e3 - half or longest > row.maximum_ms * 1e3 + half:
        return ClaimResult("contradicts", f"{here}.")
    if periods < ENOUGH:
        return cannot_tell(f"{here}, which are too few to say that none is beyond.")
    return ClaimResult("agrees", f"{here}.")


def _rest_expected(evidence: _Evidence) -> ClaimResult:
    """Hold the periods against a tick of the kernel: the paper says of nothing how much was expected."""
    ticks = tick_hz(evidence.run)
    if not evidence.rest or ticks is None:
        return cannot_tell("No periods at rest, or not how long a tick of the kernel is.")
    periods = sum(one.deviation_us.n for one in evidence.rest if one.deviation_us is not None)
    far, tick = max(map(_largest_us, evidence.rest)), 1e6 / ticks
    here = (
        f"Here {periods:,} periods deviate by at most {to_a_tick(far)}; a tick of the kernel, the step of "
        f"vTaskDelayUntil(), is {duration(tick)}, which is our measure: the paper gives none."
    )
    if far >= tick:
        return ClaimResult("contradicts", here)
    return ClaimResult("agrees" if periods >= ENOUGH else "cannot tell", here)


def _ends_us(found: Sequence[JitterSetting]) -> tuple[float, float]:
    """Return the shortest and the longest period."""
    ends = [(one.period_us + one.bound_us[0], one.period_us + one.bound_us[1]) for one in found if one.bound_us]
    return min(low for low, _ in ends), max(high for _, high in ends)


def _moved_average(evidence: _Evidence) -> ClaimResult:
    counters = _counters_words(evidence)
    if not evidence.moved:
        return cannot_tell(" ".join(["No period of the task that was moved is known by one clock.", *counters]))
    asked = evidence.table.figures.period_ms * 1e3
    worst = max(evidence.moved, key=lambda one: abs(_mean_us(one).value / one.period_us - 1))
    mean, row = _mean_us(worst), evidence.table.figures.row(moved=True)
    here = f"By one clock, a task of {duration(worst.period_us)} has {time_in_words(mean)} on average"
    if mean.low is None or mean.high is None:
        return cannot_tell(" ".join([f"{here}, of a single period.", *counters]))
    least = row.minimum_ms * 1e3 / asked
    found: Outcome = "cannot tell"
    if mean.low >= least * worst.period_us:
        found = "agrees"
    elif mean.high < _LONG * worst.period_us:
        found = "contradicts"
    return ClaimResult(
        found, " ".join([f"{here}; the published average is {row.average_ms / asked * 1e3:,.0f} periods.", *counters])
    )


def _is_half_a_wrap(one: FalsePeriods) -> bool:
    """Whether the cores' counters are so wide and so far apart that one way wraps once, and the mean is what follows.

    Then it is the period and half a wrap, whatever the distance is.
    """
    if one.wrap_us is None or one.apart_us is None or one.implied_us is None:
        return False
    wraps = one.wrap_us > one.period_us and abs(one.apart_us) > one.period_us
    return wraps and abs(one.mean_us - one.implied_us) <= _FOLLOWS * one.wrap_us


def _counters_words(evidence: _Evidence) -> list[str]:
    """Say what the cores' own counters make of the same activations, where it is what was likely published."""
    found = next((one for one in evidence.false if _is_half_a_wrap(one)), None)
    if found is None or found.apart_us is None or found.wrap_us is None:
        return []
    return [
        f"The cores' own counters, of {found.bits} bits at {found.hz / 1e6:g} MHz and {duration(abs(found.apart_us))} "
        f"apart, make periods of {duration(found.least_us)} to {duration(found.largest_us)} of activations that are "
        f"{duration(found.true_us)} apart: {duration(found.mean_us)} on average, the period and half a wrap of "
        f"{duration(found.wrap_us)}. These are not durations. Our inference: the published table likely came about in "
        "the same way."
    ]


def _moved_overhead(evidence: _Evidence) -> ClaimResult:
    found = [*evidence.moved, *evidence.waiting]
    if not found:
        return cannot_tell("No task was moved, and timed by one clock.")
    worst = max(found, key=_largest_part)
    part, moved = _largest_part(worst), sum(one.migrations for one in found)
    words = f"Of {moved:,} migrations, none made a period deviate by more than {duration(part * worst.period_us)}"
    said = f"{words}, {percent(part)} of the period" + (
        f"; at rest none by more than {to_a_tick(max(map(_largest_us, evidence.rest)))}." if evidence.rest else "."
    )
    said = (
        f"{said} The paper gives no bound: more than a period counts as significant here, and less than "
        f"{percent(_NEXT_TO_NOTHING)} of one as none."
    )
    return ClaimResult("agrees" if part > 1 else "contradicts" if part < _NEXT_TO_NOTHING else "cannot tell", said)


def _largest_us(one: JitterSetting) -> float:
    return max(map(abs, one.bound_us or (0.0,)))


def _largest_part(one: JitterSetting) -> float:
    return _largest_us(one) / one.period_us


def _moved_load(evidence: _Evidence) -> ClaimResult:
    if not evidence.blocked:
        return cannot_tell("No blockers stopped the task before its call: ask for migrate=unsynchronised.")
    worst = max(evidence.blocked, key=_largest_part)
    shortest, longest = _ends_us([worst])
    row, asked = evidence.table.figures.row(moved=True), evidence.table.figures.period_ms
    here = f"Blockers that stop the task at any time make periods of {duration(shortest)} to {duration(longest)} here"
    if longest < _LONG * worst.period_us:
        return cannot_tell(f"{here}: none is long.")
    if shortest < _SHORT * worst.period_us:
        return cannot_tell(
            f"{here}: where a program keeps the time of its last release, one that is overdue comes at once, so short "
            f"periods stand beside the long. The shortest published one is {row.minimum_ms:,.3f} ms, "
            f"{row.minimum_ms / asked:.0f} periods. But these blockers are not the paper's, whose load may act "
            "otherwise."
        )
    return ClaimResult("agrees", f"{here}, and none that is short.")


def _no_function(evidence: _Evidence) -> ClaimResult:
    version = evidence.run.measurements[0].conditions.get("freertos.version")
    theirs = "ESP-IDF's FreeRTOS, likely the paper's, has no such function"
    if version is None:
        return cannot_tell(f"{theirs}; FreeRTOS V11 SMP has it.")
    pinned = [one for one in evidence.waiting if one.migrate == "affinity"]
    if pinned:
        moved, asked = sum(one.moved or 0 for one in pinned), sum(one.asked or 0 for one in pinned)
        return cannot_tell(
            f"FreeRTOS {version} has vTaskCoreAffinitySet(): {moved:,} of {asked:,} times it moved the task while that "
            f"waited. {theirs}; the authors write “does not yet”."
        )
    refused = next(
        (
            one.why
            for one in evidence.run.plan.excluded
            if one.benchmark == BENCHMARK and one.factors.get("migrate") == "affinity"
        ),
        "",
    )
    if refused and version.endswith(_ESP_IDF):
        return ClaimResult(
            "agrees", f"{theirs}: {whose(evidence.run)} refuses it, as {refused}. FreeRTOS V11 SMP has it."
        )
    if refused:
        return cannot_tell(f"{whose(evidence.run)} refuses it: {refused}. {theirs}; FreeRTOS V11 SMP has it.")
    return cannot_tell(f"No task was moved by its affinity: ask for migrate=affinity. {theirs}.")


_SAID: Mapping[str, Callable[[_Evidence], ClaimResult]] = {
    "rest-average": _rest_average,
    "rest-range": _rest_range,
    "rest-expected": _rest_expected,
    "moved-average": _moved_average,
    "moved-overhead": _moved_overhead,
    "moved-load": _moved_load,
    "no-function": _no_function,
}
