"""Clocks of the STM32H745, against tables typed from ST's reference manual RM0399 Rev 4 and the datasheet DS12923."""

from __future__ import annotations

import ctypes
import itertools
import subprocess
from typing import Any

import pytest

from tests.firmware.stm32h745.conftest import BOARD

M7_MHZ = (480, 400, 240, 120, 60)
M4_MHZ = (240, 200, 120, 60, 50)
SUPPLIES = ("smps", "ldo")
HSE_MHZ = 8

# DS12923, "General operating conditions": most MHz of the Cortex-M7, and of AXI, AHB and Cortex-M4, at VOS0 to VOS3.
CORE_MOST = (480, 400, 300, 200)
BUS_MOST = (240, 200, 150, 100)
APB_MOST = (120, 100, 75, 50)
# RM0399 table 16, "FLASH recommended number of wait states and programming delay", by VOS: the upper end in MHz, wait
# states, delay.
FLASH = {
    3: ((45, 0, 0), (90, 1, 1), (135, 2, 1), (180, 3, 2), (225, 4, 2)),
    2: ((55, 0, 0), (110, 1, 1), (165, 2, 1), (225, 3, 2)),
    1: ((70, 0, 0), (140, 1, 1), (185, 2, 1), (210, 2, 2), (225, 3, 2)),
    0: ((70, 0, 0), (140, 1, 1), (185, 2, 1), (210, 2, 2), (225, 3, 2), (240, 4, 2)),
}
# RM0399 9.7.6 (RCC_D1CFGR, HPRE) and 9.7.7 (D2PPRE1): the field, and by what it divides.
HPRE = {0b0000: 1, 0b1000: 2, 0b1001: 4, 0b1010: 8, 0b1011: 16, 0b1100: 64}
PPRE = {0b000: 1, 0b100: 2, 0b101: 4, 0b110: 8, 0b111: 16}
# RM0399 7.8.7 (PWR_D3CR, VOS): VOS0 is VOS1 and the boost (7.6.2).
VOS_FIELD = {0: 0b11, 1: 0b11, 2: 0b10, 3: 0b01}
# RM0399 9.7.10 (RCC_PLLCFGR, PLL1RGE): the reference's range in MHz.
PLL1RGE = {0b00: (1, 2), 0b01: (2, 4), 0b10: (4, 8), 0b11: (8, 16)}
# RM0399 9.5.5 and DS12923 "PLL characteristics (wide VCO frequency range)", in MHz; the upper end is revision V's.
VCO_MHZ = (192, 960)

EVERY = list(itertools.product(M7_MHZ, M4_MHZ, range(4), range(2)))


class Plan(ctypes.Structure):
    """`struct stm32h745_clock_plan`."""

    _fields_ = (
        ("core_hz", ctypes.c_uint32),
        ("bus_hz", ctypes.c_uint32),
        ("apb_hz", ctypes.c_uint32),
        ("vco_hz", ctypes.c_uint32),
        ("divm1", ctypes.c_uint32),
        ("divn1", ctypes.c_uint32),
        ("divp1", ctypes.c_uint32),
        ("pll1rge", ctypes.c_uint32),
        ("hpre", ctypes.c_uint32),
        ("ppre", ctypes.c_uint32),
        ("vos", ctypes.c_uint32),
        ("vos_field", ctypes.c_uint32),
        ("latency", ctypes.c_uint32),
        ("wrhighfreq", ctypes.c_uint32),
    )


def plan(logic: ctypes.CDLL, m7: int, m4: int, vos: int, supply: int) -> tuple[int, Any]:
    made = Plan()
    return logic.stm32h745_clock_plan(m7, m4, vos, supply, ctypes.byref(made)), made


def can_be_had(m7: int, m4: int, vos: int, supply: int) -> bool:
    """Whether the manual allows it: written from the manual's words, not from the code."""
    return (
        m7 % m4 == 0
        and m7 // m4 in HPRE.values()
        and m7 <= CORE_MOST[vos]
        and m4 <= BUS_MOST[vos]
        and (vos > 0 or SUPPLIES[supply] == "ldo")
    )


