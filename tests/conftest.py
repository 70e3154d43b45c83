"""How properties are checked in every test: for as long as it takes, since a busy machine is no bug. And which tests
may run beside which.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile("unhurried", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("unhurried")

TESTS = Path(__file__).parent
TARGET = TESTS / "target"
"""Tests whose programs take processors for themselves, by real-time priority: never two of them at a time."""


@pytest.hookimpl(tryfirst=True)  # pytest-xdist looks at the groups in the same hook
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Keep the tests of a file together for what they share, and those of this machine's program in one process."""
    for item in items:
        group = TARGET if TARGET in item.path.parents else item.path
        item.add_marker(pytest.mark.xdist_group(str(group.relative_to(TESTS))))
