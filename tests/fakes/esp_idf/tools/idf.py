"""Stands for idf.py: set-target, build, flash and monitor, on the stand-in for ESP-IDF around it.

What was built runs on this machine, with the terminal as its console, when it is monitored; to flash it does nothing.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

IDF = Path(__file__).parents[1]


def build() -> None:
    """Build without optimisation: it is to be built, not fast."""
    configure = ["cmake", "-S", ".", "-B", "build", "-DIC_OPT=O0", "-DCMAKE_C_FLAGS=-O0"]
    for command in (configure, ["cmake", "--build", "build", "--parallel", "2"]):
        subprocess.run(command, check=True, env={**os.environ, "IDF_PATH": str(IDF)})


def monitor() -> int:
    """Run what was built, until its input ends."""
    (program,) = Path("build").glob("*.elf")
    return subprocess.run([program], check=False).returncode


def main() -> int:
    """Carry out the commands, one after the other."""
    words = sys.argv[1:]
    while words:
        word = words.pop(0)
        if word == "-p":
            words.pop(0)
        elif word == "set-target":
            assert words.pop(0) in {"esp32", "esp32s3"}
        elif word == "build":
            build()
        elif word == "monitor":
            return monitor()
        else:
            assert word == "flash", word
    return 0


if __name__ == "__main__":
    sys.exit(main())
