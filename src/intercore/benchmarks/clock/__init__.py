"""The benchmark `clock`: how far a difference between two readings can be trusted, and the cores' own counters.

Timed from one reading to another, on the same or another core.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from intercore.benchmarks.benchmark import Analysis, Benchmark, DefaultLevels, Role, SeriesMeaning

if TYPE_CHECKING:
    from collections.abc import Sequence

    from intercore.benchmarks.benchmark import Levels
    from intercore.record.origin import Origin
    from intercore.sim import Simulator
    from intercore.sim.observation import Witness


def _suite(origin: Origin, *, amp: bool) -> Sequence[Levels]:  # noqa: ARG001 - alike on one kernel and on two
    """Return intervals between the first two cores, and their counters."""
    samples = {"samples": ["200" if origin == "measured" else "100"]}
    return (
        {"from": ["0", "1"], "to": ["0", "1"], "time": ["common"], **samples},
        {"from": ["0"], "to": ["1"], "time": ["counter"], **samples},
    )


def _witness(chip: Simulator) -> Witness:
    from intercore.benchmarks.clock.ground_truth import ClockProbe

    return ClockProbe(chip)


def _load_analysis() -> Analysis:
    from importlib.resources import files

    from intercore.benchmarks.clock.report import report

    return Analysis(files(__name__) / "schema.json", report)


BENCHMARK = Benchmark(
    "clock",
    # Each of the first two cores to itself and to the other; a few seconds.
    DefaultLevels(alone={"from": ["0", "1"], "to": ["0", "1"], "time": ["common"]}, suite=_suite),
    # Intervals are of random length: what differs between cores, and from the truth, is the result.
    SeriesMeaning(roles={"*": Role.AUXILIARY}, results={}),
    witness=_witness,
    made_of=("registers on APB",),
    load_analysis=_load_analysis,
)
