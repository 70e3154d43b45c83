"""The table of answers: what a ratio of two of them says, and which warnings concern them."""

from __future__ import annotations

import pytest

from intercore.benchmarks.reports import Reported
from intercore.page.answers import Asked, answer_rows
from intercore.record.measurement import Part, Plan, Run
from intercore.statistics.intervals import Interval
from intercore.view.answer import Answer, Unit
from intercore.view.section import Report, Section


def asked(first: Answer | None, second: Answer | None, looking_us: float = 0.0) -> Asked:
    return Asked("lock", "hand a lock over", (first, second), True, (False, False), (looking_us, looking_us))


def answer(value: float, about: str = "mutex", unit: Unit = "us") -> Answer:
    return Answer("hand a lock over", Interval(value), unit, about)


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
    least = [Answer("more cores pay from", Interval(value), rated=False) for value in (104.0, 136.0)]
    assert asked(*least).ratio == ""


def test_of_what_is_shorter_than_reading_the_clock_no_ratio_is_told() -> None:
    assert asked(answer(2.81), answer(0.011), looking_us=0.022).ratio == ""
    assert asked(answer(2.81), answer(0.033), looking_us=0.022).ratio == "85 × faster"


def test_a_warning_marks_the_answers_that_it_names_or_all_if_it_names_none() -> None:
    run = Run(1, Plan("host", None, "lock", (Part("lock", {}),), seed=1), "2026-01-01T00:00:00+00:00", "0.1.0", 1, ())
    section = Section("Locks (lock)", ["."], [])
    answers = [Answer("a", Interval(1.0), about="mutex"), Answer("b", Interval(1.0), about="spinlock; core 0: 1.00 µs")]

    def doubted(*warnings: str) -> list[bool]:
        report = Report("lock", {}, [], list(warnings), section, answers=answers)
        return [one.is_doubted for one in answer_rows([Reported(run, run, (report,))], [0.0])]

    assert doubted() == [False, False]
    assert doubted("Hand-over of lock=spinlock: The values drift.") == [False, True]
    assert doubted("Tasks were forced off their core.") == [True, True]
