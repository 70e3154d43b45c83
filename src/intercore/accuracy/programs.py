"""Our programs that repeat published figures: how each is built and run. It takes the project's sources."""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import msgspec

from intercore.errors import IntercoreError

if TYPE_CHECKING:
    from collections.abc import Mapping

SOURCES = Path(__file__).resolve().parents[3] / "sim" / "examples"
COMPILER = "arm-none-eabi-gcc"
_FLAGS = (
    *("-mcpu=cortex-m0plus", "-mthumb", "-std=c11", "-ffreestanding", "-nostartfiles", "-static"),
    *("-Wall", "-Wextra", "-Wconversion", "-Werror", "-Wl,--no-warn-rwx-segments"),
)
_SIMULATOR = "import intercore.cli.intercore_sim as command; command.main()"
_CYCLES = "2e9"
_COREMARK = ("list_join", "main", "matrix", "state", "util")


class Program(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A program in sim/examples/accuracy."""

    file: str
    flags: tuple[str, ...]
    more: tuple[str, ...] = ()
    """Other files of the folder."""
    memory: Literal["flash", "sram"] = "flash"
    options: tuple[str, ...] = ()
    """Of intercore-sim."""
    needs: Literal["", "COREMARK"] = ""
    """The variable that names the folder of CoreMark's own sources."""

    @property
    def available(self) -> bool:
        """Whether it can be built here."""
        return not self.needs or self.needs in os.environ


def programs() -> Mapping[str, Program]:
    """Return all programs by name."""
    text = (files("intercore.accuracy") / "programs.toml").read_text("utf-8")
    return msgspec.convert(tomllib.loads(text), dict[str, Program])


def compiler_version() -> str:
    """Return the version of the compiler; the numbers are those of code that it makes. Raises IntercoreError."""
    return _output([COMPILER, "-dumpfullversion"]).strip()


def numbers_of(name: str, program: Program, folder: Path) -> dict[str, int]:
    """Build a program in `folder`, run it on the simulated chip, and return the numbers that it prints, by name.

    Raises IntercoreError if it cannot be built, or finds a result wrong.
    """
    image = folder / f"{name}.elf"
    accuracy = SOURCES / "accuracy"
    sources = [accuracy / f"{file}.c" for file in (program.file, *program.more)]
    includes = [f"-I{sources[0].parent}"]
    if program.needs:
        coremark = Path(os.environ[program.needs])
        sources += [coremark / f"core_{part}.c" for part in _COREMARK]
        includes.append(f"-I{coremark}")
    flags = [*_FLAGS, *["-Wno-error"] * bool(program.needs), *program.flags, *includes]  # CoreMark has warnings
    linked = [f"-L{SOURCES}", "-T", str(SOURCES / f"{program.memory}.ld"), str(SOURCES / "chip.c")]
    _output([COMPILER, *flags, *linked, *map(str, sources), "-lgcc", "-o", str(image)])
    simulator = [sys.executable, "-c", _SIMULATOR, "--quiet", "--max-cycles", _CYCLES]
    return _numbers(name, _output([*simulator, *program.options, str(image)]))


def _numbers(name: str, output: str) -> dict[str, int]:
    found: dict[str, int] = {}
    for line in output.splitlines():
        words, _, number = line.rpartition(" ")
        if words.endswith(":") and number.isdecimal():
            found[words[:-1]] = int(number)
        elif line in {"wrong", "ERROR: a checksum is wrong"}:
            raise IntercoreError(f"{name} found a result wrong:\n{output}")
    return found


def _output(command: list[str]) -> str:
    try:
        ended = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603 - no shell
    except OSError as error:
        raise IntercoreError(f"{command[0]} cannot be started: {error}") from error
    if ended.returncode:
        raise IntercoreError(f"{' '.join(command)} failed:\n{ended.stdout}{ended.stderr}")
    return ended.stdout
