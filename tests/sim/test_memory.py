"""Memory, registers and names can be looked at without being disturbed, and memory can be written."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

import pytest

from intercore.sim import CoreState, Simulator
from tests.sim.firmware import CODE, EXIT_42, FOREVER, SRAM, example, raw, uf2

if TYPE_CHECKING:
    from pathlib import Path

UART0_CR = 0x4003_4030
SIO_CPUID = 0xD000_0000


def test_an_image_is_in_memory_byte_for_byte(forever: Simulator) -> None:
    assert forever.read(SRAM, 10) == raw(*FOREVER)
    assert forever.read_word(SRAM) == 0x2004_0000
    assert forever.read(SRAM + 8, 2) == struct.pack("<H", FOREVER[0])


def test_the_same_firmware_runs_from_a_path_from_bytes_and_as_uf2() -> None:
    image = raw(*EXIT_42)
    path = example("fifo_polled")
    assert Simulator(uf2(image, SRAM)).run().code == Simulator(image, base=SRAM).run().code == 42
    assert Simulator(path).run() == Simulator(str(path)).run() == Simulator(path.read_bytes()).run()


def test_rom_flash_and_sram_can_be_written_and_read_back(forever: Simulator) -> None:
    for address in (0x100, 0x1000_0000, 0x10FF_FFFD, 0x1500_0001, 0x2000_1001, 0x2003_FFFE, 0x2004_1FFD):
        forever.write(address, b"abc")
        assert forever.read(address, 3) == b"abc"
    forever.write_word(0x2000_2000, 0xFFFF_FFFF)
    assert forever.read_word(0x2000_2000) == 0xFFFF_FFFF
    assert forever.read(0x2000_2000, 0) == b""


def test_flash_that_holds_nothing_is_erased(forever: Simulator) -> None:
    assert forever.read(0x1080_0000, 4) == b"\xff" * 4


@pytest.mark.parametrize("address", [0x3FFE, 0x2004_1FFE, 0x3000_0000, 0x4000_0000, 0xD000_0000, 0xFFFF_FFFE])
def test_an_access_beyond_memory_is_refused_as_a_whole(forever: Simulator, address: int) -> None:
    before = forever.state_hash()
    with pytest.raises(ValueError, match=r"4 bytes at 0x[0-9a-f]{8} are not within memory"):
        forever.read(address, 4)
    with pytest.raises(ValueError, match="not within memory"):
        forever.write(address, b"\1\2\3\4")
    assert forever.state_hash() == before


def test_code_that_is_written_is_executed(forever: Simulator) -> None:
    forever.run(10_000)
    forever.write(CODE + 2, struct.pack("<H", FOREVER[0]))
    forever.write(CODE, struct.pack("<H", 0xBF00))  # NOP, into the loop
    forever.run(100)
    assert forever.registers(0).pc == CODE + 2


def test_registers_of_a_core_are_named() -> None:
    # MOVS r0, #1; MOVS r7, #7; MOV r12, r7; CMP r0, r0 (Z, C); B .
    simulator = Simulator(raw(0x2001, 0x2707, 0x46BC, 0x4280, *FOREVER), base=SRAM)
    simulator.run(10_000)
    registers = simulator.registers(0)
    assert (registers.r[0], registers.r[7], registers.r[12], len(registers.r)) == (1, 7, 7, 13)
    assert registers.sp == registers.msp == 0x2004_0000
    assert registers.pc == CODE + 8
    assert registers.xpsr >> 28 == 0b0110
    assert (registers.psp, registers.primask, registers.control, registers.state) == (0, False, 0, CoreState.RUNNING)
    assert simulator.registers(1).state is CoreState.ASLEEP


def test_a_core_that_is_stuck_is_said_to_be() -> None:
    simulator = Simulator(raw(*FOREVER), base=SRAM)
    simulator.set_faults(["stuck:core=0@2000"])
    simulator.run(1500)
    assert simulator.registers(0).state is CoreState.RUNNING
    simulator.run(1000)
    assert simulator.registers(0).state is CoreState.STUCK


def test_registers_of_peripherals_are_seen_as_a_core_sees_them(echo: Simulator) -> None:
    echo.run(text="ready\n")
    assert echo.peek_register(UART0_CR) == 0x301
    assert [echo.peek_register(SIO_CPUID, core=core) for core in (0, 1)] == [0, 1]


@pytest.mark.parametrize("address", [0x3000_0000, 0x4007_0000, SRAM, 0xE000_E010])
def test_a_register_that_is_not_there_is_refused(echo: Simulator, address: int) -> None:
    with pytest.raises(ValueError, match=f"no register at {address:#010x}"):
        echo.peek_register(address)


def test_symbols_have_addresses_and_sizes(both_cores: Simulator) -> None:
    work = both_cores.symbols["work_in_sram4"]
    assert work.is_function
    assert work.address == 0x2004_0000
    assert both_cores.address("work_in_sram5") == 0x2004_1000
    assert both_cores.symbols["handlers"].size == 48 * 4
    assert both_cores.function_at(0x2004_0006) == ("work_in_sram4", 6)
    assert both_cores.function_at(0) is None
    assert both_cores.read("work_in_sram4", 4) == both_cores.read(work.address, 4)


def test_a_raw_image_has_no_symbols(forever: Simulator) -> None:
    assert dict(forever.symbols) == {}


def test_a_boot_rom_of_ones_own_is_used(forever: Simulator, tmp_path: Path) -> None:
    rom = bytearray(forever.read(0, 16384))
    rom[0x1000:0x1004] = b"mine"
    (tmp_path / "rom").write_bytes(rom)
    own = Simulator(raw(*EXIT_42), base=SRAM, bootrom=tmp_path / "rom")
    assert own.read(0x1000, 4) == b"mine"
    assert own.run().code == 42
