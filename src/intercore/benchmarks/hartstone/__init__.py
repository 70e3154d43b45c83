"""The benchmark `hartstone`: how much five periodic tasks can do before one of them misses a deadline.

Timed from when an activation was due to the end of its work.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from intercore.benchmarks.benchmark import ALL, Analysis, Benchmark, DefaultLevels, Result, Role, SeriesMeaning

if TYPE_CHECKING:
    from collections.abc import Sequence

    from intercore.benchmarks.benchmark import Levels
    from intercore.record.origin import Origin

TASKS = 5
"""Each has twice the period of the one before, and makes as much of the load."""

_LOADS = (80, 90, 95, 98, 100, 120, 140, 160, 165, 170, 180, 185, 190, 200)
"""Close together where the sets of one core and of two are expected to break down."""


def _suite(origin: Origin, *, amp: bool) -> Sequence[Levels]:  # noqa: ARG001 - it is no part of the suite anywhere
    """Return nothing: a breakdown needs many loads."""
    return ()


def _load_analysis() -> Analysis:
    from intercore.benchmarks.hartstone.analysis import HartstoneAnalysis
    from intercore.benchmarks.hartstone.report import report

    return Analysis(HartstoneAnalysis, report)


BENCHMARK = Benchmark(
    "hartstone",
    DefaultLevels(
        alone={"placement": ALL, "load": [str(load) for load in _LOADS]},
        suite=_suite,
        traced={"period_us": ["1000"], "samples": ["1"]},
    ),
    SeriesMeaning(
        roles={"response.*": Role.RESULT, "missed.*": Role.AUXILIARY, "alone": Role.AUXILIARY},
        results={f"response.{task}": Result("us", f"response of task {task}") for task in range(TASKS)},
    ),
    made_of=("computing from SRAM", "two cores at once", "the kernel (RTOS)"),
    load_analysis=_load_analysis,
)
