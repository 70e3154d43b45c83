"""The disturbances of a run that the target and the tool count, in one line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from intercore.benchmarks import plausibility, registry
from intercore.record.conditions import is_busy

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from intercore.record.measurement import Measurement, Run

_CHECKS: Mapping[str, str] = {
    "wrong": "a result was wrong",
    "migrated": "a pinned task ran on another core",
    "lost": "a sample was lost",
    "preempted": "a task was preempted",
    "recovered_doorbells": "a doorbell was lost",
}
"""The disturbance that each check counts."""


def in_words(run: Run) -> str:
    """Return the disturbances of a run and the number of disturbed measurements; empty if none."""
    counts = [_counts(one) for one in run.measurements]
    hit = sum(map(bool, counts))
    failed = sum(not plausibility.is_possible(one) for one in run.measurements)
    sums = {name: sum(each.get(name, 0) for each in counts) for name in _CHECKS}
    what = ", ".join(f"{_CHECKS[name]} {_times(count)}" for name, count in sums.items() if count)
    parts = (
        ["other programs were running at the start"] if any(is_busy(one.conditions) for one in run.measurements) else []
    )
    parts += [f"{what}, in {hit:,} of {len(run.measurements):,} measurements"] if hit else []
    return "; ".join([*parts, *([f"{failed:,} failed, with impossible samples"] if failed else [])])


def is_wrong(run: Run) -> bool:
    """Whether a result of a run was wrong, other than on purpose: then no number may be trusted as it is."""
    return any("wrong" in _counts(one) for one in run.measurements)


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count:,} times"


def _counts(one: Measurement) -> dict[str, int]:
    """Return the counts, without those that the benchmark causes on purpose."""
    own = registry.benchmark(one.benchmark).series.provoked
    provoked: Collection[str] = () if own is None else own(one)
    return {name: one.checks[name] for name in _CHECKS if one.checks.get(name, 0) > 0 and name not in provoked}
