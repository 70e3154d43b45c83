"""Both images of the STM32H745: neither reaches into the other, and what they share is where both expect it."""

from __future__ import annotations

import functools
import os
import re
import struct
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import pytest
from elftools.elf.elffile import ELFFile

from tests.firmware.stm32h745.conftest import BOARD, FASTEST, SLOWEST, built, configure

if TYPE_CHECKING:
    from collections.abc import Iterator

# RM0399 2.3.2 and table 14: first byte, size. SRAM1 to SRAM3 are at both of their addresses.
MEMORIES = {
    "flash bank 1": (0x0800_0000, 0x10_0000),
    "flash bank 2": (0x0810_0000, 0x10_0000),
    "DTCM": (0x2000_0000, 0x2_0000),
    "AXI SRAM": (0x2400_0000, 0x8_0000),
    "SRAM1": (0x3000_0000, 0x2_0000),
    "SRAM2": (0x3002_0000, 0x2_0000),
    "SRAM4": (0x3800_0000, 0x1_0000),
}
CODE_BUS, SYSTEM_BUS, D2_BYTES = 0x1000_0000, 0x3000_0000, 0x4_8000
WINDOWS = {"d1": (0x2404_0000, 0x4_0000), "d2": (0x3002_0000, 0x2_0000), "d3": (0x3800_0000, 0x1_0000)}
"""What the MPU of the Cortex-M7 keeps out of its cache (test_memory.py)."""
SHARED = (".samples", ".shared", ".region_d1", ".region_d2", ".region_d3")

# ARMv7-M B1.5.2, and RM0399 20 (NVIC): 150 interrupts of each core.
EXCEPTIONS, INTERRUPTS = 16, 150
RESERVED = (7, 8, 9, 10, 13)
HANDLERS = {
    "board_entry": 1,
    "stm32h745_start_fault": (3, 4, 5, 6),
    "vPortSVCHandler": 11,
    "xPortPendSVHandler": 14,
    "stm32h745_board_tick": 15,
    "stm32h745_pin_interrupt": EXCEPTIONS + 40,
    "stm32h745_timer_interrupt": EXCEPTIONS + 50,
}
HANDLERS_OF = (
    {"stm32h745_uart_interrupt": EXCEPTIONS + 39, "stm32h745_amp_interrupt": EXCEPTIONS + 125},
    {"stm32h745_amp_interrupt": EXCEPTIONS + 126},
)

Images = tuple[Path, Path]


class Part(NamedTuple):
    """What takes up memory, or flash."""

    name: str
    first: int
    size: int


class Symbol(NamedTuple):
    """Of a variable or a function."""

    name: str
    address: int
    size: int


def one_address(address: int) -> int:
    """Return the address on the system bus of what has two."""
    return address - CODE_BUS + SYSTEM_BUS if CODE_BUS <= address < CODE_BUS + D2_BYTES else address


def sections(image: Path) -> dict[str, Part]:
    with image.open("rb") as file:
        return {
            section.name: Part(section.name, one_address(section["sh_addr"]), section["sh_size"])
            for section in ELFFile(file).iter_sections()
            if section["sh_flags"] & 2 and section["sh_size"]  # SHF_ALLOC
        }


def loaded(image: Path) -> list[Part]:
    """What is written into the flash."""
    with image.open("rb") as file:
        segments = list(ELFFile(file).iter_segments("PT_LOAD"))
        return [Part("flash", segment["p_paddr"], segment["p_filesz"]) for segment in segments if segment["p_filesz"]]


@functools.lru_cache(maxsize=2)
def symbols(image: Path) -> tuple[Symbol, ...]:
    with image.open("rb") as file:
        table = ELFFile(file).get_section_by_name(".symtab")
        found = (Symbol(entry.name, entry["st_value"], entry["st_size"]) for entry in table.iter_symbols())
        return tuple(symbol for symbol in found if symbol.name)


def contents(image: Path, section: str) -> bytes:
    with image.open("rb") as file:
        data: bytes = ELFFile(file).get_section_by_name(section).data()
        return data


def overlap(one: Part, other: Part) -> bool:
    return one.first < other.first + other.size and other.first < one.first + one.size


def address_of(image: Path, name: str) -> int:
    found = {symbol.address for symbol in symbols(image) if symbol.name == name}
    assert len(found) == 1, f"{name}: {found}"
    return found.pop()


# ---- everything that is checked of a pair of images ----


