"""The port to a simulated chip: bytes at the rate of the line, time that is the chip's alone, an end that is told."""

from __future__ import annotations

import itertools
import time
from typing import TYPE_CHECKING

import numpy as np
import pytest

from intercore.errors import UsageError
from intercore.link.port import TargetLostError
from intercore.sim import Simulator, TimedOutput
from intercore.target.simulated_chip import SimulatedPico
from intercore.target.simulated_port import SLICE, SimulatedPort, heard
from tests.sim.firmware import EXIT_42, FOREVER, LAST_WORDS, UNDEFINED, example, raw, uf2

if TYPE_CHECKING:
    from pathlib import Path

SRAM = 0x2000_0000
RATE = 115200
BYTE = 10 / RATE


def read(port: SimulatedPort, wanted: bytes, seconds: float = 0.5) -> bytes:
    data = b""
    end = port.now() + seconds
    while wanted not in data and port.now() < end:
        data += port.read(0.1)
    return data


@pytest.fixture
def echo() -> SimulatedPort:
    port = SimulatedPort(Simulator(example("uart_echo")), RATE)
    assert read(port, b"ready\n") == b"ready\n"
    return port


def program(tmp_path: Path, *code: int) -> Path:
    path = tmp_path / "program.uf2"
    path.write_bytes(uf2(raw(*code), SRAM))
    return path


def test_bytes_go_both_ways(echo: SimulatedPort) -> None:
    echo.write(b"hello")
    assert read(echo, b"hello") == b"hello"


def test_they_take_their_time_on_the_line(echo: SimulatedPort) -> None:
    begin = echo.now()
    echo.write(b"x" * 100)
    assert len(read(echo, b"x" * 100)) == 100
    assert 101 * BYTE < echo.now() - begin < 103 * BYTE + SLICE


def test_silence_lasts_as_long_on_the_chip_as_was_asked_for(echo: SimulatedPort) -> None:
    for timeout in (0.0, 1e-6, 0.0123, 0.5):
        begin = echo.now()
        assert echo.read(timeout) == b""
        assert echo.now() - begin == pytest.approx(timeout, abs=1e-6)


def test_time_does_not_pass_but_in_read(echo: SimulatedPort) -> None:
    begin = echo.now()
    time.sleep(0.05)
    echo.write(b"abc")
    assert echo.now() == begin


def test_what_comes_and_when_does_not_depend_on_this_machine() -> None:
    def conversation(pause: float) -> list[tuple[float, bytes]]:
        port = SimulatedPort(Simulator(example("uart_echo")), RATE)
        heard = []
        for word in (b"one", b"two", b"three", b"\n"):
            heard.append((port.now(), read(port, b"", 0.001) + port.read(0.003)))
            time.sleep(pause)
            port.write(word)
        return heard

    assert conversation(0) == conversation(0.01)


def test_a_port_at_another_rate_hears_and_says_garbage(echo: SimulatedPort) -> None:
    assert echo.set_rate(3 * RATE)
    echo.write(b"abc")
    at_wrong_rate = echo.read(0.01)
    assert b"abc" not in at_wrong_rate
    assert echo.set_rate(RATE)
    echo.read(0.01)
    echo.write(b"abc")
    assert read(echo, b"abc").endswith(b"abc")


@pytest.mark.parametrize("text", [b"0123456789", bytes(range(256))])
def test_one_garbage_byte_per_character_is_heard_at_another_rate(text: bytes) -> None:
    cycles = np.zeros(len(text), np.int64)
    for sender, receiver in itertools.permutations((115200, 230400, 921600), 2):
        sent = TimedOutput(text, cycles, np.full(len(text), sender))
        garbage = heard(sent, receiver)
        assert len(garbage) == len(text)
        assert garbage != text
        assert heard(sent, sender) == text
        assert heard(sent, round(sender * 1.01)) == text, "crystals differ"


def test_a_character_at_half_the_rate_is_sampled_as_derived_by_hand() -> None:
    # 0x55 on the line, start bit first: 0 1010 1010 1. At twice the rate: samples of bits 1 to 8 are those of bits
    # 0 1 1 2 2 3 3 4 of the line, which are 0 1 1 0 0 1 1 0.
    sent = TimedOutput(b"\x55", np.zeros(1, np.int64), np.array([115200]))
    assert heard(sent, 230400) == bytes([0b01100110])


