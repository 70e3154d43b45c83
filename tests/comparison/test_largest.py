"""Which quantities of two sides are told first, and in which words."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from intercore.comparison.analysis import compare_sides
from intercore.comparison.largest import differing_most, largest_first, setting_in_words
from intercore.comparison.pairs import Pair
from intercore.comparison.picture import picture
from intercore.record.measurement import Level, Run
from intercore.statistics.intervals import Interval
from tests.comparison.compared_runs import measured, run


def pair(ratio: float, *, series: str = "switch", **changes: object) -> Pair:
    """A quantity of one setting that surely differs, unless `changes` says otherwise."""
    one = Interval(1.0, 1.0, 1.0)
    made = Pair(
        *("switch", series, {}, "us", one, Interval(ratio), 9, 9, Interval(ratio), False),
        verdict="slower" if ratio > 1 else "faster",
        within=None,
        more_repetitions=None,
        more_runs=None,
        cycles=None,
    )
    return msgspec.structs.replace(made, **changes)


def test_what_is_slower_stands_beside_what_is_faster_however_much_more_that_differs() -> None:
    pairs = [pair(1 / (100 + each)) for each in range(50)] + [pair(2 + each) for each in range(3)]
    shown = differing_most(pairs, 8)
    assert [one.verdict for one in shown].count("slower") == 3
    assert len(shown) == 8


def test_one_quantity_leaves_room_for_others() -> None:
    pairs = [pair(100 + each, series="call") for each in range(50)]
    pairs += [pair(2, series=f"other {each}") for each in range(3)]
    assert {one.series for one in differing_most(pairs, 10)} == {"call", "other 0", "other 1", "other 2"}


@given(st.lists(st.floats(0.01, 100).filter(lambda ratio: ratio != 1), max_size=30), st.integers(1, 12))
def test_as_many_are_shown_as_there_are_and_have_room_the_largest_first(ratios: list[float], most: int) -> None:
    pairs = [pair(ratio, series=f"series {number % 4}") for number, ratio in enumerate(ratios)]
    shown = differing_most(pairs, most)
    assert len(shown) == min(most, len(pairs))
    assert shown == largest_first(shown)


def test_a_speed_up_of_other_work_is_not_among_them() -> None:
    setting: dict[str, Level] = {"n": 100}
    speed_up = pair(0.02, series="speedup", unit="factor", verdict="slower", setting=setting)
    for ratio, told in ((0.002, False), (0.9, True)):
        shown = differing_most([speed_up, pair(ratio, series="t1", setting=setting)], 8)
        assert (speed_up in shown) is told, "the work took one side a small part of the other's time"


@pytest.mark.parametrize(
    ("setting", "words"),
    [
        ({"transport": "ring", "from": 0, "to": 1, "size": 4096}, "ring, core 0 → core 1, 4,096 bytes"),
        ({"form": "cross", "test": "memory"}, "across cores, memory"),
        ({"call": "lock", "other": "none"}, "lock, other core asleep"),
        ({"mode": "pool", "n": 1000}, "woken tasks, n = 1,000"),
        ({"period_us": 10_000, "from": 1, "to": 1}, "period 10.0 ms, on core 1"),
        ({"xip_cache": "off"}, "xip cache: off"),
        ({}, ""),
    ],
)
def test_a_setting_is_told_in_words(setting: dict[str, Level], words: str) -> None:
    assert setting_in_words(pair(2, setting=setting)) == words


@pytest.mark.measures("speedup")
def test_how_fast_the_cores_compute_is_told_apart_from_what_else_differs() -> None:
    def side(name: str, short: int, long: int, woken: int) -> Run:
        works = [measured([t1] * 8, "speedup", "t1", n=n) for n, t1 in ((100, short), (1000, long))]
        return run(name, *works, measured([woken] * 8, primitive="queue"))

    found = picture(compare_sides([side("a", 100, 1000, 1000)], [side("b", 50_000, 400_000, 2000)]))
    assert found is not None
    assert found.speed is not None
    assert (found.speed.words, found.speed.setting) == ("400 × slower", "n = 1,000")
