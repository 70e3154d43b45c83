"""Writing a file so that whatever goes wrong, the old one is still there."""

from __future__ import annotations

import contextlib
import os
from typing import IO, TYPE_CHECKING

from intercore.errors import IntercoreError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@contextlib.contextmanager
def replacement(path: Path) -> Iterator[IO[bytes]]:
    """Give a file to write that takes the place of `path` when the context ends without an error.

    Raises IntercoreError if that cannot be done, or if there is something at `path` that is not a plain file: as root,
    a rename would take a device away from the whole machine.
    """
    if path.exists() and not path.is_file():
        raise IntercoreError(f"cannot write {path}: it is not a plain file; choose another name")
    partial = None
    try:
        partial = path.with_name(f".{path.name}.{os.getpid()}.partial")  # beside it: a rename stays in its file system
        with partial.open("wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        partial.replace(path)
    except (OSError, ValueError) as error:  # ValueError: a path without a name, such as `.`
        cause = getattr(error, "strerror", None) or error
        raise IntercoreError(f"cannot write {path}: {cause}; free space or choose another place") from error
    finally:
        if partial is not None:
            with contextlib.suppress(OSError):
                partial.unlink(missing_ok=True)
