"""The benchmark `memory`: how fast each core reaches each memory, and how much the other one slows it down.

A pass over so many bytes is timed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from intercore.benchmarks.benchmark import ALL, Analysis, Benchmark, DefaultLevels, EnergyWindows, Result, SeriesMeaning

if TYPE_CHECKING:
    from collections.abc import Sequence

    from intercore.benchmarks.benchmark import Levels
    from intercore.record.measurement import Measurement, Series
    from intercore.record.meter_recording import Window
    from intercore.record.origin import Origin

_ALONE: Levels = {
    "access": ALL,
    "region": ALL,
    "core": ["0"],
    "other": ["read", "write", "copy"],
    "other_region": ALL,
}
"""All combinations with the other core's activity, on the first core."""

_INTERPRETED: Levels = {"bytes": ["8192"], "samples": ["8"]}
"""For function only: the sizes of the suite, because more would take minutes."""

_OWN_WORK: Levels = {"other_region": []}
"""With the user's workload on the other core, which is in no region."""


def _suite(origin: Origin, *, amp: bool) -> Sequence[Levels]:  # noqa: ARG001 - alike on one kernel and on two
    """Return the grid with the other core reading and copying."""
    size, samples = ("65536", "40") if origin == "measured" else ("8192", "8")
    beside = {"core": ["0", "1"], "other": ["read", "copy"]}
    return ({**_ALONE, **beside, "bytes": [size], "samples": [samples], "dither_us": ["100"]},)


_BYTES = 1024
"""Bytes that a core moves in a nanosecond at most: two of the widest loads there are, 64 bytes, in each of 8 cycles."""


def _events(one: Measurement, series: Series) -> int:
    """Return how many such pieces a pass over the region has."""
    count = one.factors.get("bytes", 0)
    return count // _BYTES if series.name in ("alone", "contended") and isinstance(count, int) else 0


def _windows(one: Measurement) -> tuple[Window, ...] | None:
    """Return the windows: with mark=alone or mark=contended, each pass of that kind."""
    from intercore.benchmarks.windows import of_samples, work_of

    kind = str(one.factors.get("mark"))
    series = next((each for each in one.series if each.name == kind), None)
    if series is None:
        return None
    return of_samples(one, series, f"{kind} {work_of(one)}", 1, 1 if kind == "alone" else 2, work_of(one))


def _load_analysis() -> Analysis:
    from intercore.benchmarks.memory.analysis import MemoryAnalysis
    from intercore.benchmarks.memory.answers import concerns
    from intercore.benchmarks.memory.report import report

    return Analysis(MemoryAnalysis, report, concerns=concerns)


BENCHMARK = Benchmark(
    "memory",
    DefaultLevels(alone=_ALONE, suite=_suite, own_work=_OWN_WORK, interpreted=_INTERPRETED),
    SeriesMeaning(
        results={"alone": Result("us"), "contended": Result("us", never={"other": ("none",)})},
        events=_events,
    ),
    EnergyWindows("pass", _windows, in_labels=("mark",)),
    choices={"striped SRAM": "the four large banks of the RP2040's memory: consecutive words lie in consecutive banks"},
    made_of=("computing from SRAM", "two cores at once"),
    load_analysis=_load_analysis,
)
