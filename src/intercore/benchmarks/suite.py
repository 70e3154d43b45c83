"""Default levels of each benchmark: for the benchmark alone, and within the suite.

Each has its own `DefaultLevels` (`intercore.benchmarks.benchmark`). A factor that is not named has the target's own
default, and so have all factors of a benchmark without such levels. Of the levels that are named, those are measured
that the target has.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from intercore.benchmarks import registry
from intercore.benchmarks.benchmark import All
from intercore.record.own_work import PREFIX

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from intercore.benchmarks.benchmark import Levels
    from intercore.record.measurement import Level
    from intercore.record.origin import Origin

_TRACED_SAMPLES = 10


def default(benchmark: str, wanted: Mapping[str, Sequence[Level]], *, interpreted: bool = False) -> Levels:
    """Return the levels of a benchmark that is measured alone, where the user wants these.

    For a user's workload there may be others, and so there may be where every instruction is `interpreted`.
    """
    own = registry.benchmark(benchmark).levels
    found = {**own.alone, **own.interpreted} if interpreted else own.alone
    return {**found, **own.own_work} if _is_own(wanted) else found


def whole_of(benchmark: str, wanted: Mapping[str, Sequence[Level]]) -> str | None:
    """Return the parameter whose largest level that the target takes is measured as well.

    None where there is none, the user names its levels, or wants no workload of the user.
    """
    name = registry.benchmark(benchmark).levels.own_work_whole
    return name if name not in wanted and _is_own(wanted) else None


def _is_own(wanted: Mapping[str, Sequence[Level]]) -> bool:
    return any(str(level).startswith(PREFIX) for levels in wanted.values() for level in levels)


def traced(benchmark: str) -> Mapping[str, Sequence[str]]:
    """Return the levels that are recorded where the user names none: few samples and short ones: rings are small."""
    own = registry.benchmark(benchmark).levels.traced
    return {
        "samples": [str(_TRACED_SAMPLES)],
        **{name: [levels[0]] for name, levels in own.items() if not isinstance(levels, All)},
    }


def suite(benchmark: str, origin: Origin, *, amp: bool) -> Sequence[Levels]:
    """Return the grids of a benchmark in the suite.

    The suite takes a minute. Where a program stands for the chip (`origin`), each second of a busy chip takes two, so
    there is less of it, and it takes two minutes. A kernel on each core (`amp`) leaves fewer benchmarks.
    """
    own = registry.benchmark(benchmark).levels
    return (own.alone,) if own.suite is None else own.suite(origin, amp=amp)
