"""The benchmark `contention`: how tasks and a main loop share the cores.

It counts the towers of Hanoi that end within a window.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from intercore.benchmarks.benchmark import Analysis, Benchmark, DefaultLevels, EnergyWindows, Role, SeriesMeaning

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from intercore.benchmarks.benchmark import Levels
    from intercore.benchmarks.published import Publication
    from intercore.record.measurement import Measurement
    from intercore.record.meter_recording import Window
    from intercore.record.origin import Origin

_ALONE: Levels = {
    "preset": ["none", "qiita-table"],
    "task0": ["off"],
    "main": ["block"],
    "yield": ["none"],
    "discs": ["13"],
    "window_ms": ["80"],
    "rest_ms": ["6"],
}
"""The table of seed 001, and its last row with a main loop that waits. The windows hold some fifteen turns of equals on
Linux and eighty of FreeRTOS, and some forty towers of a Pico; the rests leave others the time that Linux keeps from
real-time tasks. Five repetitions take about as long as one did of windows that held four turns of SCHED_RR."""

_TRACED: Levels = {"discs": ["10"], "window_ms": ["10"], "rest_ms": ["0"], "samples": ["1"]}
"""A window of ten ticks of a Pico with some thirty towers fits into its recorder's rings."""

_OWN_WORK: Levels = {
    "preset": ["none"],
    "task0": ["off", "work"],
    "main": ["off"],
    "units": ["16"],
    "window_ms": ["100"],
}
"""Work of the user in a task on core 1, alone and beside the same on core 0."""

_WINDOWS: Mapping[Origin, Levels] = {
    "measured": {"discs": ["13"], "window_ms": ["80"], "rest_ms": ["6"]},
    "simulated": {"discs": ["12"], "window_ms": ["160"], "rest_ms": ["0"]},
    "emulated": {"discs": ["18"], "window_ms": ["400"], "rest_ms": ["30"]},
}
"""An emulated chip is slow at waking a task and as fast as this machine at moving discs."""


def _suite(origin: Origin, *, amp: bool) -> Sequence[Levels]:  # noqa: ARG001 - where there are two kernels, it is refused
    """Return the grids of seed 001's table, of its last rows with loops that wait, and of tasks without a core."""
    same = {"yield": ["none"], **_WINDOWS[origin]}
    off = {"task0": ["off"], "task1": ["off"], "main": ["off"]}
    return (
        {"preset": ["qiita-table"], "free": ["0"], **off, **same},
        {"preset": ["none"], "free": ["0"], **off, "task1": ["work"], "main": ["block", "delay"], **same},
        {"preset": ["none"], "free": ["0"], **off, "task0": ["work"], "main": ["block"], **same},
        {"preset": ["none"], "free": ["3"], **off, **same},
    )


_SERIES = SeriesMeaning(
    roles={
        **dict.fromkeys(("alone.*", "tower.*", "timestamp_overhead.*", "ran*", "moved*"), Role.AUXILIARY),
        "*": Role.MOMENTS,
    },
    results={},
)
"""When towers were completed: how many there are in a window is the result. `alone.0` is what one costs, with the sleep
behind it if there is one, and `tower.0` without; `ran0.1` and `moved0` say on which cores free tasks were."""


def _windows(one: Measurement) -> tuple[Window, ...]:
    """Return the windows of a measurement, whose towers the analysis counts."""
    from intercore.benchmarks.contention.windows import windows

    return windows(one)


def _load_analysis() -> Analysis:
    from intercore.benchmarks.contention.analysis import ContentionAnalysis
    from intercore.benchmarks.contention.report import report

    return Analysis(ContentionAnalysis, report)


def _load_publication() -> type[Publication]:
    from intercore.benchmarks.contention.publication import ContentionPublication

    return ContentionPublication


BENCHMARK = Benchmark(
    "contention",
    DefaultLevels(alone=_ALONE, suite=_suite, traced=_TRACED, own_work=_OWN_WORK),
    _SERIES,
    EnergyWindows("tower", _windows, in_labels=("preset", "task0", "task1", "main", "free")),
    choices={
        "recursion": (
            "the towers of Hanoi: many calls, so much access to the stack; cores with their stacks in the same memory "
            "may wait for each other"
        ),
    },
    made_of=("computing from SRAM", "two cores at once", "the kernel (RTOS)"),
    load_analysis=_load_analysis,
    load_publication=_load_publication,
)
