"""The rate of the processor's own counter, as the program finds it when it starts, and how well it is known."""

from __future__ import annotations

import ctypes
import re
import subprocess
from itertools import combinations
from pathlib import Path

import pytest

from intercore.board.sources import firmware_sources
from tests.firmware.host.conftest import Terminal

HERE = Path(__file__).parent


@pytest.fixture(scope="module")
def interrupted(tmp_path_factory: pytest.TempPathFactory) -> ctypes.CDLL:
    """The measurement of the rate, with a clock whose every reading but a few is followed by an interrupt."""
    library = tmp_path_factory.mktemp("counter") / "counter.so"
    posix = firmware_sources() / "port" / "posix"
    sources = [posix / "counter_posix.c", HERE / "interrupted_clock.c"]
    includes = [f"-I{folder}" for folder in (posix, posix.parent)]
    command = ["cc", "-std=c11", "-O2", "-D_GNU_SOURCE", "-Wall", "-Werror", "-fPIC", "-shared", *includes, *sources]
    subprocess.run([*command, "-o", library], check=True)
    return ctypes.CDLL(str(library))


@pytest.mark.parametrize("rate", [1e9, 2.4e9, 5.2e9])
def test_interrupts_between_clock_and_counter_do_not_spoil_the_rate(interrupted: ctypes.CDLL, rate: float) -> None:
    interrupted.port_cycles_hz.restype = ctypes.c_uint64
    interrupted.interrupted_clock_start(ctypes.c_double(rate))
    interrupted.counter_posix_start()
    within = interrupted.counter_posix_uncertainty_ppm() * 1e-6
    assert abs(interrupted.port_cycles_hz() / rate - 1) <= within
    assert within < 1e-3, "one bracket of 200 µs would leave 2 %"


def test_each_start_knows_the_rate_as_well_as_it_says(program: Path) -> None:
    rates = [rate_of_a_start(program) for _ in range(4)]
    for (one, one_within), (other, other_within) in combinations(rates, 2):
        assert abs(one / other - 1) <= (one_within + other_within) * 1e-6 * 1.001


def rate_of_a_start(program: Path) -> tuple[int, int]:
    terminal = Terminal(program)
    terminal.answer()
    conditions = terminal.conditions()
    assert terminal.close() == ""
    said = re.fullmatch(r"([1-9]\d*) ppm", conditions["cpu.cycle_counter_uncertainty"])
    assert said is not None
    return int(conditions["cpu.cycle_counter_hz"]), int(said[1])
