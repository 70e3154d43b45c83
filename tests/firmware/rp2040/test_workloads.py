"""The workloads on the simulated chip: right at every level of optimisation, on both cores, from SRAM and from flash.

INTERCORE_SLOW=1 tries every level and every image; otherwise it is the usual code in SRAM, and the largest where two
kernels leave the least room.
"""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

import pytest

from intercore.board.factors import OPT_LEVELS
from tests.built_once import ROOT
from tests.firmware.rp2040.conftest import Board, built, built_amp, built_with, checks_of, every_day

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.measures("speedup")

NAMES = re.findall(r"^    X\((\w+)\)", (ROOT / "firmware/workload/workloads.h").read_text(), re.MULTILINE)
SLOW = pytest.mark.skipif("INTERCORE_SLOW" not in os.environ, reason="takes minutes: set INTERCORE_SLOW=1")


def all_are_right(program: Path, names: list[str] = NAMES) -> None:
    """Every workload, whole and in parts, on a new chip."""
    assert len(names) >= 8
    board = Board(program)
    said = board.run(0.65)
    while said[-1]["type"] != "end":  # code that is not in a cache says hello slowly
        said += board.run(0.1)
    board.ask(f"rate {said[0]['rates'][-1]}", step=0.01)
    for name in names:
        checks = checks_of(board.ask(f"run speedup workload={name} n=37 samples=1 dither_us=0", step=0.01))
        assert checks["checked"] == 2 * 3, name


@pytest.mark.parametrize("opt", OPT_LEVELS)
def test_every_workload_is_right_at_every_level_of_optimisation(opt: str) -> None:
    all_are_right(built(every_day(opt)) / "intercore-target")


@pytest.mark.parametrize("opt", OPT_LEVELS)
def test_every_workload_is_right_with_a_kernel_for_each_core(opt: str) -> None:
    """At -O0 there is no room for double precision, and none for records."""
    if opt != "O0" and not os.environ.get("INTERCORE_SLOW"):
        pytest.skip("another level: INTERCORE_SLOW=1")
    without = ("double", "records") if opt == "O0" else ()
    all_are_right(built_amp(opt) / "intercore-target", [name for name in NAMES if name not in without])


@SLOW
@pytest.mark.parametrize("opt", OPT_LEVELS)
@pytest.mark.parametrize("cache", ["on", "off"])
def test_every_workload_is_right_in_flash(opt: str, cache: str) -> None:
    all_are_right(built_with(opt=opt, code="flash", xip_cache=cache))
