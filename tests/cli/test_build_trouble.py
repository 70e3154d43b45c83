"""The program of the target `host` cannot be built: one sentence says why, and nothing half-built is ever used."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from intercore.board.build import host_program
from intercore.errors import IntercoreError

if TYPE_CHECKING:
    from tests.cli.tool import Tool

RUN = ("run", "host", "clock", "from=0", "to=0", "longest_us=10", "samples=1")


@pytest.fixture
def fresh(tool: Tool, tmp_path: Path) -> Tool:
    """The tool of a user who has never built anything."""
    tool.environment["XDG_CACHE_HOME"] = str(tmp_path / "cache")
    return tool


def built(tool: Tool) -> list[Path]:
    return list(Path(tool.environment["XDG_CACHE_HOME"]).rglob("intercore-target"))


def script(path: Path, text: str) -> str:
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return str(path)


def path_without(tmp_path: Path, *missing: str) -> str:
    """A PATH on which everything is found but some programs."""
    folder = tmp_path / "bin"
    folder.mkdir()
    for directory in os.environ["PATH"].split(os.pathsep):
        for program in Path(directory).iterdir() if Path(directory).is_dir() else ():
            if program.name not in missing and not (folder / program.name).is_symlink():
                (folder / program.name).symlink_to(program)
    return str(folder)


def nothing_was_stored(tool: Tool) -> bool:
    return not tool.store.exists() or tool("runs", "--format", "json").succeeded().json == []


def test_a_missing_compiler_is_named_with_how_to_get_one(fresh: Tool) -> None:
    result = fresh(*RUN, environment={"CC": "/nonexistent/cc"}).failed(1)
    assert "a C compiler (/nonexistent/cc) was not found" in result.error
    assert "apt install gcc" in result.error
    assert built(fresh) == []
    assert nothing_was_stored(fresh)


def test_no_compiler_at_all_is_said(fresh: Tool, tmp_path: Path) -> None:
    path = path_without(tmp_path, "cc", "gcc", "clang", "c99")
    without = {name: value for name, value in fresh.environment.items() if name != "CC"}
    result = fresh(*RUN, environment={**without, "PATH": path, "CC": "cc"}).failed(1)
    assert "a C compiler (cc) was not found" in result.error


def test_missing_cmake_is_named_with_how_to_get_it(fresh: Tool, tmp_path: Path) -> None:
    result = fresh("info", "host", environment={"PATH": path_without(tmp_path, "cmake")}).failed(1)
    assert "CMake (cmake) was not found" in result.error
    assert "apt install cmake" in result.error


def test_a_compiler_that_fails_is_quoted(fresh: Tool, tmp_path: Path) -> None:
    """It can do what CMake tries first and then stumbles over our sources."""
    compiler = script(
        tmp_path / "cc",
        'case "$*" in *--version*) echo "cc 1.0"; exit;; esac\n'
        'case "$*" in *firmware*) echo "port.h:7:1: error: the moon is full" >&2; exit 1;; esac\n'
        'exec gcc "$@"',
    )
    result = fresh(*RUN, environment={"CC": compiler}).failed(1)
    assert "be built" in result.error
    assert "the moon is full" in result.error
    assert built(fresh) == []
    assert nothing_was_stored(fresh)


def test_a_compiler_that_does_nothing_is_an_error(fresh: Tool) -> None:
    result = fresh(*RUN, environment={"CC": shutil.which("false") or "/bin/false"}).failed(1)
    assert "be built" in result.error
    assert "compiler" in result.error.lower()
    assert built(fresh) == []


def test_a_file_that_is_no_compiler_is_an_error(fresh: Tool, tmp_path: Path) -> None:
    path = tmp_path / "cc"
    path.write_bytes(b"\x00\x01not a program")
    path.chmod(0o755)
    error = fresh(*RUN, environment={"CC": str(path)}).failed(1).error
    assert "built" in error
    assert str(path) in error


def test_a_cache_that_cannot_be_written_is_an_error(fresh: Tool, tmp_path: Path) -> None:
    (tmp_path / "cache").write_text("a file where a folder should be")
    result = fresh(*RUN).failed(1)
    assert "cannot be built" in result.error
    assert str(tmp_path / "cache") in result.error


def test_a_cache_of_somebody_else_is_an_error_and_not_a_traceback(fresh: Tool, tmp_path: Path) -> None:
    (tmp_path / "cache").mkdir(mode=0o700)
    for parent in (tmp_path, *tmp_path.parents[:2]):  # pytest keeps its directories to their owner
        parent.chmod(0o755)
    if os.geteuid() != 0:
        (tmp_path / "cache").chmod(0)
    result = fresh("info", "host", unprivileged=True)
    (tmp_path / "cache").chmod(0o700)
    assert str(tmp_path / "cache") in result.failed(1).error


def test_a_build_that_ends_early_leaves_nothing_that_is_used_later(fresh: Tool, tmp_path: Path) -> None:
    fresh(*RUN, file_limit=60_000).failed(1)
    assert built(fresh) == []
    slow = script(tmp_path / "slow-cc", 'case "$*" in *clock.c*) sleep 5;; esac\nexec gcc "$@"')
    assert fresh(*RUN, environment={"CC": slow}, kill_after=2.0).status < 0
    assert built(fresh) == []
    fresh(*RUN).succeeded()


def test_the_program_is_built_once_per_optimisation_level(fresh: Tool) -> None:
    fresh(*RUN, "--opt", "O2,O0").succeeded()
    programs = {path: path.stat().st_mtime_ns for path in built(fresh)}
    assert len(programs) == 2
    again = fresh(*RUN, "--opt", "O0,O2").succeeded()
    assert "building" not in again.err
    assert {path: path.stat().st_mtime_ns for path in built(fresh)} == programs
    for program in programs:  # now they are damaged
        program.write_bytes(b"\x7fELF, but cut short")
    result = fresh(*RUN, "--opt", "O0,O2").failed(1)
    assert any(str(program) in result.error for program in programs)


def test_another_system_than_linux_is_told_to_use_a_board(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "darwin")
    with pytest.raises(IntercoreError, match="needs Linux, but this is macOS; to measure a board, name its port"):
        host_program("O2", lambda _: None)
