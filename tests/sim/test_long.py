"""A billion cycles on both cores, cut and restored: INTERCORE_SLOW=1 pytest tests/sim/test_long.py."""

from __future__ import annotations

import os

import pytest

from intercore.sim import Reason, Simulator
from tests.sim.firmware import FOREVER, SRAM, raw
from tests.sim.outcome import outcome


@pytest.mark.skipif("INTERCORE_SLOW" not in os.environ, reason="takes minutes: set INTERCORE_SLOW=1")
@pytest.mark.timeout(3600)
def test_a_billion_cycles_are_the_same_in_one_run_and_in_ten() -> None:
    simulator = Simulator(raw(*FOREVER), base=SRAM)
    start = simulator.snapshot()
    assert simulator.run(1_000_000_000).reason is Reason.LIMIT
    whole = outcome(simulator)
    assert (whole.now, whole.statistics[0].instructions > 499_000_000) == (1_000_000_000, True)
    simulator.restore(start)
    for _ in range(10):
        middle = simulator.snapshot()
        simulator.run(50_000_000)
        simulator.restore(middle)
        simulator.run(100_000_000)
    assert outcome(simulator) == whole
