"""Keeps what Dask unpickles here from running code.

Dask's client unpickles whatever a scheduler sends, and nothing turns that off. But a pickle can only call what it finds
by name, and Python asks its audit hooks before it looks a name up.
"""

from __future__ import annotations

import contextlib
import functools
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_HARMLESS = ("builtins", "bytes")
"""The type that Dask names beside the bytes of a result."""
_forbidding: list[object] = []


@contextlib.contextmanager
def nothing_runs() -> Iterator[None]:
    """While it lasts, no pickle is loaded in this process, in whatever thread, that names more than `bytes`."""
    _install()
    token = object()
    _forbidding.append(token)
    try:
        yield
    finally:
        _forbidding.remove(token)


@functools.cache
def _install() -> None:
    """Add the hook; Python has no way to remove one."""
    sys.addaudithook(_audit)


def _audit(event: str, arguments: tuple[object, ...]) -> None:
    if event == "pickle.find_class" and _forbidding and arguments != _HARMLESS:
        raise TypeError(f"{arguments[0]}.{arguments[1]} is not looked up for a cluster")  # Dask lives with this kind
