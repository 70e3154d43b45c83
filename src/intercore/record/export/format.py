"""The formats that there are: each is a module in `formats`, found by being there, and nothing else names it."""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache
from typing import IO, TYPE_CHECKING, Protocol, cast

from intercore.record.export import formats

if TYPE_CHECKING:
    from collections.abc import Mapping

    import polars as pl

    from intercore.files.replacement import Kind
    from intercore.record.measurement import RunInParts


class Format(Protocol):
    """The interface of such a module, which is named like the suffix of its files."""

    KIND: Kind
    """How an older file of the format is recognised, which a new one replaces."""
    CARRIES_CONDITIONS: bool
    """Whether the file holds plan and conditions of the run in addition to its samples."""

    def write(self, table: pl.LazyFrame, run: RunInParts, file: IO[bytes]) -> None:
        """Write the samples of a run, and what the format has room for. Raises PolarsError or OSError."""


@cache
def known_formats() -> Mapping[str, Format]:
    """Return all formats by the suffix of their files, such as `.csv`; those that carry conditions come first."""
    names = sorted(found.name for found in pkgutil.iter_modules(formats.__path__))
    found = {f".{name}": cast("Format", importlib.import_module(f"{formats.__name__}.{name}")) for name in names}
    return dict(sorted(found.items(), key=lambda one: not one[1].CARRIES_CONDITIONS))
