"""What disturbed a run, as far as the target and the tool count it: one line that says yes or no."""

from __future__ import annotations

from typing import TYPE_CHECKING

from intercore.benchmarks import possible, registry
from intercore.record.conditions import is_busy

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from intercore.record.measurement import Measurement, Run

_CHECKS: Mapping[str, str] = {
    "wrong": "a result was wrong",
    "migrated": "a pinned task was on another core",
    "lost": "a sample was lost",
    "preempted": "a task was forced off its core",
    "recovered_doorbells": "an interrupt between cores was lost",
}
"""What each check counts that tells of a disturbance."""


def in_words(run: Run) -> str:
    """Say how many measurements of a run something disturbed, and what; empty if nothing did."""
    counts = [_counts(one) for one in run.measurements]
    hit = sum(map(bool, counts))
    failed = sum(not possible.is_possible(one) for one in run.measurements)
    sums = {name: sum(each.get(name, 0) for each in counts) for name in _CHECKS}
    what = ", ".join(f"{_CHECKS[name]} {_times(count)}" for name, count in sums.items() if count)
    told = (
        ["something else was running when it started"]
        if any(is_busy(one.conditions) for one in run.measurements)
        else []
    )
    told += [f"{what}, in {hit:,} of {len(run.measurements):,} measurements"] if hit else []
    return "; ".join([*told, *([f"{failed:,} failed, with samples that cannot be"] if failed else [])])


def is_wrong(run: Run) -> bool:
    """Whether a result of a run was wrong, other than on purpose: then no number may be trusted as it is."""
    return any("wrong" in _counts(one) for one in run.measurements)


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count:,} times"


def _counts(one: Measurement) -> dict[str, int]:
    """Return what was counted, without what the benchmark does on purpose."""
    own = registry.benchmark(one.benchmark).series.provoked
    provoked: Collection[str] = () if own is None else own(one)
    return {name: one.checks[name] for name in _CHECKS if one.checks.get(name, 0) > 0 and name not in provoked}
