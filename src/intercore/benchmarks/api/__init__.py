"""The benchmark `api`: what a call of the kernel costs, and what the other core adds.

Timed from before the call to after it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from intercore.benchmarks.benchmark import Analysis, Benchmark, DefaultLevels, Result, SeriesMeaning

if TYPE_CHECKING:
    from collections.abc import Sequence

    from intercore.benchmarks.benchmark import Levels
    from intercore.record.origin import Origin

_SIZED_CALLS = ["send", "receive", "stream-send", "stream-receive", "allocate", "free"]
_CALLS = [
    *("create", "delete", "give", "take", "lock", "unlock", "notify", "notify-take", "set", "wait", "critical"),
    *_SIZED_CALLS,
    "nothing",
]


def _suite(origin: Origin, *, amp: bool) -> Sequence[Levels]:  # noqa: ARG001 - where there are two kernels, it is refused
    """Return the grid of every call, and that of those to which the size matters."""
    often, seldom, sizes = (
        ("200", "100", ["16", "256", "1024"]) if origin == "measured" else ("50", "10", ["16", "1024"])
    )
    dither = {"dither_us": ["300"]}
    return (
        {"call": _CALLS, "size": ["64"], "other": ["none", "same"], "samples": [often], **dither},
        {"call": _SIZED_CALLS, "size": sizes, "other": ["none"], "samples": [seldom], **dither},
    )


def _load_analysis() -> Analysis:
    from intercore.benchmarks.api.analysis import ApiAnalysis
    from intercore.benchmarks.api.answers import concerns
    from intercore.benchmarks.api.report import report

    return Analysis(ApiAnalysis, report, concerns=concerns)


BENCHMARK = Benchmark(
    "api",
    # Every call, alone, with a core that computes, and with one that makes the same calls.
    DefaultLevels(alone={"call": _CALLS, "other": ["none", "spin", "same"]}, suite=_suite),
    # Samples are compared as they were taken; the analysis takes the timestamp overhead off.
    SeriesMeaning(results={"call": Result("us", "call and timestamp overhead")}),
    choices={
        "stream-send": "the call that sends that many bytes to a stream buffer",
        "stream-receive": "the call that receives that many bytes from a stream buffer",
        "create": "the call that creates a task",
        "delete": "the call that deletes a task that has ended",
        "allocate": "the call that allocates that many bytes on the heap",
    },
    made_of=("computing from SRAM", "two cores at once", "the kernel (RTOS)"),
    load_analysis=_load_analysis,
)
