"""Factors of a target: their levels, and what goes together."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from intercore.board.boards import ESP32, FACTORS, PICO, STM32H745
from intercore.board.factors import OPT, Factor, check, resolve
from intercore.board.image import variant
from intercore.board.rp2040_factors import CLOCK_MHZ, CODE, XIP_CACHE
from intercore.board.stm32h745_factors import M4_MHZ, M7_MHZ, SUPPLY
from intercore.campaign.levels import target_levels
from intercore.errors import UsageError
from intercore.record.factors import TARGET_FACTORS
from intercore.target.targets import TARGETS, Address, find

if TYPE_CHECKING:
    from collections.abc import Mapping

    from intercore.record.measurement import Level

ALL = (OPT, CLOCK_MHZ, CODE, XIP_CACHE)


@pytest.mark.parametrize("text", ["48", "125", "133", "1e2"])
def test_every_whole_rate_in_the_range_can_be_had(text: str) -> None:
    assert CLOCK_MHZ.level(text) == float(text)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("47", "the nearest is 48"),
        ("134", "the nearest is 133"),
        ("62.5", "the nearest are 62 and 63"),
        ("1e400", "the nearest is 133"),
        ("nan", r"a whole number \(48 to"),
        ("inf", r"a whole number \(48 to"),
        ("fast", "a whole number"),
        ("", "a whole number"),
    ],
)
def test_another_rate_is_refused_with_the_nearest_ones(text: str, says: str) -> None:
    with pytest.raises(UsageError, match=says):
        CLOCK_MHZ.level(text)


@given(st.text(max_size=6) | st.floats().map(str) | st.integers().map(str))
def test_a_level_is_one_of_those_listed_or_refused(text: str) -> None:
    for factor in ALL:
        try:
            level = factor.level(text)
        except UsageError:
            continue
        assert level in factor.levels
        assert type(level) is type(factor.default)


@pytest.mark.parametrize(
    ("wanted", "says"),
    [
        ({"xip_cache": ["off"]}, "xip_cache=off has no effect with code=sram"),
        ({"code": ["sram"], "xip_cache": ["off"]}, "with code=sram"),
        ({"code": ["flash", "sram"], "xip_cache": ["on", "off"]}, "has no effect with code=sram"),
        ({"code": ["rom"]}, "the factor code has no level 'rom'"),
        ({"opt": ["03"]}, "the factor opt has no level '03'"),
    ],
)
def test_what_cannot_be_or_has_no_effect_is_refused(wanted: dict[str, list[str]], says: str) -> None:
    with pytest.raises(UsageError, match=says):
        resolve(ALL, wanted)


# RM0399: HPRE divides the M7's clock by a power of two; VOS0 (above 400 and 200 MHz) needs the LDO.
LEGAL = {
    ("smps", 60): {60},
    ("smps", 120): {60, 120},
    ("smps", 240): {60, 120},
    ("smps", 400): {50, 200},
    ("smps", 480): set(),
    ("ldo", 60): {60},
    ("ldo", 120): {60, 120},
    ("ldo", 240): {60, 120, 240},
    ("ldo", 400): {50, 200},
    ("ldo", 480): {60, 120, 240},
}


@pytest.mark.parametrize(("supply", "m7"), LEGAL)
def test_the_clocks_of_two_cores_are_those_that_the_chip_can_have(supply: str, m7: int) -> None:
    legal = set()
    for m4 in M4_MHZ.levels:
        try:
            check(STM32H745.factors, {"m7_mhz": m7, "m4_mhz": m4, "supply": supply})
        except UsageError:
            continue
        legal.add(m4)
    assert legal == LEGAL[supply, m7]
    assert {m7 for _, m7 in LEGAL} == set(M7_MHZ.levels)
    assert {supply for supply, _ in LEGAL} == set(SUPPLY.levels)


@pytest.mark.parametrize(
    ("wanted", "says"),
    [
        (
            {"m7_mhz": ["240"]},
            "with m4_mhz=60 or m4_mhz=120 or m4_mhz=240",
        ),
        ({"m4_mhz": ["240"]}, "with m7_mhz=240 or m7_mhz=480"),
        ({"m7_mhz": ["60"], "m4_mhz": ["120"]}, "with m4_mhz=60: the M4 runs at the"),
        ({"m7_mhz": ["480"], "m4_mhz": ["120"]}, "with supply=smps.*be rewired for that"),
        ({"m7_mhz": ["100"]}, r"m7_mhz=100 cannot be had: the nearest are 60 and 120 \(60|120|240|400|480\)"),
        ({"shared": ["d4"]}, "the factor shared has no level 'd4'"),
    ],
)
def test_what_the_two_cores_cannot_have_is_refused_with_what_they_can(wanted: dict[str, list[str]], says: str) -> None:
    with pytest.raises(UsageError, match=says):
        resolve(STM32H745.factors, wanted)


def test_what_a_board_has_by_default_can_be_had() -> None:
    check(STM32H745.factors, STM32H745.whole({}))


def test_levels_are_typed_and_the_usual_optimisation_is_always_named() -> None:
    wanted = {"clock_mhz": ["48", "133"], "code": ["flash"], "xip_cache": ["on", "off"], "n": ["10"]}
    levels = target_levels(find("pico-sim"), wanted)
    assert levels == {"opt": ["O2"], "clock_mhz": [48, 133], "code": ["flash"], "xip_cache": ["on", "off"]}
    assert target_levels(find("serial"), {"n": ["10"]}) == {}


def test_a_board_that_is_flashed_says_how() -> None:
    with pytest.raises(UsageError, match="intercore flash pico --clock-mhz 48"):
        target_levels(find("pico"), {"clock_mhz": ["48", "133"]})
    with pytest.raises(UsageError, match="intercore flash pico --xip-cache off"):
        find("pico").check(Address("loop://", build={"xip_cache": "off"}))


@pytest.mark.parametrize(
    "build", [{"clock_mhz": 47}, {"clock_mhz": "x"}, {"code": "rom"}, {"xip_cache": "off"}, {"opt": 3}]
)
def test_a_stored_plan_with_a_build_that_cannot_be_is_refused(build: Mapping[str, Level]) -> None:
    with pytest.raises(UsageError):
        find("pico-sim").check(Address(build=build))


def test_the_factors_of_all_boards_are_known_by_their_names() -> None:
    found = {factor.name: set[int]() for target in TARGETS for factor in target.factors}
    for factor in (factor for target in TARGETS if target.board is not None for factor in target.factors):
        found[factor.name].add(id(factor))
    assert found == {name: set(map(id, factors)) for name, factors in FACTORS.items()}
    assert found.keys() == TARGET_FACTORS.keys()


def test_a_factor_that_what_is_stored_would_not_be_understood_by_is_refused() -> None:
    with pytest.raises(ValueError, match="the factor voltage is not registered"):
        Factor("voltage", "core voltage", "low", ("low", "high"))


def test_chips_that_call_a_factor_alike_have_levels_of_their_own() -> None:
    assert (PICO.level("code", "sram"), ESP32.level("code", "iram")) == ("sram", "iram")
    with pytest.raises(UsageError, match="the factor code has no level 'sram'; did you mean 'iram'"):
        ESP32.level("code", "sram")
    assert (PICO.whole({})["code"], ESP32.whole({})["code"]) == ("sram", "flash")


def test_a_build_is_named_by_what_is_unusual_about_it() -> None:
    assert variant(PICO, PICO.whole({})) == "-O2"
    assert variant(PICO, PICO.whole({"opt": "Os", "clock_mhz": 48})) == "-Os, clock_mhz=48"
    assert variant(PICO, PICO.whole({"code": "flash"})) == "-O2, code=flash"
    assert variant(ESP32, ESP32.whole({"code": "flash"})) == "-O2"
