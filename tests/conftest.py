"""For all tests: properties are checked for as long as it takes, and the slowest files are named at the end.

A benchmark may be deleted: what measures one that this tree does not have is left out (`pytest.mark.measures`).
"""

from __future__ import annotations

import gc
from collections import Counter
from typing import TYPE_CHECKING

from hypothesis import HealthCheck, settings

from intercore.benchmarks import registry

UNHURRIED = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("unhurried", UNHURRIED)
settings.register_profile("daily", UNHURRIED, max_examples=60)
settings.load_profile("unhurried")

pytest_plugins = ["tests.fakes.esp_tools"]

# What is collected stays, so to look for what of it is garbage is in vain: a sixth of the time that collecting takes.
gc.disable()

if TYPE_CHECKING:
    import pytest

NAMED = 10
"""Of the slowest files."""
LONGEST = "test_contributing.py"
"""Begun last, it would keep one process at work when all others have ended."""


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out tests whose benchmarks are not here; those that are about one are deleted with it.

    Begin with the longest file.
    """
    here = {*registry.names()}
    missing = [item for item in items if not here.issuperset(measured_by(item))]
    if missing:
        config.hook.pytest_deselected(items=missing)
        items[:] = [item for item in items if item not in missing]
    items.sort(key=lambda item: item.path.name != LONGEST)


def pytest_collection_finish() -> None:
    """Look for garbage again, but only among what comes from now on."""
    gc.freeze()
    gc.enable()


def measured_by(item: pytest.Item) -> set[str]:
    """Return the benchmarks that a test says it measures."""
    return {name for mark in item.iter_markers("measures") for name in mark.args}


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say which files took longest, so that whoever adds to one sees what it costs."""
    seconds: Counter[str] = Counter()
    for reports in terminalreporter.stats.values():
        for report in reports:
            if hasattr(report, "duration") and hasattr(report, "nodeid"):
                seconds[report.nodeid.partition("::")[0]] += report.duration
    if seconds:
        terminalreporter.section(f"the {NAMED} slowest files")
    for file, each in seconds.most_common(NAMED):
        terminalreporter.line(f"{each:7.1f} s  {file}")
