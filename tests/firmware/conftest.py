"""For programs of microcontrollers: the first test that needs one waits until it is built, perhaps by another process.

That takes a third of a minute at each level of optimisation, and many times that on a busy machine.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

HERE = Path(__file__).parent
CROSS_COMPILED = {HERE / name for name in ("amp", "rp2040", "rp2040_amp", "stm32h745")}
LIMIT_S = 900
"""For a test with its fixtures, unless it has a limit of its own."""


@cache
def is_cross_compiled(file: Path) -> bool:
    """Whether the tests in a file are of such programs."""
    return not CROSS_COMPILED.isdisjoint(file.parents)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if is_cross_compiled(item.path) and item.get_closest_marker("timeout") is None:
            item.add_marker(pytest.mark.timeout(LIMIT_S))
