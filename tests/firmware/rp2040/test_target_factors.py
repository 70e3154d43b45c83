"""The program at other rates of the system clock, and in flash, judged by the simulator, which knows every cycle.

INTERCORE_SLOW=1 builds the image for flash at every level of optimisation.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import numpy as np
import pytest

from intercore.benchmarks import registry
from intercore.board.factors import OPT_LEVELS
from intercore.board.uf2 import uf2_of
from intercore.errors import UsageError
from intercore.link.session import Session
from intercore.record.factors import TARGET_FACTORS
from intercore.sim import Simulator
from intercore.target.simulated_chip import SimulatedPico
from tests.firmware.rp2040.conftest import built_with, of_all_benchmarks
from tests.firmware.rp2040.reset_pin import reset_at_each

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from intercore.link.session import Answer
    from intercore.record.measurement import Level, Truth

RATE = 115_200
WORD_CLOCKS = 20
"""Serial clocks of a word from flash: 8 of address and mode, 4 of waiting, 8 of data (W25Q16JV, Fast Read Quad I/O)."""
DIVIDER = 2
OVERHEAD = 4
"""Cycles of a transfer beside, as the simulator assumes (docs/simulator.md)."""
MISS = WORD_CLOCKS * DIVIDER + OVERHEAD
"""Wait states of a word that is not in the cache."""
SECOND_STAGE = 0x2004_1F00
"""Where the boot ROM puts it (RP2040 datasheet 2.8.1.3)."""


class Built:
    """The program, built with levels of the target's factors, on a chip."""

    def __init__(self, program: Path, mhz: int = 125) -> None:
        self.program = program
        self.mhz = mhz
        self.chip = SimulatedPico(program, RATE)
        self.session = Session(self.chip.port, repeatable=True)
        self.info = self.session.info()
        self.session.raise_rate(None)

    def measure(self, benchmark: str, factors: Mapping[str, Level]) -> tuple[Answer, Truth]:
        self.chip.watch(registry.benchmark(benchmark).witness)
        answer = self.session.measure(benchmark, factors)
        return answer, self.chip.truth(answer.series, answer.factors)

    def ticks(self, benchmark: str, name: str, **factors: Level) -> list[int]:
        answer, _ = self.measure(benchmark, factors)
        return next(one.ticks.tolist() for one in answer.series if one.name == name)


# The rate of the system clock

RATES = (48, 100, 125, 133)


@pytest.fixture(scope="module")
def rates() -> dict[int, Built]:
    """The program in SRAM by its rate in MHz."""
    return {mhz: kept(clock_mhz=mhz) for mhz in RATES}


def test_the_rate_is_what_was_asked_for_and_travels_with_the_numbers(rates: dict[int, Built]) -> None:
    for mhz, one in rates.items():
        said = one.info.conditions
        assert one.info.hello.hz == int(said["clock.sys_hz"]) == int(said["clock.peri_hz"]) == mhz * 1_000_000
        crystal, multiplier, *dividers = (int(word) for word in said["clock.pll"].replace("crystal", "12").split()[::2])
        assert crystal * multiplier == mhz * np.prod(dividers)
        assert 750 <= crystal * multiplier <= 1600
        assert said["chip.core_mv"] == "1100"
        chip = Simulator(one.program)
        chip.run(10_000_000)
        assert chip.clocks.sys == mhz * 1_000_000


def test_a_tick_is_a_millisecond_at_every_rate(rates: dict[int, Built]) -> None:
    for mhz, one in rates.items():
        chip = Simulator(one.program)
        ticks = chip.watch_execution("isr_systick")
        chip.run(200_000 * mhz)
        begins = ticks.hits()
        between = np.diff(begins["cycle"][begins["core"] == 0])
        assert len(between) > 100
        assert np.median(between) == 1000 * mhz


def test_the_console_has_its_rates_at_every_rate_of_the_clock(rates: dict[int, Built]) -> None:
    for one in rates.values():
        assert one.info.hello.rates[-1] == 3_000_000
        chip = Simulator(one.program)
        for rate in (RATE, 921_600, 3_000_000):
            chip.run(650_000 * one.mhz)  # until it has said all
            chip.send(f"rate {rate}\n".encode())
            chip.run(20_000 * one.mhz)
            chip.set_line_rate(rate)
            chip.take_uart()
            chip.send(b"info\n")
            chip.run(20_000 * one.mhz)
            said = chip.take_uart_timed()
            assert said.data.startswith(b'{"type":"hello"')
            assert np.abs(said.rates / rate - 1).max() < 0.008


def test_the_common_clock_is_exact_at_every_rate(rates: dict[int, Built]) -> None:
    for core, one in zip((0, 1, 0, 1), rates.values(), strict=True):
        assert spread(one, core, 1 - core) == 0


