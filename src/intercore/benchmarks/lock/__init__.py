"""The benchmark `lock`: what a lock between cores costs, and whether it is fair.

Timed from the release on one core to the acquisition on the other.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from intercore.benchmarks.benchmark import ALL, Analysis, Benchmark, DefaultLevels, Predictor, Result, SeriesMeaning

if TYPE_CHECKING:
    from collections.abc import Sequence

    from intercore.benchmarks.benchmark import Levels, Predict
    from intercore.benchmarks.published import Publication
    from intercore.record.measurement import Measurement, Series
    from intercore.record.origin import Origin


def _suite(origin: Origin, *, amp: bool) -> Sequence[Levels]:  # noqa: ARG001 - where there are two kernels, it is refused
    """Return a grid of each measure with the locks that have it."""
    hand_overs, bouts, batches = ("200", "200", "200") if origin == "measured" else ("50", "10", "50")
    same = {"from": ["0"], "to": ["1"], "dither_us": ["300"]}
    return (
        {"measure": ["hand-off"], "lock": ALL, "samples": [hand_overs], **same},
        {"measure": ["contention"], "lock": ALL, "samples": [bouts], **same},
        {"measure": ["ping-pong"], "lock": ["atomic-add", "atomic-swap"], "samples": [batches], **same},
    )


_COUNTED_BY = {"bout": "rounds", "round_trips": "batch"}
"""The factor with the number of consecutive acquisitions, or round trips, in a sample."""


def _events(one: Measurement, series: Series) -> int:
    """Return how many there are."""
    count = one.factors.get(_COUNTED_BY.get(series.name, ""), 0)
    return count if isinstance(count, int) else 0


_SERIES = SeriesMeaning(
    results={
        "there": Result("us", "hand-off", only={"measure": ("hand-off",)}),
        "back": Result("us", "hand-off back", only={"measure": ("hand-off",)}),
        "bout": Result("us", "length of a bout", only={"measure": ("contention",)}),
        "round_trips": Result("us", "round trips of a batch", only={"measure": ("ping-pong",)}),
    },
    events=_events,
)


def _load_analysis() -> Analysis:
    from intercore.benchmarks.lock.analysis import LockAnalysis
    from intercore.benchmarks.lock.answers import concerns
    from intercore.benchmarks.lock.report import report

    return Analysis(LockAnalysis, report, concerns=concerns)


def _load_prediction() -> Predict:
    from intercore.benchmarks.event_prediction_report import prediction_rows, prediction_section
    from intercore.benchmarks.lock.prediction import predict

    return Predictor(predict, prediction_rows, prediction_section)


def _load_publication() -> type[Publication]:
    from intercore.benchmarks.lock.publication import LockPublication

    return LockPublication


BENCHMARK = Benchmark(
    "lock",
    # Every lock between the first two cores.
    DefaultLevels(alone={"measure": ALL, "lock": ALL, "from": ["0"], "to": ["1"]}, suite=_suite),
    _SERIES,
    choices={
        "mutex": "a lock whose waiting task blocks in the kernel, on some systems after a short spin",
        "spinlock": "a lock whose waiting task polls it and keeps its core",
        "critical-section": "the kernel's critical section, which also masks interrupts",
        "atomic-add": "a word that names the next core, passed on by atomic additions",
        "atomic-swap": "a word that names the next core, passed on by compare and swap",
    },
    made_of=("two cores at once", "SIO FIFO and spinlocks", "the kernel (RTOS)"),
    load_analysis=_load_analysis,
    load_prediction=_load_prediction,
    load_publication=_load_publication,
)
