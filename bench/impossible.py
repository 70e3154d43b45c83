"""What of samples that cannot be is refused, and what of samples that can be: see docs/statistics.md, Impossible times.

    python bench/impossible.py [trials] [store]

prints how many fail; 300 trials per series, the default, take some ten seconds. With a store, it also says how many
measurements of each of its runs fail.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from intercore.benchmarks.plausibility import is_possible, longer_than
from intercore.record.store import Store

sys.path.insert(0, str(Path(__file__).parents[1]))
from tests.benchmarks.series_kinds import KINDS, TIMES, Kind

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

TRIALS = int(sys.argv[1]) if len(sys.argv) > 1 else 300
RNG = np.random.default_rng(1)
LEAST = -(2**63)
SAMPLES = 25
TOOK_S = 2.0
RATES = (10**9, 125_000_000, 10**6)
STEP_NS, READING_NS = 1e9 / 24e6, 20.0


def fails(kind: Kind, values: Sequence[int], hz: int = 10**9) -> bool:
    """Whether such samples make a measurement fail."""
    one = kind.measured(values, hz)
    return not is_possible(one) or longer_than(one, TOOK_S) > 0


def refused(what: str, kinds: Sequence[Kind], values: Sequence[int]) -> None:
    """Print how many kinds of series fail with such samples."""
    found = sum(fails(kind, values) for kind in kinds)
    print(f"  {what:58} {found} of {len(kinds)} series")


def drawn(kind: Kind, hz: int) -> NDArray[np.int64]:
    """Draw samples that a target can send: nothing below what the work takes, nothing beyond the run."""
    count = int(RNG.integers(1, 200))
    if kind.unit in ("count", "core"):
        return RNG.integers(0, 2 if kind.unit == "core" else 2**30, count)
    shortest = 2 * max(int(kind.factors.get(name, 0)) for name in ("n", "rounds", "batch", "messages", "bytes"))
    ns = np.exp(RNG.uniform(np.log(max(20, shortest)), np.log(1e9), count))
    if kind.negative:
        ns *= RNG.choice((-1, 1), count)
    ticks = np.floor(np.cumsum(ns) / count if kind.unit == "moment" else ns) * hz // 10**9
    return ticks.astype(np.int64)


def wrongly_refused(kinds: Iterable[Kind]) -> str:
    """Draw such samples again and again and return how many fail."""
    trials = [fails(kind, drawn(kind, hz).tolist(), hz) for kind in kinds for hz in RATES for _ in range(TRIALS)]
    return f"{sum(trials):,} of {len(trials):,}"


def of_a_coarse_clock(trials: int = 200_000) -> str:
    """Time what no time is shorter than, an empty pair of readings, by a clock with steps, at any phase of them."""
    steps = np.floor(RNG.uniform(0, STEP_NS, (trials, 20)) + READING_NS) >= STEP_NS
    shown = {int(count) for count in np.unique(steps.sum(axis=1))}
    least = min(shown)
    kind = Kind("api", "call")
    failing = sum(fails(kind, (row * 42).tolist()) for row in steps[: 20 * TRIALS])
    return f"{failing:,} of {20 * TRIALS:,} (at least {least} of 20 samples above 0 in {trials:,})"


print(f"Impossible samples that make their measurement fail ({SAMPLES} samples; the measurement took {TOOK_S:g} s)\n")
refused("all are -2^63", KINDS, [LEAST] * SAMPLES)
refused("one is -2^63", KINDS, [*range(10**6, 10**6 + SAMPLES), LEAST])
refused("all are 0, where not all can be", [kind for kind in TIMES if not kind.zero], [0] * SAMPLES)
refused(
    "one is -1, where none can be", [kind for kind in KINDS if not kind.negative], [*range(10**6, 10**6 + SAMPLES), -1]
)
aligned = [kind for kind in TIMES if not (kind.negative and kind.clock == "counter")]
refused("one is 1000 s, of all but unaligned counters", aligned, [*range(10**6, 10**6 + SAMPLES), 10**12])
print("\nPossible samples that make it fail\n")
print(f"  {'drawn, by clocks of 1 GHz, 125 MHz and 1 MHz':58} {wrongly_refused(KINDS)}")
print(f"  {'20 times 20 ns by a clock in steps of 41.7 ns':58} {of_a_coarse_clock()}")
if len(sys.argv) > 2:
    print("\nStored measurements that fail\n")
    with Store(Path(sys.argv[2])) as store:
        for summary in store.runs():
            run = store.run(summary.id)
            failed = sum(not is_possible(one) for one in run.measurements)
            print(f"  {f'run {run.id}: {run.plan.name} on {run.plan.target}':58} {failed} of {len(run.measurements)}")
