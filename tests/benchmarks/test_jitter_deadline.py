"""What is said of a deadline: does it agree with the samples, and claim no more than they show?"""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import binomtest

from intercore.benchmarks.jitter.analysis import analyse
from intercore.benchmarks.jitter.deadline import NEEDED, JitterDeadline, bound, deadline_answers, deadline_results
from intercore.benchmarks.jitter.findings import (
    JitterDeadlineBroken,
    JitterDeadlineKept,
    JitterDeadlineNotShown,
)
from intercore.benchmarks.jitter.report import report
from intercore.record.measurement import Part, Plan, Run
from tests.benchmarks.jitter_data import HZ, counted, measurement

US = HZ // 1_000_000


def judged(deadline_us: float, *late_us: list[int]) -> JitterDeadline:
    """Judge a deadline from repetitions whose activations were so late."""
    pool = [measurement([us * US for us in late], seed=number) for number, late in enumerate(late_us)]
    (found,) = analyse(pool, deadline_us).deadlines
    return found


def test_one_activation_that_is_later_breaks_it() -> None:
    one = judged(50, [9, 10], [51, 9, 60], [50])
    assert (one.verdict, one.largest_us, one.activations, one.late) == ("broken", 60, 6, 2)
    assert (one.broken, one.repetitions, one.at_most) == (1, 3, None)
    (found,) = deadline_results([one])
    assert found == JitterDeadlineBroken(label=one.label, deadline_us=50, largest_us=60, repetitions=3, broken=1)


def test_an_activation_just_in_time_keeps_it() -> None:
    assert judged(50, [50]).verdict != "broken"
    assert judged(49, [50]).verdict == "broken"


def test_activations_of_one_repetition_count_once() -> None:
    few, many = judged(50, [9] * 10), judged(50, [9] * 10_000)
    assert few.at_most == many.at_most == bound(1)
    assert many.verdict == "not shown"
    (found,) = deadline_results([many])
    assert isinstance(found, JitterDeadlineNotShown)
    assert "95 %" in found.sentence
    assert f"--repetitions {NEEDED}" in found.sentence


@pytest.mark.parametrize(("repetitions", "kind"), [(58, JitterDeadlineNotShown), (59, JitterDeadlineKept)])
def test_it_is_kept_from_as_many_repetitions_on_as_it_is_said_to_take(repetitions: int, kind: type) -> None:
    (found,) = deadline_results([judged(50, *([9],) * repetitions)])
    assert type(found) is kind
    assert NEEDED == 59


@pytest.mark.parametrize("repetitions", [1, 2, 5, 59, 1000])
def test_the_bound_is_the_exact_one(repetitions: int) -> None:
    exact = binomtest(0, repetitions, alternative="less").proportion_ci(0.95, method="exact").high
    assert bound(repetitions) == pytest.approx(float(exact))


def test_the_bound_covers_what_it_says() -> None:
    """Where each repetition breaks the deadline with the probability of the bound, one in 20 campaigns shows none."""
    drawn = np.random.default_rng(7).random((20_000, 30)) < bound(30)
    assert np.mean(~drawn.any(axis=1)) == pytest.approx(0.05, abs=0.006)


def test_what_was_counted_by_the_target_may_break_it_as_well() -> None:
    long_run = measurement([9 * US], more=counted([9 * US, 70 * US], [61 * US]))
    (found,) = analyse([long_run], 50).deadlines
    assert (found.verdict, found.largest_us, found.late, found.activations) == ("broken", 70, 0, 3)


def test_the_answer_is_of_the_worst_setting_and_none_is_given_unasked() -> None:
    calm, loaded = measurement([9 * US]), measurement([60 * US], load="both")
    (answer,) = deadline_answers(analyse([calm, loaded], 50).deadlines)
    assert answer.question == "deadline of 50.0 µs"
    assert answer.about.startswith("broken: up to 60.0 µs late, core 0, both busy")
    assert analyse([calm, loaded]).deadlines == ()
    plan = Plan("pico-sim", None, "jitter", (Part("jitter", {}),), simulated=True)
    shown = report(Run(1, plan, "", "0", 2, (calm, loaded)), 50)
    assert any(table.title.startswith("A deadline of 50.0 µs") for table in shown.section.tables)