def check_memories(images: Images) -> None:
    for image in images:
        for part in [*sections(image).values(), *loaded(image)]:
            assert any(
                first <= part.first and part.first + part.size <= first + size for first, size in MEMORIES.values()
            ), f"{part} lies in no memory, or in two"


def check_apart(images: Images) -> None:
    own = [[part for part in sections(image).values() if part.name not in SHARED] + loaded(image) for image in images]
    common = [part for part in sections(images[0]).values() if part.name in SHARED]
    for part in own[0]:
        assert not [other for other in own[1] if overlap(part, other)]
    for part in [*own[0], *own[1]]:
        assert not [other for other in common if overlap(part, other)]
    banks = [MEMORIES["flash bank 1"], MEMORIES["flash bank 2"]]
    for image, (first, size) in zip(images, banks, strict=True):
        assert all(first <= part.first and part.first + part.size <= first + size for part in loaded(image))


def check_shared(images: Images, where: str) -> None:
    found = [{name: sections(image)[name] for name in SHARED} for image in images]
    assert found[0] == found[1]
    for name, domain in zip(SHARED, ("d1", where, "d1", "d2", "d3"), strict=True):
        first, size = WINDOWS[domain]
        part = found[0][name]
        assert first <= part.first <= first + size - part.size, f"{name} is not in the window of {domain}"
    for name in SHARED:
        part = found[0][name]
        inside = [
            sorted(symbol for symbol in symbols(image) if part.first <= symbol.address < part.first + part.size)
            for image in images
        ]
        variables = [[symbol for symbol in each if symbol.size] for each in inside]
        assert variables[0], f"there is something in {name}"
        assert variables[0] == variables[1], f"both images have the same in {name}, at the same addresses"


def entries(image: Path) -> list[str]:
    """Names of the functions that the other image can start, by their numbers."""
    first, end = (address_of(image, name) for name in ("port_amp_entries", "port_amp_entries_end"))
    inside = sorted((s.address, s.name) for s in symbols(image) if s.size and first <= s.address < end)
    assert [address for address, _ in inside] == list(range(first, end, 4))
    return [name for _, name in inside]


def check_entries(images: Images) -> None:
    assert entries(images[0]) == entries(images[1]) != []


def vectors(image: Path) -> list[int]:
    data = contents(image, ".vectors")
    return list(struct.unpack(f"<{len(data) // 4}I", data))


def check_vectors(image: Path, core: int) -> None:
    table = vectors(image)
    assert len(table) == EXCEPTIONS + INTERRUPTS
    where = address_of(image, "stm32h745_vectors")
    assert where == sections(image)[".vectors"].first == loaded(image)[0].first
    assert where % 1024 == 0, "ARMv7-M B3.2.5: a multiple of the table's size, rounded up to a power of two"
    top = address_of(image, "board_stack_top")
    assert table[0] == top
    stack = sections(image)[".stack"]
    assert one_address(top) == stack.first + stack.size
    assert top % 8 == 0
    expected = {number: address_of(image, "unexpected") | 1 for number in range(1, len(table))}
    expected |= dict.fromkeys(RESERVED, 0)
    for name, numbers in (HANDLERS | HANDLERS_OF[core]).items():
        for number in (numbers,) if isinstance(numbers, int) else numbers:
            expected[number] = address_of(image, name) | 1
    assert dict(enumerate(table[1:], start=1)) == expected


def check_exclusive(image: Path) -> None:
    """No atomic read-modify-write: exclusive accesses do not reach the other core (stm32h745_mpu_table.h)."""
    code = subprocess.run(
        ["arm-none-eabi-objdump", "-d", "--no-show-raw-insn", image], capture_output=True, text=True, check=True
    ).stdout
    assert len(code) > 100_000
    assert not re.findall(r"^.*\b(?:ldrex|strex)\w*\b.*$", code, re.MULTILINE)


def check_all(images: Images, where: str) -> None:
    check_memories(images)
    check_apart(images)
    check_shared(images, where)
    check_entries(images)
    for core, image in enumerate(images):
        check_vectors(image, core)
        check_exclusive(image)


# ---- the tests ----


def test_every_section_lies_in_one_memory(images: Images) -> None:
    check_memories(images)


def test_no_image_reaches_into_the_other_or_into_what_they_share(images: Images) -> None:
    check_apart(images)


def test_what_they_share_is_the_same_in_both_and_in_windows_that_no_cache_keeps(images: Images) -> None:
    check_shared(images, SLOWEST["shared"])


def test_both_know_the_functions_that_one_starts_in_the_other_by_the_same_numbers(images: Images) -> None:
    check_entries(images)


