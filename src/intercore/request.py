"""From the words a user types, `n=1000,10000 mode=pool`, to levels that the target has, checked before a run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from intercore.errors import UsageError
from intercore.measurement import Part
from intercore.plan import REBUILD_FACTOR
from intercore.targets import unknown

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from intercore.measurement import Level
    from intercore.session import BenchmarkInfo, ParameterInfo

DEFAULT_LEVELS: Mapping[str, Mapping[str, Sequence[str]]] = {
    # The sizes of Table 1 of seed 000, and every way of starting the parts; about half a minute on a desk computer.
    "speedup": {
        "workload": ["fp"],
        "n": ["1000", "10000", "100000", "1000000", "10000000"],
        "mode": ["create", "pool", "spin"],
        "join": ["notify"],
    },
    # Each of the first two cores to itself and to the other; a few seconds.
    "clock": {"from": ["0", "1"], "to": ["0", "1"]},
    # The table of seed 001, and its last row with a main loop that waits. The windows hold several turns of Linux's
    # SCHED_RR, and the rests leave others the time that it keeps from real-time tasks; some seconds.
    "contention": {
        "preset": ["none", "qiita-table"],
        "task0": ["off"],
        "main": ["block"],
        "yield": ["none"],
        "discs": ["14"],
        "window_ms": ["400"],
        "rest_ms": ["30"],
    },
    # At rest and with both cores busy, left alone and moved: the period of seed 002's paper; some 20 s.
    "jitter": {"core": ["0"], "load": ["none", "both"], "migrate": ["none", "affinity", "blockers", "unsynchronised"]},
}
"""Levels that a benchmark gets for factors the user does not name; all others have the target's own default."""

SUITE = "suite"
"""What a user asks for to have every benchmark measured."""


def _contention(discs: str, window_ms: str, rest_ms: str) -> Sequence[Mapping[str, Sequence[str]]]:
    """Return the grids of `contention`: seed 001's table; its last row with loops that wait; tasks without a core."""
    same = {"yield": ["none"], "discs": [discs], "window_ms": [window_ms], "rest_ms": [rest_ms]}
    off = {"task0": ["off"], "task1": ["off"], "main": ["off"]}
    return (
        {"preset": ["qiita-table"], "free": ["0"], **off, **same},
        {"preset": ["none"], "free": ["0"], **off, "task1": ["work"], "main": ["block", "delay"], **same},
        {"preset": ["none"], "free": ["3"], **off, **same},
    )


SUITE_LEVELS: Mapping[str, Sequence[Mapping[str, Sequence[str]]]] = {
    "speedup": ({"workload": ["fp"], "n": ["1000", "10000", "100000", "1000000"], "mode": ["create", "pool", "spin"]},),
    "clock": ({"from": ["0", "1"], "to": ["0", "1"], "samples": ["200"]},),
    "contention": _contention(discs="14", window_ms="400", rest_ms="30"),
    # Enough releases for a tail at 1 ms; the 10 ms of seed 002's paper.
    "jitter": (
        {
            "core": ["0"],
            "load": ["none"],
            "migrate": ["none", "affinity", "blockers"],
            "period_us": ["1000"],
            "samples": ["600"],
        },
        {"core": ["0"], "load": ["both"], "migrate": ["none"], "period_us": ["1000"], "samples": ["600"]},
        {
            "core": ["0"],
            "load": ["none"],
            "migrate": ["none", "affinity", "unsynchronised"],
            "period_us": ["10000"],
            "samples": ["60"],
        },
    ),
}
"""What the suite measures of each benchmark: one or more grids, which name the same factors. It takes a minute."""

SIMULATED_SUITE_LEVELS: Mapping[str, Sequence[Mapping[str, Sequence[str]]]] = {
    "speedup": (
        {
            "workload": ["fp"],
            "n": ["100", "300", "1000", "3000"],
            "mode": ["create", "pool", "spin"],
            "samples": ["10"],
        },
    ),
    "clock": ({"from": ["0", "1"], "to": ["0", "1"], "samples": ["100"]},),
    "contention": _contention(discs="12", window_ms="160", rest_ms="0"),
    "jitter": (
        {
            "core": ["0"],
            "load": ["none"],
            "migrate": ["none", "affinity", "blockers"],
            "period_us": ["1000"],
            "samples": ["600"],
        },
        {"core": ["0"], "load": ["both"], "migrate": ["none"], "period_us": ["1000"], "samples": ["600"]},
        {
            "core": ["0"],
            "load": ["none"],
            "migrate": ["none", "affinity", "unsynchronised"],
            "period_us": ["10000"],
            "samples": ["30"],
        },
    ),
}
"""The same where each second of a busy chip takes two, so that it takes two minutes."""


