"""How long a campaign will take, before it begins: from its own pace so far, or from a few short trial measurements."""

from __future__ import annotations

import math
import time
from collections import Counter
from datetime import datetime
from itertools import pairwise
from typing import TYPE_CHECKING

import msgspec
import numpy as np

from intercore.errors import IntercoreError
from intercore.factors import of_target
from intercore.plan import Setting, settings

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from intercore.measurement import Plan, Run
    from intercore.runner import OpenTarget
    from intercore.session import BenchmarkInfo

_TRIALS = 3
"""Settings of each benchmark that are tried."""
_FEW, _MORE = 1, 5
"""Samples of a short trial, and of a longer one that says what each further sample takes."""
_TRIAL_SECONDS = 10.0
"""After which no further setting of a target is tried."""
_ENOUGH = 5
"""Measurements of a run from which its pace is known."""
_INTERRUPTION = 20.0
"""Times the median gap between two measurements from which on nothing was measured in it."""


class Pace(msgspec.Struct, frozen=True):
    """How long measurements take on a target, in seconds."""

    each: dict[str, float]
    """On average, by benchmark."""
    opening: float
    """To open the target anew, its program being built already."""
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
        moments = sorted((datetime.fromisoformat(one.started).timestamp(), one.benchmark) for one in run.measurements)
    except ValueError:  # whatever a store holds
        return None
    gaps = [(then - now, name) for (now, name), (then, _) in pairwise(moments)]
    median = float(np.median([gap for gap, _ in gaps]))
    kept = [(gap, name) for gap, name in gaps if gap <= _INTERRUPTION * max(median, 0.001)]
    each = {name: float(np.mean([gap for gap, of in kept if of == name])) for name in {name for _, name in kept}}
    return Pace(each, 0.0, f"the {len(run.measurements)} measurements of run {run.id} so far")


def by_trial(
    target: OpenTarget, plan: Plan, benchmarks: Mapping[str, BenchmarkInfo], opening: float, say: Callable[[str], None]
) -> Pace:
    """Return the pace of a target that is open, by short measurements of a few settings of its plan."""
    first = next(iter(settings(plan)))
    build = of_target(first.factors)
    begin = time.monotonic()
    tried: dict[str, list[float]] = {}
    for number in range(_TRIALS):
        for name in plan.benchmarks:
            candidates = [one for one in settings(plan) if one.benchmark == name and of_target(one.factors) == build]
            if number < len(candidates) and time.monotonic() - begin < _TRIAL_SECONDS:
                say(f"trying {name}")
                took = _try(target, candidates[number], benchmarks[name])
                if not math.isnan(took):
                    tried.setdefault(name, []).append(took)
    count = sum(map(len, tried.values()))
    each = {name: sum(times) / len(times) for name, times in tried.items()}
    return Pace(each, opening, f"{count} short trial{'s' * (count != 1)}")


def _try(target: OpenTarget, setting: Setting, benchmark: BenchmarkInfo) -> float:
    """Return about how long a setting takes; NaN if it cannot be told."""
    names = {parameter.name: parameter.default for parameter in benchmark.parameters}
    samples = int(setting.factors.get("samples", names.get("samples", 1)))

    def timed(count: int) -> float:
        begin = time.monotonic()
        more = {"samples": count} if "samples" in names else {}
        target.measure(Setting(setting.benchmark, {**setting.factors, **more}, setting.repetition))
        return time.monotonic() - begin

    try:
        short = timed(min(samples, _FEW))
        if samples <= _FEW or "samples" not in names:
            return short
        more = min(samples, _MORE)
        return short + max(0.0, timed(more) - short) / (more - _FEW) * (samples - _FEW)
    except IntercoreError:
        return math.nan


def words(seconds: float) -> str:
    """Return a time in words that claim no more than an estimate can: `40 s`, `3 min`, `2.5 h`, `3 days`."""
    for size, unit in ((86400.0, "days"), (3600.0, "h"), (60.0, "min")):
        if seconds >= 1.5 * size:
            number = seconds / size
            return f"{number:.1f} {unit}" if number < 10 else f"{number:.0f} {unit}"
    return f"{seconds:.0f} s"


def counted(names: Iterable[str]) -> str:
    """Return how often each name is there: `24 switch, 12 lock`."""
    return ", ".join(f"{count} {name}" for name, count in Counter(names).items())
