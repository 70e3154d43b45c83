"""Whether equal runs agree: how often the interval of a run holds the median of them all, and how wide it is.

python bench/repeat_runs.py [RUNS] [BENCHMARK NAME=VALUE… [--repetitions N] [--runs N --every SECONDS]]

Each run is a command of its own, one after the other, as a user repeats a measurement that he doubts. An interval that
covers what it says holds the grand median in 19 of 20 runs; one that does not know what differs between runs in few.
What the scatter of the runs implies is the width that an interval of 95 % would have if that scatter were known, by
Student's t: narrower ones promise too much, and much wider ones too little.

Without arguments: 20 commands, each with five runs of a wake-up across cores on this machine, by a binary semaphore.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from scipy import stats

from intercore.benchmarks.grouping import units_us
from intercore.record.measurement import TIMESTAMP_OVERHEAD_PREFIX
from intercore.record.store import Store
from intercore.statistics.repetitions import median

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from intercore.record.measurement import Run

RUNS = 20
WORDS = ["switch", "primitive=binary-semaphore", "from=0", "to=1", "samples=100", "--runs", "5"]
LEVEL = 0.95
LEAST = 0.9
"""Of the intervals, at least, should hold the grand median."""
MOST = 2.0
"""Times what the scatter implies: as wide as the median interval should be at most."""
TOOL = Path(sys.executable).with_name("intercore")


def main() -> None:
    """Take the runs, and print each with its interval, then what they come to."""
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else RUNS
    words = sys.argv[2:] or WORDS
    print(f"{runs} times: intercore run host {' '.join(words)}\n")
    with tempfile.TemporaryDirectory() as folder:
        store = Path(folder, "intercore.db")
        found, repetitions = [], []
        for _ in range(runs):
            subprocess.run([TOOL, "run", "host", *words, "--store", store], check=True, capture_output=True)
            with Store(store) as opened:
                samples = samples_us(opened.run())
            repetitions.append(np.array([np.median(one) for one in samples]))
            found.append(median(samples))
    medians, lows, highs = (np.array([getattr(one, name) for one in found]) for name in ("value", "low", "high"))
    grand = float(np.median(medians))
    holds = (lows <= grand) & (grand <= highs)
    for number, one in enumerate(found):
        missed = "" if holds[number] else "   misses"
        print(f"  {number + 1:3}  {one.value:9.3f} µs  {one.low:9.3f} to {one.high:9.3f}{missed}")
    implied = 2 * float(stats.t.ppf((1 + LEVEL) / 2, runs - 1) * medians.std(ddof=1))
    width = float(np.median(highs - lows))
    print(f"\n  grand median {grand:.3f} µs; the runs' medians lie from {medians.min():.3f} to {medians.max():.3f} µs")
    print(f"  {holds.sum()} of {runs} intervals hold it (should: {int(np.ceil(LEAST * runs))} at least)")
    print(
        f"  their median width is {width:.3f} µs, {width / implied:.2f} times the {implied:.3f} µs that the scatter of "
        f"the runs implies (should: {MOST:g} times at most)"
    )
    within = float(np.mean([one.var(ddof=1) for one in repetitions])) / len(repetitions[0])
    ratio = medians.std(ddof=1) / within**0.5
    print(f"  runs scatter {ratio:.1f} times as much as their repetitions let expect; 1 if these show all that differs")


def samples_us(run: Run) -> list[NDArray[np.float64]]:
    """Return the samples of the first series by unit of replication, in µs."""
    name = next(
        series.name for series in run.measurements[0].series if not series.name.startswith(TIMESTAMP_OVERHEAD_PREFIX)
    )
    return units_us(run.measurements, name)


if __name__ == "__main__":
    main()
