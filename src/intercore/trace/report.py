"""The report of a recorded measurement: sentences, and a table of parts for each series."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from intercore.record.origin import in_heading
from intercore.text import listed
from intercore.trace.path import Part
from intercore.trace.shares import costs
from intercore.view.quantity import duration, percent
from intercore.view.section import Section
from intercore.view.table import Column, Table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from intercore.record.origin import Origin
    from intercore.trace.history import History
    from intercore.trace.shares import Share, Step, TracedSeries


MOST_STEPS = 4
"""Of the longest sample, that a sentence tells by themselves."""
_SEEN = "seen"
"""Value of the condition `recorder.scheduler`, which otherwise has the reason; kernels that record themselves lack
it."""
_OWN_EVENTS = (
    "The events are from the program, not from Linux' scheduler: calls of a task, the tasks that it wakes, the "
    "begin and "
    "the end of its waits. They do not show the kernel between a signal and the woken task (wake-up), waits inside of "
    "a transport (message), interrupts, other programs, or preemptions: after these, a task reappears with its next "
    "event. "
)
_MORE = (
    "Events of the scheduler are recorded as root if tracefs is mounted (mount -t tracefs tracefs "
    "/sys/kernel/tracing); here {why}."
)
_SCHEDULER_EVENTS = (
    "Switches and wake-ups are from Linux' scheduler (sched_switch, sched_waking), including those of other programs. "
)


class CoreKept(msgspec.Struct, frozen=True):
    """The kept events of a core."""

    core: int
    recorded: int
    """Events recorded in total."""
    missing: int
    """Events lost to an overflow of its ring: the first ones."""
    cost_us: float
    """Overhead of an event in µs: the median measured on the core."""
    scheduler_cost_us: float | None = None
    """Overhead of a record of Linux' scheduler, a wake-up or a switch, in µs; None if there are none, or if unknown."""


class TraceAnalysis(msgspec.Struct, frozen=True):
    """The analysis of a recorded measurement, as printed by `intercore trace --format json`."""

    target: str
    origin: Origin
    benchmark: str
    cores: tuple[CoreKept, ...]
    series: tuple[TracedSeries, ...]
    file: str
    """Path of the Perfetto file."""
    scheduler: str | None = None
    """On Linux: `seen`, or `not seen: ` and why, if there are only the port's events; None for other kernels."""

    @property
    def heading(self) -> str:
        """The benchmark and the target."""
        return f"{self.benchmark} on {in_heading(self.target, self.origin)}"


def analysed(
    history: History,
    series: Sequence[TracedSeries],
    target: str,
    origin: Origin,
    benchmark: str,
    file: str,
    *,
    scheduler: str | None = None,
) -> TraceAnalysis:
    """Analyse a history."""
    us = 1e6 / history.recording.hz
    cores = tuple(
        CoreKept(ring.core, ring.recorded, ring.missing, cost * us, ring.scheduler_cost * us or None)
        for ring, cost in zip(history.recording.rings, costs(history), strict=True)
    )
    return TraceAnalysis(target, origin, benchmark, cores, tuple(series), file, scheduler)


def section(analysis: TraceAnalysis) -> Section:
    """Return tables and sentences."""
    sentences = [sentence for one in analysis.series for sentence in (_consists(one), _longest(one))]
    sentences += [sentence for one in analysis.series if (sentence := _counters(one))]
    sentences += [_cost(analysis), *_missing(analysis)]
    if analysis.scheduler == _SEEN:
        sentences.append(_SCHEDULER_EVENTS + _scheduler_cost(analysis))
    elif analysis.scheduler is not None:
        why = analysis.scheduler.partition(": ")[2] or "the reason is unknown"
        sentences.append(_OWN_EVENTS + _MORE.format(why=why))
    if not analysis.series:
        sentences.insert(0, "No kept event is a timestamp of a sample.")
    tables = [_table(analysis, one) for one in analysis.series]
    return Section(f"Where the time goes: {analysis.heading}", sentences, tables)


