"""The report of the benchmark `switch`: wake-up latency by primitive and pair of cores.

It also has the false latencies of unaligned counters, with a published figure that likely comes from these.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from intercore.benchmarks.switch.analysis import analyse, caveats
from intercore.benchmarks.switch.answers import answers, costs, remarks
from intercore.benchmarks.switch.exhibits import exhibits
from intercore.benchmarks.switch.literature import (
    beside_published,
    false_times_table,
    like_published,
    literature_table,
)
from intercore.benchmarks.switch.literature import notes as notes_on_published
from intercore.benchmarks.switch.names import CLOCKS, named, pair_of
from intercore.benchmarks.switch.plots import MOST_PAIRS, figures
from intercore.benchmarks.switch.results import results
from intercore.finding import texts
from intercore.view.quantity import bounds, duration, duration_bounds, multiple
from intercore.view.section import Report, Section, where
from intercore.view.table import Column, Table, interval_cells

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from intercore.benchmarks.switch.analysis import Ratio, SwitchAnalysis
    from intercore.benchmarks.switch.wake_ups import WakeUp
    from intercore.record.measurement import Run
    from intercore.statistics.intervals import Interval

_NOTES = (
    "Wake-up latency lasts from a reading of the clock right before the signal to the first reading in the woken "
    "task. The benchmark checks that this task is blocked before. On one core the woken task has the higher priority "
    "and preempts the signaller. On another core, that core is asleep or busy with a task of lower priority, "
    "according to `target`. Every number includes the timestamp overhead; nothing is subtracted.",
    "The signalling call is timed where it does not switch to the woken task: across cores with the same signal, and "
    "on one core from a caller with a higher priority than the woken task. For yield, the call is a yield without "
    "another ready task.",
    "For a design: if the ratio is near 1, the wake-up latency does not matter for the choice of a task's core; its "
    "data and its deadline do. A wake-up across cores adds the doorbell, the wake-up of the other core, and the "
    "kernel's locks on both cores. It saves the signaller's wait: across cores the signaller continues immediately, "
    "while on one core it waits until the woken task has done its work.",
    "With time=aligned each core reads its own counter. Before and after the samples the cores exchange timestamps "
    "while spinning. Of 64 exchanges, the one with the shortest round trip gives the offset of the counters, with an "
    "uncertainty of half of that round trip. Each sample is corrected with the offset at its time; ± is the remaining "
    "uncertainty, the same for all samples.",
)
_NOTE_ON_FALSE_TIMES = (
    "A published measurement of an ESP32 found 190.334 ms from a signal on one core to a task on the other, and 0.012 "
    "ms on one core. Both ends were likely read from the processor's cycle counter. Every core has one, which starts "
    "with its core. time=raw-counter does the same. On a chip whose second core starts later, it gives a nearly "
    "constant time that equals the difference of the starts, and is negative in the opposite direction."
)


def report(run: Run) -> Report:
    """Report on the measurements of `switch`."""
    analysis = analyse(run.measurements)
    found = [*results(analysis, run.measurements), *caveats((*run.measurements, *run.failed))]
    is_compared = bool(analysis.false_times) or like_published(analysis) is not None
    notes = [*_NOTES, *([_NOTE_ON_FALSE_TIMES, *notes_on_published()] if is_compared else [])]
    return Report(
        "switch",
        {"switch": {**msgspec.to_builtins(analysis), "sentences": texts(found)}},
        [_flat(one) for one in analysis.wake_ups],
        found,
        Section(
            "Wake-up latency of a task (switch)",
            texts(found),
            list(_tables(run, analysis)),
            list(figures(run, analysis)),
            notes,
        ),
        topic="waking a task",
        answers=tuple(answers(analysis)),
        costs=tuple(costs(analysis)),
        remarks=tuple(remarks(analysis)),
        exhibits=tuple(exhibits(run, analysis)),
    )


def _flat(one: WakeUp) -> dict[str, object]:
    return {
        "primitive": one.primitive,
        "from": one.first,
        "to": one.second,
        "target": one.target,
        "time": one.time,
        **one.varied,
        "samples": one.wake_up_us.n,
        **interval_cells("wake_up_us", one.wake_up_us.median),
        "wake_up_us_min": one.wake_up_us.min,
        "wake_up_us_p99": None if one.wake_up_us.p99 is None else one.wake_up_us.p99.value,
        "wake_up_us_max": one.wake_up_us.max,
        "within_us": one.within_us,
        "call_us": one.call_us.median.value,
    }


# Tables


def _tables(run: Run, analysis: SwitchAnalysis) -> Iterator[Table[Any]]:
    for time, clock in CLOCKS.items():
        found = [one for one in analysis.wake_ups if one.time == time]
        if found:
            within = max(one.within_us for one in found)
            by = clock + (f", ±{duration(within)}" if within else "")
            yield _comparison(f"{where(run)}, by {by}", found, [one for one in analysis.ratios if one.time == time])
            yield _wake_ups(f"{where(run)}, by {by}", found)
    if analysis.false_times:
        yield false_times_table(run, analysis.false_times)
    rows = list(beside_published(run, analysis))
    if any(row.is_own for row in rows):
        yield literature_table(run, rows)


class _Line(NamedTuple):
    """One primitive in one direction, or on one core alone."""

    primitive: str
    cores: str
    same_us: float | None
    """Median on the core that signals."""
    cross_us: float | None
    """Median from that core to the other one."""
    ratio: Interval | None


def _comparison(place: str, wake_ups: Sequence[WakeUp], ratios: Sequence[Ratio]) -> Table[_Line]:
    """One row for each primitive and direction, with the signalling core. Of many pairs, the extremes."""
    known = {_key(one): one for one in ratios}
    on_one_core = {(named(one), one.first): one for one in wake_ups if not one.crosses}
    found: dict[tuple[str, str], list[_Line]] = defaultdict(list)
    for one in wake_ups:
        if one.crosses:
            found[named(one), str(one.target)].append(
                _line(one, on_one_core.get((named(one), one.first)), one, known.get(_key(one)))
            )
    compared = {name for name, _ in found}
    rows = [row for lines in found.values() for row in _ends(lines)]
    rows += [_line(one, one, None, None) for one in on_one_core.values() if named(one) not in compared]
    columns: list[Column[_Line]] = [
        Column("primitive", lambda row: row.primitive),
        Column("cores", lambda row: row.cores),
        Column("one core", lambda row: _median(row.same_us), right=True),
        Column("across", lambda row: _median(row.cross_us), right=True),
        Column("ratio", lambda row: "–" if row.ratio is None else multiple(row.ratio.value), right=True),
        Column("95 %", lambda row: "–" if row.ratio is None else bounds(row.ratio, multiple) or "–", right=True),
    ]
    several = any(len(lines) > MOST_PAIRS for lines in found.values())
    which = ", in the quickest and the slowest direction" if several else ""
    return Table(f"Median wake-up latency across cores, and on the signalling core{which}, on {place}", rows, columns)


def _key(one: WakeUp | Ratio) -> tuple[str, str, int, int]:
    return named(one), str(one.target), one.first, one.second


def _line(one: WakeUp, same: WakeUp | None, cross: WakeUp | None, compared: Ratio | None) -> _Line:
    return _Line(
        primitive=named(one),
        cores=pair_of(one),
        same_us=None if same is None else same.wake_up_us.median.value,
        cross_us=None if cross is None else cross.wake_up_us.median.value,
        ratio=None if compared is None else compared.ratio,
    )


def _ends(lines: Sequence[_Line]) -> Sequence[_Line]:
    """Return all directions of a primitive; of more than have a row each, the quickest and the slowest."""
    if len(lines) <= MOST_PAIRS:
        return lines
    ordered = sorted(lines, key=lambda row: row.cross_us or 0.0)
    return ordered[0], ordered[-1]


def _median(us: float | None) -> str:
    return "–" if us is None else duration(us)


def _wake_ups(place: str, wake_ups: Sequence[WakeUp]) -> Table[WakeUp]:
    columns: list[Column[WakeUp]] = [
        Column("primitive", named),
        Column("cores", pair_of),
        Column("samples", lambda one: f"{one.wake_up_us.n:,}", right=True),
        Column("median", lambda one: duration(one.wake_up_us.median.value), right=True),
        Column("95 %", lambda one: duration_bounds(one.wake_up_us.median) or "–", right=True),
        Column("max", lambda one: duration(one.wake_up_us.max), right=True),
        Column("call", lambda one: duration(one.call_us.median.value), right=True),
    ]
    # Either fits the width; without p99 the minimum is more useful.
    if any(one.wake_up_us.p99 is not None for one in wake_ups):
        columns.insert(-2, Column("p99", _p99, right=True))
    else:
        columns.insert(3, Column("min", lambda one: duration(one.wake_up_us.min), right=True))
    return Table(f"Wake-up latency and signalling call on {place}", wake_ups, columns)


def _p99(one: WakeUp) -> str:
    return "–" if one.wake_up_us.p99 is None else duration(one.wake_up_us.p99.value)
