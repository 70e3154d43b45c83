"""How often intervals over repetitions hold the truth: medians, percentiles, ratios and differences of known laws.

Run with: .venv/bin/python bench/repetitions.py [TRIALS]; 2,000 trials of each cell take some minutes. It prints, and
judges nothing. Scatter between repetitions is normal, in standard deviations of the samples within one.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import numpy as np

from intercore.statistics.intervals import Interval, generator, order_interval
from intercore.statistics.repetitions import difference, median, paired_ratio, percentile, ratio

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Law = Callable[[np.random.Generator, tuple[int, ...]], Floats]

SAMPLES = 100
REPETITIONS = (5, 10, 30)
RUNS = (1, 2, 5, 10)
BETWEEN_RUNS = (0, 1, 3, 10)
SCATTERS = (0, 0.2, 0.5, 1, 3)
LAWS: dict[str, Law] = {
    "normal": lambda rng, shape: rng.normal(size=shape),
    "log-normal": lambda rng, shape: np.exp(0.7 * rng.normal(size=shape)),
    "bimodal, 70 to 30": lambda rng, shape: 0.5 * rng.normal(size=shape) + 4 * (rng.random(shape) < 0.3),
}
TICKED = "normal, in ticks of its width"


def main() -> None:
    """Print the tables."""
    trials = int(sys.argv[1]) if len(sys.argv) > 1 else 2000
    heading = "".join(f"{count:>10}" for count in REPETITIONS)
    print(f"Share of 95 % intervals that hold the true median; {SAMPLES} samples in each repetition, {trials:,} trials")
    print(f"\n  {'samples':<30}{'scatter':>8}{heading}  repetitions")
    for name in (*LAWS, TICKED):
        for scatter in SCATTERS:
            row = "".join(f"{medians(name, scatter, count, trials):>10.1%}" for count in REPETITIONS)
            print(f"  {name:<30}{scatter:>8}{row}", flush=True)
    print("\nThe same, were all samples taken as independent: by order statistics, as before there were repetitions\n")
    for scatter in SCATTERS:
        row = "".join(f"{medians('normal', scatter, count, trials, pooled=True):>10.1%}" for count in REPETITIONS)
        print(f"  {'normal':<30}{scatter:>8}{row}", flush=True)
    print(
        "\nRuns of 5 repetitions; scatter between runs in times of that between repetitions. One run: of itself only\n"
    )
    print(f"  {'':<30}{'scatter':>8}" + "".join(f"{count:>10}" for count in RUNS) + "  runs")
    for scatter in BETWEEN_RUNS:
        row = "".join(f"{of_runs(scatter, count, trials):>10.1%}" for count in RUNS)
        print(f"  {'normal':<30}{scatter:>8}{row}", flush=True)
    print("\nRatios and differences of medians (scatter 2 % between, 5 % within)\n")
    for name, share in (("ratio", ratios), ("difference", differences), ("ratio of pairs, 20 % in common", pairs)):
        row = "".join(f"{share(count, trials):>10.1%}" for count in REPETITIONS)
        print(f"  {name:<38}{row}", flush=True)
    print("\nPercentiles of log-normal samples: told in this share of trials, and of all trials told and wrong\n")
    for percent, samples in ((90, 40), (90, 200), (99, 200), (99, 1000)):
        for scatter in SCATTERS:
            found = [percentiles(percent, samples, scatter, count, trials // 4) for count in REPETITIONS]
            row = "".join(f"{told:>7.0%} {wrong:>5.1%}" for told, wrong in found)
            print(f"  p{percent} of repetitions of {samples:>5,}{scatter:>12}{row}", flush=True)


def medians(name: str, scatter: float, count: int, trials: int, *, pooled: bool = False) -> float:
    """Return how often the interval of a median holds the truth."""
    rng = np.random.default_rng(1)
    law = LAWS.get(name, LAWS["normal"])
    known = law(np.random.default_rng(2), (2_000_000,))
    truth, width = float(np.median(known)), float(np.std(known))
    tick = width if name == TICKED else 0.0
    held = 0
    for _ in range(trials):
        values = law(rng, (count, SAMPLES)) + scatter * width * rng.normal(size=(count, 1))
        phase = tick * rng.random()
        if tick:
            values = np.round((values + phase) / tick) * tick
        held += holds(
            order_interval(np.sort(values, axis=None), 0.5) if pooled else median(values, tick=tick), truth + phase
        )
    return held / trials


def of_runs(scatter: float, count: int, trials: int) -> float:
    """Return how often the interval of a median over runs, or over the repetitions of one run, holds the truth."""
    rng, held = np.random.default_rng(8), 0
    for _ in range(trials):
        centres = scatter * rng.normal(size=(count, 1)) + rng.normal(size=(count, 5))
        values = centres[..., None] + rng.normal(size=(count, 5, SAMPLES // 5))
        held += holds(median(values[0] if count == 1 else values.reshape(count, -1)), 0)
    return held / trials


def ratios(count: int, trials: int) -> float:
    """Return how often the interval of a ratio of independent repetitions holds the truth."""
    rng = np.random.default_rng(3)
    return sum(holds(ratio(side(rng, 30, count), side(rng, 10, count)), 3) for _ in range(trials)) / trials


def differences(count: int, trials: int) -> float:
    """Return how often the interval of a difference holds the truth."""
    rng = np.random.default_rng(4)
    return sum(holds(difference(side(rng, 30, count), side(rng, 10, count)), 20) for _ in range(trials)) / trials


def pairs(count: int, trials: int) -> float:
    """Return how often the interval of a ratio holds the truth, of what was measured together."""
    rng, held = np.random.default_rng(5), 0
    for _ in range(trials):
        common = 1 + 0.2 * rng.normal(size=(count, 1))
        over, under = (list(common * side(rng, centre, count)) for centre in (30, 10))
        held += holds(paired_ratio(over, under, generator("pairs")), 3)
    return held / trials


def percentiles(percent: int, samples: int, scatter: float, count: int, trials: int) -> tuple[float, float]:
    """Return how often a percentile is told, and how often it is and does not hold the truth."""
    rng, law = np.random.default_rng(6), LAWS["log-normal"]
    known = law(np.random.default_rng(2), (2_000_000,))
    width = float(np.std(known))
    truth = float(np.percentile(known + scatter * width * np.random.default_rng(7).normal(size=len(known)), percent))
    told = wrong = 0
    for _ in range(trials):
        found = percentile(law(rng, (count, samples)) + scatter * width * rng.normal(size=(count, 1)), percent)
        told += found is not None
        wrong += found is not None and not holds(found, truth)
    return told / trials, wrong / trials


def side(rng: np.random.Generator, centre: float, count: int) -> Floats:
    """Return repetitions that differ by 2 %, with samples that differ by 5 %."""
    return centre * (1 + 0.02 * rng.normal(size=(count, 1)) + 0.05 * rng.normal(size=(count, SAMPLES)))


def holds(interval: Interval | None, truth: float) -> bool:
    """Return whether an interval holds the truth."""
    return (
        interval is not None
        and (interval.low is None or interval.low <= truth)
        and (interval.high is None or truth <= interval.high)
    )


if __name__ == "__main__":
    main()
