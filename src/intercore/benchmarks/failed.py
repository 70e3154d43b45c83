"""The failed measurements of a run, and why: they are in no answer.

A measurement fails by impossible samples (`intercore.benchmarks.plausibility`), or by the target's checks
(`SPOILING_CHECKS`). A user's workload that gave one wrong result is broken, so all that was measured with it in the run
fails.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import msgspec

from intercore.benchmarks.findings import CAUSES, MeasurementsFailed
from intercore.benchmarks.own_work import own_level
from intercore.benchmarks.plausibility import impossible, is_possible
from intercore.record.measurement import SPOILING_CHECKS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from intercore.benchmarks.findings import Cause
    from intercore.record.measurement import Measurement, Run

_WRONG = "wrong"


def is_sound(one: Measurement) -> bool:
    """Whether a measurement by itself has not failed."""
    return not any(one.checks.get(name) for name in SPOILING_CHECKS) and is_possible(one)


def faults(run: Run) -> list[list[str]]:
    """Return why each measurement of a run failed, a text for each reason; nothing of one that is sound."""
    broken = _broken_work(run.measurements)
    return [
        [
            *(f"{CAUSES[name]}: {one.checks[name]}" for name in SPOILING_CHECKS if one.checks.get(name)),
            *map(str, impossible(one)),
        ]
        or [f"{level} gave wrong results elsewhere in the run" for level in broken & {own_level(one)}]
        for one in run.measurements
    ]


def failed_by(measurements: Iterable[Measurement]) -> Callable[[Measurement], bool]:
    """Return a predicate for failed measurements of a run; `measurements` are all of the run."""
    broken = _broken_work(measurements)
    return lambda one: own_level(one) in broken or not is_sound(one)


def analysable(run: Run) -> Run:
    """Return the run without the measurements that failed; those whose samples can be are its `failed`."""
    broken = _broken_work(run.measurements)
    sound = tuple(one for one in run.measurements if own_level(one) not in broken and is_sound(one))
    if len(sound) == len(run.measurements):
        return run
    kept = set(map(id, sound))
    failed = tuple(one for one in run.measurements if id(one) not in kept and is_possible(one))
    return msgspec.structs.replace(run, measurements=sound, failed=failed)


def headline(run: Run) -> MeasurementsFailed | None:
    """Return the finding that comes first: failed measurements and their causes; None if there are none."""
    failed = sum(map(bool, faults(run)))
    if not failed:
        return None
    causes = Counter(cause for one in run.measurements for cause in _causes(one))
    return MeasurementsFailed(failed=failed, measurements=len(run.measurements), causes=dict(causes))


def _causes(one: Measurement) -> Iterator[Cause]:
    yield from (name for name in SPOILING_CHECKS if one.checks.get(name))
    if not is_possible(one):
        yield "impossible"


def _broken_work(measurements: Iterable[Measurement]) -> set[str]:
    """Return the users' workloads that gave a wrong result."""
    return {own_level(one) for one in measurements if one.checks.get(_WRONG)} - {""}
