"""What one time stamp costs on this machine, per core: the cost of looking that stands beside every result.

Run with: make bench, or .venv/bin/python bench/time_stamp.py
"""

from __future__ import annotations

import contextlib

import numpy as np

from intercore.record.measurement import TIMESTAMP_OVERHEAD_PREFIX
from intercore.target.targets import Address, find

RUNS = 40


def main() -> None:
    """Collect the series `timestamp_overhead.<core>` of several runs and print their distribution."""
    with contextlib.closing(find("host").open(Address(), print)) as opened:
        session = opened.session()
        clock = session.info().hello.clock
        costs: dict[str, list[float]] = {}
        for _ in range(RUNS):
            for series in session.measure("speedup", {"n": 1, "samples": 1, "dither_us": 0}).series:
                if series.name.startswith(TIMESTAMP_OVERHEAD_PREFIX):
                    costs.setdefault(series.name, []).extend(series.ns)
    print(f"An empty pair of time stamps of {clock}, ns ({RUNS} runs):")
    for name, values in sorted(costs.items()):
        low, median, p99, high = np.percentile(values, (0, 50, 99, 100))
        core = name.removeprefix(TIMESTAMP_OVERHEAD_PREFIX)
        print(f"  core {core}: median {median:.0f}, min {low:.0f}, p99 {p99:.0f}, max {high:.0f}, n={len(values)}")


if __name__ == "__main__":
    main()
