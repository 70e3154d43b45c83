"""Runs clang-tidy on the C files of the firmware, each as some board compiles it: `make lint` calls this.

Its argument is how many states of a function clang's analyser looks at before it leaves it: clang's own are 225,000.

A board is a folder under firmware/board with a board.cmake. What only a board's other image is made of lies in the
board's folder, and is checked by the flags of its neighbours. Ends with 1 if anything is found, or if a file is in no
board's build: then either it is dead, or a board has forgotten it.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).parents[1]
FIRMWARE = ROOT / "firmware"
BY_ESP_IDF = (
    *("firmware/board/esp32/", "firmware/port/freertos_smp/", "firmware/transport/esp_idf/"),
    *("firmware/port/loop.c", "firmware/port/freertos/loop_freertos.c"),
)
"""What ESP-IDF compiles, which is not here; some files in these folders other boards compile as well."""
BY_CLANG = "firmware/fuzz/"
FOR_ARM = ("--extra-arg=--target=arm-none-eabi", "--extra-arg=-isystem/usr/include/newlib")
"""clang has no C library for the chip; this is where Debian has newlib's headers."""
UNCHECKED = ("rp2350",)
"""Boards whose C library clang cannot be told of: their own files are known, and not checked."""
RECORDERS = ("linux", "rp2040")
"""Boards that compile all of the recorder between them, which no board does by itself."""
AT_A_TIME = 12


def configured(board: str, *defines: str) -> tuple[Path, list[str]]:
    """Return a board's build folder and the files of ours that it compiles."""
    folder = ROOT / "build" / f"lint-{board}{'-recorder' if defines else ''}"
    command = ["cmake", "-S", str(FIRMWARE), "-B", str(folder), f"-DIC_BOARD={board}", *defines]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"scripts/tidy.py: {board} cannot be configured:\n{done.stdout}{done.stderr}")
    compiled = (Path(entry["file"]) for entry in json.loads((folder / "compile_commands.json").read_text()))
    ours = (path for path in compiled if path.suffix == ".c" and FIRMWARE in path.parents)
    return folder, [str(path.relative_to(ROOT)) for path in ours]


def tidy(states: int, folder: Path, files: list[str]) -> bool:
    """Check some files as a build folder says; print what is found. True if that is nothing."""
    for_arm = FOR_ARM if "arm-none-eabi" in (folder / "CMakeCache.txt").read_text() else ()
    program = Path(sys.executable).with_name("clang-tidy")
    depth = (f"--extra-arg={word}" for word in ("-Xclang", "-analyzer-config", "-Xclang", f"max-nodes={states}"))
    command = [program, "--quiet", "-p", folder, *for_arm, *depth, *files]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode:
        print(done.stdout, done.stderr, sep="")
    return done.returncode == 0


def main(states: int) -> int:
    """Check all; 0 if nothing is found."""
    listed = subprocess.run(["git", "ls-files", "firmware/*.c"], cwd=ROOT, capture_output=True, text=True, check=True)
    left = dict.fromkeys(name for name in listed.stdout.splitlines() if not name.startswith(BY_CLANG))
    boards = [path.parent.name for path in sorted(FIRMWARE.glob("board/*/board.cmake"))]  # linux is the first
    jobs: list[tuple[Path, list[str]]] = []
    for board in RECORDERS:
        recorder, compiled = configured(board, "-DIC_TRACE=1024")
        of_recorder_alone = {*compiled}.difference(configured(board)[1])
        of_recorder = [name for name in left if name in of_recorder_alone]
        jobs.append((recorder, of_recorder))
        for name in of_recorder:
            del left[name]
    for board in boards:
        folder, compiled = configured(board)
        own = [name for name in left if name in compiled or name.startswith(f"firmware/board/{board}/")]
        if board not in UNCHECKED:
            jobs += [(folder, own[at : at + AT_A_TIME]) for at in range(0, len(own), AT_A_TIME)]
        for name in own:
            del left[name]
    forgotten = [name for name in left if not name.startswith(BY_ESP_IDF)]
    for name in forgotten:
        print(f"{name}: no board compiles this")
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        clean = list(pool.map(lambda job: tidy(states, *job), jobs))
    return 0 if all(clean) and not forgotten else 1


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1])))
