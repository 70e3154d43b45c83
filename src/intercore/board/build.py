"""Builds the benchmark program from the firmware sources that the package carries: for this machine, and for chips.

Built once per sources, flags and compiler: the program is kept in the user's cache under a hash of all three.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import platformdirs

import intercore
from intercore.board.factors import OPT
from intercore.board.kernel import Kernel, freertos_kernel
from intercore.errors import IntercoreError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from intercore.board.boards import Board
    from intercore.record.measurement import Level

SANITIZE_VARIABLE = "INTERCORE_SANITIZE"
"""Environment variable that adds `-fsanitize=<value>` to the build: for testing the firmware, not for measuring."""

CROSS_COMPILER = "arm-none-eabi-gcc"
"""For all boards: Cortex-M, whichever."""

_PROGRAM = "intercore-target"
_TIMEOUT_S = 300.0


class Image(msgspec.Struct, frozen=True):
    """The benchmark program for a board."""

    board: Board
    elfs: tuple[Path, ...]
    """One for each core that has a program of its own, core 0's first. In the cache: to be read, not changed."""
    build: Mapping[str, Level]
    """What it was built with: a level of each factor of the target, `opt` among them."""
    compiler: str
    """What the compiler calls itself."""
    kernel: Kernel
    whole_flash: Path | None = None
    """For a board that is flashed by esptool: all of its flash, from 0 on, in one file. In the cache, too."""

    @property
    def elf(self) -> Path:
        """What core 0 starts with."""
        return self.elfs[0]


class _Recipe(msgspec.Struct, frozen=True):
    """What is built, and how."""

    name: str
    """Of its folder in the cache."""
    what: str
    """In messages, e.g. `the host program`."""
    compiler: str
    """Path of the compiler."""
    defines: dict[str, str]
    """Variables for CMake."""
    variant: str
    """In messages: which of the programs for it this is, e.g. `-O2`."""
    also: tuple[Path, ...] = ()
    """Folders of sources beside the firmware's own."""
    programs: tuple[str, ...] = (_PROGRAM,)
    """Files that come of it, with or without the suffix .elf; they are made together."""

    def fails(self, why: str) -> IntercoreError:
        return IntercoreError(f"{self.what} cannot be built: {why}")


def host_program(opt: str, say: Callable[[str], None]) -> Path:
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
    compiler = _find(what, os.environ.get("CC", "cc"), "a C compiler", "gcc")
    defines = {"CMAKE_C_COMPILER": compiler, "IC_OPT": opt, "IC_SANITIZE": os.environ.get(SANITIZE_VARIABLE, "")}
    return _built(_Recipe("host", what, compiler, defines, f"-{opt}"), say)[0]


def board_image(board: Board, build: Mapping[str, Level], say: Callable[[str], None]) -> Image:
    """Return the benchmark program for a board, as `host_program` does: FreeRTOS, built with these levels.

    The factors are the board's; one that is missing is at its default. A board of Espressif's is left to ESP-IDF.
    Raises IntercoreError also if the FreeRTOS kernel cannot be had.
    """
    if board.flashed_by == "esptool":
        from intercore.board.esp_idf import idf_image  # noqa: PLC0415 - for these boards alone, and it needs this module

        return idf_image(board, build, say)
    what = f"the program for {board.title}"
    compiler = _find(what, CROSS_COMPILER, "the cross compiler", "gcc-arm-none-eabi")
    sources = firmware_sources()
    kernel = freertos_kernel(sources / "port" / "freertos" / "kernel", say)
    levels = board.whole(build)
    defines = {
        "IC_BOARD": board.folder,
        **{f"IC_{name.upper()}": str(level) for name, level in levels.items()},
        "CMAKE_TOOLCHAIN_FILE": str(sources / "board" / board.folder / "toolchain.cmake"),
        "IC_FREERTOS_KERNEL": str(kernel.folder),
    }
    recipe = _Recipe(board.name, what, compiler, defines, variant(board, levels), (kernel.folder,), board.programs)
    version = _version(compiler).decode(errors="replace").partition("\n")[0]
    return Image(board, _built(recipe, say), levels, version, kernel)


def variant(board: Board, levels: Mapping[str, Level]) -> str:
    """Return what a program was built with in a few words: `-O2, clock_mhz=48`, without what is at its default."""
    usual = board.whole({})
    others = [f"{name}={level}" for name, level in levels.items() if name != OPT.name and level != usual[name]]
    return ", ".join([f"-{levels[OPT.name]}", *others])


