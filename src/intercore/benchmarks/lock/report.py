"""The report of the benchmark `lock`: hand-off, fairness, and the one-way time of a word between cores."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

import msgspec
import numpy as np

from intercore.benchmarks.lock.analysis import (
    BENCHMARK,
    HAND_OVER,
    LockContention,
    LockHandOver,
    LockPingPong,
    analyse,
    caveats,
    hand_over_us,
    pools,
    results,
)
from intercore.benchmarks.lock.answers import answers, costs, remarks
from intercore.benchmarks.lock.publication import LockPublication
from intercore.benchmarks.published import published
from intercore.finding import texts
from intercore.view.distribution import distribution_columns, histogram_figure
from intercore.view.matrix import matrix_figure
from intercore.view.quantity import duration
from intercore.view.section import Report, Section, where
from intercore.view.table import Column, Table, interval_cells, varied_columns

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from intercore.benchmarks.lock.analysis import LockAnalysis
    from intercore.record.measurement import Level, Run
    from intercore.statistics.distribution import Distribution
    from intercore.view.figure import Figure

Row = TypeVar("Row", LockHandOver, LockContention, LockPingPong)


def report(run: Run) -> Report:
    """Report on the measurements of `lock`."""
    analysis = analyse(run.measurements)
    found = [*results(analysis), *caveats((*run.measurements, *run.failed))]
    return Report(
        BENCHMARK,
        {BENCHMARK: {**msgspec.to_builtins(analysis), "sentences": texts(found)}},
        list(_rows(analysis)),
        found,
        Section(
            "Cost of a lock between cores (lock)",
            texts(found),
            list(_tables(run, analysis)),
            list(_figures(run, analysis)),
            list(_notes(run, analysis)),
        ),
        topic="locks",
        answers=tuple(answers(analysis)),
        costs=tuple(costs(analysis)),
        remarks=tuple(remarks(analysis)),
    )


def _rows(analysis: LockAnalysis) -> Iterator[dict[str, object]]:
    for one in analysis.hand_off:
        found = one.latency_us
        yield {
            **one.varied,
            "measure": "hand-off",
            "lock": one.lock,
            "from": one.first,
            "to": one.second,
            "samples": found.n,
            "min_us": found.min,
            **interval_cells("median", found.median, "_us"),
            "max_us": found.max,
            "median_cycles": one.median_cycles,
        }
    for each in analysis.contention:
        yield {
            **each.varied,
            "measure": "contention",
            "lock": each.lock,
            "cores": each.cores,
            "hold": each.hold,
            "pause": each.pause,
            "samples": each.bouts,
            "acquisitions": each.acquisitions,
            "per_second": each.per_second,
            "jain": each.jain,
            "longest_streak": each.longest_streak,
            "repeated": each.repeated,
            "longest_wait_us": each.longest_wait_us,
        }
    for way in analysis.ping_pong:
        found = way.one_way_us
        yield {
            **way.varied,
            "measure": "ping-pong",
            "lock": way.lock,
            "from": way.first,
            "to": way.second,
            "batch": way.batch,
            "samples": found.n,
            "min_us": found.min,
            **interval_cells("median", found.median, "_us"),
            "max_us": found.max,
            "median_cycles": way.one_way_cycles,
        }


# Tables


def _tables(
    run: Run, analysis: LockAnalysis
) -> Iterator[Table[LockHandOver] | Table[LockContention] | Table[LockPingPong]]:
    if analysis.hand_off:
        yield Table(
            f"Lock hand-off, from release to acquisition by a waiting core, on {where(run)}",
            analysis.hand_off,
            [
                *varied_columns(analysis.hand_off),
                Column("lock", lambda one: one.lock),
                Column("cores", lambda one: f"{one.first} → {one.second}"),
                *_distribution(analysis.hand_off, lambda one: one.latency_us),
                *_cycles(analysis.hand_off, lambda one: one.median_cycles),
            ],
        )
    if analysis.contention:
        yield Table(f"Contended locks on {where(run)}", analysis.contention, _contention_columns(analysis))
    if analysis.ping_pong:
        yield Table(
            f"One way of a word from core to core, on {where(run)}",
            analysis.ping_pong,
            [
                *varied_columns(analysis.ping_pong),
                Column("by", lambda one: one.lock),
                Column("cores", lambda one: f"{one.first} – {one.second}"),
                *_distribution(analysis.ping_pong, lambda one: one.one_way_us),
                *_cycles(analysis.ping_pong, lambda one: one.one_way_cycles),
            ],
        )


def _contention_columns(analysis: LockAnalysis) -> list[Column[LockContention]]:
    rows = analysis.contention
    columns: list[Column[LockContention]] = [*varied_columns(rows), Column("lock", lambda one: one.lock)]
    if len({(one.cores, one.hold, one.pause) for one in rows}) > 1:
        columns += [Column("cores, hold, pause", lambda one: f"{one.cores}, {one.hold}, {one.pause}")]
    return [
        *columns,
        Column("shares, %", _shares),
        Column("Jain", lambda one: f"{one.jain:.2f}", right=True),
        Column("in a row", lambda one: f"{one.longest_streak}", right=True),
        Column("again", lambda one: f"{100 * one.repeated:.0f} %", right=True),
        Column("longest wait", lambda one: duration(one.longest_wait_us), right=True),
        Column("each takes", lambda one: duration(one.each_us), right=True),
        *_cycles(rows, lambda one: one.each_cycles),
    ]


_MOST_SHARES = 4


def _shares(one: LockContention) -> str:
    total = max(sum(one.acquisitions), 1)  # perhaps nobody had it
    shares = [f"{100 * count / total:.0f}" for count in one.acquisitions]
    return " : ".join(shares[:_MOST_SHARES]) + (" …" if len(shares) > _MOST_SHARES else "")


def _distribution(rows: Sequence[Row], of: Callable[[Row], Distribution]) -> list[Column[Row]]:
    """Return the columns of a distribution, without percentiles that no row has."""
    known = {"p99": any(of(one).p99 for one in rows), "p99.9": any(of(one).p99_9 for one in rows)}
    return [column for column in distribution_columns(of) if known.get(column.title, True)]


def _cycles(rows: Sequence[Row], of: Callable[[Row], float | None]) -> list[Column[Row]]:
    def text(one: Row) -> str:
        cycles = of(one)
        return "" if cycles is None else f"{cycles:,.0f}"

    return [Column("cycles", text, right=True)] if any(of(one) is not None for one in rows) else []


# Figures


def _figures(run: Run, analysis: LockAnalysis) -> Iterator[Figure]:
    samples = {}
    for setting, pool in pools(run.measurements, HAND_OVER):
        for back, (first, second) in enumerate((("from", "to"), ("to", "from"))):
            label = f"{_label(setting)}, {setting[first]} → {setting[second]}"
            samples[label] = np.concatenate(hand_over_us(pool, back=bool(back)))
    if samples:
        yield histogram_figure(
            "lock-hand-over",
            "Lock hand-off, from release to acquisition by a waiting core",
            {label: samples[label] for label in _told(samples)},
            "A task that waits for a mutex, or on Linux for a critical section, blocks in the kernel, possibly after "
            "a short spin; for the other locks it spins.",
            quantity="latency",
        )
    pairs = _pairs(analysis)
    if pairs:
        cores = sorted({core for pair in pairs for core in pair}, key=int)
        labels = [f"core {core}" for core in cores]
        yield matrix_figure(
            "lock-ping-pong",
            "One way of a word from core to core",
            {(f"core {first}", f"core {second}"): us for (first, second), us in pairs.items()},
            "Median of half a round trip, so both directions of a pair have the same value. The fastest operation is "
            "drawn.",
            lines=labels,
            columns=labels,
            text=duration,
            axes=("from", "to"),
            low=0,
        )


def _told(samples: Mapping[str, object]) -> list[str]:
    """Return the labels to draw: of many, one direction of each lock."""
    labels = list(samples)
    return labels if len(labels) <= _BOTH_WAYS else labels[::2]


_BOTH_WAYS = 6
"""Samples up to which both directions are drawn."""


def _label(setting: Mapping[str, Level]) -> str:
    rest = [f"{name}={level}" for name, level in setting.items() if name not in ("lock", "from", "to")]
    return " ".join([str(setting["lock"]), *rest])


def _pairs(analysis: LockAnalysis) -> dict[tuple[str, str], float]:
    """Return the medians of pairs of cores, in µs, each under both orders; the least where several were measured."""
    found: dict[tuple[str, str], float] = {}
    for one in analysis.ping_pong:
        for pair in ((str(one.first), str(one.second)), (str(one.second), str(one.first))):
            found[pair] = min(one.one_way_us.median.value, found.get(pair, float("inf")))
    return found


# Notes


def _notes(run: Run, analysis: LockAnalysis) -> Iterator[str]:
    yield (
        "A hand-off lasts from a reading of the common clock right before the release on one core to a reading right "
        "after the acquisition on the other core, which has waited for some 50 µs by then. It includes the timestamp "
        "overhead; nothing is subtracted."
    )
    yield (
        "Contention: each core has a task that acquires the lock, works, releases it and pauses, as often as "
        "possible. Every acquisition has a timestamp, so that order, streaks and waits are known; the timestamp is "
        "part of its time. A bout ends when one core has had the lock as often as requested (rounds). Again: "
        "acquisitions by the previous owner."
    )
    conditions = run.measurements[0].conditions if run.measurements else {}
    for key, what in (
        ("object.mutex", "Mutex"),
        ("spinlock", "Spinlock"),
        ("critical_section", "Critical section"),
        ("atomic", "Atomic operations"),
    ):
        if key in conditions:
            yield f"{what}: {conditions[key]}."
    if analysis.ping_pong:
        yield from _literature()


def _literature() -> Iterator[str]:
    for table in published(LockPublication):
        figures = "; ".join(f"{row.cpu}: {', '.join(map(str, row.one_way_ns))} ns" for row in table.figures.rows)
        yield f"One way of a ping-pong by compare-exchange, as published: {figures}. {table.source.citation}."
        yield from table.notes
