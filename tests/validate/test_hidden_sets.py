"""Whether a simulated chip with hidden costs is told by what it measures."""

from __future__ import annotations

import os

import pytest

from intercore.board.boards import PICO
from intercore.board.build import board_image
from intercore.validate.campaign import Model
from intercore.validate.costs import COSTS, hidden
from intercore.validate.explanation import suspects
from intercore.validate.quantities import BUILD
from tests.firmware.rp2040.conftest import need_tools

SLOW = "INTERCORE_SLOW" in os.environ
SEEDS = range(1, 61) if SLOW else (5,)
"""Of which nine in ten must be told; the one of every day has three altered costs."""


def nothing(_: str) -> None:
    """Say nothing."""


@pytest.mark.timeout(1800)
@pytest.mark.measures("irq", "switch", "jitter", "memory", "launch", "outage")
def test_the_altered_costs_are_among_the_first_three_suspects() -> None:
    need_tools()
    model = Model(board_image(PICO, BUILD, nothing).elf, nothing)
    simulated = model.measure({}, nothing)
    effects = model.effects(simulated, nothing)
    for cost, moved in zip(COSTS, effects, strict=True):
        assert any(moved), f"no quantity depends on {cost.name}"
    told = 0
    for seed in SEEDS:
        altered = hidden(seed)
        measured = model.measure(altered, nothing)
        found = suspects([after - before for after, before in zip(measured, simulated, strict=True)], effects)
        told += {one.name for one in found[:3]} >= set(altered)
    assert told >= 0.9 * len(SEEDS)
