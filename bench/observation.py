"""What a profile and a hunt cost: CPU time of runs of the same programs with them and without, by turns.

Run: python bench/observation.py SECONDS IMAGE…, for so many seconds of the chip's time of each program, for example of
those that `make bench` has built in bench/sim/target. All that the commands `profile` and `hunt` do is counted, but for
the start of Python. The ratios are medians of those of turns.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

from intercore.hunt.analysis import analysed as hunted
from intercore.hunt.hunting import Wanted
from intercore.profile.recording import Recording
from intercore.profile.summary import analysed as profiled
from intercore.sim import Reason, Simulator

if TYPE_CHECKING:
    from collections.abc import Callable

TURNS = 5
_SLICE = 2_500_000
"""Cycles after which a hunt looks what the cores do, too."""


def plain(image: Path, seconds: float) -> None:
    """Run a program and do nothing else."""
    simulator = Simulator(image)
    while simulator.seconds < seconds and simulator.run(_SLICE).reason is Reason.LIMIT:
        simulator.take_uart()


def profile(image: Path, seconds: float) -> None:
    """Run it with a profile."""
    profiled(Recording(Simulator(image), seconds, lambda _: None).record(image.name, None, None)[0])


def hunt(image: Path, seconds: float) -> None:
    """Run it in search of faults, twice."""
    hunted(image, image.name, Wanted(seconds, None, b""), lambda _: None)


def cpu_seconds(run: Callable[[Path, float], None], image: Path, seconds: float) -> float:
    """Return what a run takes."""
    begun = time.process_time()
    run(image, seconds)
    return time.process_time() - begun


def main() -> None:
    """Print a line for each program."""
    seconds, images = float(sys.argv[1]), [Path(name) for name in sys.argv[2:]]
    print(f"{seconds:g} s of the chip's time, medians of {TURNS} turns")
    for image in images:
        turns = [[cpu_seconds(run, image, seconds) for run in (plain, profile, hunt)] for _ in range(TURNS)]
        without = median(turn[0] for turn in turns)
        more = [median(turn[which] / turn[0] for turn in turns) for which in (1, 2)]
        print(f"  {image.name:28} without {without:6.3f} s   profile {more[0]:5.2f} times   hunt {more[1]:5.2f} times")


if __name__ == "__main__":
    main()
