"""The benchmark program with a FreeRTOS kernel on each core, on each simulated chip that it is built for."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, TypeAlias

import pytest

from intercore.sim import Chip, Simulator, Stm32h745
from tests.firmware.amp.console import AmpConsole
from tests.firmware.rp2040.conftest import CLK_SYS_HZ, built_amp
from tests.firmware.stm32h745.conftest import SLOWEST, images_at

if TYPE_CHECKING:
    from collections.abc import Callable

Amp: TypeAlias = AmpConsole[Chip]
HELLO = 1.3
"""Seconds within which each program has said hello, which takes one at 115200 bit/s."""


def _pico(opt: str) -> Amp:
    return AmpConsole(Simulator(built_amp(opt) / "intercore-target"), CLK_SYS_HZ, "fifo", "word")


def _stm32h745(opt: str) -> Amp:
    """At the lowest clocks, which are simulated soonest."""
    chip = Stm32h745(images_at(SLOWEST | {"opt": opt}), supply=SLOWEST["supply"])
    return AmpConsole(chip, chip.hz, "hsem", "interrupt")


CHIPS = {"pico-amp": _pico, "stm32h745": _stm32h745}


@cache
def greeted(name: str, opt: str = "O2") -> Callable[[], Amp]:
    """Return what makes a console of a chip that has said hello and talks fast: booted once, restored each time."""
    console = CHIPS[name](opt)
    assert console.hear(HELLO).end["type"] == "end", "the unasked hello is not complete"
    console.talk_fast()
    return console.kept()


@pytest.fixture(params=CHIPS)
def chip(request: pytest.FixtureRequest) -> str:
    """The name of a chip in CHIPS."""
    name: str = request.param
    return name


@pytest.fixture
def fresh(chip: str) -> Amp:
    """Just switched on."""
    return CHIPS[chip]("O2")


@pytest.fixture
def ready(chip: str) -> Amp:
    """Has said hello, and speaks as fast as it can."""
    return greeted(chip)()