# Not itself: without it the code lies otherwise in the banks, and a bound that is as narrow as can be is another.
@pytest.mark.measures("speedup")
def test_a_wake_up_takes_as_many_cycles_at_every_rate(rates: dict[int, Built]) -> None:
    def median(one: Built) -> float:
        factors: dict[str, Level] = {"primitive": "notification", "from": 0, "to": 1, "samples": 40, "dither_us": 50}
        return float(np.median(one.ticks("switch", "switch", **factors)))

    cycles = {mhz: median(one) for mhz, one in rates.items()}
    placed = {mhz: Simulator(one.program).address("xTaskGenericNotify") for mhz, one in rates.items()}
    assert placed[125] == placed[133]
    assert cycles[125] == cycles[133], "the same code at the same addresses takes the same cycles"
    # The others' kernel lies 48 or 56 bytes before that, and so otherwise in the banks, where the two cores meet.
    assert max(cycles.values()) < 1.02 * min(cycles.values()), cycles


# Code in flash


@pytest.fixture(scope="module")
def flash() -> dict[str, Built]:
    """The program in flash by the state of the cache."""
    return {state: kept(code="flash", xip_cache=state) for state in ("on", "off")}


def test_where_the_code_is_and_how_it_is_read_travels_with_the_numbers(flash: dict[str, Built]) -> None:
    for state, one in flash.items():
        said = one.info.conditions
        assert (said["memory.code"], said["memory.constants"]) == ("flash", "flash")
        assert said["memory.data"] == "sram-striped"
        assert said["flash.xip_cache"] == state
        assert said["flash.clock_divider"] == str(DIVIDER)
        assert said["flash.clock_hz"] == str(125_000_000 // DIVIDER)


def test_the_uf2_file_is_for_flash_and_says_the_same(flash: dict[str, Built], tmp_path: Path) -> None:
    made = uf2_of(flash["on"].program)
    addresses = {int.from_bytes(made[at + 12 : at + 16], "little") for at in range(0, len(made), 512)}
    assert min(addresses) == 0x1000_0000
    assert max(addresses) < 0x1020_0000
    (tmp_path / "image.uf2").write_bytes(made)
    said = []
    for image in (flash["on"].program, tmp_path / "image.uf2"):
        chip = Simulator(image)
        chip.run(60_000_000)
        said.append(chip.take_uart())
        assert chip.take_diagnostics() == []
    assert said[0] == said[1]
    assert said[0].startswith(b'{"type":"hello"')


def test_the_boot_rom_finds_the_check_sum_of_the_second_stage_right(flash: dict[str, Built], tmp_path: Path) -> None:
    made = bytearray(uf2_of(flash["on"].program))
    made[32 + 251] ^= 1
    (tmp_path / "damaged.uf2").write_bytes(made)
    whole, damaged = Simulator(flash["on"].program), Simulator(tmp_path / "damaged.uf2")
    for chip in (whole, damaged):
        second_stage = chip.watch_execution(SECOND_STAGE)
        chip.run(1_000_000)
        assert len(second_stage.hits()) == (chip is whole)


def test_a_word_that_is_not_in_the_cache_takes_the_time_of_the_wire(flash: dict[str, Built]) -> None:
    for one in flash.values():
        chip = Simulator(one.program)
        entry = chip.symbols["board_entry"].address
        first, second = (chip.watch_execution(entry + offset) for offset in (0, 2))
        chip.run(1_000_000)
        assert int(second.hits()["cycle"][0] - first.hits()["cycle"][0]) == 1 + MISS


@pytest.mark.measures("speedup")
def test_code_runs_slower_from_flash_and_much_slower_without_the_cache(
    rates: dict[int, Built], flash: dict[str, Built]
) -> None:
    def t1(one: Built) -> float:
        return float(np.median(one.ticks("speedup", "t1", workload="fp", n=5, mode="pool", samples=5)))

    sram, cached, uncached = t1(rates[125]), t1(flash["on"]), t1(flash["off"])
    assert sram <= cached < 2 * sram
    # Two instructions a word; and no instruction takes less than a cycle, or waits for more than two words.
    assert (1 + MISS) / 4 < uncached / sram < 2 * (1 + MISS)


@pytest.mark.measures("speedup")
def test_two_cores_without_the_cache_are_as_slow_as_one(flash: dict[str, Built]) -> None:
    answer, _ = flash["off"].measure("speedup", {"workload": "fp", "n": 20, "mode": "pool", "samples": 3})
    t1, tp = (np.median(next(one.ticks for one in answer.series if one.name == name)) for name in ("t1", "tp"))
    assert t1 / tp < 1.1


def test_flash_is_a_region_of_an_image_that_is_there_and_of_no_other(
    rates: dict[int, Built], flash: dict[str, Built]
) -> None:
    for one, has in ((rates[125], False), (flash["on"], True)):
        parameters = {
            (benchmark.name, parameter.name): parameter.choices
            for benchmark in one.session.benchmarks()
            for parameter in benchmark.parameters
        }
        assert ("flash" in parameters["memory", "region"]) is ("flash" in parameters["memory", "other_region"]) is has
        assert "flash" not in parameters["message", "region"], "a message is written"
        assert ("flash 65536 bytes" in one.info.conditions["memory.regions"]) is has
        assert one.info.conditions["memory.flash"].startswith("none, ") is not has


@pytest.mark.parametrize("access", ["write", "copy"])
@pytest.mark.parametrize("who", [("region", "access"), ("other_region", "other")])
def test_flash_is_never_written(flash: dict[str, Built], access: str, who: tuple[str, str]) -> None:
    with pytest.raises(UsageError, match="the region flash can only be read"):
        flash["on"].measure("memory", {"other": "read", who[0]: "flash", who[1]: access})


def test_a_word_of_flash_takes_the_time_of_the_wire_which_two_cores_share(flash: dict[str, Built]) -> None:
    """Read in order, what is larger than the cache is always new; the loop stays in the cache."""
    words = 1024
    for core in (0, 1):
        answer, _ = flash["on"].measure(
            "memory",
            {
                "region": "flash",
                "core": core,
                "other": "read",
                "other_region": "flash",
                "bytes": 4 * words,
                "samples": 6,
            },
        )
        assert answer.checks["wrong"] == 0
        alone, beside = (np.median(one.ticks) for one in answer.series if one.name in ("alone", "contended"))
        assert 1 + MISS < alone / words < 1.1 * (2 + MISS)
        assert 1.8 < beside / alone < 2.1


@pytest.mark.measures("speedup")
def test_two_cores_that_read_flash_wait_for_each_other(flash: dict[str, Built]) -> None:
    def speedup(workload: str) -> float:
        answer, _ = flash["on"].measure("speedup", {"workload": workload, "n": 300, "mode": "spin", "samples": 3})
        assert answer.checks["wrong"] == 0
        t1, tp = (np.median(one.ticks) for one in answer.series if one.name in ("t1", "tp"))
        return float(t1 / tp)

    assert speedup("flash") < 1.2
    assert speedup("dense") > 1.6


@of_all_benchmarks
def test_the_common_clock_is_exact_when_the_code_is_in_flash(flash: dict[str, Built]) -> None:
    # What is done between the warm-up and the first sample may take lines of the cache from what was warmed up.
    assert spread(flash["on"], 0, 1, since=1) <= 2
    assert spread(flash["on"], 0, 1) <= 2 + MISS, "a line, at most"
    # Fetches of the code between two readings are in the interval, and not the same each time beside the other core.
    assert spread(flash["off"], 0, 1) <= 4 * MISS


def test_without_the_cache_the_console_has_only_rates_that_it_can_follow(flash: dict[str, Built]) -> None:
    assert flash["on"].info.hello.rates[-1] == 3_000_000
    assert list(flash["off"].info.hello.rates) == [115_200, 230_400]


@pytest.mark.measures("speedup")
def test_an_image_in_flash_starts_again_after_a_reset(flash: dict[str, Built]) -> None:
    reset_at_each(flash["on"].program, [300_000, 30_000_000])


def test_no_parameter_is_called_as_a_factor_of_the_target(rates: dict[int, Built]) -> None:
    names = {parameter.name for one in rates[125].session.benchmarks() for parameter in one.parameters}
    assert names.isdisjoint(TARGET_FACTORS)


@pytest.mark.skipif("INTERCORE_SLOW" not in os.environ, reason="takes minutes: set INTERCORE_SLOW=1")
@pytest.mark.parametrize("opt", OPT_LEVELS)
def test_an_image_for_flash_is_built_at_every_level_and_runs(opt: str) -> None:
    for state in ("on", "off"):
        one = Built(built_with(opt=opt, code="flash", xip_cache=state))
        assert one.info.conditions["flash.xip_cache"] == state
        assert spread(one, 0, 1) <= 4 * MISS


# What the tests share


def kept(**levels: str | int) -> Built:
    """The program with these levels, and its clock."""
    return Built(built_with(**levels), int(levels.get("clock_mhz", 125)))


def spread(one: Built, first: int, second: int, *, since: int = 0) -> int:
    """Return by how many ticks intervals on the common clock and true ones differ differently, if undisturbed.

    `since` says from which sample on.
    """
    answer, truth = one.measure("clock", {"from": first, "to": second, "samples": 40})
    measured = next(known.ticks for known in answer.series if known.name == "interval")
    true = next(known.ticks for known in truth.series if known.name == "true")
    apart = np.sort((measured - true)[since:])[: len(true) - since - truth.checks.get("interrupted", 0)]
    assert len(apart) >= 30
    return int(np.ptp(apart))
