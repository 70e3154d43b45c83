"""Whether a file system has locks: without them, SQLite takes each file for one that another process has locked."""

from __future__ import annotations

import os
import tempfile
from typing import TYPE_CHECKING

from intercore.operating_system import try_record_lock

if TYPE_CHECKING:
    from pathlib import Path


def reason_for_no_locks(folder: Path) -> str | None:
    """Return why no file in a folder can be locked, a clause; None if locking works or is unknown.

    A new file is tried, which no other process can have locked.
    """
    try:
        file = tempfile.TemporaryFile(dir=folder)  # noqa: SIM115 - closed below, and what it raises is another matter
    except OSError:
        return None
    with file:
        try:
            try_record_lock(file)
        except OSError as error:
            return (
                f"the file system of {folder} has no locks ({os.strerror(error.errno or 0)}); "
                "keep it on a local disk: --store"
            )
    return None