@pytest.mark.parametrize("core", [0, 1])
def test_the_vector_table_has_150_interrupts_each_where_the_manual_has_it(images: Images, core: int) -> None:
    check_vectors(images[core], core)


@pytest.mark.parametrize("core", [0, 1])
def test_nothing_relies_on_exclusive_accesses(images: Images, core: int) -> None:
    check_exclusive(images[core])


@pytest.mark.parametrize(("core", "unit"), [(0, "FPv5/FP-D16 for ARMv8"), (1, "VFPv4-D16")])
def test_each_image_is_for_its_core_s_floating_point_unit(images: Images, core: int, unit: str) -> None:
    shown = subprocess.run(
        ["arm-none-eabi-readelf", "-A", images[core]], capture_output=True, text=True, check=True
    ).stdout
    assert "Tag_CPU_arch: v7E-M" in shown
    assert f"Tag_FP_arch: {unit}" in shown
    assert "Tag_ABI_VFP_args: VFP registers" in shown
    assert ("Tag_ABI_HardFP_use: SP only" in shown) is (core == 1), "the Cortex-M4 has no double precision"


def memory_of_scripts() -> Iterator[tuple[str, int, int]]:
    units = {"K": 1024, "M": 1024 * 1024}
    for name, first, length, unit in re.findall(
        r"^\s*(\w+)\s*\(\w+\)\s*: ORIGIN = (0x[0-9a-f]+), LENGTH = (\d+)([KM])",
        (BOARD / "memory" / "memory.ld").read_text(),
        re.M,
    ):
        yield name, int(first, 16), int(length) * units[unit]


def test_the_linker_s_memories_are_those_of_the_manual_and_do_not_overlap() -> None:
    parts = [Part(name, one_address(first), size) for name, first, size in memory_of_scripts()]
    assert len(parts) == 11
    for number, part in enumerate(parts):
        assert any(first <= part.first and part.first + part.size <= first + size for first, size in MEMORIES.values())
        assert not [other for other in parts[:number] if overlap(part, other)], part


def test_a_build_for_clocks_that_cannot_be_had_is_refused(tmp_path: Path) -> None:
    done = configure(tmp_path, IC_M7_MHZ="480", IC_M4_MHZ="240")
    assert done.returncode != 0
    assert "VOS0" in done.stderr


def test_a_factor_that_has_no_such_level_is_refused(tmp_path: Path) -> None:
    done = configure(tmp_path, IC_SHARED="d4")
    assert done.returncode != 0
    assert "IC_SHARED is d1 or d2 or d3, and not d4." in " ".join(done.stderr.split())


NOW_AND_THEN = (
    {"IC_OPT": "O0"},
    {"IC_OPT": "O3", "IC_SHARED": "d1"},
    {"IC_OPT": "Ofast", "IC_SHARED": "d1"},
    {"IC_OPT": "Os", "IC_SHARED": "d3", "IC_ICACHE": "off", "IC_DCACHE": "off"},
)


def test_at_the_highest_clocks_both_images_are_clean_and_apart(fastest_images: Images) -> None:
    check_all(fastest_images, FASTEST["shared"])


@pytest.mark.skipif("INTERCORE_SLOW" not in os.environ, reason="builds two images: INTERCORE_SLOW=1 runs it")
@pytest.mark.parametrize("variables", NOW_AND_THEN, ids=lambda variables: "-".join(variables.values()))
def test_at_every_level_of_optimisation_both_images_are_clean_and_apart(
    tmp_path: Path, variables: dict[str, str]
) -> None:
    check_all(built(tmp_path, **variables), variables.get("IC_SHARED", "d2"))


@pytest.mark.skipif("INTERCORE_SLOW" not in os.environ, reason="builds two images: INTERCORE_SLOW=1 runs it")
def test_both_images_hold_a_work_of_a_users_own_and_one_table_for_both(tmp_path: Path) -> None:
    crc = Path(__file__).parents[3] / "examples" / "workloads" / "crc.c"
    tables = set()
    for image in built(tmp_path, IC_OPT="O0", IC_OWN="crc", IC_OWN_FILES=str(crc)):
        with image.open("rb") as file:
            section = ELFFile(file).get_section_by_name(".symtab")
            symbols = {symbol.name: symbol["st_value"] for symbol in section.iter_symbols()}
        assert {"crc", "intercore_workload_crc", "intercore_expected"} <= symbols.keys()
        tables.add(symbols["table"])
    assert len(tables) == 1