@pytest.mark.parametrize(("m7", "m4", "vos", "supply"), EVERY)
def test_a_plan_is_made_where_the_manual_allows_the_clocks_and_only_there(
    logic: ctypes.CDLL, m7: int, m4: int, vos: int, supply: int
) -> None:
    refused, _ = plan(logic, m7, m4, vos, supply)
    assert (refused == 0) is can_be_had(m7, m4, vos, supply)
    assert bool(logic.is_legal(m7, m4, vos, supply)) is (refused == 0), "the assertion of the build says the same"


@pytest.mark.parametrize(("m7", "m4", "vos", "supply"), [each for each in EVERY if can_be_had(*each)])
def test_a_plan_gives_exactly_the_clocks_that_were_asked_for(
    logic: ctypes.CDLL, m7: int, m4: int, vos: int, supply: int
) -> None:
    _, made = plan(logic, m7, m4, vos, supply)
    reference = HSE_MHZ / made.divm1
    vco = reference * made.divn1
    least, most = PLL1RGE[made.pll1rge]
    assert least <= reference <= most
    assert VCO_MHZ[0] <= vco <= VCO_MHZ[1]
    assert made.vco_hz == vco * 1e6
    assert 4 <= made.divn1 <= 512
    assert made.divp1 % 2 == 0, "RM0399 9.5.5: the field DIVP1 is odd"
    assert vco / made.divp1 == m7
    assert made.core_hz == m7 * 1_000_000
    assert m7 / HPRE[made.hpre] == m4
    assert made.bus_hz == m4 * 1_000_000
    assert made.apb_hz == made.bus_hz // PPRE[made.ppre]
    assert made.apb_hz <= APB_MOST[vos] * 1e6
    assert PPRE[made.ppre] <= 2, "RM0399 table 59: only then do the timers count the buses' clock"
    assert made.vos_field == VOS_FIELD[vos]


def test_no_lower_frequency_of_the_vco_would_do(logic: ctypes.CDLL) -> None:
    for m7, m4, vos, supply in EVERY:
        refused, made = plan(logic, m7, m4, vos, supply)
        assert refused or made.divp1 == 2 or m7 * (made.divp1 - 2) < VCO_MHZ[0]


@pytest.mark.parametrize("vos", range(4))
def test_the_flash_has_the_wait_states_and_the_delay_of_the_manual_at_every_megahertz(
    logic: ctypes.CDLL, vos: int
) -> None:
    states, delay = ctypes.c_uint32(), ctypes.c_uint32()
    for mhz in range(1, FLASH[vos][-1][0] + 1):
        expected = next(rest for most, *rest in FLASH[vos] if mhz <= most)
        assert logic.stm32h745_clock_plan_flash(mhz, vos, ctypes.byref(states), ctypes.byref(delay))
        assert [states.value, delay.value] == expected, f"{mhz} MHz at VOS{vos}"
    assert not logic.stm32h745_clock_plan_flash(FLASH[vos][-1][0] + 1, vos, ctypes.byref(states), ctypes.byref(delay))
    assert not logic.stm32h745_clock_plan_flash(60, 4, ctypes.byref(states), ctypes.byref(delay))


def test_what_is_no_level_or_no_voltage_is_refused(logic: ctypes.CDLL) -> None:
    for m7, m4, vos in ((0, 60, 1), (300, 60, 1), (240, 80, 1), (240, 0, 1), (240, 120, 4), (60, 60, 0xFFFF_FFFF)):
        assert plan(logic, m7, m4, vos, 1)[0] != 0


def test_the_supply_is_one_that_the_manual_lists(logic: ctypes.CDLL) -> None:
    """RM0399 table 33 and 7.8.4: BYPASS is bit 0, LDOEN bit 1, SDEN bit 2, SDEXTHP bit 3, SDLEVEL bits 5:4."""
    assert logic.supply_register(SUPPLIES.index("smps")) == 0b00_0_1_0_0, "2, direct SMPS step-down converter supply"
    assert logic.supply_register(SUPPLIES.index("ldo")) == 0b00_0_0_1_0, "1, LDO supply"