def parse_levels(words: Iterable[str]) -> dict[str, list[str]]:
    """Split `name=value,value` words. Raises UsageError for a word of another form or a name given twice."""
    levels: dict[str, list[str]] = {}
    for word in words:
        name, equals, values = word.partition("=")
        if not equals or not name or not all(values.split(",")):
            raise UsageError(f"expected name=value or name=value,value and not '{word}', e.g. n=1000,10000 mode=pool")
        if name in levels:
            raise UsageError(f"{name} is given twice; put its values in one list: {name}=…,…")
        levels[name] = values.split(",")
    return levels


def find_benchmark(benchmarks: Sequence[BenchmarkInfo], name: str) -> BenchmarkInfo:
    """Return the benchmark called `name`. Raises UsageError that names the nearest one the target has."""
    for benchmark in benchmarks:
        if benchmark.name == name:
            return benchmark
    raise UsageError(unknown("benchmark", name, (benchmark.name for benchmark in benchmarks)))


def resolve(benchmark: BenchmarkInfo, wanted: Mapping[str, Sequence[str]], seed: int) -> dict[str, list[Level]]:
    """Return the levels to measure: those wanted, and the defaults of this tool for the rest, `seed` among them.

    Raises UsageError for a parameter that the benchmark lacks, or a value that is not of its type or out of range.
    """
    return _checked(benchmark, {**_possible(benchmark, DEFAULT_LEVELS.get(benchmark.name, {}), seed), **wanted})


def _checked(benchmark: BenchmarkInfo, levels: Mapping[str, Sequence[str]]) -> dict[str, list[Level]]:
    parameters = {parameter.name: parameter for parameter in benchmark.parameters}
    for name, texts in levels.items():
        if name == REBUILD_FACTOR:
            raise UsageError(f"the optimisation level is an option: --opt {','.join(texts)}")
        if name not in parameters:
            raise UsageError(unknown(f"parameter of {benchmark.name}", name, parameters))
    return {name: [_level(parameters[name], text) for text in texts] for name, texts in levels.items()}


def suite(benchmarks: Sequence[BenchmarkInfo], seed: int, *, simulated: bool) -> list[Part]:
    """Return what the suite measures on a target with these benchmarks, in their order there.

    A benchmark that the suite does not know gets its own defaults.
    """
    chosen = SIMULATED_SUITE_LEVELS if simulated else SUITE_LEVELS
    return [
        Part(benchmark.name, _checked(benchmark, _possible(benchmark, grid, seed)))
        for benchmark in benchmarks
        for grid in chosen.get(benchmark.name, ({},))
    ]


def _possible(benchmark: BenchmarkInfo, levels: Mapping[str, Sequence[str]], seed: int) -> dict[str, list[str]]:
    """Return those of the levels that this target has: a small chip may lack a parameter or its largest sizes."""
    known = {"seed": [str(seed)], **levels}
    possible = {
        parameter.name: [text for text in known.get(parameter.name, ()) if _is_level(parameter, text)]
        for parameter in benchmark.parameters
    }
    return {name: texts for name, texts in possible.items() if texts}


def _is_level(parameter: ParameterInfo, text: str) -> bool:
    try:
        _level(parameter, text)
    except UsageError:
        return False
    return True


def _level(parameter: ParameterInfo, text: str) -> Level:
    if parameter.choices:
        if text not in parameter.choices:
            raise UsageError(unknown(parameter.name, text, parameter.choices))
        return text
    try:
        value = int(text)
    except ValueError:
        raise UsageError(f"{parameter.name} is a whole number and not '{text}'") from None
    low, high = parameter.min, parameter.max
    if low is not None and high is not None and not low <= value <= high:
        raise UsageError(f"{parameter.name}={value} is out of range: {low} to {high} on this target")
    return value
