"""The lock on a run: the measuring process holds it, and its end releases it in any case."""

from __future__ import annotations

import errno
import sqlite3
from contextlib import suppress
from typing import TYPE_CHECKING

from intercore.record import file_locks

if TYPE_CHECKING:
    from pathlib import Path


class RunLock:
    """A lock that is held, on a file made for it, until `release` or the end of the process.

    The file is an empty database, because SQLite locks files on every system, in one process and between several. It
    has no content, so a full disk does not matter. A killed process leaves it behind, unlocked.
    """

    def __init__(self, path: Path, held: sqlite3.Connection) -> None:
        """Keep what holds the lock; see `acquired`."""
        self._path = path
        self._held = held

    def release(self) -> None:
        """Let others have the lock, and remove the file."""
        with suppress(OSError):  # Windows removes no file in use; it may stay
            self._path.unlink()  # while the lock is held: afterwards it would be another's
        self._held.close()


def acquired(path: Path) -> RunLock | None:
    """Return the lock whose file is `path`, or None if another holder has it.

    Raises OSError or sqlite3.Error if the file cannot be made or locked.
    """
    while True:
        path.touch()
        file = _inode(path)
        held = sqlite3.connect(path, timeout=0, isolation_level=None)
        try:
            held.execute("BEGIN EXCLUSIVE")
        except sqlite3.Error as error:
            held.close()
            if getattr(error, "sqlite_errorcode", 0) & 0xFF != sqlite3.SQLITE_BUSY:
                raise
            if (why := file_locks.reason_for_no_locks(path.parent)) is not None:
                raise OSError(errno.ENOLCK, why) from error
            return None
        if file is not None and _inode(path) == file:
            return RunLock(path, held)
        held.close()  # its last holder removed the file in between: the lock is on an unlinked file


def _inode(path: Path) -> int | None:
    try:
        return path.stat().st_ino
    except FileNotFoundError:
        return None
