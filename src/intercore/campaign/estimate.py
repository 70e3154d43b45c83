"""Estimates the duration of a campaign: from its pace so far, or from a few short trial measurements."""

from __future__ import annotations

import contextlib
import time
from collections import Counter, defaultdict
from datetime import datetime
from itertools import pairwise
from typing import TYPE_CHECKING

import msgspec
import numpy as np

from intercore.errors import IntercoreError
from intercore.record.factors import of_target
from intercore.record.plan import canonical, settings
from intercore.target.targets import BoardTarget, find

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from intercore.campaign.open_target import OpenTarget
    from intercore.record.measurement import Plan, Run
    from intercore.record.plan import Setting

_TRIALS = 3
"""Settings of each benchmark to try if it is unknown which take longest."""
_MOST_TRIALS = 8
_LONG = 1.0
"""Seconds after which a trial ends at the next progress message, from which its duration is extrapolated."""
_TRIAL_SECONDS = 10.0
"""Seconds after which no further setting of a benchmark is tried."""
_ENOUGH = 5
"""Measurements of a run that suffice for its pace."""
_INTERRUPTION = 20.0
"""Multiple of the median gap between measurements from which a gap counts as an interruption."""


_TRIAL = -1
"""The repetition number of a trial: none of the plan's, so that this machine's program restarts after it."""


class Pace(msgspec.Struct, frozen=True):
    """How long measurements take on a target, in seconds."""

    each: dict[str, float]
    """Average time of a measurement, by benchmark."""
    opening: float
    """Time to open the target again, without building its program; includes flashing a board."""
    how: str
    """The source of the estimate, for display."""

    def seconds(self, missing: Sequence[Setting]) -> float:
        """Return the duration of these settings in their order; a lower bound if some benchmarks were not tried."""
        usual = sum(self.each.values()) / len(self.each) if self.each else 0.0
        builds = [of_target(one.factors) for one in missing]
        openings = bool(builds) + sum(one != other for one, other in pairwise(builds))
        counts = Counter(one.benchmark for one in missing)
        return openings * self.opening + sum(self.each.get(name, usual) * count for name, count in counts.items())


def of_run(run: Run) -> Pace | None:
    """Return the pace of a stored run so far; None if it is too short."""
    if len(run.measurements) < _ENOUGH:
        return None
    try:
        moments = sorted(
            (datetime.fromisoformat(one.started).timestamp(), one.benchmark, canonical(of_target(one.factors)))
            for one in run.measurements
        )
    except ValueError:  # a store may hold anything
        return None
    flashed = isinstance(find(run.plan.target), BoardTarget)
    opening, gaps = [], []
    for (now, name, build), (then, _, next_build) in pairwise(moments):
        if flashed and build != next_build:  # takes as long as many measurements
            opening.append(then - now)
        else:
            gaps.append((then - now, name))
    median = float(np.median([gap for gap, _ in gaps] or [0.0]))
    kept = [(gap, name) for gap, name in gaps if gap <= _INTERRUPTION * max(median, 0.001)]
    each = {name: float(np.mean([gap for gap, of in kept if of == name])) for name in {name for _, name in kept}}
    usually = max(0.0, float(np.median(opening)) - median) if opening else 0.0
    return Pace(each, usually, f"the {len(run.measurements)} measurements of run {run.id} so far")


def by_trial(target: OpenTarget, plan: Plan, opening: float, say: Callable[[str], None]) -> Pace:
    """Return the pace of an open target from short measurements of a few settings of its plan."""
    whole = settings(plan)
    build = of_target(whole[0].factors)
    begin = time.monotonic()
    tried: dict[str, list[float]] = {}
    for name in plan.benchmarks:
        mine = [one for one in whole if one.benchmark == name and of_target(one.factors) == build]
        for setting in _spread(mine):
            if name in tried and time.monotonic() - begin > _TRIAL_SECONDS:
                break
            say(f"trial measurement of {name}")
            took = _try(target, setting)
            if took is not None:
                tried.setdefault(name, []).append(took)
    count = sum(map(len, tried.values()))
    each = {name: sum(times) / len(times) for name, times in tried.items()}
    return Pace(each, opening, f"{count} trial{'s' * (count != 1)}")


def _spread(whole: Sequence[Setting]) -> list[Setting]:
    """Return settings to try: one for each of some levels across the range of the numeric factor that varies most.

    In a geometric range, the largest levels take nearly all of the time, so any three settings would be misleading.
    """
    levels: dict[str, set[int]] = defaultdict(set)
    for setting in whole:
        for name, level in setting.factors.items():
            if isinstance(level, int):
                levels[name].add(level)
    if not whole:
        return []
    widest = max(levels, key=lambda name: max(levels[name]) / max(1, min(levels[name])), default="")
    if len(levels.get(widest, ())) < 2:
        return list(whole[:_TRIALS])
    by_level: dict[int, Setting] = {}
    for setting in whole:  # they are in random order
        level = setting.factors[widest]
        if isinstance(level, int):
            by_level.setdefault(level, setting)
    at = np.unique(np.linspace(0, len(by_level) - 1, _MOST_TRIALS).round().astype(int))
    ordered = [by_level[level] for level in sorted(by_level)]
    return [ordered[index] for index in at]


def _try(target: OpenTarget, setting: Setting) -> float | None:
    """Return the approximate duration of a setting, extrapolated if it is long; None if unknown."""
    setting = msgspec.structs.replace(setting, repetition=_TRIAL)
    begin = time.monotonic()
    share = 0.0

    def attend(done: int, of: int) -> None:
        nonlocal share
        if done > 0 and time.monotonic() - begin > _LONG:
            share = done / max(of, done)
            raise _LongEnoughError

    try:
        target.measure(setting, attend)
    except _LongEnoughError:
        took = (time.monotonic() - begin) / share
        with contextlib.suppress(IntercoreError):
            target.session.abort()
        return took
    except IntercoreError:
        return None
    return time.monotonic() - begin


class _LongEnoughError(Exception):
    """A trial has reached its time limit."""
