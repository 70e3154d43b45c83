"""What tests of the simulated chip start from."""

from __future__ import annotations

import pytest

from intercore.sim import Simulator
from tests.sim.firmware import FOREVER, example, raw


@pytest.fixture
def forever() -> Simulator:
    return Simulator(raw(*FOREVER), base=0x2000_0000)


@pytest.fixture
def echo() -> Simulator:
    """Sends back what it gets, up to a line end, once it has said "ready"."""
    return Simulator(example("uart_echo"))


@pytest.fixture
def both_cores() -> Simulator:
    return Simulator(example("both_cores"))