def rows(analysis: TraceAnalysis) -> list[dict[str, object]]:
    """Return a row for each part of each series, for CSV."""
    return [
        {
            "series": one.series,
            "part": share.part.value,
            "recorded_us": share.us,
            "recorder_us": share.recorder_us,
            "own_us": share.own_us,
            "share": _fraction(one, share),
        }
        for one in analysis.series
        for share in one.shares
    ]


def _fraction(one: TracedSeries, share: Share) -> float:
    whole = sum(other.own_us for other in one.shares)
    return share.own_us / whole if whole else 0.0


def _table(analysis: TraceAnalysis, one: TracedSeries) -> Table[Share]:
    return Table(
        f"Where the time of {one.series} goes: {analysis.heading}",
        one.shares,
        [
            Column("part", lambda share: share.part.value),
            Column("recorded", lambda share: duration(share.us), right=True),
            Column("recorder overhead", lambda share: _or_none(share.recorder_us), right=True),
            Column("net", lambda share: duration(share.own_us), right=True),
            Column("share", lambda share: percent(_fraction(one, share)), right=True),
        ],
    )


def _or_none(us: float) -> str:
    return duration(us) if us else "none"


def _consists(one: TracedSeries) -> str:
    left = sum(share.own_us for share in one.shares)
    by_size = sorted(one.shares, key=lambda share: share.own_us, reverse=True)
    parts = listed([f"{percent(_fraction(one, share))} {share.part.value}" for share in by_size])
    off = "" if one.plain_us is None else f", and {duration(one.plain_us)} with the recorder off"
    return (
        f"{one.series}: {duration(one.median_us)} with the recorder on{off} (medians). The parts are known of "
        f"{one.found} of {one.samples} "
        f"samples, on average {duration(left)} without the recorder's overhead: {parts}."
    )


def _longest(one: TracedSeries) -> str:
    """Return what the time of the longest sample went to, the longest steps first."""
    by_size = sorted(one.longest.steps, key=lambda step: step.us, reverse=True)
    told = [f"{duration(step.us)} {_of(step)}" for step in by_size[:MOST_STEPS]]
    if rest := sum(step.us for step in by_size[MOST_STEPS:]):
        told.append(f"{duration(rest)} other steps")
    return (
        f"The longest of these {one.found} samples of {one.series} took {duration(one.longest.us)} with the recorder "
        f"on, of which {listed(told)}."
    )


def _of(step: Step) -> str:
    name = f" ({step.task})" if step.part is Part.OTHER and step.task else ""
    return f"{step.part.value}{name} on core {step.core}"


def _counters(one: TracedSeries) -> str:
    """Return a sentence on a time that was computed from two cores' counters."""
    counted = [window for window in one.windows if window.counted]
    if not counted:
        return ""
    true_us = sum(share.us for share in one.shares)
    return (
        f"{one.series} is the difference of the two cores' own counters: {duration(one.median_us)}, "
        f"while by the common clock {duration(true_us)} passed between the two timestamps."
    )


def _cost(analysis: TraceAnalysis) -> str:
    overheads = listed([f"{duration(core.cost_us)} on core {core.core}" for core in analysis.cores])
    return f"The overhead of an event is {overheads}, measured there before the recording."


def _scheduler_cost(analysis: TraceAnalysis) -> str:
    costs_us = [core.scheduler_cost_us for core in analysis.cores]
    if None in costs_us:
        return "The overhead of a record could not be measured on each core, and is not subtracted there."
    overheads = listed([f"{duration(core.scheduler_cost_us or 0.0)} on core {core.core}" for core in analysis.cores])
    return f"The overhead of a record is {overheads}, measured there before the recording."


def _missing(analysis: TraceAnalysis) -> list[str]:
    return [
        f"The ring of core {core.core} has overflowed: the first {core.missing} of its {core.recorded} events are "
        "missing, and the samples in that time are omitted. To keep all events, take fewer samples or a larger trace=."
        for core in analysis.cores
        if core.missing
    ]
