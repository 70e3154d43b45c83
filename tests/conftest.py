"""For all tests: properties are checked for as long as it takes, and the slowest files are named at the end."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from hypothesis import HealthCheck, settings

settings.register_profile("unhurried", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("unhurried")

pytest_plugins = ["tests.fakes.esp_tools"]

if TYPE_CHECKING:
    import pytest

NAMED = 10
"""Of the slowest files."""


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
