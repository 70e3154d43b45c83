"""The benchmark `speedup`: what a second core makes of work that one could do.

Timed from before the first part is started to all parts seen done.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from intercore.benchmarks.benchmark import (
    ALL,
    Analysis,
    Benchmark,
    DefaultLevels,
    EnergyWindows,
    Option,
    Predictor,
    Quantity,
    Result,
    SeriesMeaning,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from intercore.benchmarks.benchmark import Levels, Predict
    from intercore.benchmarks.published import Publication
    from intercore.record.measurement import Measurement, Series
    from intercore.record.meter_recording import Window
    from intercore.record.origin import Origin
    from intercore.sim import Simulator
    from intercore.sim.observation import Witness

# What is measured

_ALONE: Levels = {
    "workload": ["fp"],
    "n": ["1000", "10000", "100000", "1000000", "10000000"],
    "mode": ALL,
    "join": ["notify"],
}
"""The sizes of Table 1 of seed 000, and every way of starting the parts; about half a minute on a PC."""

_INTERPRETED: Levels = {"n": ["1000", "10000", "100000"]}
"""Where no time means anything, the others would take hours to be as right as these."""

_OWN_WORK: Levels = {"n": [str(2**power) for power in range(1, 21)]}
"""Of a user's workload a unit may be anything: from one for each of two cores to all that it has."""


def _suite(origin: Origin, *, amp: bool) -> Sequence[Levels]:  # noqa: ARG001 - alike on one kernel and on two
    """Return the same for smaller work, below the break-even, so that the break-even is within the sizes."""
    if origin == "measured":
        return ({"workload": ["fp"], "n": ["100", "1000", "10000", "100000", "1000000"], "mode": ALL},)
    return ({"workload": ["fp"], "n": ["10", "30", "100", "300", "1000", "3000"], "mode": ALL, "samples": ["10"]},)


# What comes back

_UNITS = 100
"""Units of a workload that take a nanosecond at least: one takes some ten, and a vector unit does a few at once."""


def _events(one: Measurement, series: Series) -> int:
    """Return how many hundreds of units a core does one after the other."""
    n, cores = one.factors.get("n"), one.factors.get("cores", 1)
    if series.name not in ("t1", "tp") or not isinstance(n, int) or not isinstance(cores, int):
        return 0
    return n // _UNITS // (max(1, cores) if series.name == "tp" else 1)


def _derived(one: Measurement) -> list[Quantity]:
    """Return the speed-up S of each pair of T1 and TP; nothing where the clock saw no time pass in one."""
    ticks = {series.name: series.ticks for series in one.series if series.name in ("t1", "tp")}
    if len(ticks) < 2 or len(ticks["t1"]) != len(ticks["tp"]) or not len(ticks["t1"]) or not ticks["tp"].all():
        return []
    return [Quantity("S", "factor", ticks["t1"] / ticks["tp"])]


_SERIES = SeriesMeaning(
    results={
        "t1": Result("us", "time on one core (T1)"),
        "tp": Result("us", "time on all cores (TP)"),
        "S": Result("factor", "speed-up (S)"),
    },
    derived=_derived,
    speed={"t1": "one core", "tp": "all cores"},
    events=_events,
)


def _windows(one: Measurement) -> tuple[Window, ...] | None:
    """Return the windows: with mark=t1 or mark=tp, each time on one core, or each on all."""
    from intercore.benchmarks.windows import of_samples, work_of

    kind = one.factors.get("mark")
    series = next((each for each in one.series if each.name == kind), None)
    if series is None:
        return None
    work = work_of(one, ("mode", "join", "cores"))
    cores = int(one.factors.get("cores", 2)) if kind == "tp" else 1
    label = f"{kind} n={one.factors.get('n')}" + (f" mode={one.factors.get('mode')}" if kind == "tp" else "")
    return of_samples(one, series, label, int(one.factors.get("n", 0)), cores, work)


def _operations(one: Measurement) -> int:
    """Return how many units were worked on: the same on one core and on all, in each repetition."""
    return 2 * int(one.factors.get("n", 0)) * max(one.checks.get("done", 0), 0)


def _witness(chip: Simulator) -> Witness:
    from intercore.benchmarks.speedup.ground_truth import SpeedupProbe

    return SpeedupProbe(chip)


# What is shown

EFFICIENCY = Option(
    "efficiency",
    default=0.9,
    help=(
        "Report the smallest amount of work that reaches this parallel efficiency (speed-up divided by the number of "
        "cores), e.g. 80%."
    ),
)


def _load_analysis() -> Analysis:
    from importlib.resources import files

    from intercore.benchmarks.speedup.answers import concerns
    from intercore.benchmarks.speedup.combined import combined
    from intercore.benchmarks.speedup.report import report

    return Analysis(
        files(__name__) / "schema.json",
        report,
        lambda run, options: report(run, options.of(EFFICIENCY), options.view),
        axes=("t1", "n"),
        concerns=concerns,
        combined=combined,
    )


def _load_prediction() -> Predict:
    from intercore.benchmarks.speedup.prediction import predict
    from intercore.benchmarks.speedup.prediction_report import prediction_rows, prediction_section

    return Predictor(predict, prediction_rows, prediction_section)


def _load_publication() -> type[Publication]:
    from intercore.benchmarks.speedup.publication import SpeedupPublication

    return SpeedupPublication


BENCHMARK = Benchmark(
    "speedup",
    DefaultLevels(alone=_ALONE, suite=_suite, own_work=_OWN_WORK, own_work_whole="n", interpreted=_INTERPRETED),
    _SERIES,
    EnergyWindows("unit of work", _windows, _operations, in_labels=("n", "mode", "mark")),
    option=EFFICIENCY,
    choices={
        "created tasks": "a task is created for each part of the work",
        "woken tasks": "the parts are done by existing tasks that sleep until there is work",
        "polling tasks": "the parts are done by tasks that poll for work and keep their cores",
        "floating point": "square roots, products and quotients in single precision, each of the previous result",
    },
    witness=_witness,
    made_of=("computing from SRAM", "two cores at once", "the kernel (RTOS)"),
    load_analysis=_load_analysis,
    load_prediction=_load_prediction,
    load_publication=_load_publication,
)