# ---- what is chosen when the build is configured ----


def configured(**variables: str) -> subprocess.CompletedProcess[str]:
    defines = [f"-D{name}={value}" for name, value in variables.items()]
    return subprocess.run(
        ["cmake", *defines, "-P", BOARD / "clock" / "clock_plan.cmake"],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


@pytest.mark.parametrize(("supply", "voltages"), [("smps", ("", "1", "3")), ("ldo", ("", "0", "2"))])
def test_what_cannot_be_had_is_refused_when_the_build_is_configured(supply: str, voltages: tuple[str, ...]) -> None:
    for m7, m4, vos in itertools.product(M7_MHZ, M4_MHZ, voltages):
        done = configured(IC_M7_MHZ=str(m7), IC_M4_MHZ=str(m4), IC_SUPPLY=supply, IC_VOS=vos)
        scale = int(vos) if vos else 0 if m7 > CORE_MOST[1] or m4 > BUS_MOST[1] else 1
        possible = can_be_had(m7, m4, scale, SUPPLIES.index(supply))
        assert (done.returncode == 0) is possible, f"{m7} and {m4} MHz, VOS{vos}, {supply}: {done.stderr}"


def test_480_mhz_on_a_board_as_it_comes_is_refused_with_the_reason() -> None:
    done = configured(IC_M7_MHZ="480", IC_M4_MHZ="240", IC_SUPPLY="smps", IC_VOS="")
    words = " ".join(done.stderr.split())
    assert "IC_M7_MHZ=480 and IC_M4_MHZ=240 need VOS0" in words
    assert "IC_SUPPLY=ldo" in words


@pytest.mark.parametrize(
    ("name", "value"), [("IC_M7_MHZ", "300"), ("IC_M4_MHZ", "fast"), ("IC_SUPPLY", "battery"), ("IC_VOS", "4")]
)
def test_what_is_no_level_is_refused_with_the_levels(name: str, value: str) -> None:
    done = configured(**({"IC_M7_MHZ": "240", "IC_M4_MHZ": "120", "IC_SUPPLY": "smps", "IC_VOS": ""} | {name: value}))
    assert done.returncode != 0
    assert f"{name} is one of" in done.stderr


# ---- the console's bit rates ----


def test_every_bit_rate_that_is_offered_is_right_to_a_hundredth(logic: ctypes.CDLL) -> None:
    logic.stm32h745_baud_divisor.restype = logic.stm32h745_baud_choice.restype = ctypes.c_uint32
    for apb_hz in {m4 * 500_000 for m4 in M4_MHZ} | {64_000_000, 32_000_000}:
        offered = [rate for index in range(20) if (rate := logic.stm32h745_baud_choice(apb_hz, index))]
        assert offered[0] == 115200, "the rate after a reset can always be had"
        assert offered == sorted(set(offered))
        for rate in offered:
            divisor = logic.stm32h745_baud_divisor(apb_hz, rate)
            assert 16 <= divisor <= 0xFFFF, "RM0399 51.5.8, oversampling by 16"
            assert abs(apb_hz / divisor - rate) <= rate / 100
            assert abs(apb_hz - divisor * rate) <= min(abs(apb_hz - (divisor + d) * rate) for d in (-1, 1)), "nearest"


def test_a_bit_rate_that_would_be_wrong_is_not_offered(logic: ctypes.CDLL) -> None:
    logic.stm32h745_baud_divisor.restype = ctypes.c_uint32
    assert logic.stm32h745_baud_divisor(30_000_000, 3_000_000) == 0, "10 samples a bit"
    assert logic.stm32h745_baud_divisor(32_000_000, 1_500_000) == 0, "21.3: off by 1.6 %"
    assert logic.stm32h745_baud_divisor(120_000_000, 1000) == 0, "more than 16 bits"
