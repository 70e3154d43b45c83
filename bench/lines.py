"""How well lines are told from knees and steps, and how often intervals hold the truth: what docs/statistics.md says.

Run: python bench/lines.py. Eleven sizes from 4 to 4096 bytes, 100 trials of each row.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from intercore.statistics.line import Points, best, line

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

SIZES = 2.0 ** np.arange(2, 13)
ALPHA, BETA = 1.5, 0.02
TRIALS = 100
NEW = 300.0
"""A size that is not among them."""


def straight(x: Floats) -> Floats:
    """Return what a message takes, in µs."""
    return ALPHA + BETA * x


TRUTHS: Mapping[str, tuple[Callable[[Floats], Floats], int]] = {
    "a line": (straight, 0),
    "slope 2.5 times from 256 on": (lambda x: straight(x) + 0.03 * np.maximum(x - 256, 0), 1),
    "step of 45 % at 256": (lambda x: straight(x) + 3.0 * (x > 256), 1),
    "step of 10 % at 256": (lambda x: straight(x) * np.where(x > 256, 1.1, 1), 1),
    "steps at 50 and 1000": (lambda x: straight(x) + 2.0 * (x > 50) + 15.0 * (x > 1000), 2),
}
NOISE = ((0.0, 0.002), (0.0, 0.05), (0.01, 0.002), (0.03, 0.01))
"""By which fraction sizes scatter, and the standard error of their medians in µs."""


def main() -> None:
    """Print a line for each truth and noise."""
    for scatter, error in NOISE:
        print(f"scatter {100 * scatter:g} %, medians known to {error} µs")
        for name, (truth, breaks) in TRUTHS.items():
            rng = np.random.default_rng(1)
            right, more = 0, 0
            for _ in range(TRIALS):
                found = best(noisy(truth, scatter, error, rng))
                count = 0 if found is None else len(found.breaks)
                right += count == breaks
                more += count > breaks
            print(f"  {name:30} pieces right: {right:3} %   too many: {more:2} %")
        print(f"  intervals that hold the truth    {coverage(scatter, error)}")


def noisy(truth: Callable[[Floats], Floats], scatter: float, error: float, rng: np.random.Generator) -> Points:
    """Return medians that are off the truth at random."""
    y = truth(SIZES) * (1 + scatter * rng.normal(size=len(SIZES))) + error * rng.normal(size=len(SIZES))
    return Points.of(SIZES, y, np.full(len(SIZES), error))


def coverage(scatter: float, error: float) -> str:
    """Return how often the intervals of alpha, beta and a prediction hold these."""
    rng = np.random.default_rng(2)
    held = np.zeros(3)
    for _ in range(10 * TRIALS):
        found = line(noisy(straight, scatter, error, rng))
        if found is not None:
            piece = found.pieces[0]
            another = (ALPHA + BETA * NEW) * (1 + scatter * rng.normal())
            known = ((piece.intercept, ALPHA), (piece.slope, BETA), (found.prediction(NEW)[0], another))
            for place, (estimate, truth) in enumerate(known):
                low, high = estimate.low, estimate.high
                held[place] += low is not None and high is not None and low <= truth <= high
    alpha, beta, prediction = 100 * held / (10 * TRIALS)
    return f"alpha {alpha:.0f} %, beta {beta:.0f} %, another size {prediction:.0f} %"


if __name__ == "__main__":
    main()
