"""Memory protection of the Cortex-M7, the two timers that are one clock, and the hardware semaphores.

The table of the MPU is read here as the MPU reads it (ARMv7-M Architecture Reference Manual, B3.5).
"""

from __future__ import annotations

import ctypes
import subprocess
from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.firmware.stm32h745.conftest import BOARD, INCLUDES, WARNINGS, need_tools

ENTRIES = 7
AHEAD = 0x8000_0000
COARSE = 1 << 24
MARGIN = 0x7800_0000

# RM0399 2.3.2: what is where. Each both first and last byte.
EXTERNAL = (0x6000_0000, 0xDFFF_FFFF)
FLASH = (0x0800_0000, 0x081D_FFFF)
STORAGE = (0x081E_0000, 0x081F_FFFF)
"""The sector that benchmarks write."""
AXI_SRAM = (0x2400_0000, 0x2407_FFFF)
SRAM1 = (0x3000_0000, 0x3001_FFFF)
SRAM2 = (0x3002_0000, 0x3003_FFFF)
SRAM4 = (0x3800_0000, 0x3800_FFFF)
PERIPHERALS = (0x4000_0000, 0x5FFF_FFFF)
SYSTEM = (0xE000_0000, 0xFFFF_FFFF)
WINDOW_D1 = (0x2404_0000, 0x2407_FFFF)


class Entry(ctypes.Structure):
    """`struct stm32h745_mpu_entry`."""

    _fields_ = (("rbar", ctypes.c_uint32), ("rasr", ctypes.c_uint32))


class Attributes(NamedTuple):
    """What MPU_RASR says of a region (ARMv7-M B3.5.9 and table B3-13)."""

    tex: int
    c: int
    b: int
    s: int
    ap: int
    xn: int


NON_CACHEABLE = (1, 0, 0)
WRITE_BACK = (1, 1, 1)
WRITE_THROUGH = (0, 1, 0)
READ_WRITE, READ_ONLY, NO_ACCESS = 3, 6, 0


@pytest.fixture(scope="session")
def table(logic: ctypes.CDLL) -> list[Entry]:
    entries = (Entry * ENTRIES)()
    logic.stm32h745_mpu_table_make(entries)
    return list(entries)


def span(entry: Entry) -> tuple[int, int]:
    return entry.rbar & ~0x1F, 1 << ((entry.rasr >> 1 & 0x1F) + 1)


def covers(entry: Entry, address: int) -> bool:
    base, size = span(entry)
    part = (address - base) // (size // 8)
    return bool(entry.rasr & 1) and base <= address < base + size and not entry.rasr >> 8 >> part & 1


def attributes(table: list[Entry], address: int) -> Attributes | None:
    """What holds for an address: the region of the highest number; None: the default map."""
    found = [entry for entry in table if covers(entry, address)]
    if not found:
        return None
    rasr = max(found, key=lambda entry: entry.rbar & 0xF).rasr
    return Attributes(rasr >> 19 & 7, rasr >> 17 & 1, rasr >> 16 & 1, rasr >> 18 & 1, rasr >> 24 & 7, rasr >> 28 & 1)


