"""Stands for Espressif's qemu-system-xtensa: machines, version, and tests/cli/fake_board.py as the emulated program.

FAKE_QEMU says how it behaves, FAKE_BENCHMARK what its program measures; FAKE_LOG names a file to which each start is
added as a line of JSON.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).parents[2]
BEHAVIOUR = os.environ.get("FAKE_QEMU", "")
BENCHMARK = os.environ.get("FAKE_BENCHMARK", "example")
MACHINES = (
    "Supported machines are:\nesp32                Espressif ESP32 machine\nesp32s3              Espressif ESP32S3\n"
)
OTHERS = "Supported machines are:\nlx60                 lx60 EVB\nsim                  sim machine (default)\n"
ROM = "ets Jul 29 2019 12:21:46\r\n\r\nrst:0x1 (POWERON_RESET),boot:0x12\r\n\x1b[0;32mI (29) boot: x\x1b[0m\r\n"


def main() -> int:
    words = sys.argv[1:]
    if words == ["-machine", "help"]:
        print(OTHERS if BEHAVIOUR == "distribution" else MACHINES, end="")
        return 0
    if words == ["--version"]:
        print("QEMU emulator version 9.2.2 (esp_develop_9.2.2_20250817)\nCopyright")
        return 0
    (drive,) = [word for word in words if word.startswith("file=")]
    flash = Path(drive.removeprefix("file=").partition(",if=")[0].replace(",,", ","))
    with Path(os.environ["FAKE_LOG"]).open("a") as log:
        log.write(
            json.dumps({"program": "qemu", "words": words, "flash": flash.stat().st_size, "pid": os.getpid()}) + "\n"
        )
    if BEHAVIOUR == "dies":
        print("qemu-system-xtensa: -drive: only 2, 4, 8, 16 MB images are supported", file=sys.stderr)
        return 1
    sys.stdout.write(ROM)
    sys.stdout.flush()
    options = ["--benchmark", BENCHMARK, *(["--fault", "die", "--after", "1"] if BEHAVIOUR == "crashes" else [])]
    if BEHAVIOUR == "deaf":  # as QEMU: it does not end with its input
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        time.sleep(600)
    board = str(ROOT / "tests" / "cli" / "fake_board.py")
    return subprocess.call([sys.executable, board, *options])


if __name__ == "__main__":
    sys.exit(main())
