"""The benchmark `jitter`: how steady a periodic task is, also when it is moved.

Timed from when an activation was due to the task's first reading.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from intercore.benchmarks.benchmark import ALL, Analysis, Benchmark, DefaultLevels, Option, Result, Role, SeriesMeaning

if TYPE_CHECKING:
    from collections.abc import Sequence

    from intercore.benchmarks.benchmark import Levels
    from intercore.benchmarks.published import Publication
    from intercore.record.measurement import Measurement, Series
    from intercore.record.origin import Origin
    from intercore.sim.observation import Answers


def _suite(origin: Origin, *, amp: bool) -> Sequence[Levels]:  # noqa: ARG001 - where there are two kernels, it is refused
    """Return grids with enough activations for a tail at 1 ms, and some at seed 002's 10 ms, by its procedure, too."""
    core = {"core": ["0"], "wake": ["kept"]}
    short = {"time": ["common"], "period_us": ["1000"], "samples": ["1100"]}
    long = {"period_us": ["10000"], "samples": ["60" if origin == "measured" else "30"]}
    return (
        {**core, "load": ["none"], "migrate": ["none", "affinity", "blockers"], **short},
        {**core, "load": ["both"], "migrate": ["none"], **short},
        {**core, "load": ["none"], "migrate": ["none", "affinity", "unsynchronised"], "time": ["common"], **long},
        {**core, "load": ["none"], "migrate": ["published"], "time": ["common", "raw-counter"], **long},
    )


_ROLES = {
    "late": Role.RESULT,
    "core": Role.AUXILIARY,
    "period": Role.AUXILIARY,  # where `late` does not give it
    "raw": Role.AUXILIARY,  # of two counters that are not aligned
    "begins": Role.AUXILIARY,  # the samples with which a stretch begins
    "extremes": Role.AUXILIARY,  # the smallest and largest of what the histograms hold
    "*.counts": Role.HISTOGRAM,
}


def _incomparable(one: Measurement) -> str:
    """Return why measurements of the cores' own counters are not compared."""
    if one.factors.get("time", "common") == "common":
        return ""
    return "by each core's counter, whose differences are not times until they are aligned: measure with time=common"


def _provoked(one: Measurement) -> frozenset[str]:
    """Return the checks that count what is done on purpose: whatever moves the task forces it off its core."""
    return frozenset() if one.factors.get("migrate") == "none" else frozenset({"preempted"})


def _is_signed(series: Series) -> bool:
    """Whether it may be below 0: an activation may come before it is due, a period be shorter than asked for."""
    return series.name in ("late", "extremes", "raw")


DEADLINE = Option(
    "deadline",
    default=0.0,
    help="Benchmark `jitter` only: say whether each activation came within this time after it was due, e.g. 50us.",
    unit="us",
)


def _load_answers() -> type[Answers]:
    from intercore.benchmarks.jitter.ground_truth import JitterAnswers

    return JitterAnswers


def _load_analysis() -> Analysis:
    from intercore.benchmarks.jitter.analysis import JitterAnalysis
    from intercore.benchmarks.jitter.answers import concerns
    from intercore.benchmarks.jitter.report import report

    return Analysis(JitterAnalysis, report, lambda run, options: report(run, options.of(DEADLINE)), concerns=concerns)


def _load_publication() -> type[Publication]:
    from intercore.benchmarks.jitter.publication import JitterPublication

    return JitterPublication


BENCHMARK = Benchmark(
    "jitter",
    # At rest and beside each kind of work on both cores: the period of seed 002's paper; some 10 s.
    DefaultLevels(alone={"core": ["0"], "load": ["none", "both"], "load_work": ALL, "migrate": ["none"]}, suite=_suite),
    SeriesMeaning(
        roles=_ROLES,
        results={"late": Result("us", "lateness", only={"time": ("common",)})},
        incomparable=_incomparable,
        provoked=_provoked,
        is_signed=_is_signed,
    ),
    option=DEADLINE,
    made_of=("interrupt latency", "the kernel (RTOS)"),
    load_answers=_load_answers,
    load_analysis=_load_analysis,
    load_publication=_load_publication,
)
