"""The benchmarks that the tool has: each is a folder here, found by being there, and nothing else names it.

A folder's `__init__.py` holds the object `BENCHMARK` (`intercore.benchmarks.benchmark`), which names all other parts.
Further modules of a folder are its own, and it imports those of no other one. What several share stands beside the
folders, in modules named for their subject. Of a benchmark without a folder a report shows the series as they came.
"""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache
from typing import TYPE_CHECKING

from intercore import benchmarks
from intercore.benchmarks.benchmark import Benchmark

if TYPE_CHECKING:
    from intercore.benchmarks.benchmark import Analysis


@cache
def names() -> tuple[str, ...]:
    """Return the benchmarks that have a folder, in alphabetical order."""
    return tuple(sorted(found.name for found in pkgutil.iter_modules(benchmarks.__path__) if found.ispkg))


@cache
def benchmark(name: str) -> Benchmark:
    """Return a benchmark by its name; one without a folder has nothing but that.

    Raises TypeError for a folder without a benchmark of its name.
    """
    if name not in names():
        return Benchmark(name)
    found: object = vars(importlib.import_module(f"{benchmarks.__name__}.{name}")).get("BENCHMARK")
    if not isinstance(found, Benchmark) or found.name != name:
        raise TypeError(f"the folder {name} of {benchmarks.__name__} has no BENCHMARK of that name")
    return found


def known() -> tuple[Benchmark, ...]:
    """Return all benchmarks that have a folder, in alphabetical order."""
    return tuple(map(benchmark, names()))


@cache
def analysis(name: str) -> Analysis | None:
    """Return the analysis of a benchmark, loaded once; None if it has none."""
    load = benchmark(name).load_analysis
    return None if load is None else load()
