"""A reset by the RUN pin at any moment, in start-up and in mid-run, ends in a clean start of the image in SRAM."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import numpy as np
import pytest

from intercore.board.factors import OPT_LEVELS
from tests.firmware.rp2040.conftest import built
from tests.firmware.rp2040.reset_pin import reset_at_each

if TYPE_CHECKING:
    from pathlib import Path

FIRST, LAST = 1e5, 2e8
"""Cycles from power-on: from before the boot ROM is done to well into a run with tasks that come and go."""


@pytest.mark.measures("speedup")
def test_sixty_moments_from_start_up_to_mid_run(o2: Path) -> None:
    reset_at_each(o2 / "intercore-target", np.geomspace(FIRST, LAST, 60).astype(int).tolist())


@pytest.mark.skipif("INTERCORE_SLOW" not in os.environ, reason="takes minutes: set INTERCORE_SLOW=1")
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("opt", OPT_LEVELS)
@pytest.mark.measures("speedup")
def test_three_hundred_moments_at_every_level(opt: str) -> None:
    reset_at_each(built(opt) / "intercore-target", np.geomspace(FIRST, LAST, 300).astype(int).tolist())
