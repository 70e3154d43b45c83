"""Opens a store's file for reading, in whatever state its writers left it, and changes nothing: no file, no folder.

A store is up to three files: the database, the log of what was committed since (`-wal`), and the log's index in shared
memory (`-shm`). SQLite makes those of them that it misses, even for a connection that only reads, and cannot where
nothing may be written (https://sqlite.org/wal.html, "Read-Only Databases"). So each state has its own way here.
"""

from __future__ import annotations

import errno
import shutil
import sqlite3
import tempfile
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from intercore.errors import IntercoreError
from intercore.record import store_format

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

MEMORY = Path("/dev/shm")  # noqa: S108 - a folder is made there that is this user's alone
"""A file system in memory, on Linux: it has room for a copy when no disk has any."""

_COPIES = 5
"""How often a copy is begun before the file counts as one that never rests."""
_NO_ROOM = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}
_NO_ROOM_FOR_SQLITE = {sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN}
_TO_BE_COPIED = {sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_PROTOCOL}
"""Primary result codes for a file that SQLite cannot read unless it writes to it, or locks it, in a way it may not."""


class FileForReading:
    """A connection that reads a store's file, or a copy of it; its tables are those of the current format."""

    def __init__(self, path: Path, timeout: float) -> None:
        """Open the file, waiting up to `timeout` seconds for a process that keeps it for itself.

        Raises IntercoreError for a file that is no store, and what SQLite and the file system raise. Not for a process
        that has the same file open for writing: closing any other descriptor of a file drops a process's locks on it.
        """
        self._path = path
        self._moment = _moment(path)
        with ExitStack() as stack:
            opened = _opened(path, timeout, stack)
            self.db = store_format.current(opened, path)
            if self.db is not opened:
                stack.callback(self.db.close)
            self._stack = stack.pop_all()

    @property
    def is_current(self) -> bool:
        """Whether no writer has come or gone, or moved its log into the database, since the file was opened.

        Unless it is current, what has been read may be a mixture where no lock keeps writers off.
        """
        return _moment(self._path) == self._moment

    def close(self) -> None:
        """Close the file, and remove the copy if there is one."""
        self._stack.close()


def _opened(path: Path, timeout: float, stack: ExitStack) -> sqlite3.Connection:
    """Open the file in the way that suits the state it is in; the stack closes it."""
    store_format.check_plain_file(path)
    log, index = _beside(path, "-wal"), _beside(path, "-shm")
    if _holds_something(log) and not index.exists():
        return _copied(path, stack)  # a store that was killed, and copied or sent without its index
    if not (log.exists() and index.exists()) and _is_in_wal_mode(path):
        # No writer exists: it would have both files. A lock needs them, so `is_current` detects a writer.
        return _connected(path, "mode=ro&immutable=1", timeout, stack)
    try:
        # A writer that lives shares its index with us; of one that was killed, SQLite makes an index in our memory.
        return _connected(path, "mode=ro&readonly_shm=1", timeout, stack)
    except sqlite3.Error as error:
        if _primary_code(error) not in _TO_BE_COPIED or not path.is_file():
            raise
        return _copied(path, stack)


def _connected(path: Path, how: str, timeout: float, stack: ExitStack) -> sqlite3.Connection:
    # Polars reads from its own thread while ours waits, so there is never more than one at a time.
    db = sqlite3.connect(
        f"{path.as_uri()}?{how}", uri=True, timeout=timeout, isolation_level=None, check_same_thread=False
    )
    store_format.limit(db)
    try:
        db.execute("SELECT count(*) FROM sqlite_master").fetchone()  # only this looks at the file
    except BaseException:
        db.close()
        raise
    stack.callback(db.close)
    return db


def _copied(path: Path, stack: ExitStack) -> sqlite3.Connection:
    """Open a copy with its companion files in a folder where SQLite may write; the stack removes it."""
    parts = [path, _beside(path, "-wal"), _beside(path, "-journal")]
    tried = []
    for room in _rooms():
        with ExitStack() as attempt:
            try:
                made = tempfile.TemporaryDirectory(prefix="intercore-", dir=room, ignore_cleanup_errors=True)
            except OSError:
                continue
            tried.append(str(room))
            folder = Path(attempt.enter_context(made))
            try:
                _copy_at_rest(parts, folder)
                db = _connected(folder / path.name, "mode=rw", 0, attempt)
            except OSError as error:
                if error.errno not in _NO_ROOM:
                    raise
            except sqlite3.Error as error:
                if _primary_code(error) not in _NO_ROOM_FOR_SQLITE:
                    raise
            else:
                stack.push(attempt.pop_all())
                return db
    size = sum(part.stat().st_size for part in parts if part.exists())
    raise IntercoreError(
        f"cannot open {path}: a killed process left the file in a state that needs a copy to be read, and there is no "
        f"space for a copy ({size / 1e6:.1f} MB) in {' or '.join(tried) or 'any temporary folder'}. Set TMPDIR to a "
        "folder with enough space"
    )


def _copy_at_rest(parts: Sequence[Path], folder: Path) -> None:
    """Copy the parts that there are, all of one moment. Raises IntercoreError if there is none without a writer."""
    for _ in range(_COPIES):
        before = [_state(part) for part in parts]
        for part in parts:
            (folder / part.name).unlink(missing_ok=True)
            with suppress(FileNotFoundError):
                shutil.copyfile(part, folder / part.name)
        if [_state(part) for part in parts] == before:
            return
    raise IntercoreError(
        f"cannot open {parts[0]}: another process writes to the file continuously. Try again when that process has "
        "ended"
    )


def _rooms() -> Iterator[Path]:
    with suppress(OSError):  # if nothing can be written to any of those that it tries
        yield Path(tempfile.gettempdir())
    if MEMORY.is_dir():
        yield MEMORY


def _is_in_wal_mode(path: Path) -> bool:
    """Whether a database needs its log and index to be read with locks (SQLite file format, 1.3.3)."""
    if not path.is_file():  # the rest SQLite refuses in its own words
        return False
    with path.open("rb") as file:
        return file.read(20)[18:] == b"\2\2"


def _moment(path: Path) -> tuple[object, ...]:
    return _state(path), _holds_something(_beside(path, "-wal"))


def _state(path: Path) -> tuple[int, ...] | None:
    try:
        found = path.stat()
    except FileNotFoundError:
        return None
    return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns


def _holds_something(path: Path) -> bool:
    state = _state(path)
    return state is not None and state[2] > 0


def _beside(path: Path, suffix: str) -> Path:
    return path.with_name(path.name + suffix)


def _primary_code(error: sqlite3.Error) -> int:
    return getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF  # errors of the Python module have none
