"""The workloads, as each compiler makes them at each optimisation level, against implementations in Python.

Where somebody else has one it is theirs: the coefficients of the filter are SciPy's, its outputs and the matrix product
numpy's, the cipher OpenSSL's.
"""

from __future__ import annotations

import ctypes
import math
import platform
import re
import struct
import subprocess
import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pytest
import scipy
from cryptography.hazmat.primitives.ciphers import Cipher
from cryptography.hazmat.primitives.ciphers.algorithms import AES
from cryptography.hazmat.primitives.ciphers.modes import CTR
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from . import layout

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

NAMES = ("fp", "integer", "hanoi", "memory", "double", "flash", "fir", "dense", "aes", "records")
LINE_BYTES = 64
LINES = 61
"""Lines in the memory region of test_port.c."""
FLASH_WORDS = 256
"""The largest power of two of words in the region of test_port.c that can only be read, and in the other one."""
READS = 16
"""Words that a unit of `flash` reads."""
STEP = 0x9E3779B1
U32 = 2**32
PERIODS = {"memory": LINES, "flash": FLASH_WORDS // READS, "fir": 256, "dense": 256, "aes": 4, "records": 32}
"""Units after which those that do not simply repeat one unit begin again."""

units = st.integers(0, U32 - 1)
counts = st.one_of(st.integers(0, 2 * LINES + 3), st.integers(0, 3000))


class Build(NamedTuple):
    """The workloads of one compiler at one level."""

    compiler: str
    opt: str
    objects: Path
    library: ctypes.CDLL

    def workload(self, name: str) -> layout.Workload:
        pointers = (ctypes.POINTER(layout.Workload) * len(NAMES)).in_dll(self.library, "ic_workloads")
        names = (ctypes.c_char_p * len(NAMES)).in_dll(self.library, "ic_workload_names")
        workload: layout.Workload = pointers[list(names).index(name.encode())].contents
        ctypes.c_uint32.in_dll(self.library, "given_flash").value = 1
        if workload.prepare:
            workload.prepare()
        return workload

    def memory(self) -> np.ndarray[tuple[int], np.dtype[np.uint32]]:
        """Return the words of the memory region: the region itself, not a copy."""
        return np.frombuffer(
            (ctypes.c_uint32 * (LINES * LINE_BYTES // 4)).in_dll(self.library, "seen_memory"), np.uint32
        )

    def flash(self) -> np.ndarray[tuple[int], np.dtype[np.uintp]]:
        """Return the words of the region that can only be read: the region itself, not a copy."""
        return np.frombuffer((ctypes.c_size_t * FLASH_WORDS).in_dll(self.library, "seen_flash"), np.uintp)


@pytest.fixture(scope="session")
def build(workload_build: tuple[str, str, Path, ctypes.CDLL]) -> Build:
    made = Build(*workload_build)
    assert layout.matches(made.library)
    return made


# ---- second implementations ----


def fp(_first: int, count: int) -> int:
    x, factor, divisor = np.float32(float.fromhex("0x1.03380cp+3")), np.float32(3.7), np.float32(1.3)
    checksum = 0
    for _ in range(count):
        x = np.float32(np.float32(np.sqrt(x)) * factor) / divisor
        checksum += int(x.view(np.uint32))
    return checksum % U32


def integer(_first: int, count: int) -> int:
    x = 1
    for _ in range(count):
        x = (x * 1664525 + 1013904223) % U32
    return x


def solve_hanoi(discs: int) -> int:
    """Move real discs, insist on legal moves, and return the sum of the discs moved and of those that arrived."""
    pegs: list[list[int]] = [list(range(discs, 0, -1)), [], []]
    total = 0

    def move(count: int, source: int, spare: int, target: int) -> None:
        nonlocal total
        if count > 0:
            move(count - 1, source, target, spare)
            disc = pegs[source].pop()
            assert not pegs[target] or pegs[target][-1] > disc
            pegs[target].append(disc)
            total += disc
            move(count - 1, spare, source, target)

    move(discs, 0, 1, 2)
    assert pegs == [[], [], list(range(discs, 0, -1))]
    return total + len(pegs[2])


def hanoi(_first: int, count: int) -> int:
    return count * solve_hanoi(3) % U32


def memory(first: int, count: int) -> int:
    words = np.arange(LINES * LINE_BYTES // 4, dtype=np.uint32).reshape(LINES, -1)
    lines = (np.arange(count, dtype=np.uint64) + np.uint64(first)) % np.uint64(LINES)
    return int(words[lines].sum(dtype=np.uint64)) % U32


def halves(x: float) -> int:
    """Return the sum of the two halves of a double's bits."""
    return sum(struct.unpack("<2I", struct.pack("<d", x)))


def double(_first: int, count: int) -> int:
    x = float.fromhex("0x1.03380c1e4bbd6p+3")
    checksum = 0
    for _ in range(count):
        x = math.sqrt(x) * 3.7 / 1.3
        checksum += halves(x)
    return checksum % U32


def places(first: int, count: int, size: int = FLASH_WORDS) -> np.ndarray[tuple[int], np.dtype[np.uint64]]:
    """Return which words of a table of `size` the units read, in order."""
    k = (np.arange(count * READS, dtype=np.uint64) + np.uint64(first * READS)) % np.uint64(size)
    k = k * np.uint64(STEP) % np.uint64(size)
    k ^= k >> np.uint64(5)
    k = k * np.uint64(0x85EBCA6B) % np.uint64(size)
    return k ^ k >> np.uint64(6)


def flash(first: int, count: int) -> int:
    return int((places(first, count) * np.uint64(STEP) % np.uint64(U32)).sum()) % U32


def noise(count: int, bits: int) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """Return the first fractions of the golden ratio's multiples, each of so many bits."""
    return np.arange(count, dtype=np.int64) * STEP % U32 >> 32 - bits


def fir(first: int, count: int) -> int:
    taps = np.round(scipy.signal.firwin(32, 0.25) * 2**15).astype(np.int64)
    numbers = (np.arange(count + len(taps) - 1) + (first - len(taps) + 1)) % 256
    return int(np.convolve(noise(256, 12)[numbers], taps, "valid").sum()) % U32 if count else 0


def dense(first: int, count: int) -> int:
    weights, inputs = (noise(1024, 8) - 128).reshape(2, 16, 32)
    elements = (weights @ inputs.T + 2**19).ravel()
    return int(elements[(np.arange(count, dtype=np.uint64) + np.uint64(first)) % np.uint64(256)].sum()) % U32


def aes(first: int, count: int) -> int:
    """NIST SP 800-38A, F.5.1: what OpenSSL makes of the standard's plain text."""
    counter = bytes(range(0xF0, 0x100))
    encryptor = Cipher(AES(bytes.fromhex("2b7e151628aed2a6abf7158809cf4f3c")), CTR(counter)).encryptor()
    words = struct.unpack(
        ">16I",
        encryptor.update(
            bytes.fromhex(
                "6bc1bee22e409f96e93d7e117393172a"
                "ae2d8a571e03ac9c9eb76fac45af8e51"
                "30c81c46a35ce411e5fbc1191a0a52ef"
                "f69f2445df4f9b17ad2b417be66c3710"
            )
        ),
    )
    blocks = [sum(words[4 * block : 4 * block + 4]) for block in range(4)]
    return sum(blocks[(first + unit) % 4] for unit in range(count)) % U32


@dataclass
class Record:
    kind: int
    number: int
    text: str


def moved(number: int) -> int:
    """Copy a record whose text changes where its number is odd, and decide what follows from both."""
    first = Record(number % 5, number, "a record that both cores copy.")
    second = replace(first)
    if number % 2:
        at = number % len(first.text)
        second.text = first.text[:at] + "~" + first.text[at + 1 :]
    differs = first.text != second.text
    second.kind = {0: 1, 1: 3 if differs else 2, 2: 0, 3: 4, 4: 2}[second.kind]
    first.number += 3 * number // (second.kind + 2)
    return first.number + (second.kind << 8) + (differs << 16)


def records(first: int, count: int) -> int:
    return sum(moved((first + unit) % U32 % 32) for unit in range(count)) % U32


MODELS: dict[str, Callable[[int, int], int]] = {
    "fp": fp,
    "integer": integer,
    "hanoi": hanoi,
    "memory": memory,
    "double": double,
    "flash": flash,
    "fir": fir,
    "dense": dense,
    "aes": aes,
    "records": records,
}

over_builds = settings(
    max_examples=20, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
"""Few examples each: there are a dozen builds."""


# ---- the work is what it says ----


@over_builds
@pytest.mark.parametrize("name", NAMES)
@given(first=units, count=counts)
@example(first=LINES - 1, count=2)
@example(first=U32 - 1, count=3 * LINES)
@example(first=0, count=0)
def test_the_work_and_its_expected_checksum_agree_with_python(build: Build, name: str, first: int, count: int) -> None:
    workload, right = build.workload(name), MODELS[name](first, count)
    assert workload.work(first, count) == right
    assert workload.expected(first, count) == right


@over_builds
@pytest.mark.parametrize("name", [name for name in NAMES if name != "integer"])
@given(first=st.integers(0, U32 // 2), count=counts, where=st.floats(0, 1))
def test_parts_add_up_to_the_whole(build: Build, name: str, first: int, count: int, where: float) -> None:
    cut = int(count * where)
    work = build.workload(name).work
    assert (work(first, cut) + work(first + cut, count - cut)) % U32 == work(first, count)


@over_builds
@pytest.mark.parametrize("name", PERIODS)
@given(first=units, count=units)
def test_any_amount_of_work_is_known_in_advance(build: Build, name: str, first: int, count: int) -> None:
    rounds, rest = divmod(count, PERIODS[name])
    right = (rounds * MODELS[name](0, PERIODS[name]) + MODELS[name](first % PERIODS[name], rest)) % U32
    assert build.workload(name).expected(first, count) == right


@over_builds
@given(count=units)
def test_any_number_of_integer_steps_is_jumped(build: Build, count: int) -> None:
    """By the closed form of a geometric series instead of by squaring."""
    a, c = 1664525, 1013904223
    power = pow(a, count, U32 * (a - 1))
    right = (power + c * ((power - 1) // (a - 1))) % U32
    assert build.workload("integer").expected(0, count) == right


@over_builds
@given(first=units, count=counts)
def test_without_flash_the_table_is_in_memory(build: Build, first: int, count: int) -> None:
    workload = build.workload("flash")
    ctypes.c_uint32.in_dll(build.library, "given_flash").value = 0
    build.memory()[:] = 0
    workload.prepare()
    assert build.memory().any()
    assert workload.work(first, count) == workload.expected(first, count) == flash(first, count)


@pytest.mark.parametrize("size", [2**11, 2**14, 2**15])
def test_flash_is_read_in_an_order_without_a_stride(size: int) -> None:
    """Every word of a round once; what lies how far behind the one before is never told by what came before that."""
    order = places(0, size // READS, size).astype(np.int64)
    assert sorted(order) == list(range(size))
    strides = np.diff(order)
    assert np.unique(strides, return_counts=True)[1].max() < 0.02 * size
    assert (np.diff(strides) == 0).mean() < 0.02
    assert (np.abs(strides) <= 64 // 4).mean() < 0.02, "hardly ever in one line of any cache"


@pytest.mark.parametrize("discs", range(13))
def test_towers_of_any_height_arrive(build: Build, discs: int) -> None:
    build.library.ic_hanoi_tower.restype = build.library.ic_hanoi_expected.restype = ctypes.c_uint32
    assert build.library.ic_hanoi_tower(discs) == build.library.ic_hanoi_expected(discs) == solve_hanoi(discs)


@pytest.mark.parametrize("discs", range(13))
def test_a_tower_in_parts_is_the_same_tower_and_tells_of_each_part(build: Build, discs: int) -> None:
    """Each part is a tower of six discs, or all of a smaller one."""
    told: list[int] = []
    done = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(told.append)
    solve = build.library.ic_hanoi_tower_in_parts
    solve.restype, solve.argtypes = ctypes.c_uint32, [ctypes.c_uint32, type(done), ctypes.c_void_p]
    assert solve(discs, done, 4711) == solve_hanoi(discs)
    assert told == [4711] * max(2 ** (discs - 6), 1)


def test_the_checksum_of_the_tallest_tower_fits(build: Build) -> None:
    build.library.ic_hanoi_expected.restype = ctypes.c_uint32
    assert build.library.ic_hanoi_expected(31) == 2**32 - 2


# ---- the check can fail ----


@over_builds
@pytest.mark.parametrize("name", NAMES)
@given(first=units, count=st.integers(0, 1000), missing=st.integers(1, 40))
def test_work_left_out_is_noticed(build: Build, name: str, first: int, count: int, missing: int) -> None:
    workload = build.workload(name)
    assert workload.work(first, count) != workload.expected(first, count + missing)


@over_builds
@given(word=st.integers(0, LINES * 16 - 1), bit=st.integers(0, 31), first=units)
def test_one_wrong_bit_in_memory_is_noticed(build: Build, word: int, bit: int, first: int) -> None:
    workload, words = build.workload("memory"), build.memory()
    words[word] ^= np.uint32(1 << bit)
    try:
        assert workload.work(first, LINES) != workload.expected(first, LINES)
    finally:
        words[word] ^= np.uint32(1 << bit)
    assert workload.work(first, LINES) == workload.expected(first, LINES)


@over_builds
@given(word=st.integers(0, FLASH_WORDS - 1), bit=st.integers(0, 31), first=units)
def test_one_wrong_bit_in_flash_is_noticed(build: Build, word: int, bit: int, first: int) -> None:
    workload, words, units_of_round = build.workload("flash"), build.flash(), FLASH_WORDS // READS
    words[word] ^= np.uintp(1 << bit)
    try:
        assert workload.work(first, units_of_round) != workload.expected(first, units_of_round)
    finally:
        words[word] ^= np.uintp(1 << bit)
    assert workload.work(first, units_of_round) == workload.expected(first, units_of_round)


@over_builds
@pytest.mark.parametrize(("name", "used"), [("fir", 574), ("dense", 1024)])
@given(data=st.data(), bit=st.integers(0, 7), first=units)
def test_one_wrong_bit_of_a_signal_or_a_layer_is_noticed(
    build: Build, name: str, used: int, data: st.DataObject, bit: int, first: int
) -> None:
    workload, stored = build.workload(name), build.memory().view(np.uint8)
    at = data.draw(st.integers(0, used - 1))
    stored[at] ^= 1 << bit
    assert workload.work(first, 256) != workload.expected(first, 256)
    assert build.workload(name).work(first, 256) == workload.expected(first, 256), "prepare() puts it right"


@pytest.mark.parametrize("ulps", [-2, -1, 1, 2])
def test_a_step_of_double_that_is_off_in_the_last_place_is_noticed(ulps: int) -> None:
    x = float.fromhex("0x1.03380c1e4bbd6p+3")
    x += ulps * math.ulp(x)
    checksum = halves(x)
    for _ in range(9):
        x = math.sqrt(x) * 3.7 / 1.3
        checksum += halves(x)
    assert checksum % U32 != double(0, 10)


@pytest.mark.parametrize("ulps", [-2, 2])
def test_a_step_of_fp_that_is_off_by_two_in_the_last_place_is_noticed(ulps: int) -> None:
    """The chain contracts, so that an error dies out; what it added to the checksum stays."""
    wrong = int(np.float32(float.fromhex("0x1.03380cp+3")).view(np.uint32)) + ulps
    x, checksum = np.uint32(wrong).view(np.float32), wrong
    for _ in range(9):
        x = np.float32(np.float32(np.sqrt(x)) * np.float32(3.7)) / np.float32(1.3)
        checksum += int(x.view(np.uint32))
    assert checksum % U32 != fp(0, 10)


# ---- nothing is optimised away ----

LEAST_NS = 0.25
"""No processor of today reads a line, makes a step of a dependent chain or moves seven discs in less per unit."""


@pytest.mark.parametrize("name", NAMES)
def test_every_unit_takes_its_time(build: Build, name: str) -> None:
    assert ns_per_unit(build, name) > LEAST_NS


def ns_per_unit(build: Build, name: str) -> float:
    work, count = build.workload(name).work, 200_000
    best = float("inf")
    for _ in range(3):
        start = time.perf_counter_ns()
        work(0, count)
        best = min(best, (time.perf_counter_ns() - start) / count)
    return best


class Instruction(NamedTuple):
    """A line of a disassembly."""

    address: int
    text: str


def disassemble(compiled: Path) -> list[Instruction]:
    """Return the instructions of an object's function `work`, with the names of what they call."""
    listing = subprocess.run(
        ["objdump", "-dr", "--no-show-raw-insn", "--disassemble=work", compiled],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    found = re.findall(r"^\s*([0-9a-f]+):\s+(\S.*)$", listing, re.MULTILINE)
    return [Instruction(int(address, 16), text) for address, text in found]


def loops(instructions: list[Instruction]) -> list[tuple[int, int]]:
    """Return first and last address of each loop: a jump back and what it jumps to."""
    jumps = ((at.address, re.match(r"(?:j\w+|b\S*)\s+([0-9a-f]+)\b", at.text)) for at in instructions)
    return [(int(jump[1], 16), address) for address, jump in jumps if jump and int(jump[1], 16) < address]


FP_OPERATIONS = {
    "square root": r"v?sqrts{0}|fsqrt|R_\w+\s+sqrt",
    "multiplication": r"v?muls{0}|fmul",
    "division": r"v?divs{0}|fdiv",
}
"""By x86's letter for the precision, and as AArch64 has them for both."""


@pytest.mark.skipif(platform.machine() not in {"x86_64", "aarch64"}, reason="knows the instructions of two processors")
@pytest.mark.parametrize(("name", "precision"), [("fp", "s"), ("double", "d")])
@pytest.mark.parametrize("operation", FP_OPERATIONS)
def test_the_loop_of_a_chain_still_has_its_operations(build: Build, name: str, precision: str, operation: str) -> None:
    instructions = disassemble(build.objects / f"{name}.o")
    ranges = loops(instructions)
    assert ranges
    inside = [at.text for at in instructions if any(low <= at.address <= high for low, high in ranges)]
    assert any(re.search(FP_OPERATIONS[operation].format(precision), text) for text in inside)
