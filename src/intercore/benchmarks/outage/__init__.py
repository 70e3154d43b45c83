"""The benchmark `outage`: how long each core stands still while one of them erases and programs flash.

Timed from a core's last sign of life to its next, and from when an interrupt or a periodic task was due to it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from intercore.benchmarks.benchmark import ALL, All, Analysis, Benchmark, DefaultLevels, Result, Role, SeriesMeaning

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from intercore.benchmarks.benchmark import Levels
    from intercore.record.origin import Origin

PARTS: Mapping[str, str] = {
    "entry": "until the core is parked",
    "seen": "until the writer knows",
    "prepare": "until the flash can be given commands",
    "write": "until it has done them",
    "restore": "until code can be read from it",
    "wake": "from the release to the first reading",
}
"""The parts of the standstill of a parked core that computes, in order: their sum is the whole."""


def _suite(origin: Origin, *, amp: bool) -> Sequence[Levels]:  # noqa: ARG001 - it is no part of the suite anywhere
    """Return nothing: it changes what a board keeps, which nobody should have done without asking for it."""
    return ()


def _load_analysis() -> Analysis:
    from intercore.benchmarks.outage.analysis import OutageAnalysis
    from intercore.benchmarks.outage.report import report

    return Analysis(OutageAnalysis, report)


BENCHMARK = Benchmark(
    "outage",
    # All that the other core may do, and each way to make it safe; some ten seconds. What crashes is to be asked for.
    DefaultLevels(
        alone={"op": ALL, "safe": All(besides="unsafe"), "other": ALL, "samples": ["5"]},
        suite=_suite,
        traced={"op": ["program"], "samples": ["1"]},
    ),
    SeriesMeaning(
        roles={"longest": Role.RESULT, "own": Role.RESULT, "write": Role.RESULT, "*": Role.AUXILIARY},
        results={
            "longest": Result("us", "standstill of the other core"),
            "own": Result("us", "standstill of the writing core"),
            "write": Result("us", "time of the storage"),
        },
    ),
    made_of=("flash that is written", "interrupt latency", "the kernel (RTOS)"),
    load_analysis=_load_analysis,
)
