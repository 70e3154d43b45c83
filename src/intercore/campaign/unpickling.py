"""Prevents data that Dask unpickles from running code.

Dask's client unpickles whatever a scheduler sends, and that cannot be turned off. But a pickle can only call functions
that it finds by name, and Python calls its audit hooks before it looks up a name.
"""

from __future__ import annotations

import contextlib
import functools
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_HARMLESS = ("builtins", "bytes")
"""The type that Dask names with the bytes of a result."""
_forbidding: list[object] = []


@contextlib.contextmanager
def nothing_runs() -> Iterator[None]:
    """For the duration of the context, refuse pickles that name more than `bytes`, in all threads of this process."""
    _install()
    token = object()
    _forbidding.append(token)
    try:
        yield
    finally:
        _forbidding.remove(token)


@functools.cache
def _install() -> None:
    """Add the hook; Python cannot remove one."""
    sys.addaudithook(_audit)


def _audit(event: str, arguments: tuple[object, ...]) -> None:
    if event == "pickle.find_class" and _forbidding and arguments != _HARMLESS:
        raise TypeError(
            f"{arguments[0]}.{arguments[1]} is not looked up for a cluster"
        )  # Dask handles this kind of exception
