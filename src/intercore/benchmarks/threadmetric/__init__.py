"""The benchmark `threadmetric`: the eight counts of Thread-Metric, on one core and across two.

Counted are rounds in a window.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from intercore.benchmarks.benchmark import (
    ALL,
    Analysis,
    Benchmark,
    DefaultLevels,
    Quantity,
    Result,
    Role,
    SeriesMeaning,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from intercore.benchmarks.benchmark import Levels
    from intercore.record.measurement import Measurement, Series
    from intercore.record.origin import Origin

PERIOD_S = 30
"""The period that Thread-Metric's description recommends and that its results are given for."""
_COUNT = "count"
_QUANTITY = f"count_{PERIOD_S}s"

_ALONE: Levels = {"test": ALL, "form": ALL}


def _suite(origin: Origin, *, amp: bool) -> Sequence[Levels]:  # noqa: ARG001 - where there are two kernels, it is refused
    """Return the same with shorter windows: where repetitions are five, one in each."""
    if origin == "measured":
        return ({**_ALONE, "window_ms": ["25"], "samples": ["1"]},)
    return ({**_ALONE, "window_ms": ["10"], "samples": ["2"]},)


def _quantity(one: Measurement, series: Series) -> Quantity | None:
    """Return counts as those of Thread-Metric's period: windows are of other lengths on other targets."""
    if series.name != _COUNT:
        return None
    import numpy as np

    from intercore.benchmarks.threadmetric.analysis import rates_of

    return Quantity(_QUANTITY, "count", PERIOD_S * np.asarray(rates_of([one])))


def _load_analysis() -> Analysis:
    from intercore.benchmarks.threadmetric.analysis import ThreadMetricAnalysis
    from intercore.benchmarks.threadmetric.report import report

    return Analysis(ThreadMetricAnalysis, report)


BENCHMARK = Benchmark(
    "threadmetric",
    DefaultLevels(alone=_ALONE, suite=_suite),
    SeriesMeaning(
        roles={
            _COUNT: Role.RESULT,  # as what is counted in Thread-Metric's period: see `_quantity`
            "window": Role.AUXILIARY,
            "least": Role.AUXILIARY,
            "most": Role.AUXILIARY,
        },
        results={_QUANTITY: Result("count", f"count in {PERIOD_S} s")},
        quantity=_quantity,
    ),
    choices={
        "basic": "work on an array",
        "cooperative": "five tasks give way in turn",
        "preemptive": "five tasks resume one another",
        "interrupt": "an interrupt notifies a task",
        "interrupt-preemption": "an interrupt wakes a task that preempts",
        "message": "16 bytes through a queue",
        "synchronisation": "a semaphore taken and given",
        "memory": "128 bytes allocated and freed",
    },
    made_of=("interrupt latency", "the kernel (RTOS)"),
    load_analysis=_load_analysis,
)
