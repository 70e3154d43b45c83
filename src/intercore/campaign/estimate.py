"""How long a campaign will take, before it begins: from its own pace so far, or from a few short trial measurements."""

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
"""Settings of each benchmark that are tried if nothing says which take longest."""
_MOST_TRIALS = 8
_LONG = 1.0
"""Seconds after which a trial ends at the next sign of progress, which says how far it has come."""
_TRIAL_SECONDS = 10.0
"""After which no further setting of a benchmark is tried."""
_ENOUGH = 5
"""Measurements of a run from which its pace is known."""
_INTERRUPTION = 20.0
"""Times the median gap between two measurements from which on nothing was measured in it."""


_TRIAL = -1
"""The repetition that a trial is: none of the plan's, so that this machine's program is started again after it."""


class Pace(msgspec.Struct, frozen=True):
    """How long measurements take on a target, in seconds."""

    each: dict[str, float]
    """On average, by benchmark."""
    opening: float
    """To open the target anew, its program being built already; to flash a board, too."""
    how: str
    """Where that is known from, for people."""

    def seconds(self, missing: Sequence[Setting]) -> float:
        """Return how long these settings take one after the other, in their order; at least, if some were not tried."""
        usual = sum(self.each.values()) / len(self.each) if self.each else 0.0
        builds = [of_target(one.factors) for one in missing]
        openings = bool(builds) + sum(one != other for one, other in pairwise(builds))
        counts = Counter(one.benchmark for one in missing)
        return openings * self.opening + sum(self.each.get(name, usual) * count for name, count in counts.items())


def of_run(run: Run) -> Pace | None:
    """Return the pace at which a run has come so far, whoever measured it; None if that is too short to tell."""
    if len(run.measurements) < _ENOUGH:
        return None
    try:
        moments = sorted(
            (datetime.fromisoformat(one.started).timestamp(), one.benchmark, canonical(of_target(one.factors)))
            for one in run.measurements
        )
    except ValueError:  # whatever a store holds
        return None
    flashed = isinstance(find(run.plan.target), BoardTarget)
    opening, gaps = [], []
    for (now, name, build), (then, _, next_build) in pairwise(moments):
        if flashed and build != next_build:  # as long as many measurements
            opening.append(then - now)
        else:
            gaps.append((then - now, name))
    median = float(np.median([gap for gap, _ in gaps] or [0.0]))
    kept = [(gap, name) for gap, name in gaps if gap <= _INTERRUPTION * max(median, 0.001)]
    each = {name: float(np.mean([gap for gap, of in kept if of == name])) for name in {name for _, name in kept}}
    usually = max(0.0, float(np.median(opening)) - median) if opening else 0.0
    return Pace(each, usually, f"the {len(run.measurements)} measurements of run {run.id} so far")


def by_trial(target: OpenTarget, plan: Plan, opening: float, say: Callable[[str], None]) -> Pace:
    """Return the pace of a target that is open, by short measurements of a few settings of its plan."""
    whole = settings(plan)
    build = of_target(whole[0].factors)
    begin = time.monotonic()
    tried: dict[str, list[float]] = {}
    for name in plan.benchmarks:
        mine = [one for one in whole if one.benchmark == name and of_target(one.factors) == build]
        for setting in _spread(mine):
            if name in tried and time.monotonic() - begin > _TRIAL_SECONDS:
                break
            say(f"trying {name}")
            took = _try(target, setting)
            if took is not None:
                tried.setdefault(name, []).append(took)
    count = sum(map(len, tried.values()))
    each = {name: sum(times) / len(times) for name, times in tried.items()}
    return Pace(each, opening, f"{count} trial{'s' * (count != 1)}")


def _spread(whole: Sequence[Setting]) -> list[Setting]:
    """Return settings to try: one for each level, from end to end, of the number that varies most, the sizes above all.

    Of a geometric range the largest levels take nearly all of the time: any three settings would say little.
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
    for setting in whole:  # which are in random order
        level = setting.factors[widest]
        if isinstance(level, int):
            by_level.setdefault(level, setting)
    at = np.unique(np.linspace(0, len(by_level) - 1, _MOST_TRIALS).round().astype(int))
    ordered = [by_level[level] for level in sorted(by_level)]
    return [ordered[index] for index in at]


def _try(target: OpenTarget, setting: Setting) -> float | None:
    """Return about how long a setting takes, by its beginning if it is long; None if it cannot be told."""
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
    """A trial has taken as long as it may."""
