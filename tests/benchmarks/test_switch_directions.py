"""Two directions of `switch` may differ several times over: each is told by itself, and no figure lies between them."""

from __future__ import annotations

import io

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from intercore.benchmarks.switch.analysis import analyse
from intercore.benchmarks.switch.answers import answers, costs, remarks
from intercore.benchmarks.switch.findings import PrimitiveWakeUp, SwitchCallTime, SwitchCrossCore, SwitchSlowerAcross
from intercore.benchmarks.switch.report import report
from intercore.record.measurement import Measurement
from intercore.statistics.intervals import Interval
from intercore.terminal.formats.table import print_table
from intercore.view.quantity import duration
from tests.benchmarks.switch_data import ACROSS, FOUR, SAME, US, found_in, measurement, run


def of_both(to_1: int, to_0: int, *, on_0: int = 1200, on_1: int = 1200) -> list[Measurement]:
    """Wake-ups by one primitive of so many ticks: from core 0 to core 1 and back, and on either core."""
    ways = {(0, 0): on_0, (1, 1): on_1, (0, 1): to_1, (1, 0): to_0}
    return [measurement([ticks] * 9, from_=first, to=second) for (first, second), ticks in ways.items()]


def test_a_ratio_is_of_one_direction_to_the_core_that_signals() -> None:
    there, back = analyse(of_both(2400, 4500, on_0=1200, on_1=1500)).ratios
    assert (there.first, there.second, back.first, back.second) == (0, 1, 1, 0)
    assert (there.same_us.value, there.cross_us.value) == (1200 / US, 2400 / US)
    assert (back.same_us.value, back.cross_us.value) == (1500 / US, 4500 / US)
    assert [one.ratio.value for one in (there, back)] == pytest.approx([2, 3])


def test_a_ratio_has_an_interval() -> None:
    for one in analyse(FOUR).ratios:
        assert one.ratio.value == pytest.approx(2401 / 1201)
        assert one.ratio.low is not None
        assert one.ratio.high is not None
        assert one.ratio.low <= one.ratio.value <= one.ratio.high


def test_a_direction_without_the_core_that_signals_has_no_ratio() -> None:
    only_back = [measurement(SAME, from_=1, to=1), measurement(ACROSS, from_=0, to=1)]
    assert analyse(only_back).ratios == ()
    known = analyse([*only_back, measurement(ACROSS, from_=1, to=0)]).ratios
    assert [(one.first, one.second) for one in known] == [(1, 0)]


ticks_of_a_way = st.integers(100, 10**6)


@given(ticks_of_a_way, ticks_of_a_way, ticks_of_a_way, ticks_of_a_way)
def test_two_directions_never_become_one_figure(to_1: int, to_0: int, on_0: int, on_1: int) -> None:
    analysis = analyse(of_both(to_1, to_0, on_0=on_0, on_1=on_1))
    there, back = analysis.ratios
    assert there.ratio.value == pytest.approx(to_1 / on_0)
    assert back.ratio.value == pytest.approx(to_0 / on_1)
    found = {one.question: one.value.value for one in answers(analysis) if one.value is not None}
    other, same = found["wake a task, other core"], found["wake a task, same core"]
    assert found["wake-up, other/same core"] == pytest.approx(other / same)
    assert found["wake-up, core 1/core 0"] == pytest.approx(on_1 / on_0)
    assert same in ([on_0 / US] if to_1 > to_0 else [on_1 / US] if to_0 > to_1 else [on_0 / US, on_1 / US])
    assert other == max(to_1, to_0) / US
    (cost,) = costs(analysis)
    assert cost.across_us == other
    assert cost.same_us == (on_0 if to_1 > to_0 else on_1) / US or to_1 == to_0


