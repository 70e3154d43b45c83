"""Whether anything disturbed a run: what is counted is told, and what a benchmark does on purpose is not."""

from __future__ import annotations

import msgspec
import numpy as np
import pytest

from intercore.benchmarks.disturbance import in_words
from intercore.record.measurement import Measurement, Part, Plan, Run, Series

STARTED = "2026-01-01T00:00:00+00:00"


def measured(*series: Series, **checks: int) -> Measurement:
    return Measurement("lock", {"measure": "hand-off"}, 0, series, {}, checks, STARTED)


def run(*measurements: Measurement) -> Run:
    return Run(1, Plan("pico", None, "lock", (Part("lock", {}),)), STARTED, "0", len(measurements), measurements)


@pytest.mark.parametrize(
    ("checks", "said"),
    [
        ({}, ""),
        ({"wrong": 0, "preempted": 0}, ""),
        ({"preempted": 1}, "a task was preempted once, in 1 of 2 measurements"),
        ({"lost": 2, "wrong": 1}, "a result was wrong once, a sample was lost 2 times, in 1 of 2 measurements"),
    ],
)
def test_what_is_counted_is_told(checks: dict[str, int], said: str) -> None:
    assert in_words(run(measured(), measured(**checks))) == said


def test_what_ran_beside_it_is_told() -> None:
    quiet = measured()
    busy = msgspec.structs.replace(quiet, conditions={"os.load_at_start": "1.53 0.20 0.10", "cores": "2"})
    assert in_words(run(quiet)) == ""
    assert in_words(run(busy)) == "other programs were running at the start"


def test_samples_that_cannot_be_are_told() -> None:
    backwards = Series("there", "common", 10**6, np.array([-1000] * 9))
    assert in_words(run(measured(backwards))) == "1 failed, with impossible samples"
