"""Builds with CMake, once per sources, flags and compiler: programs are cached under a hash of all of these."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import platformdirs

from intercore.board import own_workload
from intercore.board.sources import USUAL_SOURCES, Sources, digest_of
from intercore.errors import IntercoreError
from intercore.text import listed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from intercore.record.own_work import OwnWork

PROGRAM = "intercore-target"
"""The program that the firmware's project builds."""

_TIMEOUT_S = 300.0
_ROOM = 1 << 16  # bytes of free space that a build needs
_UNDEFINED = re.compile(r"undefined reference to [`'](.+)'")
_TWICE = re.compile(r"multiple definition of [`'](.+?)'")
_OF_ANOTHER = re.compile(
    r"skipping incompatible (/.+?) when"
    r"|(/[^:]+?)(?:\([^)]*\))?: (?:error adding symbols: )?file (?:format not recognized|in wrong format)"
)


class Recipe(msgspec.Struct, frozen=True):
    """A build with CMake from the firmware's sources."""

    name: str
    """Name of its folder in the cache."""
    what: str
    """Its name in messages, e.g. `the host program`."""
    compiler: str
    """Path of the compiler."""
    defines: dict[str, str]
    """CMake variables."""
    variant: str
    """The variant for messages, e.g. `-O2`."""
    also: tuple[Path, ...] = ()
    """Folders of sources in addition to those of the firmware."""
    programs: tuple[str, ...] = (PROGRAM,)
    """Its output files, with or without the suffix .elf."""
    sources: Sources = USUAL_SOURCES
    """Folder of the firmware's sources."""

    def fails(self, why: str) -> IntercoreError:
        """Return the error for a failed build."""
        return IntercoreError(f"{self.what} cannot be built: {why}")


class Tool(msgspec.Struct, frozen=True):
    """A build tool."""

    program: str
    """Its name or path."""
    kind: str
    """Its kind in messages, e.g. `a C compiler`."""
    package: str
    """The Debian packages that contain it."""


CMAKE = Tool("cmake", "CMake", "cmake")
MAKE = Tool("make", "make", "make")
"""The build tool that CMake uses unless CMAKE_GENERATOR names another one."""
GENERATOR_VARIABLE = "CMAKE_GENERATOR"


def find_tools(what: str, tools: Sequence[Tool], hint: str = "") -> list[str]:
    """Return the paths of the tools that `what` needs to be built.

    Raises IntercoreError that lists all missing tools, with the command that installs them and `hint`.
    """
    paths = [shutil.which(tool.program) for tool in tools]
    missing = [tool for tool, path in zip(tools, paths, strict=True) if path is None]
    if missing:
        names = listed([f"{tool.kind} ({tool.program})" for tool in missing])
        packages = " ".join(tool.package for tool in missing)
        raise IntercoreError(
            f"{what} cannot be built: {names} {'was' if len(missing) == 1 else 'were'} not found. To install on "
            "Debian or Ubuntu: "
            f"apt install {packages}{hint}"
        )
    return [path for path in paths if path is not None]


def builders() -> tuple[Tool, ...]:
    """Return the tools that every build needs in addition to a compiler."""
    return (CMAKE,) if os.environ.get(GENERATOR_VARIABLE) else (CMAKE, MAKE)


def built(recipe: Recipe, say: Callable[[str], None]) -> tuple[Path, ...]:
    """Return the programs from the cache, after building them if necessary; `say` reports that.

    The caller has found `builders`. Raises IntercoreError if CMake fails.
    """
    return built_together([recipe], say)[0]


def built_together(recipes: Sequence[Recipe], say: Callable[[str], None]) -> list[tuple[Path, ...]]:
    """Like `built` for several recipes that differ only in linking: compiles once."""
    sources = recipes[0].sources.folder()
    made = []
    missing: list[tuple[Recipe, Path]] = []
    for recipe in recipes:
        with _explained(recipe):
            folder = platformdirs.user_cache_path("intercore") / recipe.name / _key(recipe, [sources, *recipe.also])
            made.append(tuple(folder / program for program in recipe.programs))
            if not all(program.exists() for program in made[-1]):
                missing.append((recipe, folder))
    if missing:
        first, folder = missing[0]
        say(f"building {first.what} ({listed([*dict.fromkeys(recipe.variant for recipe, _ in missing)])})")
        with _explained(first):
            folder.parent.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryDirectory(dir=folder.parent) as scratch:
                for recipe, kept in missing:
                    _build(recipe, sources, scratch, kept)
    return made


