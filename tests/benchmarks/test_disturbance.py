"""Whether anything disturbed a run: what is counted is told, and what a benchmark does on purpose is not."""

from __future__ import annotations

import msgspec
import pytest

from intercore.benchmarks.disturbance import in_words
from intercore.record.measurement import Measurement, Part, Plan, Run
from tests.benchmarks.jitter_data import measurement


def run(*measurements: Measurement) -> Run:
    plan = Plan("pico", None, "jitter", (Part("jitter", {}),))
    return Run(1, plan, "2026-01-01T00:00:00+00:00", "0", len(measurements), measurements)


@pytest.mark.parametrize(
    ("checks", "said"),
    [
        ({}, ""),
        ({"wrong": 0, "preempted": 0}, ""),
        ({"preempted": 1}, "in 1 of 2 measurements a task was forced off its core once"),
        ({"lost": 2, "wrong": 1}, "in 1 of 2 measurements a result was wrong once, a sample was lost 2 times"),
    ],
)
def test_what_is_counted_is_told(checks: dict[str, int], said: str) -> None:
    assert in_words(run(measurement([1182] * 9), measurement([1182] * 9, checks=checks))) == said


def test_what_ran_beside_it_is_told() -> None:
    quiet = measurement([1182] * 9)
    busy = msgspec.structs.replace(quiet, conditions={"os.load_at_start": "1.53 0.20 0.10", "cores": "2"})
    assert in_words(run(quiet)) == ""
    assert in_words(run(busy)) == "something else was running when it started"


def test_a_task_that_is_moved_on_purpose_is_not_disturbed() -> None:
    def moved(**checks: int) -> str:
        return in_words(run(measurement([1182] * 9, migrate="blockers", core_series=[0] * 9, checks=checks)))

    assert moved(preempted=30) == ""
    assert "a result was wrong once" in moved(preempted=30, wrong=1)


def test_samples_that_cannot_be_are_told() -> None:
    impossible = measurement([1182] * 9, begins=(-1,))
    assert "1 failed, with samples that cannot be" in in_words(run(impossible))
