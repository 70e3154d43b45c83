"""The benchmark `irq`: how long interrupts take, and what they wake.

Timed from when a timer is due, or from before a ring or the edge of a pin, to the handler or the task.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias

from intercore.benchmarks.benchmark import ALL, Analysis, Benchmark, DefaultLevels, Predictor, Result, SeriesMeaning

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from intercore.benchmarks.benchmark import Levels, Predict
    from intercore.benchmarks.published import Publication
    from intercore.record.origin import Origin
    from intercore.sim.observation import Answers

Path: TypeAlias = Literal[
    "timer-handler", "handler-task", "timer-task", "doorbell", "doorbell-round-trip", "gpio-handler", "gpio-task"
]
Doing: TypeAlias = Literal["idle", "busy", "kernel"]

PATHS: Mapping[Path, str] = {
    "timer-handler": "from a timer to its handler",
    "handler-task": "from a handler to the task that it wakes",
    "timer-task": "from a timer to the task that its handler wakes",
    "doorbell": "from a doorbell to its handler on the other core",
    "doorbell-round-trip": "from a doorbell to the handler of the doorbell that answers it",
    "gpio-handler": "from a pin's edge to its handler",
    "gpio-task": "from a pin's edge to the task that its handler wakes",
}
"""The paths of an interrupt, in the order of their display."""
DOING: Mapping[Doing, str] = {
    "idle": "the cores sleep",
    "busy": "the cores compute",
    "kernel": "the cores call the kernel",
}
"""The activities of the interrupted cores."""

_SHORT: Levels = {"from": ["0", "1"], "interrupted": ["idle", "kernel"], "samples": ["50"], "dither_us": ["300"]}


def _suite(origin: Origin, *, amp: bool) -> Sequence[Levels]:  # noqa: ARG001 - short enough anywhere
    """Return the grid of paths that end in the handler, and that of paths that continue to another core."""
    to_a_core = ["handler-task", "timer-task", "doorbell", "doorbell-round-trip"]
    return (
        {"path": ["timer-handler"], "to": ["0"], **_SHORT},
        {"path": to_a_core, "to": ["0", "1"], **_SHORT},
    )


def _load_answers() -> type[Answers]:
    from intercore.benchmarks.irq.ground_truth import IrqAnswers

    return IrqAnswers


def _load_analysis() -> Analysis:
    from intercore.benchmarks.irq.analysis import IrqAnalysis
    from intercore.benchmarks.irq.answers import concerns
    from intercore.benchmarks.irq.report import report

    return Analysis(IrqAnalysis, report, concerns=concerns)


def _load_prediction() -> Predict:
    from intercore.benchmarks.event_prediction_report import prediction_rows, prediction_section
    from intercore.benchmarks.irq.prediction import predict

    return Predictor(predict, prediction_rows, prediction_section)


def _load_publication() -> type[Publication]:
    from intercore.benchmarks.irq.publication import IrqPublication

    return IrqPublication


BENCHMARK = Benchmark(
    "irq",
    # Every path between the first two cores, whatever these do; less than a minute.
    DefaultLevels(
        alone={"path": ALL, "from": ["0", "1"], "to": ["0", "1"], "interrupted": ALL},
        suite=_suite,
    ),
    SeriesMeaning(results={"latency": Result("us", "response time")}),
    made_of=("interrupt latency", "the kernel (RTOS)"),
    load_answers=_load_answers,
    load_analysis=_load_analysis,
    load_prediction=_load_prediction,
    load_publication=_load_publication,
)
