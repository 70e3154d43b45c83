"""Every series of the real program comes in the unit that its samples have."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.firmware.host.conftest import SANITIZED
from tests.firmware.host.units import check

if TYPE_CHECKING:
    from tests.firmware.host.conftest import Terminal

pytestmark = pytest.mark.skipif(SANITIZED, reason="other tests measure the same: set INTERCORE_SLOW=1")


@pytest.mark.parametrize(
    ("command", "units"),
    [
        pytest.param("speedup n=10 samples=2", {"t1": "tick", "tp": "tick"}, marks=pytest.mark.measures("speedup")),
        ("clock samples=2", {"interval": "tick"}),
        ("clock time=counter samples=2", {"common": "moment", "around": "tick", "counter": "moment"}),
        (
            "contention task1=off main=off window_ms=10 samples=1",
            {"alone": "tick", "tower": "tick", "task0": "moment"},
        ),
        (
            "contention task0=off task1=off main=off free=1 yield=none discs=10 window_ms=10 samples=1",
            {"alone": "tick", "free0": "moment", "ran0": "count", "moved0": "count"},
        ),
        ("threadmetric test=message window_ms=10 samples=1", {"count": "count", "window": "tick"}),
        (
            "threadmetric test=cooperative window_ms=10 samples=1",
            {"count": "count", "window": "tick", "least": "count", "most": "count"},
        ),
        ("lock measure=contention rounds=4 samples=2", {"bout": "tick", "taken": "moment"}),
        (
            "switch from=0 to=1 time=aligned samples=2",
            {
                "switch": "tick",
                "call": "tick",
                "moment": "moment",
                **{f"{when}.at": "moment" for when in ("before", "after")},
                **{f"{when}.{way}": "tick" for when in ("before", "after") for way in ("there", "back")},
            },
        ),
    ],
)
def test_a_series_comes_in_its_unit(terminal: Terminal, command: str, units: dict[str, str]) -> None:
    check(terminal, command, units)
