"""What several processes that run tests would each build is built by one, and the others wait for it."""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from intercore.board.boards import PICO2_RISCV
from intercore.board.build import CROSS_COMPILERS, board_image, host_program

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parents[1]


@contextlib.contextmanager
def alone_in(folder: Path) -> Iterator[None]:
    """Be the only process that is in the folder, which is made if there is none."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def host_program_once() -> Path:
    """The program of the target `host`, kept in the cache like a user's."""
    with alone_in(ROOT / "build" / "test-host-program"):
        return host_program("O2", lambda _: None)


def pico2_program_once() -> Path:
    """The program of the Pico 2, likewise. Without a compiler, skips the test, or fails where none may be missing."""
    compiler = CROSS_COMPILERS["RISC-V"].program
    if shutil.which(compiler) is None:
        assert "INTERCORE_NO_SKIP" not in os.environ, f"there is no {compiler} here"
        pytest.skip(f"no {compiler} here: apt install gcc-riscv64-unknown-elf picolibc-riscv64-unknown-elf")
    with alone_in(ROOT / "build" / "test-pico2-program"):
        return board_image(PICO2_RISCV, {}, lambda _: None).elf