def test_directions_that_differ_by_four_are_both_told_and_never_averaged() -> None:
    analysis = analyse(of_both(475, 1900, on_0=400, on_1=250))  # 3.8 and 15.2 µs, against 3.2 and 2 µs
    assert [round(one.ratio.value, 2) for one in analysis.ratios] == [1.19, 7.6]
    (both,) = found_in(*of_both(475, 1900, on_0=400, on_1=250), kind=SwitchCrossCore)
    there, back = both.ways
    assert (there.quickest, there.most_times) == (PrimitiveWakeUp("notification", 3.8, 3.2), pytest.approx(1.1875))
    assert (back.quickest, back.most_times) == (PrimitiveWakeUp("notification", 15.2, 2.0), pytest.approx(7.6))
    assert [(one.first, one.second) for one in both.ways] == [(0, 1), (1, 0)]
    across, *_ = answers(analysis)
    assert across.text == "15.2 µs, notification 1 → 0; 0 → 1: 3.80 µs"
    (cost,) = costs(analysis)
    assert (cost.across_us, cost.same_us) == (15.2, 2.0)
    (remark,) = remarks(analysis)
    slower = SwitchSlowerAcross(times=remark.times, first=1, second=0, target="idle", primitive="notification")
    assert remark == slower
    assert remark.times == pytest.approx(7.6)
    (table, *_) = report(run(*of_both(475, 1900, on_0=400, on_1=250))).section.tables
    rows = [[column.text(row) for column in table.columns] for row in table.rows]
    assert [row[:5] for row in rows] == [
        ["notification", "0 → 1", "3.20 µs", "3.80 µs", "1.19"],
        ["notification", "1 → 0", "2.00 µs", "15.2 µs", "7.60"],
    ]


@given(st.lists(st.lists(ticks_of_a_way, min_size=4, max_size=4), min_size=1, max_size=3))
def test_answer_table_sentence_and_ratio_name_the_same_times(primitives: list[list[int]]) -> None:
    known = [
        msgspec.structs.replace(one, factors={**one.factors, "primitive": f"p{index}"})
        for index, (to_1, to_0, on_0, on_1) in enumerate(primitives)
        for one in of_both(to_1, to_0, on_0=on_0, on_1=on_1)
    ]
    analysis = analyse(known)
    ways = {(one.primitive, one.first, one.second): one.wake_up_us.median for one in analysis.wake_ups}
    assert len(analysis.ratios) == 2 * len(primitives)
    for one in analysis.ratios:
        assert one.cross_us == ways[one.primitive, one.first, one.second]
        assert one.same_us == ways[one.primitive, one.first, one.first]
    across, same, ratio, *at_best, _ = answers(analysis)
    assert ratio.value is not None
    assert same.value is not None
    assert across.value is not None
    assert ratio.value.value == pytest.approx(across.value.value / same.value.value)
    assert across.choice == same.choice, "they compare"
    assert len(at_best) == (len(primitives) > 1)
    for one in at_best:
        assert one.value is not None
        assert same.value is not None
        assert one.again == (one.choice == same.choice)
        assert one.value.value == min(max(on_0, on_1) / US for _, _, on_0, on_1 in primitives)
    best = min(max(one.cross_us.value for one in analysis.ratios if one.primitive == f"p{index}")
               for index in range(len(primitives)))  # fmt: skip
    assert across.value is not None
    assert across.value.value == best
    (table, *_) = report(run(*known)).section.tables
    cells = [[column.text(row) for column in table.columns[:4]] for row in table.rows]
    assert cells == [
        [one.primitive, f"{one.first} → {one.second}", duration(one.same_us.value), duration(one.cross_us.value)]
        for one in analysis.ratios
    ]


def test_a_busy_core_is_told_only_where_none_was_asleep() -> None:
    busy = [measurement([9000] * 9, target="busy"), measurement(SAME, from_=0, to=0)]
    (alone, *_) = answers(analyse(busy))
    assert alone.value is not None
    assert alone.value.value == 9000 / US
    found = {one.question: one for one in answers(analyse([*busy, *FOUR]))}
    both, ratio = found["wake a task, other core"], found["wake-up, other/same core"]
    assert both.value is not None
    assert ratio.value is not None
    assert ratio.value.value < 9000 / 2401, "nor against the same core"
    assert both.value.value == 2401 / US
    (remark,) = remarks(analyse([*busy, *FOUR]))
    assert (remark.first, remark.second, remark.target) == (0, 1, "busy")


