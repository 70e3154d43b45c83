"""Builds the benchmark program from the firmware sources that the package carries: for this machine, and for boards."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from intercore.board.cmake import Recipe, built, find_program, version_of
from intercore.board.esp_idf import idf_image
from intercore.board.image import Image, variant
from intercore.board.kernel import freertos_kernel
from intercore.board.sources import USUAL_SOURCES
from intercore.errors import IntercoreError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from intercore.board.boards import Board
    from intercore.board.sources import Sources
    from intercore.record.measurement import Level

SANITIZE_VARIABLE = "INTERCORE_SANITIZE"
"""Environment variable that adds `-fsanitize=<value>` to the build: for testing the firmware, not for measuring."""

CROSS_COMPILER = "arm-none-eabi-gcc"
"""For all boards: Cortex-M, whichever."""


def host_program(opt: str, say: Callable[[str], None], sources: Sources = USUAL_SOURCES) -> Path:
    """Return the benchmark program for this machine at optimisation level `opt`, building it if there is none yet.

    `say` is told in a few words what takes time. Raises IntercoreError if this is not Linux, or if the compiler or
    CMake is missing or fails.
    """
    if sys.platform != "linux":
        raise IntercoreError(
            f"the target 'host' needs Linux, and this is {sys.platform}; to measure a board, name its port: "
            "intercore run serial --port COM3 …"
        )
    what = "the host program"
    compiler = find_program(what, os.environ.get("CC", "cc"), "a C compiler", "gcc")
    defines = {"CMAKE_C_COMPILER": compiler, "IC_OPT": opt, "IC_SANITIZE": os.environ.get(SANITIZE_VARIABLE, "")}
    return built(Recipe("host", what, compiler, defines, f"-{opt}", sources=sources), say)[0]


def board_image(
    board: Board, build: Mapping[str, Level], say: Callable[[str], None], sources: Sources = USUAL_SOURCES
) -> Image:
    """Return the benchmark program for a board, as `host_program` does: FreeRTOS, built with these levels.

    The factors are the board's; one that is missing is at its default. A board of Espressif's is left to ESP-IDF.
    ESP-IDF takes no other `sources`. Raises IntercoreError also if the FreeRTOS kernel cannot be had.
    """
    if board.flashed_by == "esptool":
        return idf_image(board, build, say)
    what = f"the program for {board.title}"
    compiler = find_program(what, CROSS_COMPILER, "the cross compiler", "gcc-arm-none-eabi")
    firmware = sources.folder()
    kernel = freertos_kernel(firmware / "port" / "freertos" / "kernel", say, sources.kernel)
    levels = board.whole(build)
    defines = {
        "IC_BOARD": board.folder,
        **{f"IC_{name.upper()}": str(level) for name, level in levels.items()},
        "CMAKE_TOOLCHAIN_FILE": str(firmware / "board" / board.folder / "toolchain.cmake"),
        "IC_FREERTOS_KERNEL": str(kernel.folder),
    }
    recipe = Recipe(
        board.name, what, compiler, defines, variant(board, levels), (kernel.folder,), board.programs, sources
    )
    compiler_version = version_of(compiler).decode(errors="replace").partition("\n")[0]
    return Image(board, built(recipe, say), levels, compiler_version, kernel)
