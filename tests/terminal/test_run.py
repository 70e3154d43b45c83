"""What one screen tells of a run."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from intercore.statistics.intervals import Interval
from intercore.terminal.run import by_cause, first_sentence, fitting, in_brief, standing_out
from intercore.view.answer import Answer, Remark
from intercore.view.section import Report, Section

SLOWER = "workload=fp mode={} cores=2: each core is {} % slower while all of them work."


def test_a_warning_is_told_by_its_first_sentence() -> None:
    assert first_sentence("Of 2.8 % or less. Measure again. Then look.") == "Of 2.8 % or less."
    assert first_sentence("no stop") == "no stop"
    assert first_sentence("") == ""


def test_warnings_that_differ_in_settings_and_numbers_alone_are_one_with_a_count() -> None:
    same = [SLOWER.format(mode, share) for mode, share in (("create", 2.8), ("pool", 2.6), ("spin", 12))]
    assert by_cause([same[0], "Another.", *same[1:]]) == [(same[0], 3), ("Another.", 1)]
    assert by_cause([]) == []


@given(st.lists(st.text()))
def test_no_warning_is_lost_by_grouping(warnings: list[str]) -> None:
    found = by_cause(warnings)
    assert sum(count for _, count in found) == len(warnings)
    assert {first for first, _ in found} <= set(warnings)


@given(st.lists(st.lists(st.floats(0.01, 100))))
def test_what_stands_out_is_the_three_that_differ_most(times: list[list[float]]) -> None:
    section = Section("", [], [])
    reports = [
        Report("b", {}, [], [], section, remarks=[Remark(one, f"{one} times") for one in some]) for some in times
    ]
    told = [float(re.sub(" times", "", sentence)) for sentence in standing_out(reports)]
    every = sorted((one for some in times for one in some), reverse=True)
    assert told == [one for one in every if one >= 1.25][:3]


def test_one_screen_leaves_out_what_stands_behind_a_semicolon_and_no_condition() -> None:
    above = Answer("work of all cores", Interval(2.09), "times", "one core's (above 2: one was slower alone)")
    assert in_brief(above) == above.text
    over = Answer("hand a lock over", Interval(1.3), about="spinlock 1 → 0; 0 → 1: 1.00 µs")
    assert in_brief(over) == "1.30 µs, spinlock 1 → 0"


def test_long_answers_leave_room_for_fewer_remarks() -> None:
    remarks = ["Work takes 6.5 times as long.", "A doorbell takes " + "long " * 20, "Waking takes 9.2 times as long."]
    told = ["Warning: this is a virtual machine."] * 2
    short, long = "30.0 ns", "27.9 µs (23.5–33.2), rpmsg-zero-copy by name"
    assert fitting(remarks, [short] * 19, told) == remarks
    assert fitting(remarks, [short] * 11 + [long] * 8, told) == remarks[:2]
    assert fitting(remarks, [long] * 40, told) == []
    assert fitting([], [short], told) == []
