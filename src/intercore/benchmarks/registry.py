"""The benchmarks that the desk knows: each is a folder here, found by being there, and nothing else names it.

A folder's docstring says what the benchmark asks. What else there is to say stands in modules with fixed names, each of
which may be left out, and is loaded only when it is needed: who asks a target does not wait for the statistics.

    levels.py       what is measured where the user names no levels: `DEFAULT`, and `suite(origin, amp=…)`; perhaps
                    `TRACED` where it is recorded, `OWN` and `OWN_WHOLE` for his own work, and `INTERPRETED` where an
                    instruction takes long and no time means anything (`intercore.benchmarks.suite`)
    series.py       what its series are for: `ROLES`, and perhaps `quantity`, `RESULTS` and `incomparable`
                    (`intercore.benchmarks.series`); which checks count what it does on purpose: `provoked`
                    (`intercore.benchmarks.disturbance`); what they can be: `SIGNED`, `is_signed`, `events`
                    (`intercore.benchmarks.possible`)
    windows.py      for what the energy mark is high, and what is done meanwhile (`intercore.benchmarks.windows`)
    witness.py      what a simulator watches, so that the truth of each sample is known
    analysis.py     from measurements to numbers and sentences; `ANALYSIS` is their type, from which the schema of the
                    JSON document is made
    schema.json     instead of that type, where a row has keys that only the run tells: `properties` of the document's
                    `analysis`, `$defs` that they refer to, and perhaps `dependentRequired`
    report.py       `report(run)`: what people read of a run (`intercore.view.section`)
    answers.py      for that report: what one asks of it first, on a line each, and what may stand out on a target
                    (`intercore.view.answer`); perhaps `concerns(warning, answer)`: whether a warning of that report
                    may concern an answer, which is so unless it surely does not (`intercore.page.answers`)
    choices.py      `CHOICES`: names that its answers may hold, each with what it means in a few words
    options.py      `OPTIONS`: what a user may choose of the report, which `report` takes by name
                    (`intercore.benchmarks.options`)
    together.py     `together(said)`: what a page says of all its runs at once, in place of a section for each
                    (`intercore.view.section.Together`)
    prediction.py   `predict(store, target, words, extrapolate=…)`: what will take how long, and prediction_report.py
                    what is read of that (`intercore.benchmarks.predictions`)
    publication.py  `PUBLICATION`: what published figures of the same quantity look like; the figures themselves are
                    the files of `published/` (`intercore.benchmarks.published`)

Further modules of a folder are its own, and it imports those of no other one. What several share stands beside the
folders, in modules named for their subject. Of a benchmark without a folder a report tells the series as they came.
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
    return importlib.import_module(f"{benchmarks.__name__}.{benchmark}.{name}") if has(benchmark, name) else None


@cache
def has(benchmark: str, name: str) -> bool:
    """Return whether a benchmark's folder has such a module, without loading it."""
    if benchmark not in names():
        return False
    package = importlib.import_module(f"{benchmarks.__name__}.{benchmark}")
    return any(found.name == name for found in pkgutil.iter_modules(package.__path__))
