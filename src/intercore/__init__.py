"""Intercore: the benchmark for multicore microcontrollers.

In a notebook, `intercore.open("intercore.db")` gives stored runs as data frames: docs/export.md.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import os

    from intercore.record.export.frames import Library
    from intercore.results import Results

__all__ = ["open"]


def open(path: str | os.PathLike[str] = "intercore.db", *runs: int, frames: Library | None = None) -> Results:  # noqa: A001
    """Return runs of a store as data frames: those with the given numbers, or all of them.

    See `intercore.results.Results`.
    """
    from intercore.results import Results  # noqa: PLC0415 - numpy and the statistics take longer to load than Python

    return Results(path, *runs, frames=frames)


def __getattr__(name: str) -> str:
    """Return `__version__` on demand: importlib.metadata takes longer to import than Python takes to start."""
    if name == "__version__":
        from importlib import metadata  # noqa: PLC0415 - see above

        return metadata.version("intercore")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
