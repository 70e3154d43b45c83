"""The benchmark `switch`: what it costs to wake a task, on the same core and on the other.

Timed from before the signal to the first instruction of the woken task.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from intercore.benchmarks.benchmark import (
    Analysis,
    Benchmark,
    DefaultLevels,
    EnergyWindows,
    Predictor,
    Result,
    Role,
    SeriesMeaning,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from intercore.benchmarks.benchmark import Levels, Predict
    from intercore.benchmarks.published import Publication
    from intercore.record.measurement import Measurement, Series
    from intercore.record.origin import Origin
    from intercore.sim import Simulator
    from intercore.sim.observation import Witness

_ALONE: Levels = {
    "primitive": [
        *("binary-semaphore", "counting-semaphore", "mutex", "queue", "notification", "event-group", "stream-buffer"),
    ],
    "from": ["0", "1"],
    "to": ["0", "1"],
    "target": ["idle"],
    "time": ["common"],
}
"""Every primitive that works between cores, between the first two: a few seconds."""


def _suite(origin: Origin, *, amp: bool) -> Sequence[Levels]:  # noqa: ARG001 - alike on one kernel and on two
    """Return the grids of every primitive, of a busy target, of yields, and of one primitive by all clocks."""
    short = {"samples": ["150" if origin == "measured" else "40"], "dither_us": ["300"]}
    across = ({"from": ["0"], "to": ["1"]}, {"from": ["1"], "to": ["0"]})
    on_one = ({"from": ["0"], "to": ["0"]}, {"from": ["1"], "to": ["1"]})
    idle, semaphore = {"target": ["idle"]}, {"primitive": ["binary-semaphore"]}
    return (
        {**_ALONE, **short},
        *({**semaphore, **pair, "target": ["busy"], "time": ["common"], **short} for pair in across),
        *({"primitive": ["yield"], **pair, **idle, "time": ["common"], **short} for pair in on_one),
        *({**semaphore, **pair, **idle, "time": ["aligned", "raw-counter"], **short} for pair in across),
    )


def incomparable(one: Measurement) -> str:
    """Return why differences of the cores' own counters are not compared; empty if none is one."""
    if one.factors.get("time", "common") == "common":
        return ""
    return "by each core's counter, whose differences are not times until they are aligned: measure with time=common"


_ACROSS = ("switch", "before.there", "before.back", "after.there", "after.back")


def _is_signed(series: Series) -> bool:
    """Whether it is a difference of the counters of two cores, which may have started at different moments."""
    return series.clock != "common" and series.name in _ACROSS


_SERIES = SeriesMeaning(
    roles={
        "switch": Role.RESULT,
        "call": Role.RESULT,
        "moment": Role.MOMENTS,
        "*.at": Role.MOMENTS,
        "*.there": Role.AUXILIARY,  # exchanges of timestamps, of which the shortest counts
        "*.back": Role.AUXILIARY,
    },
    results={
        "switch": Result("us", "wake-up latency", only={"time": ("common",)}),
        "call": Result("us", "signalling call", only={"time": ("common",)}),
    },
    incomparable=incomparable,
    is_signed=_is_signed,
)


def _witness(chip: Simulator) -> Witness:
    from intercore.benchmarks.switch.ground_truth import SwitchProbe

    return SwitchProbe(chip)


def _load_analysis() -> Analysis:
    from intercore.benchmarks.switch.analysis import SwitchAnalysis
    from intercore.benchmarks.switch.report import report

    return Analysis(SwitchAnalysis, report)


def _load_prediction() -> Predict:
    from intercore.benchmarks.event_prediction_report import prediction_rows, prediction_section
    from intercore.benchmarks.switch.prediction import predict

    return Predictor(predict, prediction_rows, prediction_section)


def _load_publication() -> type[Publication]:
    from intercore.benchmarks.switch.publication import SwitchPublication

    return SwitchPublication


BENCHMARK = Benchmark(
    "switch",
    DefaultLevels(alone=_ALONE, suite=_suite),
    _SERIES,
    EnergyWindows("wake-up"),
    choices={
        "notification": "the kernel's direct notification of a task; on Linux a semaphore per thread",
        "binary-semaphore": "a binary semaphore",
        "counting-semaphore": "a counting semaphore",
        "mutex": "a lock whose waiting task sleeps until the kernel wakes it",
        "queue": "a queue, with an item of 4 bytes",
        "event-group": "a bit of an event group",
        "stream-buffer": "a stream buffer, with 4 bytes",
    },
    witness=_witness,
    made_of=("two cores at once", "interrupt latency", "the kernel (RTOS)"),
    load_analysis=_load_analysis,
    load_prediction=_load_prediction,
    load_publication=_load_publication,
)