def points(first: int, last: int) -> list[int]:
    return [first, first + 4, (first + last) // 2, last - 3, last]


def test_every_entry_is_one_that_the_unit_takes(table: list[Entry]) -> None:
    for number, entry in enumerate(table):
        base, size = span(entry)
        assert entry.rbar & 0x1F == 0x10 | number, "VALID, and the number"
        assert base % size == 0
        assert entry.rasr & 1, "enabled"
        assert entry.rasr & ~0x173F_FF3F == 0, "no reserved bit"


@pytest.mark.parametrize("window", [WINDOW_D1, SRAM2, SRAM4, STORAGE])
def test_what_both_cores_use_is_normal_memory_that_is_not_cached_nor_shareable(
    table: list[Entry], window: tuple[int, int]
) -> None:
    for address in points(*window):
        found = attributes(table, address)
        assert found is not None
        assert found[:3] == NON_CACHEABLE
        assert found.s == 0, "else exclusive accesses would go out to a bus that does not monitor them"
        assert (found.ap, found.xn) == (READ_WRITE, 1)


def test_what_is_the_core_s_own_is_cached_up_to_the_window(table: list[Entry]) -> None:
    for address in points(AXI_SRAM[0], WINDOW_D1[0] - 1):
        found = attributes(table, address)
        assert found is not None
        assert found[:3] == WRITE_BACK
        assert found.ap == READ_WRITE


def test_the_flash_can_be_read_and_run_but_not_written(table: list[Entry]) -> None:
    for address in points(*FLASH):
        found = attributes(table, address)
        assert found is not None
        assert found[:3] == WRITE_THROUGH
        assert (found.ap, found.xn) == (READ_ONLY, 0)


def test_the_core_never_reads_ahead_where_there_is_no_memory(table: list[Entry]) -> None:
    for address in points(*EXTERNAL):
        found = attributes(table, address)
        assert found is not None
        assert (found.ap, found.xn) == (NO_ACCESS, 1)


@pytest.mark.parametrize("area", [(0, 0xFFFF), (0x2000_0000, 0x2001_FFFF), SRAM1, PERIPHERALS, SYSTEM])
def test_all_else_is_as_in_the_default_map(table: list[Entry], area: tuple[int, int]) -> None:
    assert all(attributes(table, address) is None for address in points(*area))


def make(logic: ctypes.CDLL, number: int, base: int, log2_bytes: int, off: int) -> Entry | None:
    logic.stm32h745_mpu_entry_make.restype = ctypes.c_bool
    entry = Entry()
    made = logic.stm32h745_mpu_entry_make(number, ctypes.c_uint32(base), log2_bytes, off, 2, ctypes.byref(entry))
    return entry if made else None


@given(st.integers(0, 20), st.integers(0, 40), st.integers(0, 2**32 - 1), st.integers(0, 300))
def test_an_entry_is_made_exactly_where_the_architecture_allows_it(
    logic: ctypes.CDLL, number: int, log2_bytes: int, base: int, off: int
) -> None:
    if 5 <= log2_bytes <= 32 and base % 3:
        base = base >> log2_bytes << log2_bytes  # else hardly one would be aligned
    entry = make(logic, number, base, log2_bytes, off)
    possible = number < 16 and 5 <= log2_bytes <= 32 and base % (1 << log2_bytes) == 0 and off < 256
    assert (entry is not None) is (possible and (off == 0 or log2_bytes >= 8))
    if entry is not None:
        assert span(entry) == (base, 1 << log2_bytes)
        assert entry.rasr >> 8 & 0xFF == off


# ---- the common clock ----


def extend(logic: ctypes.CDLL, coarse: int, fine: int) -> int:
    logic.extend.restype = ctypes.c_uint64
    return int(logic.extend(ctypes.c_uint32(coarse), ctypes.c_uint32(fine)))


def counters(cycle: int, first: int, lag: int) -> tuple[int, int]:
    """TIM2 and TIM5 after `cycle` cycles; TIM3 began `first` before an overflow, and TIM2 hears of it `lag` later."""
    overflows = (cycle - lag - first) // COARSE + 1 if cycle - lag >= first else 0
    return overflows, (AHEAD + cycle) % 2**32


moments = st.one_of(
    st.integers(0, 2**55),
    st.builds(
        lambda turns, unit, off: max(0, turns * unit + off),
        st.integers(0, 2**22),
        st.sampled_from([2**31, 2**32, COARSE]),
        st.integers(-200_000, 200_000),
    ),
)


@given(moments, st.integers(0, MARGIN), st.integers(0, 64))
def test_the_clock_is_right_however_long_the_way_from_one_timer_to_the_other_takes(
    logic: ctypes.CDLL, cycle: int, apart: int, lag: int
) -> None:
    first = 2 * 65536
    coarse, _ = counters(cycle, first, lag)
    _, fine = counters(cycle + apart, first, lag)
    assert extend(logic, coarse, fine) == AHEAD + cycle + apart


@given(moments, st.integers(0, 2**20), st.integers(0, 2**20), st.integers(0, 2**20))
def test_the_clock_never_steps_back_not_even_from_core_to_core(
    logic: ctypes.CDLL, cycle: int, own: int, between: int, other: int
) -> None:
    first, lag = 2 * 65536, 3
    coarse, _ = counters(cycle, first, lag)
    before = extend(logic, coarse, counters(cycle + own, first, lag)[1])
    later = cycle + own + between
    coarse, _ = counters(max(0, later - other), first, lag)  # the other core read TIM2 before the first one read TIM5
    assert extend(logic, coarse, counters(later, first, lag)[1]) == before + between


@given(st.integers(0, 2**63), st.integers(0, 2**32 - 1))
def test_a_counter_of_32_bits_goes_on_from_what_was_noted(logic: ctypes.CDLL, before: int, passed: int) -> None:
    logic.extend_since.restype = ctypes.c_uint64
    counter = (before + passed) % 2**32
    assert logic.extend_since(ctypes.c_uint64(before), ctypes.c_uint32(counter)) == before + passed


# ---- hardware semaphores ----


def test_each_semaphore_has_one_purpose(logic: ctypes.CDLL) -> None:
    logic.semaphore.restype = ctypes.c_uint32
    numbers = []
    while (number := logic.semaphore(len(numbers))) != 2**32 - 1:
        numbers.append(number)
    assert len(numbers) == 16
    assert len(set(numbers)) == len(numbers)
    assert all(number < 32 for number in numbers), "RM0399 11.2: 32 semaphores"


# ---- the code that sets the unit up, on a chip that QEMU has ----


def test_the_unit_of_a_cortex_m7_takes_the_table_and_forbids_what_it_says(tmp_path: Path) -> None:
    need_tools("arm-none-eabi-gcc", "qemu-system-arm")
    here = Path(__file__).parent
    program = tmp_path / "mpu"
    cpu = ["-mcpu=cortex-m7", "-mthumb", "-std=c11", "-Os", "-ffreestanding", "-nostdlib", "-Werror", *WARNINGS]
    factors = ["-DIC_CORE=0", "-DIC_DCACHE=1", "-DIC_ICACHE=1", *INCLUDES]
    sources = [here / "qemu_mpu.c", *(BOARD / "memory" / name for name in ("stm32h745_mpu.c", "stm32h745_mpu_table.c"))]
    linked = ["-T", here / "qemu_mpu.ld", "-lgcc", "-o", program]
    subprocess.run(["arm-none-eabi-gcc", *cpu, *factors, *sources, *linked], check=True)
    machine = ["-M", "mps2-an500", "-nographic", "-monitor", "none", "-serial", "none"]
    semihosting = ["-semihosting-config", "enable=on,target=native"]
    done = subprocess.run(["qemu-system-arm", *machine, *semihosting, "-kernel", program], timeout=60, check=False)
    assert done.returncode == 0
