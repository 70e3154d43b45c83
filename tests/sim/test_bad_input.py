"""Whatever is wrong ends in an exception that says what, and the simulator can be used on."""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from intercore.errors import IntercoreError
from intercore.sim import Reason, Simulator, SimulatorError
from tests.sim.firmware import FOREVER, SRAM, example, raw, uf2

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    ("image", "base", "words"),
    [
        (b"", None, "the image: the file is empty"),
        (b"no image", None, r"neither an ELF nor a UF2 file.*intercore-sim takes the load address, with --base"),
        (b"\x7fELF", None, "the ELF file is damaged"),
        (uf2(b"x", SRAM)[:500], None, "truncated"),
        (uf2(b"x", SRAM, family=1), None, "no UF2 block is for the RP2040"),
        (b"1234", 0x2004_1FFE, "not within flash"),
        (b"1234", 0x4000_0000, "not within flash"),
    ],
)
def test_a_bad_image_is_refused(image: bytes, base: int | None, words: str) -> None:
    with pytest.raises(SimulatorError, match=words):
        Simulator(image, base=base)


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    with pytest.raises(SimulatorError, match=r"cannot read .*/nowhere"):
        Simulator(tmp_path / "nowhere")
    with pytest.raises(IntercoreError, match="cannot read"):
        Simulator(tmp_path)
    (tmp_path / "rom").write_bytes(b"short")
    with pytest.raises(SimulatorError, match=r"a boot ROM has 16384 bytes, .*rom has 5"):
        Simulator(raw(*FOREVER), base=SRAM, bootrom=tmp_path / "rom")


@settings(max_examples=300)
@given(start=st.sampled_from([b"\x7fELF\x01\x01\x01", b"UF2\nWQ]\x9e", b""]), rest=st.binary(max_size=600))
def test_no_bytes_at_all_do_harm(start: bytes, rest: bytes) -> None:
    with pytest.raises(SimulatorError):
        Simulator(start + rest)


@settings(max_examples=40)
@given(code=st.lists(st.integers(0, 0xFFFF), max_size=60), at=st.integers(0, 3))
def test_no_program_does_harm(code: list[int], at: int) -> None:
    simulator = Simulator(raw(*code), base=SRAM)
    simulator.watch_writes(0, 0xFFFF_FFFF)
    for _ in range(3):
        simulator.run(20_000, address=SRAM + 8 + 2 * at)
    simulator.take_diagnostics()


@settings(max_examples=100)
@given(places=st.lists(st.tuples(st.integers(0, 60_000), st.integers(0, 255)), max_size=20))
def test_no_damaged_elf_file_does_harm(places: list[tuple[int, int]]) -> None:
    image = bytearray(example("spinlock").read_bytes())
    for at, byte in places:
        image[at % len(image)] = byte
    try:
        Simulator(bytes(image)).run(5000)
    except SimulatorError as error:
        assert str(error).startswith("the image: ")  # noqa: PT017


def test_numbers_out_of_range_are_refused_by_name(forever: Simulator) -> None:
    forever.run(1000)
    for words, call in [
        ("cycle 10 has passed.* 1000", lambda: forever.run_to(10)),
        ("cycle .* is out of range", lambda: forever.run_to(1 << 64)),
        ("cycles -1 is out of range", lambda: forever.run(-1)),
        ("text is empty", lambda: forever.run(text="")),
        ("there is no core 2", lambda: forever.run(address=0, core=2)),
        ("give 'address' as well", lambda: forever.run(core=0)),
        ("there is no uart 2", lambda: forever.run(text="x", uart=2)),
        ("address -1 is out of range", lambda: forever.run(address=-1)),
        ("there is no uart -1", lambda: forever.take_uart(-1)),
        ("there is no uart 7", lambda: forever.send(b"", uart=7)),
        ("flipped has 2 masks for 1 bytes", lambda: forever.send(b"x", flipped=[0, 0])),
        ("flipped 65536 is out of range", lambda: forever.send(b"x", flipped=[1 << 16])),
        ("not_before -1 is out of range", lambda: forever.send(b"x", not_before=-1)),
        ("there is no core 5", lambda: forever.registers(5)),
        ("there is no core 2", lambda: forever.statistics(2)),
        ("there is no core -1", lambda: forever.peek_register(0xD000_0000, core=-1)),
        ("is not a multiple of 4", lambda: forever.read_word(SRAM + 2)),
        ("is not a multiple of 4", lambda: forever.peek_register(0x4003_4001)),
        ("count -1 is out of range", lambda: forever.read(SRAM, -1)),
        ("4294967295 bytes at .* are not within memory", lambda: forever.read(SRAM, 0xFFFF_FFFF)),
        ("value 4294967296 is out of range", lambda: forever.write_word(SRAM, 1 << 32)),
        ("size 0 is out of range", lambda: forever.watch_reads(SRAM, 0)),
        ("clock 0 is out of range", lambda: Simulator(raw(*FOREVER), base=SRAM, clock=0)),
        ("base -1 is out of range", lambda: Simulator(raw(*FOREVER), base=-1)),
    ]:
        with pytest.raises(ValueError, match=words):
            call()
    assert forever.run(10).reason is Reason.LIMIT


def test_wrong_types_are_refused(forever: Simulator) -> None:
    for call in [
        lambda: forever.run(1.5),
        lambda: forever.run(address=b"x"),
        lambda: forever.write(SRAM, 5),
        lambda: forever.write(SRAM, "text"),
        lambda: forever.send("text"),
        lambda: forever.restore(None),
        lambda: Simulator(None),
        lambda: Simulator(5),
    ]:
        with pytest.raises(TypeError):
            call()


def test_a_symbol_that_is_not_there_is_told_with_those_like_it(both_cores: Simulator, forever: Simulator) -> None:
    with pytest.raises(SimulatorError, match="there is no symbol work_in_sram in the image: did you mean work_in_sram"):
        both_cores.run(address="work_in_sram")
    with pytest.raises(SimulatorError, match="check that it is an ELF image"):
        forever.watch_execution("main")


def test_a_simulator_that_runs_in_another_thread_says_so(forever: Simulator) -> None:
    started, enough, stops = threading.Event(), threading.Event(), []

    def run() -> None:
        started.set()
        while not enough.is_set():
            stops.append(forever.run(3_000_000))

    thread = threading.Thread(target=run)
    thread.start()
    started.wait()
    with pytest.raises(SimulatorError, match="running in another thread"):  # noqa: PT012 - it may be between two runs
        for _ in range(10_000):
            forever.state_hash()
            time.sleep(0.001)
    enough.set()
    thread.join()
    assert stops
