"""A chip's image: its UF2 file holds what its ELF file holds, to the byte, and is believed by whoever reads it."""

from __future__ import annotations

import struct
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from intercore.board.boards import PICO, PICO2_RISCV, STM32H745
from intercore.board.boot_drive import RP2040, RP2350_RISCV
from intercore.board.elf import sections
from intercore.board.image import Image
from intercore.board.image_files import write_image
from intercore.board.kernel import Kernel
from intercore.board.uf2 import BLOCK, PAYLOAD, pages, uf2, uf2_of
from intercore.errors import IntercoreError
from intercore.sim import Simulator
from tests.sim.firmware import example
from tests.sim.firmware import uf2 as uf2_by_hand

if TYPE_CHECKING:
    from collections.abc import Mapping

KERNEL = Kernel(Path("kernel"), "V11.2.0", "--kernel")
SRAM = 0x2000_0000
SRAM_SIZE = 0x42000

pieces = st.dictionaries(
    st.integers(0, SRAM_SIZE - 2000), st.binary(min_size=1, max_size=1500), min_size=1, max_size=4
).map(lambda found: {SRAM + offset: data for offset, data in apart(found).items()})


def apart(found: Mapping[int, bytes]) -> dict[int, bytes]:
    """Those that do not overlap one that comes before."""
    kept: dict[int, bytes] = {}
    end = 0
    for offset, data in sorted(found.items()):
        if offset >= end:
            kept[offset] = data
            end = offset + len(data)
    return kept


@settings(max_examples=60)
@given(pieces)
def test_what_goes_in_comes_out_of_the_simulators_own_loader(loaded: dict[int, bytes]) -> None:
    chip = Simulator(uf2(pages(loaded.items())))
    for address, data in loaded.items():
        assert chip.read(address, len(data)) == data


@given(pieces)
def test_every_block_is_as_specified(loaded: dict[int, bytes]) -> None:
    file = uf2(pages(loaded.items()))
    assert len(file) % BLOCK == 0
    blocks = [file[at : at + BLOCK] for at in range(0, len(file), BLOCK)]
    for number, block in enumerate(blocks):
        first, second, flags, address, size, index, count, family = struct.unpack_from("<8I", block)
        assert (first, second, struct.unpack_from("<I", block, 508)[0]) == (0x0A324655, 0x9E5D5157, 0x0AB16F30)
        assert (flags, size, index, count, family) == (0x2000, 256, number, len(blocks), RP2040)
        assert address % PAYLOAD == 0
        assert block[32 + PAYLOAD : 508] == bytes(476 - PAYLOAD)


def test_the_file_is_that_of_another_writer() -> None:
    image = bytes(range(256)) * 5 + b"end"
    assert uf2(pages([(SRAM, image)])) == uf2_by_hand(image, SRAM)


def test_two_segments_of_one_page_share_a_block() -> None:
    found = pages([(SRAM + 250, b"abc"), (SRAM + 253, b"defghi"), (SRAM + 600, b"x")])
    assert sorted(found) == [SRAM, SRAM + 256, SRAM + 512]
    assert found[SRAM] == bytes(250) + b"abcdef"
    assert found[SRAM + 256] == b"ghi" + bytes(253)


def test_two_things_for_one_address_are_an_error() -> None:
    with pytest.raises(ValueError, match="two segments of the program overlap at address 0x20000002"):
        pages([(SRAM, b"abc"), (SRAM + 2, b"d")])


def test_an_elf_file_and_its_uf2_file_run_alike(tmp_path: Path) -> None:
    elf = example("both_cores")
    file = tmp_path / "both_cores.uf2"
    file.write_bytes(uf2_of(elf))
    runs = [Simulator(elf), Simulator(file)]
    ends = [chip.run() for chip in runs]
    assert ends[0].reason is ends[1].reason
    assert ends[0].code == ends[1].code
    assert runs[0].take_uart() == runs[1].take_uart() != b""


def test_the_sections_are_those_that_take_memory() -> None:
    found = sections(example("both_cores"))
    assert found[0].address == SRAM
    assert all(SRAM <= part.address < SRAM + SRAM_SIZE and part.size for part in found)
    assert not any(part.name.startswith(".debug") for part in found)
    assert {part.name for part in found if part.stored} >= {".text"}


def test_what_is_no_elf_file_is_an_error(tmp_path: Path) -> None:
    file = tmp_path / "program"
    file.write_bytes(b"not a program")
    with pytest.raises(IntercoreError, match="is not a valid ELF file"):
        uf2_of(file)
    with pytest.raises(IntercoreError, match="No such file"):
        sections(tmp_path / "none")


def test_a_board_of_two_programs_gets_two_files_and_no_uf2_file(tmp_path: Path) -> None:
    programs = (example("both_cores"),) * 2
    image = Image(STM32H745, programs, {"opt": "O3", "m7_mhz": 240}, "gcc", KERNEL)
    files = write_image(image, tmp_path)
    name = "intercore-stm32h745-O3-m7-mhz-240"
    assert [elf.name for elf in files.elfs] == [f"{name}-core0.elf", f"{name}-core1.elf"]
    assert files.uf2 is None
    assert sorted(path.name for path in tmp_path.iterdir()) == [elf.name for elf in files.elfs]
    assert [sections(elf) for elf in files.elfs] == list(files.sections)


def test_both_files_are_written_to_a_folder_that_is_made(tmp_path: Path) -> None:
    elf = example("both_cores")
    image = Image(PICO, (elf,), {"opt": "Os"}, "gcc", KERNEL)
    write_image(image, tmp_path / "new" / "folder")
    files = write_image(image, tmp_path / "new" / "folder")  # which replaces the first
    assert files.uf2 is not None
    assert (files.elfs[0].name, files.uf2.name) == ("intercore-pico-Os.elf", "intercore-pico-Os.uf2")
    assert files.elfs[0].read_bytes() == elf.read_bytes()
    assert files.uf2.read_bytes() == uf2_of(elf)


def test_a_uf2_file_names_the_family_of_its_board(tmp_path: Path) -> None:
    for board, family in ((PICO, RP2040), (PICO2_RISCV, RP2350_RISCV)):
        files = write_image(Image(board, (example("both_cores"),), {"opt": "O2"}, "gcc", KERNEL), tmp_path)
        assert files.uf2 is not None
        data = files.uf2.read_bytes()
        assert {int.from_bytes(data[at + 28 : at + 32], "little") for at in range(0, len(data), BLOCK)} == {family}