def firmware_sources() -> Path:
    """Return the folder with the firmware's sources: inside the installed package, or beside it in a checkout."""
    package = Path(intercore.__file__).parent
    for folder in (package / "firmware", package.parent.parent / "firmware"):
        if (folder / "CMakeLists.txt").exists():
            return folder
    raise IntercoreError(f"the firmware sources are missing from {package}; install Intercore again")


def _find(what: str, program: str, kind: str, package: str) -> str:
    path = shutil.which(program)
    if path is None:
        raise IntercoreError(
            f"{what} cannot be built: {kind} ({program}) was not found; on Debian or Ubuntu: apt install {package}"
        )
    return path


def _built(recipe: _Recipe, say: Callable[[str], None]) -> tuple[Path, ...]:
    """Return the programs from the cache, after building them if they are not there."""
    cmake = _find(recipe.what, "cmake", "CMake", "cmake")
    try:
        sources = firmware_sources()
        folder = platformdirs.user_cache_path("intercore") / recipe.name / _key(recipe, [sources, *recipe.also])
        kept = tuple(folder / program for program in recipe.programs)
        if not all(program.exists() for program in kept):
            say(f"building {recipe.what} ({recipe.variant})")
            _build(recipe, cmake, sources, folder)
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        raise recipe.fails(f"{where}{error.strerror or error}") from error
    return kept


def _version(compiler: str) -> bytes:
    return subprocess.run([compiler, "--version"], capture_output=True, check=False, timeout=_TIMEOUT_S).stdout


def _key(recipe: _Recipe, folders: Iterable[Path]) -> str:
    return digest_of(repr((recipe.compiler, _version(recipe.compiler), sorted(recipe.defines.items()))), folders)


def digest_of(how: str, folders: Iterable[Path]) -> str:
    """Return what a program is kept under: a digest of how it is built and of all files that it is built from."""
    digest = hashlib.sha256(how.encode())
    for folder in folders:
        for path in sorted(folder.rglob("*")):
            if path.is_file():
                digest.update(path.relative_to(folder).as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()[:20]


def _build(recipe: _Recipe, cmake: str, sources: Path, folder: Path) -> None:
    """Build in a scratch folder and move the programs into place at the end, so that two builds cannot mix."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    defines = [f"-D{name}={value}" for name, value in recipe.defines.items()]
    with tempfile.TemporaryDirectory(dir=folder.parent) as scratch:
        _run(recipe, [cmake, *defines, "-S", str(sources), "-B", scratch])
        _run(recipe, [cmake, "--build", scratch, "--target", _PROGRAM, "--parallel"])
        made = {program: _made(recipe, Path(scratch, program), sources) for program in recipe.programs}
        folder.mkdir(exist_ok=True)
        for program, path in made.items():
            path.replace(folder / program)


def _made(recipe: _Recipe, program: Path, sources: Path) -> Path:
    for path in (program, program.with_name(f"{program.name}.elf")):
        if path.exists():
            return path
    raise recipe.fails(f"CMake made no {program.name} of {sources}; install Intercore again")


def _run(recipe: _Recipe, command: list[str]) -> None:
    try:
        subprocess.run(command, check=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=_TIMEOUT_S)
    except subprocess.CalledProcessError as error:
        output = error.stdout.decode(errors="replace").strip().splitlines()
        raise recipe.fails(f"{Path(command[0]).name} says: {complaint(output)}") from error
    except subprocess.TimeoutExpired as error:
        raise recipe.fails(f"it takes more than {_TIMEOUT_S:.0f} s") from error


def complaint(output: list[str]) -> str:
    """Return what a build says is wrong: the first error, of CMake's own with the sentence below it."""
    for number, line in enumerate(output):
        if line.startswith("CMake Error at") and (below := _paragraph(output[number + 1 :])):
            return below
        if "error:" in line.lower() or "will not fit" in line:
            return line
    return output[-1] if output else "no output"


def _paragraph(lines: list[str]) -> str:
    """Return the first block of indented lines."""
    words: list[str] = []
    for line in lines:
        if line.startswith("  "):
            words.append(line.strip())
        elif words:
            break
    return " ".join(words)
