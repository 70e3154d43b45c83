"""Builds the benchmark program, for this machine and for boards, from the firmware sources in the package."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from intercore.board import own_workload
from intercore.board.cmake import Recipe, Tool, builders, built, built_together, find_tools, version_of
from intercore.board.esp_idf import idf_image
from intercore.board.image import Image, variant
from intercore.board.kernel import CARGO, KERNEL_VARIABLE, freertos_kernel
from intercore.board.prebuilt import prebuilt_boards, prebuilt_image, prebuilt_variants
from intercore.board.sources import USUAL_SOURCES
from intercore.operating_system import need_linux

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from intercore.board.boards import Board
    from intercore.board.sources import Sources
    from intercore.record.measurement import Level

SANITIZE_VARIABLE = "INTERCORE_SANITIZE"
"""Environment variable that adds `-fsanitize=<value>` to the build, to test the firmware, not to measure."""

CROSS_COMPILERS = {
    "Arm": Tool("arm-none-eabi-gcc", "the cross compiler", "gcc-arm-none-eabi libnewlib-arm-none-eabi"),
    "RISC-V": Tool(
        "riscv64-unknown-elf-gcc",
        "the cross compiler for RISC-V",
        "gcc-riscv64-unknown-elf picolibc-riscv64-unknown-elf",
    ),
}
"""By `Board.cores`."""


class Shift(NamedTuple):
    """Displacement of the parts of an RP2040's program in bytes, in addition to alignment."""

    code: int = 0
    """Displacement of its functions: a multiple of 2."""
    data: int = 0
    """Displacement of its variables: a multiple of 4."""

    @property
    def defines(self) -> dict[str, str]:
        """The variables for the firmware's CMake project."""
        return {"IC_SHIFT_CODE": str(self.code), "IC_SHIFT_DATA": str(self.data)}


CROSS_CPP_COMPILERS = {
    "Arm": Tool("arm-none-eabi-g++", "the cross compiler for C++", "gcc-arm-none-eabi"),
    "RISC-V": Tool("riscv64-unknown-elf-g++", "the cross compiler for C++ on RISC-V", "gcc-riscv64-unknown-elf"),
}


def host_compiler() -> Tool:
    """Return the C compiler for this machine: CC, or else cc."""
    return Tool(os.environ.get("CC", "cc"), "a C compiler", "gcc")


def host_cpp_compiler() -> Tool:
    """Return the C++ compiler for this machine: CXX, or else c++."""
    return Tool(os.environ.get("CXX", "c++"), "a C++ compiler", "g++")


def work_conditions(sources: Sources, board: Board | None = None) -> dict[str, str]:
    """Return the conditions of a user's workload, compiled for a board or for this machine."""
    if sources.own is None:
        return {}
    compiler = (host_compiler() if board is None else CROSS_COMPILERS[board.cores]).program
    return own_workload.conditions(sources.own, compiler, sources.folder())


def _for_own(sources: Sources, compiler: str) -> dict[str, str]:
    return {} if sources.own is None else own_workload.defines(sources.own, compiler, sources.folder())


def _for_cpp(sources: Sources, tool: Tool) -> tuple[Tool, ...]:
    return (tool,) if sources.own is not None and own_workload.in_cpp(sources.own) else ()


HOST = "the target 'host'"
ELSEWHERE = "to measure a board, name its port: intercore run serial --port COM3 …"
"""What a user may do where that target needs another system."""
_ALONE = (
    "only its build with {} needs none of them; your own workloads, the recorder and other levels, such as --opt, do"
)
"""Note on the prebuilt program of a package."""


def host_program(opt: str, say: Callable[[str], None], sources: Sources = USUAL_SOURCES, *, trace: int = 0) -> Path:
    """Return the benchmark program for this machine at optimisation level `opt`, after building it if necessary.

    Its recorder keeps `trace` events of each core; 0 for no recorder.

    `say` reports progress. Raises IntercoreError if this is not Linux, or if the compiler or CMake is missing or fails.
    """
    need_linux(HOST, ELSEWHERE)
    what = "the host program"
    tools = [host_compiler(), *builders(), *_for_cpp(sources, host_cpp_compiler())]
    carried = [f"{board.name}-sim" for board in prebuilt_boards()]
    compiler, *_ = find_tools(
        what, tools, f"; {' and '.join(carried)} need{'s' * (len(carried) == 1)} none of them" if carried else ""
    )
    defines = {"CMAKE_C_COMPILER": compiler, "IC_OPT": opt, "IC_SANITIZE": os.environ.get(SANITIZE_VARIABLE, "")}
    defines |= _for_own(sources, compiler)
    levels = f"-{opt}"
    if trace:
        defines["IC_TRACE"] = str(trace)
        levels += f"-trace-{trace}"
    return built(Recipe("host", what, compiler, defines, levels, sources=sources), say)[0]


def board_image(
    board: Board, build: Mapping[str, Level], say: Callable[[str], None], sources: Sources = USUAL_SOURCES
) -> Image:
    """Return the benchmark program for a board with FreeRTOS, built with these levels, as `host_program` does.

    Missing factors have their defaults. Prebuilt images are not built. Boards of Espressif are built by ESP-IDF,
    without other `sources`. Also raises IntercoreError if the FreeRTOS kernel is not available.
    """
    if board.flashed_by == "esptool":
        return idf_image(board, build, say)
    levels = board.whole(build)
    if (prebuilt := prebuilt_image(board, levels, sources)) is not None:
        return prebuilt
    return _images(board, levels, say, sources, [Shift()])[0]


def shifted_images(
    board: Board,
    build: Mapping[str, Level],
    shifts: Sequence[Shift],
    say: Callable[[str], None],
    sources: Sources = USUAL_SOURCES,
) -> list[Image]:
    """Return an RP2040's program for each shift, always built here; see `board_image`."""
    return _images(board, board.whole(build), say, sources, shifts)


def _images(
    board: Board, levels: Mapping[str, Level], say: Callable[[str], None], sources: Sources, shifts: Sequence[Shift]
) -> list[Image]:
    what = f"the program for {board.title}"
    named = sources.kernel is not None or os.environ.get(KERNEL_VARIABLE)
    tools = [
        CROSS_COMPILERS[board.cores],
        *builders(),
        *(() if named else (CARGO,)),
        *_for_cpp(sources, CROSS_CPP_COMPILERS[board.cores]),
    ]
    carried = " and ".join(prebuilt_variants(board))
    compiler, *_ = find_tools(what, tools, f"; {_ALONE.format(carried)}" if carried else "")
    firmware = sources.folder()
    kernel = freertos_kernel(firmware / "port" / "freertos" / "kernel", say, sources.kernel)
    folder = Path("" if kernel.folder is None else kernel.folder)
    defines = {
        "IC_BOARD": board.folder,
        **{f"IC_{name.upper()}": str(level) for name, level in levels.items()},
        "CMAKE_TOOLCHAIN_FILE": str(firmware / "board" / board.folder / "toolchain.cmake"),
        "IC_FREERTOS_KERNEL": str(folder),
        **_for_own(sources, compiler),
    }
    recipes = [
        Recipe(
            board.name,
            what,
            compiler,
            {**defines, **(shift.defines if shift != Shift() else {})},
            variant(board, levels) + (", shifted in memory" if shift != Shift() else ""),
            (folder,),
            board.programs,
            sources,
        )
        for shift in shifts
    ]
    compiler_version = version_of(compiler).decode(errors="replace").partition("\n")[0]
    return [Image(board, elfs, levels, compiler_version, kernel) for elfs in built_together(recipes, say)]
