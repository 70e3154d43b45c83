"""Disks that are full or have no locks are what is complained of, and not what follows from it."""

from __future__ import annotations

import errno
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from intercore.board import cmake
from intercore.errors import IntercoreError
from tests.cli.tool import QUICK

if TYPE_CHECKING:
    from tests.cli.tool import Tool

NO_LOCKS = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>

static int without_locks(const char *name, int file, int command, void *argument) {
    if (command == F_SETLK || command == F_SETLKW || command == F_GETLK) {
        errno = ENOLCK;
        return -1;
    }
    return ((int (*)(int, int, ...))dlsym(RTLD_NEXT, name))(file, command, argument);
}

#define AS(name) \
    int name(int file, int command, ...) { \
        va_list arguments; \
        va_start(arguments, command); \
        void *argument = va_arg(arguments, void *); \
        va_end(arguments); \
        return without_locks(#name, file, command, argument); \
    }

AS(fcntl)
AS(fcntl64)
"""
"""Stands in for a file system of a network whose server has no locks."""


@pytest.mark.skipif(sys.platform != "linux", reason="LD_PRELOAD")
def test_a_file_system_without_locks_is_not_taken_for_another_process(measured: Tool, tmp_path: Path) -> None:
    compiler = shutil.which("cc")
    assert compiler is not None
    source, library = tmp_path / "no_locks.c", tmp_path / "no_locks.so"
    source.write_text(NO_LOCKS)
    subprocess.run([compiler, "-shared", "-fPIC", "-o", library, source], check=True)
    done = measured.program("run", "host", *QUICK, environment={"LD_PRELOAD": str(library)})
    assert done.status == 1
    assert "no locks" in done.error
    assert "another process" not in done.error
    assert str(measured.directory) in done.error


def test_a_build_on_a_full_disk_names_the_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(path: Path, _: bytes) -> int:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(path))

    fake = tmp_path / "cmake"
    fake.write_text("#!/bin/sh\necho \"gmake: *** No rule to make target 'Makefile'.  Stop.\"\nexit 2\n")
    fake.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(Path, "write_bytes", full)
    compiler = shutil.which("cc")
    assert compiler is not None
    with pytest.raises(IntercoreError) as caught:
        cmake.built(cmake.Recipe("host", "the host program", compiler, {}, "-O2"), lambda _: None)
    assert os.strerror(errno.ENOSPC) in str(caught.value)
    assert str(tmp_path / "cache") in str(caught.value)
    assert "No rule" not in str(caught.value)
