"""Sample buffers: what is added is kept, in its own place, until there is no more room, and then it is said so."""

from __future__ import annotations

import ctypes
from typing import NamedTuple

from hypothesis import example, given
from hypothesis import strategies as st

from tests.firmware.portable.conftest import SAMPLES_CAPACITY
from tests.firmware.portable.layout import PLAIN, SERIES_MAX, Series

NAME_MAX = 23


class Wish(NamedTuple):
    """A series to be opened."""

    name: str
    index: int
    capacity: int


def open_series(core: ctypes.CDLL, wish: Wish) -> ctypes._Pointer[Series] | None:
    core.ic_samples_open.restype = ctypes.POINTER(Series)
    opened = core.ic_samples_open(wish.name.encode(), ctypes.c_uint32(wish.index), ctypes.c_uint32(wish.capacity))
    return opened or None


def add(core: ctypes.CDLL, series: ctypes._Pointer[Series], ticks: int) -> bool:
    core.ic_samples_add.restype = ctypes.c_bool
    return bool(core.ic_samples_add(series, ctypes.c_int64(ticks)))


def all_series(core: ctypes.CDLL) -> list[Series]:
    core.ic_samples_series.restype = ctypes.POINTER(Series)
    found: list[Series] = []
    while series := core.ic_samples_series(ctypes.c_size_t(len(found))):
        found.append(series.contents)
    return found


def model_name(wish: Wish) -> str:
    """Return the name, cut so that its index is whole."""
    suffix = "" if wish.index == PLAIN else f".{wish.index}"
    return wish.name[: NAME_MAX - len(suffix)] + suffix


wishes = st.builds(
    Wish,
    name=st.text("abcdefghijklmnopqrstuvwxyz_", max_size=30),
    index=st.one_of(st.just(PLAIN), st.integers(0, 99), st.integers(0, PLAIN)),
    capacity=st.one_of(st.integers(0, 60), st.sampled_from([SAMPLES_CAPACITY, SAMPLES_CAPACITY + 1, 2**32 - 1])),
)


@given(wanted=st.lists(wishes, max_size=12))
@example([Wish("timestamp_overhead", 4294967294, 1), Wish("timestamp_overhead", 0, 1)])
@example([Wish("a", PLAIN, SAMPLES_CAPACITY), Wish("b", PLAIN, 1), Wish("c", PLAIN, 0)])
@example([Wish("a", PLAIN, 1), Wish("b", PLAIN, 2**32 - 1), Wish("c", PLAIN, 3)])
def test_a_series_is_opened_if_there_is_room_for_it(core: ctypes.CDLL, wanted: list[Wish]) -> None:
    core.ic_samples_reset()
    free, expected = SAMPLES_CAPACITY, []
    for wish in wanted:
        opened = open_series(core, wish)
        assert (opened is not None) == (wish.capacity <= free)
        if opened is not None:
            free -= wish.capacity
            expected.append((model_name(wish), wish.capacity))
    assert [(series.name.decode(), series.capacity) for series in all_series(core)] == expected


@given(
    capacities=st.lists(st.integers(0, 20), min_size=1, max_size=6),
    additions=st.lists(st.tuples(st.integers(0, 5), st.integers(-(2**63), 2**63 - 1)), max_size=60),
)
def test_samples_are_kept_apart_and_in_order_until_their_series_is_full(
    core: ctypes.CDLL, capacities: list[int], additions: list[tuple[int, int]]
) -> None:
    core.ic_samples_reset()
    opened = [open_series(core, Wish(f"s{i}", PLAIN, capacity)) for i, capacity in enumerate(capacities)]
    kept: list[list[int]] = [[] for _ in capacities]
    for which, ticks in additions:
        i = which % len(capacities)
        series = opened[i]
        assert series is not None
        assert add(core, series, ticks) == (len(kept[i]) < capacities[i])
        if len(kept[i]) < capacities[i]:
            kept[i].append(ticks)
    assert [series.ticks[: series.count] for series in all_series(core)] == kept


def test_there_are_so_many_series_and_no_more(core: ctypes.CDLL) -> None:
    core.ic_samples_reset()
    opened = [open_series(core, Wish("s", i, 1)) for i in range(SERIES_MAX + 3)]
    assert [series is not None for series in opened] == [True] * SERIES_MAX + [False] * 3
    assert len(all_series(core)) == SERIES_MAX


def test_samples_are_ticks_of_the_common_clock_unless_the_caller_says_what_else(core: ctypes.CDLL) -> None:
    core.ic_samples_reset()
    opened = open_series(core, Wish("s", PLAIN, 1))
    assert opened is not None
    assert (opened.contents.clock, opened.contents.unit) == (0, 0)
    opened.contents.clock = opened.contents.unit = 1
    core.ic_samples_reset()
    again = open_series(core, Wish("s", PLAIN, 1))
    assert again is not None
    assert (again.contents.clock, again.contents.unit) == (0, 0), "what the series before was is forgotten"


def test_a_reset_forgets_everything(core: ctypes.CDLL) -> None:
    core.ic_samples_reset()
    open_series(core, Wish("s", PLAIN, SAMPLES_CAPACITY))
    core.ic_samples_reset()
    assert all_series(core) == []
    assert open_series(core, Wish("s", PLAIN, SAMPLES_CAPACITY)) is not None
