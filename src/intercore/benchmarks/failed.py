"""Which measurements of a run failed, and why: nothing is answered from those.

A measurement fails by samples that cannot be (`intercore.benchmarks.possible`), or by what the target checks
(`SPOILING_CHECKS`). A workload of the user's own that gave one wrong result is broken, so all that was measured with it
in the run fails.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import msgspec

from intercore.benchmarks.own_work import own_level
from intercore.benchmarks.possible import impossible, is_possible
from intercore.record.measurement import MISTAKES, SPOILING_CHECKS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from intercore.record.measurement import Measurement, Run

_WRONG = "wrong"
_IMPOSSIBLE = "impossible samples"
_CAUSES: Mapping[str, str] = {
    _WRONG: "wrong results",
    "migrated": "a task on a core that it was not pinned to",
    "lost": "lost samples",
    MISTAKES: "what the chip would not forgive",
}
"""What each check of SPOILING_CHECKS counts."""


def is_sound(one: Measurement) -> bool:
    """Whether a measurement by itself has not failed."""
    return not any(one.checks.get(name) for name in SPOILING_CHECKS) and is_possible(one)


def faults(run: Run) -> list[list[str]]:
    """Return why each measurement of a run failed, a text for each reason; nothing of one that is sound."""
    broken = _broken_work(run.measurements)
    return [
        [
            *(f"{_CAUSES[name]}: {one.checks[name]}" for name in SPOILING_CHECKS if one.checks.get(name)),
            *map(str, impossible(one)),
        ]
        or [f"{level} gave wrong results elsewhere in the run" for level in broken & {own_level(one)}]
        for one in run.measurements
    ]


def failed_by(measurements: Iterable[Measurement]) -> Callable[[Measurement], bool]:
    """Return what tells whether a measurement of a run failed; those given are all of the run, samples or not."""
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


def headline(run: Run) -> str:
    """Say in the sentence that stands before all else that measurements failed, and by what; empty if none did."""
    found = [one for one in faults(run) if one]
    if not found:
        return ""
    causes = Counter(cause for one in run.measurements for cause in _causes(one))
    is_wrong = causes[_CAUSES[_WRONG]] or causes[_IMPOSSIBLE]
    told = "; ".join(f"{cause}: {count}" for cause, count in causes.items())
    return (
        f"{'RESULTS WRONG' if is_wrong else 'MEASUREMENTS FAILED'}: {len(found)} of {len(run.measurements)} "
        f"measurements failed ({told}). Nothing is answered from {'them' if len(found) > 1 else 'it'}; see the "
        "warnings."
    )


def _causes(one: Measurement) -> list[str]:
    found = [_CAUSES[name] for name in SPOILING_CHECKS if one.checks.get(name)]
    return found if is_possible(one) else [*found, _IMPOSSIBLE]


def _broken_work(measurements: Iterable[Measurement]) -> set[str]:
    """Return the workloads of the user's own that gave a wrong result."""
    return {own_level(one) for one in measurements if one.checks.get(_WRONG)} - {""}
