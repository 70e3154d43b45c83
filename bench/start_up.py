"""What a start of the tool costs: processor time in user and kernel mode, the median of some runs of each command.

Run with: make bench, or .venv/bin/python bench/start_up.py. An argument names another Intercore, which is run by turns
with the own one: bench/start_up.py ../other/.venv/bin/intercore
"""

from __future__ import annotations

import resource
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median

RUNS = 15
TOOL = Path(sys.executable).with_name("intercore")


def main() -> None:
    """Time each command, by turns with the others, and print the medians beside that of Python itself."""
    tools = [str(TOOL), *sys.argv[1:]]
    with tempfile.TemporaryDirectory() as folder:
        measure = [str(TOOL), "run", "host", "speedup", "n=1000", "samples=5"]
        subprocess.run(measure, cwd=folder, check=True, capture_output=True)
        commands = [[sys.executable, "-c", "pass"]]
        commands += [[tool, *words] for words in (["--version"], ["--help"], ["list"], ["show"]) for tool in tools]
        times: list[list[float]] = [[] for _ in commands]
        for _ in range(RUNS):
            for command, seconds in zip(commands, times, strict=True):
                seconds.append(cpu_seconds(command, folder))
    print(f"Processor time of a start, median of {RUNS}:")
    for command, seconds in zip(commands, times, strict=True):
        print(f"{1000 * median(seconds):6.0f} ms  {' '.join(command)}")


def cpu_seconds(command: list[str], folder: str) -> float:
    """Return what a command and those that it starts take of a processor."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, cwd=folder, check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


if __name__ == "__main__":
    main()
