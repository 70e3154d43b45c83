"""From the readings of both cores to how long a launch takes, and what an empty cache of code adds."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from intercore.benchmarks.caveats import failed_checks
from intercore.benchmarks.grouping import by_level, distribution_us, pools, ticks
from intercore.benchmarks.launch.findings import LaunchCold, LaunchTime
from intercore.record.measurement import Level
from intercore.statistics.distribution import Distribution

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from intercore.benchmarks.grouping import HasOtherFactors
    from intercore.finding import Finding
    from intercore.record.measurement import Measurement


class Launch(msgspec.Struct, frozen=True):
    """How long it takes until core 1 executes what core 0 asks for."""

    what: str
    """A `task` that core 0 creates for core 1, or `core` 1 itself, out of its reset."""
    cache: str
    """Whether the cache between cores and code is `warm`, or emptied right before (`cold`)."""
    varied: dict[str, Level]
    """The other factors that take more than one level in the run, by name."""
    launch_us: Distribution
    """Until the first instruction on core 1, in µs."""
    call_us: Distribution | None
    """Until core 0 has returned from the call, in µs; null if that was lost."""


class LaunchAnalysis(msgspec.Struct, frozen=True):
    """The results of a run about launches."""

    launches: tuple[Launch, ...]


def analyse(measurements: Iterable[Measurement]) -> LaunchAnalysis:
    """Analyse the measurements of the benchmark `launch` among those given; those of one setting are pooled."""
    known = pools(measurements, "launch", "launch", _setting, ("what", "cache"))
    found = [_launch(setting, varied, pool) for (setting, varied), pool in known.items()]
    found.sort(key=lambda one: (by_level(one.varied), one.what != "core", one.cache != "warm"))
    return LaunchAnalysis(tuple(found))


def _launch(setting: tuple[str, str], varied: HasOtherFactors, pool: Sequence[Measurement]) -> Launch:
    called = [one for one in pool if len(ticks(one, "call"))]
    return Launch(
        *setting,
        varied=dict(varied),
        launch_us=distribution_us(pool, "launch"),
        call_us=distribution_us(called, "call") if called else None,
    )


def _setting(factors: Mapping[str, Level]) -> tuple[str, str]:
    return str(factors["what"]), str(factors["cache"])


def caveats(measurements: Iterable[Measurement]) -> Iterator[Finding]:
    """Return the caveats of the results."""
    yield from failed_checks(measurements, "launch", "what")


def results(analysis: LaunchAnalysis) -> Iterator[Finding]:
    """Return the findings: each time with a warm cache, and what an empty one makes of it."""
    for one in analysis.launches:
        warm = next((two for two in analysis.launches if is_warm_of(two, one)), None)
        if one.cache == "cold" and warm is not None:
            yield LaunchCold(
                setting=one.varied,
                what=one.what,
                warm_us=warm.launch_us.median.value,
                cold_us=one.launch_us.median.value,
            )
        else:
            yield LaunchTime(
                setting=one.varied,
                what=one.what,
                cache=one.cache,
                launch_us=one.launch_us.median.value,
                call_us=one.call_us.median.value if one.call_us else None,
            )


def is_warm_of(one: Launch, other: Launch) -> bool:
    """Whether one is the same launch as another, with a warm cache."""
    return one.cache == "warm" and (one.what, one.varied) == (other.what, other.varied)
