from __future__ import annotations

import pytest

from intercore.statistics.intervals import Interval
from intercore.view.answer import Answer, and_other_way, equality_verdict, with_varied


@pytest.mark.parametrize(
    ("answer", "text"),
    [
        (Answer("wake", Interval(12.04, 11.9, 12.2), about="queue"), "12.0 µs (11.9–12.2), queue"),
        (Answer("wake", Interval(12.04, 12.038, 12.041)), "12.0 µs"),
        (Answer("wake", Interval(12.04, None, 12.2)), "12.0 µs (?–12.2)"),
        (Answer("wake", Interval(12.04)), "12.0 µs"),
        (Answer("late", Interval(1200.0, 900.0, 1500.0)), "1.20 ms (0.900–1.50)"),
        (Answer("late", Interval(0.0)), "< tick"),
        (Answer("slower", Interval(1.171, 1.16, 1.18), "times", "as long"), "1.17 × (1.16–1.18) as long"),
        (Answer("slower", Interval(1.171, 1.1702, 1.1711), "times"), "1.17 ×"),
        (Answer("stream", Interval(221e6), "bytes/s", "ring"), "221 MB/s, ring"),
        (Answer("faster from", None, about="810 µs or less, spin"), "810 µs or less, spin"),
    ],
)
def test_an_answer_reads(answer: Answer, text: str) -> None:
    assert answer.text == text


@pytest.mark.parametrize(
    ("times", "verdict", "headline"),
    [
        (Interval(1.0), "no difference", "no difference (1.00 ×)"),
        (Interval(1.004, 1.002, 1.006), "no difference", "no difference: 1.00 × (1.00–1.01)"),
        (Interval(1.33, 0.95, 1.67), "no certain difference", "no certain difference: 1.33 × (0.95–1.67)"),
        (Interval(1.33, 1.2, 1.4), "", "1.33 × (1.20–1.40)"),
        (Interval(1.33), "", "1.33 ×"),
    ],
)
def test_a_multiple_of_1_and_one_that_may_be_are_no_differences(times: Interval, verdict: str, headline: str) -> None:
    assert equality_verdict(times) == verdict
    assert Answer("core 1 against 0", times, "times", verdict=verdict).headline == headline
    assert equality_verdict(None) == ""


def test_a_choice_is_named_with_what_else_varies() -> None:
    assert with_varied("queue", {}) == "queue"
    assert with_varied("queue", {"opt": "O3", "clock_mhz": 48}) == "queue opt=O3 clock_mhz=48"


@pytest.mark.parametrize(
    ("slowest", "quickest", "told"),
    [
        (15.0, 3.8, " 1 → 0; 0 → 1: 3.80 µs"),
        (1.25, 1.0, " 1 → 0; 0 → 1: 1.00 µs"),
        (1.24, 1.0, ""),
        (0.1, 0.0, " 1 → 0; 0 → 1: < tick"),
        (0.0, 0.0, ""),
    ],
)
def test_ways_that_differ_are_both_told(slowest: float, quickest: float, told: str) -> None:
    assert and_other_way(("1 → 0", slowest), ("0 → 1", quickest)) == told
