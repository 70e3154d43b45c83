"""Intercore's own firmware has no fault of two cores: no finding while it measures."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from intercore.cli import profiled
from intercore.hunt.calls import Calls
from intercore.hunt.findings import findings
from intercore.hunt.hunting import Run
from intercore.hunt.races import races
from intercore.hunt.waits import snapshot
from intercore.sim import Reason, Simulator, Stop

if TYPE_CHECKING:
    from intercore.sim import Chip

LONG = 10.0
"""Seconds that each wait is said to have lasted."""


class Hunter(profiled.Measurer):
    """Measures settings, and keeps what a hunt finds meanwhile."""

    texts: tuple[str, ...] | None = None
    shared: tuple[int, ...] = ()

    def begin(self, simulator: Chip) -> None:
        """Hunt from here on."""
        assert isinstance(simulator, Simulator)
        simulator.start_hunt()

    def end(self, simulator: Chip) -> None:
        """Keep the findings, as if both cores had done for long what they do now."""
        assert isinstance(simulator, Simulator)
        calls = Calls(simulator)
        stop = Stop(Reason.LIMIT, simulator.now, "", None, None, None)
        run = Run(stop, "", True, False, False, snapshot(simulator, calls), (LONG, LONG), b"", {})
        self.texts = tuple(one.text for one in findings(simulator, calls, run, {}))
        self.shared = tuple(simulator.shared_words())


class RaceHunter(profiled.Measurer):
    """Measures the same again, and keeps data races for words that were shared."""

    texts: tuple[str, ...] | None = None

    def __init__(self, shared: tuple[int, ...]) -> None:
        """Watch these words."""
        super().__init__()
        self.shared = shared

    def begin(self, simulator: Chip) -> None:
        """Hunt from here on."""
        assert isinstance(simulator, Simulator)
        simulator.start_hunt_again([], self.shared)

    def end(self, simulator: Chip) -> None:
        """Keep the findings."""
        assert isinstance(simulator, Simulator)
        found = simulator.races()
        assert found is not None
        self.texts = tuple(one.text for one in races(simulator, Calls(simulator), found[0]))


@pytest.mark.parametrize(
    ("target", "benchmark"),
    [
        ("pico-sim", "switch"),
        ("pico-sim", "lock"),
        ("pico-sim", "message"),
        ("pico-sim", "irq"),
        ("pico-amp-sim", "irq"),
        ("pico-amp-sim", "message"),
    ],
)
def test_our_own_firmware_has_no_finding(target: str, benchmark: str) -> None:
    hunter = Hunter()
    profiled.measured(target, benchmark, ["samples=20"], hunter)
    assert hunter.texts == ()
    assert len(hunter.shared) > 10
    again = RaceHunter(hunter.shared)
    profiled.measured(target, benchmark, ["samples=20"], again)
    assert again.texts == ()
