"""The formats of the output: one module each, found by being here. A module's name is what `--format` calls it."""

from __future__ import annotations

import functools
from abc import ABC, abstractmethod
from contextlib import nullcontext
from importlib import import_module
from pkgutil import iter_modules
from typing import TYPE_CHECKING, ClassVar, cast

from intercore.terminal.console import results
from intercore.terminal.pager import paging

if TYPE_CHECKING:
    from collections.abc import Mapping

    from intercore.terminal.findings import Findings

DEFAULT = "table"


class Format(ABC):
    """One way to print what a command has found. Each module here has one of these, called `FORMAT`."""

    rank: ClassVar[int] = 100
    """Where it stands in lists of the formats: the lowest first, those of the same rank by name."""
    has_sentences: ClassVar[bool] = False
    """Whether it includes caveats; else they go to standard error."""

    @abstractmethod
    def print(self, found: Findings) -> None:
        """Print it on standard output."""


@functools.cache
def formats() -> Mapping[str, Format]:
    """Return all formats by name."""
    found = {
        module.name: cast("Format", import_module(f"{__name__}.{module.name}").FORMAT)
        for module in iter_modules(__path__)
    }
    return dict(sorted(found.items(), key=lambda item: (item[1].rank, item[0])))


def show(found: Findings, name: str, *, paged: bool = False) -> None:
    """Print what a command has found in the format of that name; `paged` is for what may be longer than a screen."""
    chosen = formats()[name]
    with paging(results()) if paged and chosen.has_sentences else nullcontext():
        chosen.print(found)
