"""The benchmarks that the desk knows: each is a folder here, found by being there, and nothing else names it.

A folder says what it has to say in modules with fixed names, all of which may be left out, and each of which is loaded
only when it is needed: who asks a target does not wait for the statistics. docs/benchmarks.md describes them.
"""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache
from typing import TYPE_CHECKING

from intercore import benchmarks

if TYPE_CHECKING:
    from types import ModuleType


@cache
def names() -> tuple[str, ...]:
    """Return the benchmarks that have a folder, in alphabetical order."""
    return tuple(sorted(found.name for found in pkgutil.iter_modules(benchmarks.__path__) if found.ispkg))


@cache
def module(benchmark: str, name: str) -> ModuleType | None:
    """Return a module of a benchmark's folder, such as `report`; None if there is no such module or folder."""
    if benchmark not in names():
        return None
    package = importlib.import_module(f"{benchmarks.__name__}.{benchmark}")
    if all(found.name != name for found in pkgutil.iter_modules(package.__path__)):
        return None
    return importlib.import_module(f"{package.__name__}.{name}")
