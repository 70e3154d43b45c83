"""What several processes that run tests would each build is built by one, and the others wait for it."""

from __future__ import annotations

import contextlib
import fcntl
from pathlib import Path
from typing import TYPE_CHECKING

from intercore.board.build import host_program

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
