"""The benchmark `launch`: how long it takes to start the second core, or a task on it.

Timed from before core 0 asks for it to the first instruction on core 1.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from intercore.benchmarks.benchmark import ALL, Analysis, Benchmark, DefaultLevels, Result, SeriesMeaning

if TYPE_CHECKING:
    from collections.abc import Sequence

    from intercore.benchmarks.benchmark import Levels
    from intercore.record.origin import Origin


def _suite(origin: Origin, *, amp: bool) -> Sequence[Levels]:  # noqa: ARG001 - it is no part of the suite anywhere
    """Return nothing: most programs start a core and its tasks once."""
    return ()


def _load_analysis() -> Analysis:
    from intercore.benchmarks.launch.analysis import LaunchAnalysis
    from intercore.benchmarks.launch.report import report

    return Analysis(LaunchAnalysis, report)


BENCHMARK = Benchmark(
    "launch",
    DefaultLevels(alone={"what": ALL, "cache": ALL, "dither_us": ["300"]}, suite=_suite),
    SeriesMeaning(results={"launch": Result("us", "first instruction"), "call": Result("us", "call of core 0")}),
    made_of=("start of core 1", "flash-cache misses", "the kernel (RTOS)"),
    load_analysis=_load_analysis,
)
