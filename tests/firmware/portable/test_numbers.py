"""CRC, numbers, ranges of lines and random numbers: the firmware's and Python's agree."""

from __future__ import annotations

import ctypes
import re
import zlib
from collections import Counter

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from . import layout

U32_MAX = 2**32 - 1

near_numbers = st.one_of(
    st.integers(0, 2**33).map(str),
    st.sampled_from(["4294967295", "4294967296", "00000000000000000000007", "18446744073709551616", "-1", "+1", "1e3"]),
    st.text("0123456789 -+x", max_size=24),
)
"""Text that often is a number and often almost one."""


def test_the_structures_are_those_of_the_headers(core: ctypes.CDLL) -> None:
    assert layout.matches(core)


@given(data=st.binary(max_size=500))
def test_the_crc_is_that_of_zlib(core: ctypes.CDLL, data: bytes) -> None:
    core.ic_crc32.restype = ctypes.c_uint32
    assert core.ic_crc32(data, ctypes.c_size_t(len(data))) == zlib.crc32(data)


# ---- numbers ----


def parse_u32(core: ctypes.CDLL, text: str) -> int | None:
    value = ctypes.c_uint32()
    core.ic_parse_u32.restype = ctypes.c_bool
    return value.value if core.ic_parse_u32(text.encode(), ctypes.byref(value)) else None


@given(text=near_numbers)
def test_a_number_is_what_int_reads_from_digits_alone(core: ctypes.CDLL, text: str) -> None:
    expected = int(text) if re.fullmatch(r"[0-9]+", text) and int(text) <= U32_MAX else None
    assert parse_u32(core, text) == expected


@given(text=st.binary(max_size=20).filter(lambda text: b"\0" not in text))
def test_no_bytes_but_digits_make_a_number(core: ctypes.CDLL, text: bytes) -> None:
    assert (parse_u32(core, text.decode("latin-1")) is None) or text.isdigit()


# ---- ranges ----

RANGE = re.compile(r"(?P<first>[0-9]{1,10})(?P<to>-(?P<last>[0-9]{0,10}))?(?P<end>,|\Z)")


def model_ranges(text: str) -> tuple[list[tuple[int, int]], str]:
    """Return the ranges that can be taken off the front, and what then is left."""
    ranges = []
    while match := RANGE.match(text):
        first = int(match["first"])
        last = first if match["to"] is None else int(match["last"]) if match["last"] else U32_MAX
        if max(first, last) > U32_MAX or last < first:
            break
        ranges.append((first, last))
        text = text[match.end() :]
    return ranges, text


def firmware_ranges(core: ctypes.CDLL, text: str) -> tuple[list[tuple[int, int]], str]:
    buffer = ctypes.create_string_buffer(text.encode())
    at = ctypes.c_char_p(ctypes.addressof(buffer))
    first, last = ctypes.c_uint32(), ctypes.c_uint32()
    core.ic_parse_range.restype = ctypes.c_bool
    ranges = []
    while core.ic_parse_range(ctypes.byref(at), ctypes.byref(first), ctypes.byref(last)):
        ranges.append((first.value, last.value))
    assert at.value is not None
    return ranges, at.value.decode()


bounds = st.one_of(st.integers(0, 20), st.integers(0, 2**33))
one_range = st.one_of(
    bounds.map(str), st.tuples(bounds, bounds).map(lambda pair: f"{pair[0]}-{pair[1]}"), bounds.map(lambda b: f"{b}-")
)


@given(text=st.one_of(st.lists(one_range, max_size=6).map(",".join), st.text("0123456789-, x", max_size=30)))
@example("7,3-12,40-")
@example("4294967295-")
@example("4294967296-")
@example("7,")
@example("3-2")
@example("00000000001")
def test_ranges_are_taken_off_the_front_until_one_is_wrong(core: ctypes.CDLL, text: str) -> None:
    assert firmware_ranges(core, text) == model_ranges(text)


# ---- random numbers ----


def split_mix_64(state: int) -> tuple[int, int]:
    """Return the next state and number, after Steele, Lea and Flood."""
    mask = 2**64 - 1
    state = (state + 0x9E3779B97F4A7C15) & mask
    z = state
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & mask
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & mask
    return state, z ^ (z >> 31)


def random_numbers(core: ctypes.CDLL, seed: int, count: int) -> list[int]:
    state = ctypes.c_uint64(seed)
    core.ic_random_next.restype = ctypes.c_uint64
    return [core.ic_random_next(ctypes.byref(state)) for _ in range(count)]


def random_below(core: ctypes.CDLL, seed: int, limit: int, count: int) -> list[int]:
    state = ctypes.c_uint64(seed)
    core.ic_random_below.restype = ctypes.c_uint32
    return [core.ic_random_below(ctypes.byref(state), ctypes.c_uint32(limit)) for _ in range(count)]


def test_random_numbers_are_those_published_for_splitmix64(core: ctypes.CDLL) -> None:
    assert random_numbers(core, 1234567, 3) == [6457827717110365317, 3203168211198807973, 9817491932198370423]


@given(seed=st.integers(0, 2**64 - 1))
def test_random_numbers_are_those_of_a_second_splitmix64(core: ctypes.CDLL, seed: int) -> None:
    expected, state = [], seed
    for _ in range(5):
        state, number = split_mix_64(state)
        expected.append(number)
    assert random_numbers(core, seed, 5) == expected


@given(seed=st.integers(0, 2**64 - 1), limit=st.integers(1, U32_MAX))
def test_a_random_number_stays_below_its_limit(core: ctypes.CDLL, seed: int, limit: int) -> None:
    assert all(0 <= number < limit for number in random_below(core, seed, limit, 20))


@pytest.mark.parametrize("limit", [1, 2, 3, 7])
def test_every_number_below_the_limit_is_about_as_frequent(core: ctypes.CDLL, limit: int) -> None:
    draws = 7000
    counts = Counter(random_below(core, 1, limit, draws))
    assert set(counts) == set(range(limit))
    assert all(abs(count - draws / limit) < 5 * (draws / limit) ** 0.5 for count in counts.values())
