"""What people read of a recorded measurement: sentences, and a table of parts for each series."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from intercore.record.origin import in_heading
from intercore.text import listed
from intercore.trace.shares import costs
from intercore.view.quantity import duration, percent
from intercore.view.section import Section
from intercore.view.table import Column, Table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from intercore.record.origin import Origin
    from intercore.trace.history import History
    from intercore.trace.shares import Share, TracedSeries


_SEEN = "seen"
"""Of the condition `recorder.scheduler`, which says why otherwise; a kernel whose own macros record has none."""
_OWN_EVENTS = (
    "The events are the program's own, and none of Linux' scheduler: what a task asks for, whom it wakes by that, when "
    "it is about to wait and when it is back. They do not show what the kernel does between a signal and the woken "
    "task (wake-up), waits inside of a transport (message), interrupts, other programs, or that a task lost its core "
    "without asking; it is seen there again by its next event. "
)
_MORE = (
    "The scheduler's own are recorded for root, where tracefs is mounted (mount -t tracefs tracefs "
    "/sys/kernel/tracing); here {why}."
)
_SCHEDULER_EVENTS = (
    "Switches and wake-ups are those that Linux' scheduler tells (sched_switch, sched_waking), other programs' "
    "among them. "
)


class CoreKept(msgspec.Struct, frozen=True):
    """What was kept of a core."""

    core: int
    recorded: int
    """Events that there were."""
    missing: int
    """Of these, how many were lost to an overflow of its ring: the first."""
    cost_us: float
    """Of one event, in µs: the median of what the core measured."""
    scheduler_cost_us: float | None = None
    """Of one of Linux' scheduler's records, a wake-up or a switch, in µs; None if there are none, or it could not be
    told."""


class TraceAnalysis(msgspec.Struct, frozen=True):
    """What a recorded measurement consisted of; what `intercore trace --format json` prints."""

    target: str
    origin: Origin
    benchmark: str
    cores: tuple[CoreKept, ...]
    series: tuple[TracedSeries, ...]
    file: str
    """Where the Perfetto file was written."""
    scheduler: str | None = None
    """Of Linux: `seen`, or `not seen: ` and why, if there are the port's own events alone; None of other kernels."""

    @property
    def heading(self) -> str:
        """What was recorded, and where."""
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
    """Return what was found in a history."""
    us = 1e6 / history.recording.hz
    cores = tuple(
        CoreKept(ring.core, ring.recorded, ring.missing, cost * us, ring.scheduler_cost * us or None)
        for ring, cost in zip(history.recording.rings, costs(history), strict=True)
    )
    return TraceAnalysis(target, origin, benchmark, cores, tuple(series), file, scheduler)


def section(analysis: TraceAnalysis) -> Section:
    """Return tables and sentences."""
    sentences = [_consists(one) for one in analysis.series]
    sentences += [sentence for one in analysis.series if (sentence := _counters(one))]
    sentences += [_cost(analysis), *_missing(analysis)]
    if analysis.scheduler == _SEEN:
        sentences.append(_SCHEDULER_EVENTS + _scheduler_cost(analysis))
    elif analysis.scheduler is not None:
        why = analysis.scheduler.partition(": ")[2] or "that is not known"
        sentences.append(_OWN_EVENTS + _MORE.format(why=why))
    if not analysis.series:
        sentences.insert(0, "No sample's readings of the clock are among the events that were kept.")
    tables = [_table(analysis, one) for one in analysis.series]
    return Section(f"What {analysis.heading} consisted of", sentences, tables)


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
        f"What {one.series} consisted of: {analysis.heading}",
        one.shares,
        [
            Column("part", lambda share: share.part.value),
            Column("recorded", lambda share: duration(share.us), right=True),
            Column("of it the recorder", lambda share: _or_none(share.recorder_us), right=True),
            Column("without", lambda share: duration(share.own_us), right=True),
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
        f"{one.series}: {duration(one.median_us)} with the recorder on{off} (medians). Of {one.found} of {one.samples} "
        f"samples the parts are known, {duration(left)} on average without the recorder: {parts}."
    )


def _counters(one: TracedSeries) -> str:
    """Say what two cores' counters make of a time, where they were taken for one clock."""
    counted = [window for window in one.windows if window.counted]
    if not counted:
        return ""
    true_us = sum(share.us for share in one.shares)
    return (
        f"{one.series} is the difference of readings of the cores' own counters: it says {duration(one.median_us)}, "
        f"and by the common clock {duration(true_us)} passed from the one reading to the other."
    )


def _cost(analysis: TraceAnalysis) -> str:
    told = listed([f"{duration(core.cost_us)} on core {core.core}" for core in analysis.cores])
    return f"An event costs {told}, measured there before the recording."


def _scheduler_cost(analysis: TraceAnalysis) -> str:
    costs_us = [core.scheduler_cost_us for core in analysis.cores]
    if None in costs_us:
        return "What recording one costs Linux could not be told on each core, and is not taken off there."
    told = listed([f"{duration(core.scheduler_cost_us or 0.0)} on core {core.core}" for core in analysis.cores])
    return f"Recording one of them costs Linux {told}, measured there before the recording."


def _missing(analysis: TraceAnalysis) -> list[str]:
    return [
        f"The ring of core {core.core} has overflowed: the first {core.missing} of its {core.recorded} events are "
        "missing, and what was measured meanwhile is left out. Fewer samples, or a larger trace=, keep all."
        for core in analysis.cores
        if core.missing
    ]