def test_a_program_that_ends_is_told_with_its_exit_code(tmp_path: Path) -> None:
    port = SimulatedPort(Simulator(program(tmp_path, *EXIT_42)), RATE)
    with pytest.raises(TargetLostError, match=r"ended: cycle \d+: core 0 ended .* exit code 42; at cycle"):
        port.read(1)


def test_a_lockup_is_told_with_cycle_and_registers(tmp_path: Path) -> None:
    port = SimulatedPort(Simulator(program(tmp_path, *UNDEFINED)), RATE)
    with pytest.raises(TargetLostError, match=r"core 0 locked up at 0x.*core 0 locked up.*pc 0x\w+, lr 0x\w+, sp 0x"):
        port.read(1)


def test_what_was_written_before_a_lockup_is_heard(tmp_path: Path) -> None:
    port = SimulatedPort(Simulator(program(tmp_path, *LAST_WORDS), clock=125_000_000), RATE)
    with pytest.raises(TargetLostError, match=r"undefined instruction 0xde00 at 0x\w+; at cycle .*: xx$"):
        port.read(1)


def test_time_passes_while_both_cores_sleep_for_good(tmp_path: Path) -> None:
    # cpsid i; wfi; b back to it
    chip = SimulatedPico(program(tmp_path, 0xB672, 0xBF30, 0xE7FD), RATE)
    port = chip.port
    assert port.read(0.01) == b""
    begin = port.now()
    assert port.read(0.5) == b""
    assert port.now() - begin == pytest.approx(0.5, abs=1e-6)
    assert "core 0 asleep" in chip.symptoms()


def test_a_program_that_says_nothing_is_described(tmp_path: Path) -> None:
    chip = SimulatedPico(program(tmp_path, *FOREVER), RATE)
    assert chip.port.read(0.01) == b""
    assert "core 0 running" in chip.symptoms()


def test_a_fault_that_is_none_is_refused() -> None:
    with pytest.raises(UsageError, match="--fault: unknown fault"):
        SimulatedPico(example("uart_echo"), RATE, ["flood"])


def test_bytes_are_lost_on_either_way_as_asked_for() -> None:
    lost = {}
    for fault in ("uart-in:lose=0.2,seed=1", "uart-out:lose=0.2,seed=1"):
        port = SimulatedPico(example("uart_echo"), RATE, [fault]).port
        port.read(0.05)
        port.read(0.05)
        port.write(b"x" * 500)
        lost[fault] = 500 - len(read(port, b"y", 0.1).replace(b"ready\n", b""))
    assert all(60 < count < 140 for count in lost.values()), lost


def test_a_reset_starts_the_program_again() -> None:
    port = SimulatedPico(example("uart_echo"), RATE, ["reset@5e6"]).port
    assert read(port, b"ready\n") == b"ready\n"
    assert read(port, b"ready\n") == b"ready\n"
    assert port.read(0.1) == b""


def test_faults_are_part_of_what_is_repeated() -> None:
    def run() -> tuple[bytes, int]:
        chip = Simulator(example("uart_echo"))
        chip.set_faults(["uart-in:flip=0.05,seed=3", "stuck:core=0@3e6..4e6"])
        chip.run(2_000_000)
        chip.send(b"some text that is damaged")
        chip.run(4_000_000)
        return chip.take_uart(), chip.trace_hash()

    assert run() == run()


def test_words_lost_between_the_cores_are_told() -> None:
    chip = SimulatedPico(example("fifo_interrupt"), RATE, ["fifo:to=1,word=20"])
    assert read(chip.port, b"\n") == b"", "both cores wait for a word that does not come"
    assert chip.symptoms().endswith("injected fault on the way to core 1: 1")
    assert chip.snapshot() is None, "a word that is lost once would be lost each time"
    assert SimulatedPico(example("fifo_interrupt"), RATE, ["fifo:to=1,lose=0.1"]).snapshot() is not None


def test_the_rate_of_each_byte_is_known(echo: SimulatedPort) -> None:
    chip = Simulator(example("uart_echo"))
    chip.run(text="ready\n")
    sent = chip.take_uart_timed()
    assert len(sent.rates) == len(sent.data)
    assert set(sent.rates.tolist()) == {115207}  # 125 MHz * 4 / 4340 (67 + 52/64, in sixty-fourths)
    assert echo.rate == RATE