@contextlib.contextmanager
def _explained(recipe: Recipe) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        raise recipe.fails(f"{where}{error.strerror or error}") from error


def version_of(compiler: str) -> bytes:
    """Return the version text of a compiler."""
    return subprocess.run([compiler, "--version"], capture_output=True, check=False, timeout=_TIMEOUT_S).stdout


def _key(recipe: Recipe, folders: Iterable[Path]) -> str:
    return digest_of(repr((recipe.compiler, version_of(recipe.compiler), sorted(recipe.defines.items()))), folders)


def _build(recipe: Recipe, sources: Path, scratch: str, folder: Path) -> None:
    """Build in a scratch folder and move the programs into place at the end, so that builds cannot mix."""
    defines = [f"-D{name}={value}" for name, value in recipe.defines.items()]
    _run(recipe, [CMAKE.program, *defines, "-S", str(sources), "-B", scratch], scratch)
    if recipe.sources.own is not None:
        _compile_alone(recipe, recipe.sources.own, scratch)
    _run(recipe, [CMAKE.program, "--build", scratch, "--target", PROGRAM, "--parallel"], scratch)
    made = {program: _made(recipe, Path(scratch, program), sources) for program in recipe.programs}
    folder.mkdir(exist_ok=True)
    for program, path in made.items():
        path.replace(folder / program)


def _made(recipe: Recipe, program: Path, sources: Path) -> Path:
    for path in (program, program.with_name(f"{program.name}.elf")):
        if path.exists():
            return path
    raise recipe.fails(
        f"CMake did not build the program {program.name} from the sources in {sources}: install Intercore again"
    )


def _compile_alone(recipe: Recipe, work: OwnWork, scratch: str) -> None:
    """Compile the user's files first, so that their errors are reported completely."""
    try:
        _output_of(recipe, [CMAKE.program, "--build", scratch, "--target", own_workload.TARGET], scratch)
    except subprocess.CalledProcessError as error:
        output = error.stdout.decode(errors="replace")
        if "CMake Error at" in output:
            raise IntercoreError(f"the workload {work.name}: {complaint(output.splitlines())}") from error
        raise own_workload.broken(work, output) from error


def _run(recipe: Recipe, command: list[str], scratch: str) -> None:
    try:
        _output_of(recipe, command, scratch)
    except subprocess.CalledProcessError as error:
        output = error.stdout.decode(errors="replace").strip().splitlines()
        raise recipe.fails(f"{Path(command[0]).name} reports: {complaint(output)}") from error


def _output_of(recipe: Recipe, command: list[str], scratch: str) -> None:
    try:
        subprocess.run(command, check=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=_TIMEOUT_S)
    except subprocess.TimeoutExpired as error:
        raise recipe.fails(
            f"the build took more than {_TIMEOUT_S:.0f} s: try again when this machine is less busy"
        ) from error
    except subprocess.CalledProcessError:
        _check_room(recipe, Path(scratch))
        raise


def _check_room(recipe: Recipe, scratch: Path) -> None:
    """Raise an error if the disk is full, which CMake and make report only as missing files."""
    try:
        (scratch / "room").write_bytes(bytes(_ROOM))
    except OSError as error:
        raise recipe.fails(
            f"{error.strerror} in {scratch.parent}: free some space, or choose another folder by XDG_CACHE_HOME"
        ) from error


def complaint(output: list[str]) -> str:
    """Return the first error in the output of a build; for CMake's errors, with the sentence below it.

    Symbols that the linker misses or has twice, and files that it cannot read, are listed once each.
    """
    if other := dict.fromkeys(
        Path(found[1] or found[2]).name for line in output if (found := _OF_ANOTHER.search(line))
    ):
        return (
            f"{listed([*other])} {'is' if len(other) == 1 else 'are'} not built for the target: use a library for "
            "the target's compiler"
        )
    if twice := dict.fromkeys(found[1] for line in output if (found := _TWICE.search(line))):
        return f"{listed([*twice])} {'is' if len(twice) == 1 else 'are'} defined twice: rename one of the two"
    missing = dict.fromkeys(found[1] for line in output if (found := _UNDEFINED.search(line)))
    if missing:
        return (
            f"{listed([*missing])} {'is' if len(missing) == 1 else 'are'} undefined: add the file or library that "
            f"defines {'it' if len(missing) == 1 else 'them'} by --source"
        )
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
