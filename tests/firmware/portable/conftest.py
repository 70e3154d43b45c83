"""The portable firmware as shared libraries: the core once, the workloads once per compiler and optimisation level."""

from __future__ import annotations

import ctypes
import os
import shutil
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from intercore.board.factors import OPT_LEVELS
from intercore.board.sources import firmware_sources

if TYPE_CHECKING:
    from collections.abc import Sequence

HERE = Path(__file__).parent
SAMPLES_CAPACITY = 256
"""Few, so that the arena is full soon."""
STATIC_SAMPLES = firmware_sources() / "port" / "samples_static.c"
WARNINGS = ["-Wall", "-Wextra", "-Wconversion", "-Werror"]
INCLUDES = [
    f"-I{firmware_sources() / folder}"
    for folder in ("core", "include", "workload", "workload/own", "transport", "port")
] + [f"-I{HERE}"]
DEFINES = ['-DIC_VERSION="test"', f"-DIC_SAMPLES_CAPACITY={SAMPLES_CAPACITY}U"]
# Without the second, gcc would not inline one exported function into another, as it does in the real program.
SHARED = ["-fPIC", "-fno-semantic-interposition"]
# Undefined behaviour ends the test run at once, without needing a run-time library in Python's process.
TRAPS = ["-fsanitize=undefined", "-fsanitize-undefined-trap-on-error"]

# clang optimises in other ways than gcc; two levels of it show which. Every day there is code that is not optimised,
# the usual one, and what computes otherwise.
EVERY_DAY = {"cc": ("O0", "O2", "Ofast"), "clang": ("O3",)}
LEVELS = {"cc": OPT_LEVELS, "clang": ("O2", "O3")} if "INTERCORE_SLOW" in os.environ else EVERY_DAY
BUILDS = [(compiler, opt) for compiler, opts in LEVELS.items() if shutil.which(compiler) for opt in opts]


def compile_objects(compiler: str, flags: Sequence[str], sources: Sequence[Path], folder: Path) -> list[Path]:
    """Compile each source into an object of the same name in `folder`."""
    objects = []
    for source in sources:
        objects.append(folder / f"{source.stem}.o")
        command = [compiler, "-c", "-std=c11", *SHARED, *flags, *WARNINGS, *INCLUDES, *DEFINES]
        subprocess.run([*command, source, "-o", objects[-1]], check=True)
    return objects


def link(compiler: str, objects: Sequence[Path], folder: Path) -> ctypes.CDLL:
    """Link without an optimisation level: with -Ofast it would make Python's own process flush subnormals to zero."""
    library = folder / "firmware.so"
    subprocess.run([compiler, "-shared", "-Wl,-z,defs", *objects, "-lm", "-o", library], check=True)
    return ctypes.CDLL(str(library))


def sources_of(folder: str) -> list[Path]:
    return sorted((firmware_sources() / folder).glob("*.c"))


@pytest.fixture(scope="session")
def core(tmp_path_factory: pytest.TempPathFactory) -> ctypes.CDLL:
    """The portable core, on the port of these tests."""
    folder = tmp_path_factory.mktemp("core")
    sources = [*sources_of("core"), STATIC_SAMPLES, HERE / "test_port.c"]
    return link("cc", compile_objects("cc", ["-O2", *TRAPS], sources, folder), folder)


@pytest.fixture(scope="session")
def rest_objects(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """What the workloads are linked with; how it is compiled is of no interest there."""
    sources = [*sources_of("core"), STATIC_SAMPLES, HERE / "test_port.c"]
    return compile_objects("cc", ["-O1"], sources, tmp_path_factory.mktemp("rest"))


@pytest.fixture(scope="session", params=BUILDS, ids="-".join)
def workload_build(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, rest_objects: list[Path]
) -> tuple[str, str, Path, ctypes.CDLL]:
    """The workloads as one compiler makes them at one level: the compiler, the level, the objects and the library."""
    compiler, opt = request.param
    folder = tmp_path_factory.mktemp(f"workload-{compiler}-{opt}")
    objects = compile_objects(compiler, [f"-{opt}"], sources_of("workload"), folder)
    return compiler, opt, folder, link(compiler, [*objects, *rest_objects], folder)
