"""The table of answers: what a ratio of two of them says, and which warnings concern them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from intercore.benchmarks.caveats import AlsoDisturbed, FailedCheck, Samples
from intercore.benchmarks.lock.findings import LockBroken
from intercore.benchmarks.reports import ReportedRun
from intercore.page.answers import QuestionRow, answer_rows, differ_most, differing, worst_case
from intercore.record.measurement import Part, Plan, Run
from intercore.statistics.intervals import Interval
from intercore.view.answer import Answer, Unit
from intercore.view.cost import Cost
from intercore.view.section import Report, Section

if TYPE_CHECKING:
    from intercore.finding import Finding


def asked(first: Answer | None, second: Answer | None, timestamp_overhead_us: float = 0.0) -> QuestionRow:
    return QuestionRow(
        "lock",
        "lock hand-off",
        (first, second),
        "lock",
        True,
        (False, False),
        (timestamp_overhead_us, timestamp_overhead_us),
    )


def answer(value: float, about: str = "mutex", unit: Unit = "us") -> Answer:
    return Answer("lock hand-off", Interval(value), unit, about)


@pytest.mark.parametrize(
    ("first", "second", "said"),
    [
        (answer(2.0), answer(44.0), "22 × slower"),
        (answer(44.0), answer(2.0), "22 × faster"),
        (answer(1e6, unit="bytes/s"), answer(22e6, unit="bytes/s"), "22 × faster"),
        (answer(1.0), answer(1.01), "same"),
        (answer(1.0), answer(2.0, "spinlock"), "2.0 × slower *"),
        (answer(1.0, unit="times"), answer(2.0, unit="times"), ""),
        (answer(1.0), None, ""),
        (answer(0.0), answer(1.0), ""),
    ],
)
def test_a_ratio_says_what_the_second_is_and_marks_other_ways(first: Answer, second: Answer | None, said: str) -> None:
    assert asked(first, second).ratio == said


def test_of_the_least_work_that_pays_which_each_tells_in_its_own_time_no_ratio_is_told() -> None:
    least = [Answer("break-even", Interval(value), rated=False) for value in (104.0, 136.0)]
    assert asked(*least).ratio == ""


def test_of_what_is_shorter_than_reading_the_clock_no_ratio_is_told() -> None:
    short = asked(answer(2.81), answer(0.033), timestamp_overhead_us=0.022)
    assert (short.ratio, short.times) == ("too short to tell", None)
    assert asked(answer(2.81), answer(0.055), timestamp_overhead_us=0.022).ratio == "51 × faster"
    readings = [Answer("timestamp overhead", Interval(us), overhead=True) for us in (0.044, 0.022)]
    assert asked(*readings, timestamp_overhead_us=0.022).ratio == "2.0 × faster", (
        "which itself is no shorter than it is"
    )


def test_a_warning_marks_the_answers_that_it_names_or_all_if_it_names_none() -> None:
    run = Run(1, Plan("host", None, "lock", (Part("lock", {}),), seed=1), "2026-01-01T00:00:00+00:00", "0.1.0", 1, ())
    section = Section("Locks (lock)", ["."], [])
    answers = [Answer("mutex hand-off", Interval(1.0), about="mutex"), answer(1.0, "spinlock; core 0: 1.00 µs")]

    def doubted(*caveats: Finding) -> list[bool]:
        report = Report("lock", {}, [], caveats, section, answers=answers)
        return [any(one.has_caveat) for one in answer_rows([ReportedRun(run, run, (report,))], [0.0])]

    assert doubted() == [False, False]

    def preempted(*locks: str) -> Finding:
        return FailedCheck(benchmark="lock", check="preempted", count=3, factor="lock", levels=locks)

    spinlock = Samples("hand-over of spinlock from core 0 to core 1", {"lock": "spinlock"})
    assert doubted(AlsoDisturbed(benchmark="lock", samples=(spinlock,))) == [False, True]
    assert doubted(LockBroken(lock="mutex")) == [True, False]
    assert doubted(preempted()) == [True, True]
    assert doubted(preempted("spinlock")) == [False, True]
    assert doubted(preempted("mutex", "spinlock", "critical-section", "atomic-add")) == [True, True]


def reported(*reports: Report) -> ReportedRun:
    run = Run(1, Plan("host", None, "lock", (Part("lock", {}),), seed=1), "2026-01-01T00:00:00+00:00", "0.1.0", 1, ())
    return ReportedRun(run, run, reports)


@pytest.mark.parametrize("has_locks", [True, False])
def test_free_mutex_is_shown_under_locks_or_else_its_own_benchmark(*, has_locks: bool) -> None:
    section = Section("Locks (lock)", ["."], [])
    locks = Report("lock", {}, [], [], section, topic="locks", answers=[answer(1.0)])
    calls = [
        Answer("lock a free mutex", Interval(2.0), topic="locks"),
        Answer("longest kernel call", Interval(3.0)),
    ]
    api = Report("api", {}, [], [], section, topic="kernel calls", answers=calls)
    rows = answer_rows([reported(*([locks] if has_locks else []), api)], [0.0])
    told = [(row.under, row.first, row.benchmark, row.question) for row in rows]
    if has_locks:
        assert told == [
            ("lock", True, "lock", "lock hand-off"),
            ("lock", False, "api", "lock a free mutex"),
            ("api", True, "api", "longest kernel call"),
        ]
    else:
        assert told == [("api", True, "api", "lock a free mutex"), ("api", False, "api", "longest kernel call")]


def test_what_leads_a_topic_stands_before_its_own_benchmarks_answers() -> None:
    section = Section("Locks (lock)", ["."], [])
    locks = Report("lock", {}, [], [], section, topic="locks", answers=[answer(1.0)])
    free = Answer("lock a free mutex", Interval(2.0), topic="locks", leads=True)
    behind = Answer("unlock a free mutex", Interval(2.0), topic="locks")
    api = Report("api", {}, [], [], section, topic="kernel calls", answers=[free, behind])
    rows = answer_rows([reported(locks, api)], [0.0])
    assert [(row.question, row.first) for row in rows] == [
        ("lock a free mutex", True),
        ("lock hand-off", False),
        ("unlock a free mutex", False),
    ]


def test_what_is_told_again_of_each_target_is_left_out_and_of_some_is_not() -> None:
    def of(*, again: bool) -> ReportedRun:
        best, each = answer(1.0), Answer("mutex hand-off", Interval(1.0), again=again)
        return reported(Report("lock", {}, [], [], Section("Locks (lock)", ["."], []), answers=[best, each]))

    assert [
        len(answer_rows([of(again=one), of(again=two)], [0.0] * 2)) for one, two in ((True, True), (True, False))
    ] == [
        1,
        2,
    ]


def test_a_verdict_and_a_bound_stand_before_the_number_and_no_ratio_beside_a_verdict() -> None:
    doubted = Answer("worst lateness", Interval(1660.0), about="of 9", verdict="likely disturbed")
    assert doubted.text == "likely disturbed (1.66 ms), of 9"
    assert Answer("most", Interval(2e6), "bytes/s", "ring", bound="≥").text == "≥ 2.00 MB/s, ring"
    same = Answer("core 1", Interval(1.04), "times", "for the same work", verdict="no difference")
    assert same.text == "no difference (1.04 ×), for the same work"
    assert asked(doubted, answer(2.0)).ratio == ""
    assert asked(answer(2.0), doubted).ratio == ""


def test_what_two_targets_differ_in_most_is_told_by_their_answers() -> None:
    rows = [asked(answer(1.0), answer(times)) for times in (3.0, 1.001, 0.5, 8.0, 2.0, 4.0)]
    worst = asked(*(Answer("late", Interval(value), worst=True) for value in (1.0, 100.0)))
    rate = asked(answer(1e6, unit="bytes/s"), answer(22e6, unit="bytes/s"))
    costs = [
        [Cost("deadline", "timer to its handler", us), Cost("lock", label, 1.0)]
        for us, label in ((1.0, "a"), (6.0, "b"))
    ]
    hand = "“lock hand-off”"
    assert differing([*rows, worst, rate], costs) == [
        ("slower", [f"{hand} 8.0 ×", "“timer to its handler” 6.0 ×", f"{hand} 4.0 ×"]),
        ("faster", [f"{hand} 22 ×", f"{hand} 2.0 ×"]),
    ]
    assert differing([worst], []) == []
    found = [("slower", ["“late” 8.0 ×", "“hand” 4.0 ×"]), ("faster", ["“lock” 22 ×"])]
    faster = "Largest gaps where host is faster: pure computing, at least 731 ×; “lock” 22 ×."
    assert differ_most("host", found, "731 × faster") == f"{faster} Largest gaps where host is slower: “late” 8.0 ×."
    assert (
        differ_most("host", [], "9.0 × slower") == "Largest gaps where host is slower: pure computing, at least 9.0 ×."
    )
    assert differ_most("host", [], "") == ""


def test_the_worst_case_that_differs_most_is_told_apart_from_what_is_usual() -> None:
    def late(value: float) -> Answer:
        return Answer("worst lateness, no load", Interval(value), about="of 1,100 releases", worst=True)

    usual, worst, less = asked(answer(1.0), answer(500.0)), asked(late(10.0), late(1700.0)), asked(late(9.0), late(0.1))
    assert worst_case([usual, less, worst]) is worst
    assert worst_case([usual]) is None
