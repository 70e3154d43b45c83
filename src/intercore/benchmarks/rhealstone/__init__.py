"""The benchmark `rhealstone`: the six times of Rhealstone, on one core and across two.

Timed as the original has it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from intercore.benchmarks.benchmark import ALL, Analysis, Benchmark, DefaultLevels, Result, SeriesMeaning

if TYPE_CHECKING:
    from collections.abc import Sequence

    from intercore.benchmarks.benchmark import Levels
    from intercore.record.origin import Origin

_ALONE: Levels = {"component": ALL, "form": ALL}


def _suite(origin: Origin, *, amp: bool) -> Sequence[Levels]:  # noqa: ARG001 - where there are two kernels, it is refused
    """Return the same with fewer samples."""
    return ({**_ALONE, "samples": ["200" if origin == "measured" else "30"], "dither_us": ["300"]},)


def _load_analysis() -> Analysis:
    from intercore.benchmarks.rhealstone.analysis import RhealstoneAnalysis
    from intercore.benchmarks.rhealstone.report import report

    return Analysis(RhealstoneAnalysis, report)


BENCHMARK = Benchmark(
    "rhealstone",
    DefaultLevels(alone=_ALONE, suite=_suite),
    SeriesMeaning(results={"time": Result("us")}),
    choices={
        "task-switching": "from one task to another of equal priority",
        "preemption": "until a task of higher priority runs",
        "interrupt-latency": "from an interrupt to its handler",
        "semaphore-shuffling": "from giving a semaphore to the first instruction of the task that waits for it",
        "deadlock-breaking": "until a high-priority task gets a mutex held by a preempted low-priority task",
        "message-latency": "from before sending 16 bytes to a queue until they are received",
    },
    made_of=("interrupt latency", "the kernel (RTOS)"),
    load_analysis=_load_analysis,
)
