"""How often the statistics are right, on samples whose law is known: coverage of 95 % intervals, false alarms, power.

    python bench/intervals.py [trials]

prints the tables that docs/statistics.md sums up. 100 trials, the default, take some three minutes.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import numpy as np
from scipy import stats

from intercore.statistics.disturbance import disturbances
from intercore.statistics.intervals import order_interval
from intercore.statistics.tail import tail

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    Draw = Callable[[int], NDArray[np.float64]]

TRIALS = int(sys.argv[1]) if len(sys.argv) > 1 else 100
RNG = np.random.default_rng(1)

LAWS = {
    "exponential": stats.expon(10, 3),
    "normal": stats.norm(100, 5),
    "log-normal": stats.lognorm(0.5),
    "heavy tail (shape 0.3)": stats.genpareto(0.3, 10),
    "bounded (shape -0.3)": stats.genpareto(-0.3, 10),
}

NOISES: dict[str, Draw] = {
    **{name: (lambda n, law=law: law.rvs(n, random_state=RNG)) for name, law in LAWS.items()},
    "Cauchy": RNG.standard_cauchy,
    "uniform": lambda n: RNG.uniform(1, 2, n),
    "whole ticks": lambda n: np.rint(RNG.normal(10, 1, n)),
}

DISTURBED: dict[str, Draw] = {
    "drift of 10 %, noise 2 %": lambda n: RNG.normal(100, 2, n) + np.linspace(0, 10, n),
    "drift of 1 %, noise 0.1 %": lambda n: RNG.normal(100, 0.1, n) + np.linspace(0, 1, n),
    "two levels, 20 % apart, noise 2 %": lambda n: RNG.normal(100, 2, n) + 20 * (RNG.uniform(size=n) < 0.3),
    "two levels, 10 % apart, noise 2 %": lambda n: RNG.normal(100, 2, n) + 10 * (RNG.uniform(size=n) < 0.3),
    "step of 10 %, noise 2 %": lambda n: RNG.normal(100, 2, n) + 10 * (np.arange(n) > 0.6 * n),
    "two bursts of 10 outliers": lambda n: RNG.normal(100, 2, n) + 50 * ((np.arange(n) % (n // 2)) < 10),
}


def main() -> None:
    """Print all tables."""
    print(f"Share of 95 % intervals of one repetition that hold the percentile ({10 * TRIALS} exponential samples)\n")
    for probability, n in ((0.5, 6), (0.5, 25), (0.5, 1000), (0.9, 100), (0.99, 1000), (0.999, 10_000)):
        print(f"  p{100 * probability:<5g} of {n:>6,}   {_coverage(probability, n):.1%}")
    print(f"\nShare of 95 % intervals that hold the value exceeded once in 20 n ({TRIALS} samples each)\n")
    for name, law in LAWS.items():
        print(f"  {name:24}" + "".join(f"   n = {n:,}: {_tail_coverage(law, n):.0%}" for n in (1000, 10_000)))
    print(f"\nPlain noise that is said to be disturbed (of {5 * TRIALS} samples each)\n")
    for name, noise in NOISES.items():
        print(f"  {name:24}" + "".join(f"   n = {n:,}: {_alarms(noise, n, 5 * TRIALS):.1%}" for n in (20, 100, 1000)))
    print(f"\nDisturbances that are found (of {TRIALS} samples each)\n")
    for name, draw in DISTURBED.items():
        print(f"  {name:36}" + "".join(f"   n = {n:,}: {_alarms(draw, n, TRIALS):.0%}" for n in (100, 1000)))


def _coverage(probability: float, n: int) -> float:
    truth = float(stats.expon.ppf(probability))
    held = 0
    for _ in range(10 * TRIALS):
        found = order_interval(np.sort(RNG.exponential(size=n)), probability)
        held += found.low is not None and found.high is not None and found.low <= truth <= found.high
    return held / (10 * TRIALS)


def _tail_coverage(law: stats.rv_frozen, n: int) -> float:
    truth = float(law.isf(1 / (20 * n)))
    held = []
    for _ in range(TRIALS):
        for found in tail(law.rvs(n, random_state=RNG), (20 * n,)).exceeded:  # none where the tail is refused
            low, high = found.value.low, found.value.high
            held.append((low is None or low <= truth) and (high is None or truth <= high))
    return sum(held) / len(held)


def _alarms(draw: Draw, n: int, trials: int) -> float:
    return sum(bool(disturbances(draw(n))) for _ in range(trials)) / trials


if __name__ == "__main__":
    main()
