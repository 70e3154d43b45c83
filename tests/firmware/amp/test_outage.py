"""The benchmark `outage` with a kernel on each core: the sector is written as asked, and nobody is parked for good."""

from __future__ import annotations

import pytest

from tests.firmware.amp.conftest import Amp

SECTORS = {"pico-amp": (0x101F_F000, 0x1000), "stm32h745": (0x081E_0000, 0x2_0000)}
"""Where the sector for benchmarks is, and its bytes."""
PAGE = 256


@pytest.mark.parametrize("writer", [0, 1])
def test_a_sector_is_erased_and_its_pages_programmed_from_either_core(chip: str, ready: Amp, writer: int) -> None:
    begin, size = SECTORS[chip]
    answer = ready.ask(f"run outage op=both pages=2 from={writer} samples=2", 30)
    checks = answer.checks()
    assert (checks["done"], checks["wrong"], checks["checked"] > 0) == (2, 0, True)
    sector = bytes(ready.chip.read(begin, size))
    assert set(sector[2 * PAGE :]) == {0xFF}, "the rest is erased"
    assert sector[:PAGE] == sector[PAGE : 2 * PAGE] != b"\xff" * PAGE
    assert ready.mistakes() == []


@pytest.mark.parametrize("other", ["interrupt", "task", "lock"])
def test_the_other_core_goes_on_whatever_it_does(ready: Amp, other: str) -> None:
    checks = ready.ask(f"run outage op=erase other={other} samples=2", 30).checks()
    assert (checks["done"], checks["wrong"]) == (2, 0)
    assert ready.mistakes() == []
