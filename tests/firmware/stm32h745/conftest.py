"""The STM32H745's firmware: its logic as a library for this machine, and both images as its compiler makes them."""

from __future__ import annotations

import ctypes
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from intercore.board.boards import STM32H745
from intercore.board.build import board_image
from intercore.board.sources import firmware_sources
from tests.built_once import alone_in
from tests.firmware.stm32h745.covering_array import DAILY

ROOT = Path(__file__).parents[3]
FIRMWARE = firmware_sources()
BOARD = FIRMWARE / "board" / "stm32h745"
LOGIC = ("console/stm32h745_baud.c", "clock/stm32h745_clock_plan.c", "memory/stm32h745_mpu_table.c")
"""What touches no register."""
INCLUDES = tuple(f"-I{BOARD / subject}" for subject in (".", "clock", "console", "cores", "memory"))
WARNINGS = ("-Wall", "-Wextra", "-Wconversion", "-Wshadow", "-Wstrict-prototypes", "-Wmissing-prototypes", "-Wundef")
NEEDED = ("arm-none-eabi-gcc", "cmake", "cargo")


def need_tools(*needed: str) -> None:
    """Skip the test where tools are missing, or fail where none may."""
    missing = [tool for tool in needed if shutil.which(tool) is None]
    if missing and os.environ.get("INTERCORE_NO_SKIP"):
        pytest.fail(f"missing: {', '.join(missing)}")
    if missing:
        pytest.skip(f"missing: {', '.join(missing)}")


def configure(folder: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    """Have CMake make the build folder of both images."""
    need_tools(*NEEDED)
    defines = [f"-D{name}={value}" for name, value in ({"IC_BOARD": "stm32h745"} | variables).items()]
    return subprocess.run(
        ["cmake", "-S", FIRMWARE, "-B", folder, *defines], capture_output=True, text=True, timeout=120, check=False
    )


def built(folder: Path, **variables: str) -> tuple[Path, Path]:
    """Build both images, all warnings as errors; return that of core 0 and that of core 1."""
    done = configure(folder, **variables)
    assert done.returncode == 0, done.stderr
    done = subprocess.run(
        ["cmake", "--build", folder, "--parallel"], capture_output=True, text=True, timeout=400, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return folder / "intercore-target", folder / "intercore-target-core1"


SLOWEST, FASTEST = DAILY


def images_at(levels: dict[str, str]) -> tuple[Path, Path]:
    """Return both images at these levels, as the tool builds them and keeps them in the user's cache."""
    need_tools(*NEEDED)
    with alone_in(ROOT / "build" / "test-stm32h745"):
        first, second = board_image(STM32H745, levels, lambda _: None).elfs
    return first, second


@pytest.fixture(scope="session")
def images() -> tuple[Path, Path]:
    """Both images at the lowest clocks, sharing the memory that no other master reaches."""
    return images_at(SLOWEST)


@pytest.fixture(scope="session")
def fastest_images() -> tuple[Path, Path]:
    """The same at the highest clocks, without caches."""
    return images_at(FASTEST)


@pytest.fixture(scope="session")
def logic(tmp_path_factory: pytest.TempPathFactory) -> ctypes.CDLL:
    """Return the board's arithmetic, which touches no register, and the headers' with it."""
    folder = tmp_path_factory.mktemp("stm32h745")
    library = folder / "logic.so"
    sources = [*(BOARD / name for name in LOGIC), Path(__file__).parent / "headers.c"]
    flags = ["-std=c11", "-O1", "-fPIC", "-shared", "-Werror", *WARNINGS, "-fsanitize=undefined"]
    subprocess.run(["cc", *flags, "-fsanitize-undefined-trap-on-error", *INCLUDES, *sources, "-o", library], check=True)
    return ctypes.CDLL(str(library))