def test_of_many_directions_the_quickest_and_the_slowest_are_told() -> None:
    ways = {(a, b): 1000 * (a + 1) + 10 * b for a in range(4) for b in range(4)}
    known = [measurement([ticks] * 9, from_=a, to=b) for (a, b), ticks in ways.items()]
    (across,) = found_in(*known, kind=SwitchCrossCore)
    assert across.directions == 12
    assert [(one.first, one.second, one.quickest.cross_us) for one in across.ways] == [(0, 1, 8.08), (3, 2, 32.16)]
    (table, *_) = report(run(*known)).section.tables
    assert table.title.startswith(
        "Median wake-up latency across cores, and on the signalling core, in the quickest and the"
    )
    assert [table.columns[1].text(row) for row in table.rows] == ["0 → 1", "3 → 2"]


def test_the_call_is_that_of_the_slower_direction() -> None:
    known = [measurement(ACROSS, [600 * (2 - first)], from_=first, to=1 - first) for first in (0, 1)]
    (call,) = found_in(*known, kind=SwitchCallTime)
    assert (call.across, call.slowest, call.slowest_us, call.several) == (True, "notification", 9.6, True)
    assert [one.several for one in found_in(*known[:1], kind=SwitchCallTime)] == [False]


def test_the_answer_tells_of_directions_that_differ() -> None:
    def told_of(factor: int) -> list[str]:
        back = measurement([factor * one for one in ACROSS], from_=1, to=0)
        return [one.about for one in answers(analyse([measurement(ACROSS, from_=0, to=1), back]))]

    assert told_of(1) == ["notification"]
    assert told_of(4) == ["notification 1 → 0; 0 → 1: 19.2 µs"]


def test_the_answer_tells_of_cores_that_differ() -> None:
    found = {one.question: one.text for one in answers(analyse(of_both(2400, 2400, on_0=1000, on_1=3000)))}
    assert found["wake a task, same core"] == "24.0 µs, notification on core 1; on core 0: 8.00 µs"
    both = "0.80 × as long on another core, notification 1 → 0; 0 → 1: 2.40 ×"
    assert found["wake-up, other/same core"] == both
    assert found["wake-up, core 1/core 0"] == "3.00 × as long to wake its own task, notification"


@pytest.mark.parametrize(("quicker_by", "told"), [(0, "notification"), (40, "counting-semaphore")])
def test_the_notification_is_told_unless_another_primitive_is_surely_quicker(quicker_by: int, told: str) -> None:
    """Its samples lie within 20 ticks."""

    def across(primitive: str, first: int) -> Measurement:
        one = measurement([first + tick for tick in range(20)], from_=0, to=1)
        return msgspec.structs.replace(one, factors={**one.factors, "primitive": primitive})

    known = [across("notification", 1001), across("counting-semaphore", 1000 - quicker_by)]
    assert next(iter(answers(analyse(known)))).choice == told


def test_the_comparison_fits_eighty_columns() -> None:
    busy = measurement(ACROSS, target="busy")
    alone = measurement(SAME, primitive="yield", from_=1, to=1)
    semaphores = [
        msgspec.structs.replace(one, factors={**one.factors, "primitive": "counting-semaphore"})
        for one in (*FOUR, busy)
    ]
    table, *_ = report(run(*FOUR, busy, alone, *semaphores)).section.tables
    out = io.StringIO()
    print_table(table, Console(file=out, width=80))
    lines = out.getvalue().splitlines()
    assert max(map(len, lines)) <= 80
    assert sum("→" in line for line in lines) == len(table.rows), "no cell is broken"
    assert [line.split()[0] for line in lines if "→" in line] == [table.columns[0].text(row) for row in table.rows]


def test_a_yield_is_the_context_switch_and_no_wake_up() -> None:
    """Each core switches; the slower one is the answer, with the other beside it."""
    switches = [
        measurement([ticks] * 9, primitive="yield", from_=core, to=core) for core, ticks in ((0, 750), (1, 1000))
    ]
    (alone,) = answers(analyse(switches))
    assert (alone.question, alone.value) == ("context switch", Interval(8.0, 8.0, 8.0))
    assert alone.about == "yield on core 1; on core 0: 6.00 µs"
    known = [one.question for one in answers(analyse([*switches, *FOUR]))]
    assert known.count("context switch") == 1
    assert [one for one in answers(analyse([*switches, *FOUR])) if one.question != "context switch"] == [
        *answers(analyse(FOUR))
    ]
