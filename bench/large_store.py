"""What reading a large store takes: processor time and peak memory of `show`, `report` and `export`.

python bench/large_store.py [MILLIONS_OF_SAMPLES] [STORE]

The store is made of run 1 of STORE, in whose place stands the suite of this machine unless it is named: of each series,
samples are drawn until the run has so many, 5 million by default. So every analysis has its share. Readings of a clock
are repeated, each repeat after the last one; what ascends does so still, and histograms stay as they are.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import numpy as np

from intercore.benchmarks.series import Role, role
from intercore.record.plan import setting_of
from intercore.record.store import Store

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from intercore.record.measurement import Measurement, Series

TOOL = Path(sys.executable).with_name("intercore")
COMMANDS = {
    "show": ["show", "1"],
    "show --format json": ["show", "1", "--format", "json"],
    "report": ["report", "1", "--output", "page.html"],
    "export to Parquet": ["export", "1", "--to", "samples.parquet"],
    "export to CSV": ["export", "1", "--to", "samples.csv"],
}


def main() -> None:
    """Make the store, carry out the commands, and print what each took."""
    millions = float(sys.argv[1]) if len(sys.argv) > 1 else 5
    with tempfile.TemporaryDirectory() as folder:
        source = Path(sys.argv[2]).absolute() if len(sys.argv) > 2 else Path(folder, "suite.db")
        if not source.exists():
            subprocess.run([TOOL, "run", "host", "suite", "--store", source], check=True, cwd=folder)
        large = Path(folder, "intercore.db")
        samples = grow(source, large, int(millions * 1e6))
        print(f"{samples:,} samples in {large.stat().st_size / 1e6:,.0f} MB\n")
        print(f"  {'command':20}  processor s  wall s  peak MB  bytes a sample")
        for name, words in COMMANDS.items():
            processor, wall, peak = measure([str(TOOL), *words], folder)
            print(f"  {name:20}  {processor:11.1f}  {wall:6.1f}  {peak / 1e6:7.0f}  {peak / samples:14.1f}")


def grow(source: Path, large: Path, wanted: int) -> int:
    """Copy run 1 into a new store with about so many samples, and return how many it has."""
    with Store(source) as store:
        run = store.run(1)
    growing = sum(len(series.ticks) for one in run.measurements for series in one.series if grows(one, series))
    times = max(1, round(wanted / growing))
    count = 0
    with Store(large) as store:
        run_id = store.create_run(run.plan, run.total)
        for one in run.measurements:
            grown = repeated(one, times)
            count += sum(len(series.ticks) for series in grown.series)
            store.add(run_id, setting_of(run.plan, one), grown)
    return count


def grows(one: Measurement, series: Series) -> bool:
    """Whether a series may be longer: a histogram has one length."""
    return role(one.benchmark, series) is not Role.HISTOGRAM


def repeated(one: Measurement, times: int) -> Measurement:
    """Return a measurement with every series so many times as long; what belongs together stays together."""
    random = np.random.default_rng(len(one.series))
    drawn = {
        count: random.integers(count, size=count * times) for count in {len(series.ticks) for series in one.series}
    }
    return msgspec.structs.replace(
        one,
        series=tuple(
            longer(series, drawn[len(series.ticks)], times) if grows(one, series) else series for series in one.series
        ),
    )


def longer(series: Series, drawn: NDArray[np.int64], times: int) -> Series:
    """Return a series of the samples that were drawn; readings of a clock so many times, one after another."""
    if series.unit == "moment" and len(series.ticks):
        span = int(series.ticks.max() - series.ticks.min()) + 1
        after = np.repeat(np.arange(times, dtype=np.int64) * span, len(series.ticks))
        return msgspec.structs.replace(series, ticks=np.tile(series.ticks, times) + after)
    ascends = len(series.ticks) > 1 and bool(np.all(np.diff(series.ticks) >= 0))
    return msgspec.structs.replace(series, ticks=np.sort(series.ticks[drawn]) if ascends else series.ticks[drawn])


def measure(command: list[str], folder: str) -> tuple[float, float, int]:
    """Carry out a command, and return its seconds of processor and of wall clock and its peak memory in bytes."""
    begin = time.perf_counter()
    with subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL) as child:
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        raise SystemExit(f"{' '.join(command)} ended with {child.returncode}")
    return usage.ru_utime + usage.ru_stime, time.perf_counter() - begin, usage.ru_maxrss * 1024


if __name__ == "__main__":
    main()
