"""The report of the benchmark `memory`: rates by region and core, and how much one core slows the other down."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import msgspec

from intercore.benchmarks.memory.analysis import BENCHMARK, MemoryInterference, MemoryRate, analyse, caveats, results
from intercore.benchmarks.memory.answers import answers, remarks
from intercore.finding import texts
from intercore.view.matrix import matrix_figure
from intercore.view.quantity import duration
from intercore.view.section import Report, Section, where
from intercore.view.table import Column, Table, interval_cells, varied_columns

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from intercore.benchmarks.memory.analysis import MemoryAnalysis
    from intercore.record.measurement import Run
    from intercore.view.figure import Figure

_CERTAIN = 1.05
"""Slowdown below which a heat map draws none."""


def report(run: Run) -> Report:
    """Report on the measurements of `memory`."""
    analysis = analyse(run.measurements)
    found = [*results(analysis), *caveats((*run.measurements, *run.failed))]
    return Report(
        BENCHMARK,
        {BENCHMARK: {**msgspec.to_builtins(analysis), "sentences": texts(found)}},
        list(_rows(analysis)),
        found,
        Section(
            "Memory bandwidth and interference (memory)",
            texts(found),
            list(_tables(run, analysis)),
            list(_figures(analysis)),
            list(_notes(run)),
        ),
        topic="memory",
        answers=tuple(answers(analysis)),
        remarks=tuple(remarks(analysis)),
    )


def _rows(analysis: MemoryAnalysis) -> Iterator[dict[str, object]]:
    for one in analysis.rates:
        yield {
            **one.varied,
            "core": one.core,
            "region": one.region,
            "access": one.access,
            "bytes": one.bytes,
            "other": "none",
            "other_region": None,
            "samples": one.samples,
            "pass_us": one.pass_us.value,
            "mb_per_s": one.mb_per_s,
            "word_cycles": one.word_cycles,
            **interval_cells("slowdown", None),
        }
    for both in analysis.interference:
        yield {
            **both.varied,
            "core": both.core,
            "region": both.region,
            "access": both.access,
            "bytes": both.bytes,
            "other": both.other,
            "other_region": both.other_region,
            "samples": both.samples,
            "pass_us": both.beside_us,
            "mb_per_s": both.mb_per_s,
            "word_cycles": both.word_cycles,
            **interval_cells("slowdown", both.slowdown),
        }


# Tables


def _tables(run: Run, analysis: MemoryAnalysis) -> Iterator[Table[MemoryRate] | Table[list[MemoryInterference]]]:
    if analysis.rates:
        yield Table(f"One core alone, on {where(run)}", analysis.rates, _rate_columns(analysis.rates))
    for core, found in _by_core(analysis.interference):
        columns = list(dict.fromkeys(_beside(one) for one in found))
        lines: dict[tuple[object, ...], list[MemoryInterference]] = {}
        for one in found:
            lines.setdefault((one.region, one.access, one.bytes, *one.varied.values()), []).append(one)
        tables = math.ceil(len(columns) / _COLUMNS)
        width = math.ceil(len(columns) / tables)
        for part in range(0, len(columns), width):
            yield Table(
                f"Slowdown of core {core} by the other core on {where(run)}",
                list(lines.values()),
                _slowdown_columns(found, columns[part : part + width]),
            )


_COLUMNS = 5
"""Columns of slow-downs that fit a line; more are shared among tables of about equal width."""


def _rate_columns(rows: Sequence[MemoryRate]) -> list[Column[MemoryRate]]:
    columns: list[Column[MemoryRate]] = varied_columns(rows)
    columns += [
        Column("core", lambda one: str(one.core)),
        Column("region", lambda one: one.region),
        Column("access", lambda one: one.access),
        Column("passes", lambda one: f"{one.samples:,}", right=True),
        Column("of bytes", lambda one: f"{one.bytes:,}", right=True),
        Column("median", lambda one: duration(one.pass_us.value), right=True),
        Column("MB/s", lambda one: f"{one.mb_per_s:,.0f}", right=True),
    ]
    if any(one.word_cycles is not None for one in rows):
        columns += [Column("cycles per word", lambda one: _number(one.word_cycles, 3), right=True)]
    elif any(one.word_ns is not None for one in rows):
        columns += [Column("ns per word", lambda one: _number(one.word_ns, 3), right=True)]
    return columns


def _slowdown_columns(
    found: Sequence[MemoryInterference], besides: Sequence[str]
) -> list[Column[list[MemoryInterference]]]:
    columns = [Column[list[MemoryInterference]](name, _level_of_first(name)) for name in found[0].varied]
    if len({one.bytes for one in found}) > 1:
        columns += [Column("bytes", lambda line: f"{line[0].bytes:,}", right=True)]
    columns += [Column("region, access", lambda line: f"{line[0].region}, {line[0].access}")]
    return columns + [Column(beside, _cell(beside), right=True) for beside in besides]


def _cell(beside: str) -> Callable[[list[MemoryInterference]], str]:
    def text(line: list[MemoryInterference]) -> str:
        return next((f"{one.slowdown.value:.3f}" for one in line if _beside(one) == beside), "")

    return text


def _level_of_first(name: str) -> Callable[[list[MemoryInterference]], str]:
    return lambda line: str(line[0].varied[name])


def _number(value: float | None, decimals: int) -> str:
    return "" if value is None else f"{value:.{decimals}f}"


def _beside(one: MemoryInterference) -> str:
    return f"{one.other_region}\n{one.other}"


def _by_core(found: Sequence[MemoryInterference]) -> Iterator[tuple[int, list[MemoryInterference]]]:
    for core in sorted({one.core for one in found}):
        yield core, [one for one in found if one.core == core]


# Figures


def _figures(analysis: MemoryAnalysis) -> Iterator[Figure]:
    for core, found in _by_core(analysis.interference):
        ours = [one for one in found if one.varied == found[0].varied and one.bytes == found[0].bytes]
        lines = list(dict.fromkeys(f"{one.region}, {one.access}" for one in ours))
        columns = list(dict.fromkeys(_beside(one) for one in ours))
        cells = {(f"{one.region}, {one.access}", _beside(one)): one.slowdown.value for one in ours}
        yield matrix_figure(
            f"memory-interference-core-{core}",
            f"Slowdown of core {core} by the other core",
            cells,
            "Time with the other core busy over time alone: 1 means no slowdown. In the same region, each core works "
            "in its own half.",
            lines=lines,
            columns=columns,
            text=lambda value: f"{value:.2f}",
            axes=(f"core {core}", "the other core"),
            low=1.0,
            high=max(_CERTAIN, *cells.values()),
        )


# Notes


def _notes(run: Run) -> Iterator[str]:
    yield (
        "A pass covers that many bytes word by word, in order, with eight accesses per loop iteration. It continues "
        "where the last one ended, and wraps around in one half of the region. The compiler neither omits an access "
        "nor widens it: vector instructions, LDM and a library's memcpy can be faster. A copy reads and writes each "
        "byte; its rate counts it once. Each repetition times one pass alone and one with the other core busy, in "
        "random order."
    )
    conditions = run.measurements[0].conditions if run.measurements else {}
    if "memory.regions" in conditions:
        yield f"Regions: {conditions['memory.regions']}."
    if conditions.get("board") == "rp2040":
        if any(one.conditions.get("memory.code") == "flash" for one in run.measurements):
            yield "Code in flash and the region flash are read through one cache, which both cores share."
        else:
            yield "Code and stacks are in the striped banks, too."
        yield (
            "A core of the RP2040 has one port for instructions and data, so a word of SRAM takes the cycles of its "
            "instructions, whatever bank it is in. Two cores that ask for one bank in one cycle take turns (datasheet "
            "2.1.1): each such conflict costs one of them a cycle. A loop of loads asks for data in every second "
            "cycle at most, so two cores can fall into a rhythm without conflicts, or into one with repeated "
            "conflicts."
        )
    if conditions.get("board") == "linux":
        yield (
            "The hardware decides which cache holds a region: l1 has the size of a core's first-level cache, llc half "
            "that of the last-level cache, ram twice that. In a virtual machine, other guests use the last-level "
            "cache, too."
        )
