"""The report of the benchmark `irq`: latencies of interrupts by path and cores, and what to allow for them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from intercore.benchmarks.explained import explained_tables
from intercore.benchmarks.irq import DOING, PATHS
from intercore.benchmarks.irq.analysis import BENCHMARK, EXPLAINED, analyse, caveats, pooled, results, samples_us
from intercore.benchmarks.irq.answers import answers, costs, remarks
from intercore.benchmarks.irq.publication import IrqPublication
from intercore.benchmarks.published import published
from intercore.finding import texts
from intercore.view.axes import Axis
from intercore.view.distribution import histogram_figure
from intercore.view.exhibit import Exhibit
from intercore.view.figure import Cells, Figure, Panel
from intercore.view.quantity import duration
from intercore.view.section import Report, Section, where, whose
from intercore.view.table import Column, Table, interval_cells, varied_columns

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from intercore.benchmarks.irq import Path
    from intercore.benchmarks.irq.analysis import IrqAnalysis, IrqBudget, Latency
    from intercore.benchmarks.irq.publication import IrqTime
    from intercore.record.measurement import Run
    from intercore.statistics.intervals import Interval

_HISTOGRAMS: Sequence[Path] = ("timer-handler", "handler-task", "doorbell", "gpio-handler")
_CELL = 45  # pixels of a core in a matrix


def report(run: Run) -> Report:
    """Report on the measurements of `irq`."""
    analysis = analyse(run.measurements)
    found = [*results(analysis), *caveats((*run.measurements, *run.failed))]
    return Report(
        BENCHMARK,
        {BENCHMARK: {**msgspec.to_builtins(analysis), "sentences": texts(found)}},
        [_row(one) for one in analysis.latencies],
        found,
        Section(
            "Interrupt latency (irq)",
            texts(found),
            list(_tables(run, analysis)),
            list(_figures(run, analysis)),
            list(_notes(run, analysis)),
        ),
        topic="interrupts",
        answers=tuple(answers(analysis)),
        costs=tuple(costs(analysis)),
        remarks=tuple(remarks(analysis)),
        exhibits=tuple(_exhibits(run, analysis)),
    )


def _row(one: Latency) -> dict[str, object]:
    found, cycles = one.latency_us, one.cycles
    return {
        **one.varied,
        "path": one.path,
        "from": one.first,
        "to": one.second,
        "interrupted": one.interrupted,
        "samples": found.n,
        "min_us": found.min,
        **interval_cells("median", found.median, "_us"),
        "p99_us": found.p99.value if found.p99 else None,
        "max_us": found.max,
        "min_cycles": cycles.min if cycles else None,
        "median_cycles": cycles.median if cycles else None,
        "max_cycles": cycles.max if cycles else None,
        "timestamp_overhead_us": one.timestamp_overhead_us,
        "within_us": one.within_us,
    }


# Tables


def _tables(run: Run, analysis: IrqAnalysis) -> Iterator[Table[Any]]:
    for path, words in PATHS.items():
        rows = [one for one in analysis.latencies if one.path == path]
        if rows:
            yield Table(f"{path}: {words}, on {where(run)}", rows, _columns(rows))
    yield from explained_tables(run, analysis.explained, EXPLAINED)
    if analysis.budgets:
        yield Table(f"Worst cases to allow for, on {where(run)}", analysis.budgets, _budget_columns(analysis.budgets))
        yield from _published_tables(run, analysis)


def _comparable(analysis: IrqAnalysis) -> list[IrqPublication]:
    """Return the published tables that have something like what was measured."""
    tables = published(IrqPublication)
    return [table for table in tables if any(_like(analysis, row) for row in table.figures.rows)]


def _like(analysis: IrqAnalysis, row: IrqTime) -> list[IrqBudget]:
    return [one for one in analysis.budgets if one.path == row.path and not one.across]


class _TimeRow(NamedTuple):
    """A published time, or one of ours that is like it."""

    of: str
    what: str
    usual: str
    largest: str


def _published_tables(run: Run, analysis: IrqAnalysis) -> Iterator[Table[_TimeRow]]:
    for table in _comparable(analysis):
        yield _published_table(run, analysis, table)


def _published_table(run: Run, analysis: IrqAnalysis, table: IrqPublication) -> Table[_TimeRow]:
    rows = []
    for row in table.figures.rows:
        rows.append(_TimeRow("published", row.what, f"{row.ms:.2f} ms, kind not stated", "not stated"))
        rows += [
            _TimeRow(
                whose(run),
                " ".join([f"{one.path}, one core", *(f"{name}={level}" for name, level in one.varied.items())]),
                duration(one.typical_us),
                duration(one.largest_us),
            )
            for one in _like(analysis, row)
        ]
    return Table(
        f"{table.label}, as published, and {where(run)}",
        rows,
        [
            Column("of", lambda row: row.of),
            Column("what", lambda row: row.what),
            Column("usual", lambda row: row.usual, right=True),
            Column("largest", lambda row: row.largest, right=True),
        ],
        published=True,
    )


def _exhibits(run: Run, analysis: IrqAnalysis) -> Iterator[Exhibit]:
    """Return the published values, with a fixed verdict: no target runs that kernel."""
    for table in _comparable(analysis):
        for known in table.exhibits:
            yield table.shown(
                known.id,
                tables=[_published_table(run, analysis, table)],
                figures=[],
                verdicts=[table.held(claim.id, ("cannot tell", _OTHER_SYSTEM), "") for claim in table.claims],
                untested=f"{whose(run)} does not run RTEMS, so no RTEMS object is posted or received.",
            )


_OTHER_SYSTEM = (
    "The publication has another kernel on another processor; the table has the most similar path of this run."
)


def _columns(rows: Sequence[Latency]) -> list[Column[Latency]]:
    columns: list[Column[Latency]] = varied_columns(rows)
    columns += [
        Column("cores", lambda one: one.cores),
        Column("they are", lambda one: one.interrupted),
        Column("samples", lambda one: f"{one.latency_us.n:,}", right=True),
        Column("min", lambda one: duration(one.latency_us.min), right=True),
        Column("median", lambda one: duration(one.latency_us.median.value), right=True),
        Column("p90", lambda one: _percentile(one.latency_us.p90), right=True),
        Column("p99", lambda one: _percentile(one.latency_us.p99), right=True),
        Column("max", lambda one: duration(one.latency_us.max), right=True),
    ]
    if any(one.within_us for one in rows):
        columns += [Column("±", lambda one: duration(one.within_us) if one.within_us else "", right=True)]
    if any(one.cycles for one in rows):
        columns += [Column("min/median/max cycles", _cycles, right=True)]
    return columns


def _budget_columns(rows: Sequence[IrqBudget]) -> list[Column[IrqBudget]]:
    columns: list[Column[IrqBudget]] = varied_columns(rows)
    return [
        *columns,
        Column("path", lambda one: one.path),
        Column("cores", lambda one: "two" if one.across else "one"),
        Column("usual", lambda one: duration(one.typical_us), right=True),
        Column("maximum", lambda one: duration(one.largest_us), right=True),
        Column("of", lambda one: f"{one.samples:,}", right=True),
        Column("they are then", lambda one: one.largest_while),
        Column("once in a million", _rare, right=True),
    ]


def _percentile(found: Interval | None) -> str:
    return "–" if found is None else duration(found.value)


def _cycles(one: Latency) -> str:
    return "" if one.cycles is None else f"{one.cycles.min:,} / {one.cycles.median:,.0f} / {one.cycles.max:,}"


def _rare(one: IrqBudget) -> str:
    return duration(one.tail.exceeded[0].value.value) if one.tail and one.tail.exceeded else "–"


# Figures


def _figures(run: Run, analysis: IrqAnalysis) -> Iterator[Figure]:
    pools = pooled(run.measurements)
    matrix = _matrix(analysis)
    if matrix:
        yield matrix
    for path in _HISTOGRAMS:
        samples = {
            f"{'two cores' if across else 'one core'}, {DOING[doing]}": samples_us(pools, path, doing, across=across)
            for across in (False, True)
            for doing in DOING
        }
        if any(len(found) for found in samples.values()):
            yield histogram_figure(
                f"irq-{path}",
                PATHS[path].capitalize(),
                samples,
                f"Latencies of the path {path}, all cores together, by the cores' activity.",
                quantity="latency",
                tick_us=1e6 / next(iter(pools.values()))[0].samples("latency").hz,
            )


def _matrix(analysis: IrqAnalysis) -> Figure | None:
    """Draw the medians of paths between cores, a heat map for each path, all with one scale; None without a pair."""
    known = [one for one in analysis.latencies if one.second is not None and one.interrupted == "idle"]
    known = [one for one in known if one.varied == known[0].varied]
    paths = [path for path in PATHS if any(one.path == path for one in known)]
    cores = sorted({core for one in known for core in (one.first, one.second or 0)})
    if len(cores) < 2:
        return None
    names = [f"core {core}" for core in cores]
    largest = max(one.latency_us.median.value for one in known)
    panels = []
    for path in paths:
        medians = {(one.first, one.second): one.latency_us.median.value for one in known if one.path == path}
        cells = [[medians.get((first, second)) for second in cores] for first in cores]
        words = [["" if cell is None else duration(cell) for cell in row] for row in cells]
        texts = [
            [f"{path}\nfrom core {first} to core {second}: {word}" for second, word in zip(cores, row, strict=True)]
            for first, row in zip(cores, words, strict=True)
        ]
        x, y = Axis().of_names(names), Axis().of_names(names, down=True)
        panels.append(Panel(x, y, [Cells(cells, words, texts, 0.0, largest)], _CELL * len(cores), path))
    caption = "From the core of the row to the core of the column. All panels share one scale of colours."
    return Figure("irq-matrix", "Median latency between sleeping cores", caption, panels, columns=2)


# Notes


def _notes(run: Run, analysis: IrqAnalysis) -> Iterator[str]:
    yield (
        "A path begins when the timer is due, which is known exactly on the common clock, or with a reading right "
        "before the doorbell, the wake-up or the edge. It ends with the first reading in the handler or the task. It "
        "includes the platform's code that calls the handler, as in an application. Nothing is subtracted."
    )
    conditions = run.measurements[0].conditions if run.measurements else {}
    yield (
        "The cores sleep, compute, or call the kernel without pause, in tasks of lower priority than those measured."
    )
    if "freertos.version" in conditions:
        yield (
            "The kernel masks interrupts while it changes data that the cores share. While one core is in the kernel, "
            "another core that calls it waits, with interrupts masked. So the longest latencies come from kernel "
            "calls on both cores. An average, or a test with an idle second core, does not show them."
        )
    overhead = sorted(
        {one.timestamp_overhead_us for one in analysis.latencies if one.timestamp_overhead_us is not None}
    )
    if overhead:
        yield (
            f"The timestamp overhead is {duration(overhead[0])}"
            + (f" to {duration(overhead[-1])}" if overhead[-1] > overhead[0] else "")
            + (". A path from a reading to a reading includes it; a path from a timer includes only its first part.")
        )
    for key, what in (("interrupt.timer", "Timer"), ("interrupt.doorbell", "Doorbell"), ("interrupt.pin", "Pin")):
        if key in conditions:
            yield f"{what}: {conditions[key]}."
    if conditions.get("board") == "rp2040":
        yield (
            "A Cortex-M0+ begins a handler at most 15 cycles after the interrupt (Technical Reference Manual r0p1, "
            "3.6.1, memory without wait states). The rest of the path timer-handler is the platform's handler, which "
            "acknowledges the alarm and calls the benchmark's handler, and the beginning of the reading."
        )
    if conditions.get("board") == "linux":
        yield (
            "A Linux program has no interrupts. Instead, a thread waits for a signal; it is pinned to the core and "
            "its priority is above all tasks. So a path to a handler includes a whole wake-up by the Linux kernel. "
            "Compare it with a path from an interrupt to a task on a microcontroller."
        )
    for table in _comparable(analysis):
        yield table.in_words
    for one in analysis.budgets:
        if one.tail:
            cores = "two cores" if one.across else "one core"
            yield f"{one.path}, {cores}, while {DOING[one.largest_while]}: {one.tail.sentence}"
